"""The best m options."""

from __future__ import annotations

from dataclasses import dataclass

from ...check import whole
from .goal import Goal, check_sense


@dataclass(frozen=True)
class Top(Goal):
    """The ``m`` options with the best means; which of them is the best of all does not matter.

    >>> Top(5)
    Top(m=5, sense='max')
    """

    m: int
    sense: str = "max"

    def __post_init__(self) -> None:
        object.__setattr__(self, "m", whole("m", self.m, "how many options to choose, 1 or more"))
        check_sense(self.sense)

    @property
    def least(self) -> int:  # type: ignore[override]
        return self.m + 1

    def question(self, size: int) -> None:
        if size <= self.m:
            raise ValueError(f"goal is Top({self.m}) of {size} options, which are all of them: write fewer than {size}")
