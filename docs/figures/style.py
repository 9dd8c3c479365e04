"""What the figures share: two themes, a drawing that is written out as SVG, and the code of the guides.

A script beside this one has a function ``draw(theme)`` that returns a drawing; ``python docs/figures/NAME.py`` writes
NAME-light.svg and NAME-dark.svg.  The same code gives the same bytes: tests/test_figures.py compares them.
"""

from __future__ import annotations

import contextlib
import html
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

FOLDER = Path(__file__).parent
FONT = "system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"


class Theme(NamedTuple):
    """Colours, of which no two are told apart by red and green alone (Okabe and Ito)."""

    name: str
    ink: str  # text
    quiet: str  # text of second rank, samples of other options
    grid: str
    accent: str  # the answer
    other: str  # what it is compared with


LIGHT = Theme("light", "#1f2328", "#59636e", "#d1d9e0", "#0072b2", "#b35900")
DARK = Theme("dark", "#f0f6fc", "#9aa4af", "#3d444d", "#56b4e9", "#e69f00")


def number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0").replace("-0", "0" if value > -0.05 else "-0")


def percent(share: float) -> str:
    """A share, or a place on an axis; a chance that is stated is written as in every answer, by ``sure``."""
    return f"{100.0 * share:.0f} %"


class Drawing:
    """Shapes on a canvas; text is 17 units high unless it says otherwise, so that it can be read on a phone."""

    def __init__(self, width: int, height: int, title: str):
        self.width, self.height, self.title = width, height, title
        self.shapes: list[str] = []

    def add(self, tag: str, content: str = "", **attributes: Any) -> None:
        written = "".join(
            f' {name.rstrip("_").replace("_", "-")}="{number(value) if isinstance(value, int | float) else value}"'
            for name, value in attributes.items()
            if value is not None
        )
        self.shapes.append(f"<{tag}{written}>{content}</{tag}>" if content else f"<{tag}{written}/>")

    def text(self, x: float, y: float, words: str, colour: str, size: float = 17, **attributes: Any) -> None:
        size_or_none = None if size == 17 else size
        self.add("text", html.escape(words), x=x, y=y, fill=colour, font_size=size_or_none, **attributes)

    def line(self, x1: float, y1: float, x2: float, y2: float, colour: str, width: float = 1, **attributes: Any):
        self.add("line", x1=x1, y1=y1, x2=x2, y2=y2, stroke=colour, stroke_width=width, **attributes)

    def rect(self, x: float, y: float, width: float, height: float, colour: str, **attributes: Any) -> None:
        self.add("rect", x=x, y=y, width=width, height=height, fill=colour, **attributes)

    def circle(self, x: float, y: float, radius: float, colour: str, **attributes: Any) -> None:
        self.add("circle", cx=x, cy=y, r=radius, fill=colour, **attributes)

    def curve(self, points: Sequence[tuple[float, float]], colour: str, width: float = 2, **attributes: Any) -> None:
        d = "M" + "L".join(f"{number(x)} {number(y)}" for x, y in points)
        self.add("path", d=d, fill="none", stroke=colour, stroke_width=width, stroke_linejoin="round", **attributes)

    def ticks(self, xs: Sequence[float], y: float, height: float, colour: str, width: float, **attributes: Any) -> None:
        """Many short vertical strokes as one path."""
        d = "".join(f"M{number(x)} {number(y)}v{number(height)}" for x in xs)
        self.add("path", d=d, stroke=colour, stroke_width=width, **attributes)

    def svg(self) -> str:
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" width="{self.width}" '
            f'height="{self.height}" role="img" font-family="{FONT}" font-size="17">'
        )
        return "\n".join([head, f"<title>{html.escape(self.title)}</title>", *self.shapes, "</svg>", ""])


def code_of(page: str, wanted: str) -> dict[str, Any]:
    """What the code blocks of a page define, run in their order until there is ``wanted``."""
    names: dict[str, Any] = {"__name__": "page"}
    for block in re.findall(r"```python\n(.*?)```", (FOLDER.parent / page).read_text(encoding="utf-8"), re.DOTALL):
        with contextlib.redirect_stdout(None):
            exec(compile(block, page, "exec"), names)
        if wanted in names:
            return names
    raise KeyError(f"no code block of {page} defines {wanted}")


def save(script: str, draw: Callable[[Theme], Drawing]) -> None:
    """Write both files of a script."""
    for theme in (LIGHT, DARK):
        Path(script).with_name(f"{Path(script).stem}-{theme.name}.svg").write_text(draw(theme).svg(), encoding="utf-8")
