"""What to look for among the options: the best mean unless the user says otherwise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ...check import refuse

SENSES = ("max", "min")


class Goal:
    """What is looked for.  A goal is a record that a file keeps as [name, field, ...]."""

    sense: str = "max"  # whether larger or smaller is better
    least: ClassVar[int] = 2  # options from which on there is a question
    names: tuple[str, ...] = ()  # the numbers that a result has by name; none: it is one number

    @property
    def sign(self) -> float:
        """Results times this are better the larger they are."""
        return -1.0 if self.sense == "min" else 1.0

    @property
    def shown(self) -> Any:
        """As a user writes it."""
        return self

    def saved(self) -> Any:
        """As a file keeps it."""
        return [type(self).__name__, *vars(self).values()]

    def question(self, size: int) -> None:
        """Refuse where there is none among ``size`` options."""

    def facing(self, value: float, others: tuple[float, ...] = ()) -> Any:
        """A result for the rule, larger being better."""
        return self.sign * value


@dataclass(frozen=True)
class Mean(Goal):
    """The best mean: "max" or "min"."""

    sense: str = "max"

    @property
    def shown(self) -> str:
        return self.sense

    def saved(self) -> str:
        return self.sense


def check_sense(sense: Any) -> None:
    if not isinstance(sense, str) or sense not in SENSES:
        refuse("sense", sense, '"max" or "min"')
