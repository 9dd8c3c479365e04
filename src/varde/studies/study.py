"""``Study``: what to measure, what the paper printed and what it left open, and how all that is shown."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

import numpy as np

from .checking import check, steps_of
from .figure import Figure

Measure = Callable[[np.ndarray, int, int], np.ndarray]  # key, first run, runs -> [runs, columns]


@dataclass(frozen=True)
class Cell:
    """One algorithm on one problem, measured at some steps."""

    problem: str
    algorithm: str
    setting: str  # everything the numbers depend on, for the reader
    steps: tuple[int, ...]
    measure: Measure
    quantities: tuple[str, ...] = ()  # where several numbers are measured at each step; "" is the main one

    def __post_init__(self) -> None:
        object.__setattr__(self, "steps", steps_of(self))

    @property
    def columns(self) -> list[tuple[str, int]]:
        """(algorithm, step) of each number that ``measure`` returns."""
        names = [f"{self.algorithm}: {what}" if what else self.algorithm for what in self.quantities or ("",)]
        return [(name, step) for step in self.steps for name in names]


class Outcome(NamedTuple):
    """One number, as a row of the results file has it."""

    problem: str
    algorithm: str
    setting: str
    step: int
    runs: int
    value: float
    stderr: float
    published: float | None = None
    verdict: str | None = None
    unit: float | None = None  # of the last printed digit
    low: float | None = None  # ends of the interval, if the runs allow one
    high: float | None = None

    @property
    def printed(self) -> str:
        """The published number with the digits it was printed with; "" if there is none."""
        if self.published is None:
            return ""
        exact = Decimal(repr(float(self.published)))
        try:
            exact = exact.quantize(Decimal(1).scaleb(round(math.log10(self.unit)))) if self.unit else exact
        except InvalidOperation:  # more digits than one wants to see
            return repr(self.published)
        plain = not self.published or 1e-4 <= abs(self.published) < 1e7
        return f"{exact:f}" if plain else str(exact).lower()

    @property
    def decimals(self) -> int:
        """How many the published number has."""
        return min(max(-round(math.log10(self.unit)), 0), 9) if self.unit else 0


@dataclass(frozen=True)
class Study:
    """What to measure, what was published, and how it is shown.

    Args:
        name: the name of its files: letters, digits, - and _.
        title: the title on the page; up to its first colon or comma it is the name on the tile.
        cells: what is measured.
        runs: the number of runs of every cell.
        block: runs measured at a time: small enough to show progress, large enough to be worth a call.
        published: the printed numbers, by (problem, algorithm, step), as text with all their digits: "6.10". A number
            that is no text is taken to have ``digits`` decimals, or as many as it needs.
        published_runs: how many runs the paper averaged, if it says.
        relative: the relative difference up to which a number is practically the same as the published one.
        absolute: the same as an absolute difference; the larger of the two counts.
        span: the lowest and the highest possible value, if there are limits.
        percent: whether values are 0 or 1, and shown in percent.
        unit: the unit of the values, such as "ms"; shown beside them.
        digits: decimals printed.
        notes: what the paper does not state, and what was used.
        findings: a function of the rows that returns lines of text.
        figure: how curves are drawn.
        place: where it is in a paper, such as "Table 2".
        method: the algorithm the study is about; drawn heavier than the others.
        quick: the runs of ``--quick``; a tenth of all, unless given.
        quick_problems: the problems of ``--quick``; all, unless given.
    """

    name: str
    title: str
    cells: Sequence[Cell]
    runs: int
    block: int = 500
    published: Mapping[tuple[str, str, int], float | str] = field(default_factory=dict)
    published_runs: int | None = None
    relative: float = 0.02
    absolute: float = 0.0
    span: tuple[float, float] | None = None
    percent: bool = False
    unit: str = ""
    digits: int = 2
    notes: Sequence[str] = ()
    findings: Callable[[Sequence[Outcome]], Sequence[str]] = lambda rows: []
    figure: Figure | None = None
    place: str = ""
    method: str = ""
    quick: int | None = None
    quick_problems: Sequence[str] = ()

    def __post_init__(self) -> None:
        check(self)
        for name in ("runs", "block", "digits", "published_runs", "quick"):  # a numpy integer is no number in JSON
            if getattr(self, name) is not None:
                object.__setattr__(self, name, int(getattr(self, name)))

    @property
    def measured_in(self) -> str:
        """What the values are measured in, if that is known."""
        return "%" if self.percent else self.unit

    @property
    def possible(self) -> tuple[float, float] | None:
        """The span of values as they are shown."""
        return (0.0, 100.0) if self.percent else self.span

    def printed(self, problem: str, algorithm: str, step: int) -> tuple[float | None, float | None]:
        """The published number, and the unit of its last digit."""
        number = self.published.get((problem, algorithm, step))
        if number is None:
            return None, None
        text = number if isinstance(number, str) else repr(float(number))
        last = int(Decimal(text).as_tuple().exponent)
        return float(number), 10.0 ** (last if isinstance(number, str) else min(last, -self.digits))


def find(rows: Iterable[Outcome], problem: str, algorithm: str, step: int | None = None) -> Outcome:
    """The row of a cell, at its last step unless another is given."""
    found = [r for r in rows if r.problem == problem and r.algorithm == algorithm and step in (None, r.step)]
    if not found:
        raise ValueError(f"there is no row of {algorithm} on {problem}{'' if step is None else f' at step {step:,}'}")
    return found[-1]
