"""Results without single values: successes out of trials, or a mean and its standard error."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from ..certainty import Block
from ..check import FINITE, LARGEST, real, shown, whole

if TYPE_CHECKING:
    from .goals import Goal

COUNTS, SUMMARY = ("successes", "trials"), ("mean", "sem", "n")
MOST = 2**53  # results told at once: floats still count so many exactly
SLACK = 1e-6  # relative tolerance: means and errors in files are rounded


class Counts(NamedTuple):
    """Trials that gave 1 or 0: equivalent to the same results one by one."""

    successes: int
    trials: int

    @property
    def n(self) -> int:
        return self.trials

    @property
    def mean(self) -> float:
        return self.successes / self.trials

    @property
    def blocks(self) -> tuple[Block, ...]:
        return Block(1.0, self.successes), Block(0.0, self.trials - self.successes)

    @property
    def best_first(self) -> list[tuple[float, int]]:
        """(value, count) of each value, best first."""
        return [(block.value, block.times) for block in self.blocks if block.times]


class Summary(NamedTuple):
    """The mean of n results and its standard error, sd / sqrt(n); their distribution is unknown."""

    mean: float
    sem: float
    n: int

    @property
    def blocks(self) -> tuple[Block, ...]:
        return (Block(self.mean, self.n, self.sem**2 * self.n * (self.n - 1.0)),)


Batch = Counts | Summary


def batch_of(what: str, given: Mapping[str, Any]) -> Batch:
    """The batch in what a user told about ``what``, or an error."""
    has = [name for name in (*COUNTS, *SUMMARY) if given.get(name) is not None]
    if set(has) == set(COUNTS):
        for name in COUNTS:
            if isinstance(given[name], str):  # as a file has them
                raise TypeError(f"{name} of {what} is {shown(given[name])}, a text: write int(...)")
        trials = whole(f"trials of {what}", given["trials"], "how often it was tried, 1 or more", 1, MOST)
        wanted = f"how many of {trials:,} trials worked, 0 to {trials:,}"
        return Counts(whole(f"successes of {what}", given["successes"], wanted, 0, trials), trials)
    if set(has) != set(SUMMARY):
        raise ValueError(
            f"the result of {what} has {', '.join(has)}: write successes and trials, or mean, sem and n, or a value"
        )
    n = whole(f"n of {what}", given["n"], "how many results it is the mean of, 2 or more", 2, MOST)
    mean = real(f"mean of {what}", given["mean"], FINITE, lambda mean: abs(mean) <= LARGEST)
    wanted = "the standard error of the mean, sd / sqrt(n), 0 or more"
    return Summary(mean, real(f"sem of {what}", given["sem"], wanted, lambda sem: 0.0 <= sem <= LARGEST / n), n)


def check_batch(what: str, batch: Batch, goal: Goal, paired: bool, bounds: tuple[float, float] | None) -> None:
    """Refuse a batch where single results are needed, or one that results within the bounds cannot give."""
    if paired or goal.singly:
        why = "options are compared result by result" if paired else f"the goal is {goal}, which needs single results"
        raise ValueError(f"the results of {what} are {shown(batch)}, but {why}: tell the values themselves")
    low, high = (-math.inf, math.inf) if bounds is None else bounds
    outside = next((block.value for block in batch.blocks if block.times and not low <= block.value <= high), None)
    if outside is not None:
        raise ValueError(f"a result of {what} is {outside:g}, outside bounds={(low, high)}: write wider bounds")
    if isinstance(batch, Summary) and bounds is not None:
        widest = math.sqrt((batch.mean - low) * (high - batch.mean) / (batch.n - 1))
        if batch.sem > widest + SLACK * (high - low):
            raise ValueError(
                f"sem of {what} is {batch.sem:g}, but that of {batch.n:,} results within bounds={(low, high)} is "
                f"{widest:.3g} at most: write the standard error of the mean, sd / sqrt(n)"
            )
