"""A figure as a record: what its axes show and which curves it has.

>>> from varde.studies import Figure
>>> error = Figure(across="pulls", up="error probability (%)", log=True)
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .study import Outcome

COLOURS = 8  # of the style sheet, which has them for light and for dark pages


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
    apart: Mapping[str, str] = field(default_factory=dict)  # quantities with panels of their own, and their labels


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


def strokes_of(drawn: Sequence[Panel], method: str = "") -> dict[str, Stroke]:
    """By name: a curve is drawn in the same way in every panel, whichever others it meets there."""
    names = list(dict.fromkeys(name for panel in drawn for name in panel.curves))
    return dict(zip(names, strokes(names, method), strict=True))


def family(name: str) -> str:
    return re.split(r"[ ,:-]", name, maxsplit=1)[0]
