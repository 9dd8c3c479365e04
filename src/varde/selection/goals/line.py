"""All options on one side of a line."""

from __future__ import annotations

from dataclasses import dataclass

from ...check import FINITE, LARGEST, real
from .goal import Goal


@dataclass(frozen=True)
class Above(Goal):
    """Every option whose mean is above ``line``.

    >>> Above(0.8)
    Above(line=0.8)
    """

    line: float
    least = 1

    def __post_init__(self) -> None:
        line = real("line", self.line, FINITE, lambda line: -LARGEST <= line <= LARGEST)
        object.__setattr__(self, "line", line)


@dataclass(frozen=True)
class Below(Above):
    """Every option whose mean is below ``line``."""

    sense = "min"
