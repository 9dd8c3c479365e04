"""Small pictures without axes: numbers against numbers, and a row of outcomes.

A dot is good, open or bad by its form too: full, hollow, crossed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .scale import fit
from .text import HTML, tag

FORMS = {
    "good": "m-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0z",
    "open": "m-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0z",
    "bad": "m-3-3l6 6m0-6l-6 6",
}
SIDE, ROOM = 64, 6  # of the square, and around the dots
STEP, LINE = 11, 12  # from dot to dot of a row, and dots in it


def dots(places: Mapping[str, Sequence[tuple[float, float]]]) -> list[HTML]:
    """One path for all dots of a style."""
    return [
        tag("path", class_=f"dots {style}", d="".join(f"M{x:.0f} {y:.0f}{FORMS[style]}" for x, y in some))
        for style, some in places.items()
        if some
    ]


def against(pairs: Mapping[str, Sequence[tuple[float, float]]], name: str) -> HTML:
    """(across, up) by style; where both are equal a dot lies on the diagonal."""
    numbers = [number for some in pairs.values() for pair in some for number in pair]
    low, high = min(numbers), max(numbers)
    scale = fit(numbers, log=low > 0.0 and high > 100.0 * low)
    inside = SIDE - 2 * ROOM

    def place(across: float, up: float) -> tuple[float, float]:
        return ROOM + inside * scale(across), ROOM + inside * (1.0 - scale(up))

    drawn = dots({style: list(dict.fromkeys(place(*pair) for pair in some)) for style, some in pairs.items()})
    line = tag("path", class_="diagonal", d=f"M0 {SIDE}L{SIDE} 0")
    return tag("svg", line, *drawn, class_="against", viewBox=f"0 0 {SIDE} {SIDE}", role="img", aria_label=name)


def outcomes(styles: Sequence[str], name: str = "") -> HTML:
    """A dot for each, in rows; without a name it adds nothing to the text beside it."""
    places: dict[str, list[tuple[float, float]]] = {}
    for i, style in enumerate(styles):
        places.setdefault(style, []).append((STEP * (i % LINE + 0.5), STEP * (i // LINE + 0.5)))
    size = f"0 0 {STEP * min(len(styles), LINE)} {STEP * ((len(styles) - 1) // LINE + 1)}"
    width = STEP * min(len(styles), LINE)
    named = {"role": "img", "aria_label": name} if name else {"aria_hidden": "true"}
    return tag("svg", *dots(places), class_="outcomes", viewBox=size, width=width, **named)
