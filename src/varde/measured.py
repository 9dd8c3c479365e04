"""What many runs of an algorithm on a known problem were worth: the answer of every ``measure``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Measured:
    """``values[r, c]`` is the true value of what run r answers after ``at[c]`` samples."""

    values: np.ndarray  # [R, C]
    at: np.ndarray  # [C] samples
    best: float  # the value of the right answer
    answers: np.ndarray | None = None  # [R, C] the answers themselves, where they are numbers

    @property
    def value(self) -> np.ndarray:
        """[C] mean over the runs."""
        return self.values.mean(axis=0)

    @property
    def regret(self) -> np.ndarray:
        """[C] what the answers lose on average."""
        return self.best - self.value

    @property
    def error(self) -> np.ndarray:
        """[C] the share of runs whose answer was not the best."""
        return (self.values < self.best).mean(axis=0)


def checkpoints(budget: int, at: Sequence[int] | None) -> np.ndarray:
    """The numbers of samples to look at, in order, the last being ``budget``."""
    if budget < 1:
        raise ValueError(f"budget is {budget}: write the number of samples, 1 or more")
    steps = sorted({int(samples) for samples in ([] if at is None else at)} | {int(budget)})
    if steps[0] < 1 or steps[-1] > budget:
        wrong = steps[0] if steps[0] < 1 else steps[-1]
        raise ValueError(f"at has {wrong}, outside 1..{budget}: write numbers of samples within the budget")
    return np.array(steps, np.int64)
