"""A study is data: what to measure, what the paper printed and what it left open, and how all that is shown."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

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
    reason: str = ""  # why it may differ from the published one


@dataclass(frozen=True)
class Study:
    name: str
    title: str
    cells: Sequence[Cell]
    runs: int
    block: int = 500  # runs measured at a time: small enough to show progress, large enough to be worth a call
    published: Mapping[tuple[str, str, int], float] = field(default_factory=dict)
    published_runs: int = 20_000
    percent: bool = True  # values are shares, shown in percent
    digits: int = 2  # printed after the point
    notes: Sequence[str] = ()  # what the paper leaves open, and what was used
    findings: Callable[[Sequence[Outcome]], list[str]] = lambda rows: []
    figure: Figure | None = None
    place: str = ""  # where the paper has it; without one it is beyond the paper
    reasons: Sequence[tuple[Callable[[Outcome], bool], str]] = ()  # which numbers may differ from print, and why
    rate: float = 0.0  # seconds per run and step, roughly: the time left is guessed from it until the study has begun

    def likely(self, row: Outcome) -> str:
        """Why a number may differ from the published one: the first reason that applies to it, if any does."""
        return next((why for applies, why in self.reasons if applies(row)), "")


class Sums(NamedTuple):
    """What a block leaves behind: per column, the sum and the sum of squares over its runs."""

    runs: int
    total: np.ndarray
    squares: np.ndarray


def summarise(study: Study, cell: Cell, blocks: Sequence[Sums]) -> Iterator[Outcome]:
    """Mean, standard error and verdict of every column of a cell."""
    runs = sum(block.runs for block in blocks)
    total = np.sum([block.total for block in blocks], axis=0)
    squares = np.sum([block.squares for block in blocks], axis=0)
    for i, (name, step) in enumerate(cell.columns):
        mean = float(total[i]) / runs
        if study.percent:
            # Half a success and half a failure added: no errors in 100 runs is not an error of exactly 0.
            share = (float(total[i]) + 0.5) / (runs + 1.0)
            spread = share * (1.0 - share)
        else:
            spread = max(float(squares[i]) / runs - mean * mean, 0.0) * runs / max(runs - 1, 1)
        scale = 100.0 if study.percent else 1.0
        value, stderr = scale * mean, scale * math.sqrt(spread / runs)
        published = study.published.get((cell.problem, name, step))
        yield judged(study, Outcome(cell.problem, name, cell.setting, step, runs, value, stderr, published))


def judged(study: Study, row: Outcome) -> Outcome:
    """With the verdict on a published number: reproduced within 2 standard errors of the difference, close within 4."""
    if row.published is None:
        return row
    z = deviation(study, row)
    row = row._replace(verdict="reproduced" if z <= 2.0 else "close" if z <= 4.0 else "not reproduced")
    return row if row.verdict == "reproduced" else row._replace(reason=study.likely(row))


def deviation(study: Study, row: Outcome) -> float:
    """Difference to the published number in standard errors, both sides being Monte Carlo estimates."""
    if row.published is None:
        raise ValueError(f"{row.algorithm} on {row.problem} has no published number: take a row that has one")
    if study.percent:
        here, there = row.runs, study.published_runs
        share = (here * row.value + there * row.published) / (here + there) / 100.0
        share = min(max(share, 0.5 / here), 1.0 - 0.5 / here)
        error = 100.0 * math.sqrt(share * (1.0 - share) * (1.0 / here + 1.0 / there))
    else:
        error = row.stderr * math.sqrt(1.0 + row.runs / study.published_runs)
    apart = abs(row.value - row.published)
    return apart / error if error > 0.0 else math.inf if apart > 0.0 else 0.0
