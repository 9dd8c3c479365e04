"""``Measured``: the result of ``measure``, many runs of an algorithm on a known problem."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from .check import refuse, whole


@dataclass(frozen=True)
class Measured:
    """``values[r, c]`` is the true value of what run r answers after ``at[c]`` samples."""

    values: np.ndarray  # [R, C]
    at: np.ndarray  # [C] samples
    best: float  # the value of the right answer
    answers: np.ndarray | None = None  # [R, C] the answers themselves, where they are numbers
    stopped: str = "budget"  # "interrupted" at Ctrl-C: then these are the runs that were complete

    @property
    def value(self) -> np.ndarray:
        """[C] mean over the runs."""
        return self.values.mean(axis=0)

    @property
    def regret(self) -> np.ndarray:
        """[C] mean loss of the answers (simple regret)."""
        return self.best - self.value

    @property
    def error(self) -> np.ndarray:
        """[C] the share of runs whose answer was not the best."""
        return (self.values < self.best).mean(axis=0)


def complete(measured: Measured) -> Measured:
    """The complete runs (without NaN) after an interruption; KeyboardInterrupt if there is none."""
    if measured.stopped != "interrupted":
        return measured
    whole, answers = ~np.isnan(measured.values).any(axis=1), measured.answers
    if not whole.any():
        raise KeyboardInterrupt
    return replace(measured, values=measured.values[whole], answers=None if answers is None else answers[whole])


def checkpoints(budget: int, at: Sequence[int] | None) -> np.ndarray:
    """The checkpoints in numbers of samples, in order, the last being ``budget``."""
    budget = whole("budget", budget, "the number of samples, 1 or more")
    wanted = f"numbers of samples within the budget, 1 to {budget}"
    if at is None:
        return np.array([budget])
    if isinstance(at, (str, bytes)) or not isinstance(at, Iterable) or np.ndim(at) != 1:
        refuse("at", at, f"a list of {wanted}", TypeError)
    return np.array(sorted({whole(f"at[{i}]", n, wanted, 1, budget) for i, n in enumerate(at)} | {budget}), np.int64)


def check_runs(runs: int) -> int:
    return whole("runs", runs, "how many runs to make, 1 or more")
