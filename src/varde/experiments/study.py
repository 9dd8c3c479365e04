"""A study is data: cells to measure, runs to average over, what the paper printed, what it left open."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

Measure = Callable[[np.ndarray, int, int], np.ndarray]  # key, first run, runs -> [runs, columns]


@dataclass(frozen=True)
class Cell:
    """One algorithm on one problem, measured at some steps."""

    problem: str
    algorithm: str
    setting: str  # everything the numbers depend on, in words
    steps: tuple[int, ...]
    measure: Measure
    quantities: tuple[str, ...] = ()  # where several numbers are measured at each step; "" is the main one

    @property
    def columns(self) -> list[tuple[str, int]]:
        """(algorithm, step) of each number that ``measure`` returns."""
        names = [f"{self.algorithm}: {what}" if what else self.algorithm for what in self.quantities or ("",)]
        return [(name, step) for step in self.steps for name in names]


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
    findings: Callable[[Sequence[Row]], list[str]] = lambda rows: []
    draw: Callable[[Sequence[Row], str], Any] | None = None  # rows, title -> a matplotlib figure


class Row(NamedTuple):
    """One number, as it stands in the results file."""

    problem: str
    algorithm: str
    setting: str
    step: int
    runs: int
    value: float
    stderr: float
    published: float | None
    verdict: str | None


class Sums(NamedTuple):
    """What a block leaves behind: per column, the sum and the sum of squares over its runs."""

    runs: int
    total: np.ndarray
    squares: np.ndarray


def summarise(study: Study, cell: Cell, blocks: Sequence[Sums]) -> Iterator[Row]:
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
        published = study.published.get((cell.problem, name, step))
        value, stderr = scale * mean, scale * math.sqrt(spread / runs)
        told = None if published is None else verdict(study, value, published, stderr, runs)
        yield Row(cell.problem, name, cell.setting, step, runs, value, stderr, published, told)


def deviation(study: Study, value: float, published: float, stderr: float, runs: int) -> float:
    """Difference to the published number in standard errors, both sides being Monte Carlo estimates."""
    if study.percent:
        share = (runs * value + study.published_runs * published) / (runs + study.published_runs) / 100.0
        share = min(max(share, 0.5 / runs), 1.0 - 0.5 / runs)
        error = 100.0 * math.sqrt(share * (1.0 - share) * (1.0 / runs + 1.0 / study.published_runs))
    else:
        error = stderr * math.sqrt(1.0 + runs / study.published_runs)
    return abs(value - published) / error if error > 0.0 else math.inf * (value != published)


def verdict(study: Study, value: float, published: float, stderr: float, runs: int) -> str:
    """reproduced within 2 standard errors of the difference, close within 4, else not reproduced."""
    z = deviation(study, value, published, stderr, runs)
    return "reproduced" if z <= 2.0 else "close" if z <= 4.0 else "not reproduced"
