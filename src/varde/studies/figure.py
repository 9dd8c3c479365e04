"""A figure as a record: what its axes show and which curves it has; drawn by the page and by matplotlib.

>>> from varde.studies import Figure
>>> error = Figure(across="pulls", up="error probability (%)", log=True)
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from .study import Outcome, Study

COLOURS = 8  # of the style sheet, which has them for light and for dark pages; these are the light ones
LIGHT = ("#c0350a", "#1a2a9c", "#109a8c", "#984db0", "#5f2418", "#5b78f2", "#7b985c", "#403550")
DASHES = ("-", "--", ":", "-.")


@dataclass(frozen=True)
class Figure:
    """A panel per problem, a curve per algorithm over the steps."""

    across: str = "steps"  # label of the x-axis
    up: str = "value"  # label of the y-axis
    log: bool = False  # logarithmic y-axis
    wide: bool = False  # logarithmic x-axis
    best: float | None = None  # a level to compare with
    level: str = "V*"  # what it is called
    shown: Sequence[str] = ()  # algorithms to draw; all, unless some are named
    size: str = "size"  # the label of the sizes of the problems
    sizes: Mapping[str, int] = field(default_factory=dict)  # by problem, if the last step is also drawn over the sizes
    ends: Mapping[str, str] = field(default_factory=dict)  # panels over sizes: title, and what is added to the names
    rose: bool = False  # rows are named by directions, "move: NE": a compass rose per problem instead of curves
    apart: Mapping[str, str] = field(default_factory=dict)  # quantities with panels of their own, and their labels
    heat: Sequence[str] = ()  # rivals: a heat map of how many comparisons with them each other row wins


class Panel(NamedTuple):
    """One panel of a figure."""

    title: str
    across: str
    up: str
    best: float | None
    curves: dict[str, dict[int, Outcome]]  # by name and place across


def by_steps(rows: Sequence[Outcome]) -> dict[tuple[str, str], list[Outcome]]:
    """The rows of each problem and algorithm, by step."""
    found: dict[tuple[str, str], list[Outcome]] = {}
    for row in rows:
        found.setdefault((row.problem, row.algorithm), []).append(row)
    return {pair: sorted(some, key=attrgetter("step")) for pair, some in found.items()}


def panels(figure: Figure, rows: Sequence[Outcome]) -> list[Panel]:
    """The panels: over the sizes of the problems, if any, then for each problem, or for each of its quantities."""
    steps = by_steps(rows)
    drawn = []
    sizes = {problem: size for problem, size in figure.sizes.items() if any(problem == where for where, _ in steps)}
    for title, ending in figure.ends.items() if sizes else ():
        ends = {
            name: {size: steps[problem, name + ending][-1] for problem, size in sizes.items()}
            for name in figure.shown
            if all((problem, name + ending) in steps for problem in sizes)
        }
        drawn += [Panel(title, figure.size, figure.up, figure.best, ends)] if ends else []
    for problem in dict.fromkeys(problem for problem, _ in steps):
        for quantity, up in figure.apart.items() or [(None, figure.up)]:
            curves = {}
            for (where, name), some in steps.items():
                of, _, what = name.partition(": ") if quantity is not None else (name, "", None)
                if where == problem and what == quantity and (not figure.shown or of in figure.shown):
                    curves[of] = {row.step: row for row in some}
            best = None if quantity else figure.best  # of the main quantity
            drawn += [Panel(problem, figure.across, up, best, curves)] if curves else []
    return drawn


class Stroke(NamedTuple):
    """How a curve is drawn."""

    colour: int
    dash: int
    strong: bool


def strokes(names: Sequence[str], method: str = "") -> list[Stroke]:
    """A family (the first word of a name) shares a colour, its members differ in dash; ``method`` is heavier."""
    strong = family(method)
    families = list(dict.fromkeys(map(family, names)))
    others = [name for name in families if name != strong]
    colours = {strong: 0, **{name: 1 + i % (COLOURS - 1) for i, name in enumerate(others)}}
    again = {name: i // (COLOURS - 1) for i, name in enumerate(others)}  # out of colours: continue with other dashes
    seen: dict[str, int] = {}
    found = []
    for name in names:
        kin = family(name)
        found.append(Stroke(colours[kin], seen.get(kin, 0) + again.get(kin, 0), kin == strong))
        seen[kin] = seen.get(kin, 0) + 1
    return found


def strokes_of(drawn: Sequence[Panel], method: str = "", also: Sequence[str] = ()) -> dict[str, Stroke]:
    """By name: a curve is drawn in the same way in every panel, whichever others it meets there."""
    names = list(dict.fromkeys([*(name for panel in drawn for name in panel.curves), *also]))
    return dict(zip(names, strokes(names, method), strict=True))


def family(name: str) -> str:
    return re.split(r"[ ,:-]", name, maxsplit=1)[0]


# -- matplotlib, imported when something is drawn ------------------------------------------------


def draw(study: Study, rows: Sequence[Outcome]) -> Any:
    """The study's figure by matplotlib: 95 % intervals shaded."""
    from matplotlib.figure import Figure as Drawing
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    figure = study.figure or Figure()
    drawn = panels(figure, rows)
    lines = -(-len(drawn) // 2)
    made = Drawing(figsize=(11, 4.1 * lines + 1.3))
    axes = made.subplots(lines, 2, squeeze=False).ravel()
    stroke = strokes_of(drawn, study.method)
    for ax, panel in zip(axes, drawn, strict=False):
        if figure.rose:
            from .compass_rose import draw_rose

            draw_rose(ax, panel, LIGHT[0], LIGHT[1])
            continue
        for name in stroke:
            if name in panel.curves:
                draw_curve(ax, study, name, panel.curves[name], stroke[name])
        if panel.best is not None:
            ax.axhline(panel.best, color="black", linewidth=0.8, linestyle="-.", label=figure.level)
        if figure.wide and panel.across == figure.across:
            ax.set_xscale("log")
        if figure.log:
            log_scale(ax, [row.value for curve in panel.curves.values() for row in curve.values()])
        ax.grid(alpha=0.25, which="both", linewidth=0.5)
        ax.set_title(panel.title, fontsize=11)
        ax.set_xlabel(panel.across)
        ax.set_ylabel(panel.up)
    for ax in axes[len(drawn) :]:
        ax.remove()
    handles: dict[str, Any] = {}  # of all panels: a curve may be missing in the first
    for ax in axes[: len(drawn)]:
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    if handles:
        made.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=5, fontsize=9, frameon=False)
    made.suptitle(study.title)
    ConstrainedLayoutEngine().execute(made)  # once; an engine of the figure's own would draw it twice for each file
    return made


def draw_curve(ax: Any, study: Study, name: str, curve: Mapping[int, Outcome], stroke: Stroke) -> None:
    from .judging.intervals import interval

    colour, dash = LIGHT[stroke.colour], DASHES[stroke.dash % len(DASHES)]
    ends = [interval(study, row) or (row.value, row.value) for row in curve.values()]
    values = [row.value for row in curve.values()]
    ax.plot(list(curve), values, dash, color=colour, label=name, linewidth=2.2 if stroke.strong else 1.3)
    ax.fill_between(list(curve), [end[0] for end in ends], [end[1] for end in ends], color=colour, alpha=0.12, lw=0)


def log_scale(ax: Any, values: Sequence[float]) -> None:
    known = [value for value in values if value > 0.0] or [0.1]
    ax.set_yscale("log", nonpositive="clip")
    ax.set_ylim(bottom=0.8 * min(known))
    ax.yaxis.set_major_formatter("{x:g}")
    ax.yaxis.set_minor_formatter("{x:g}" if max(known) < 100.0 * min(known) else "")  # over decades, those will do
    ax.tick_params(axis="y", which="both", labelsize=8)


def as_files(study: Study, rows: Sequence[Outcome]) -> dict[str, bytes]:
    """The study's figure as files, by name: a PNG and an SVG from one drawing."""
    from matplotlib import rc_context

    drawing, files = draw(study, rows), {}
    for kind in ("png", "svg"):
        # No date in the file, no random names in it: the same results give the same bytes.
        metadata = {"Date": None} if kind == "svg" else {"Software": None}
        file = BytesIO()
        with rc_context({"svg.hashsalt": study.name}):
            drawing.savefig(file, format=kind, dpi=150, metadata=metadata)
        files[f"{study.name}.{kind}"] = file.getvalue()
    return files


def save(files: Mapping[str, bytes], folder: Path) -> list[str]:
    """Write files, each complete or not at all; returns their names."""
    for name, content in files.items():
        partial = folder / f".partial-{name}"
        partial.write_bytes(content)
        partial.replace(folder / name)
    return list(files)
