"""The best option that keeps some limits, where a result is several numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from ...check import LARGEST, as_float, refuse
from .goal import Goal, check_sense

LIMIT = re.compile(r"\s*(<=|>=|<|>)\s*(\S.*?)\s*")


class Limit(NamedTuple):
    """What the mean of a number must keep: ``latency <= 200``."""

    name: str
    sign: str  # <= or >=
    bound: float

    def slack(self, value: float) -> float:
        """How far within the limit a number is; negative beyond it."""
        return self.bound - value if self.sign == "<=" else value - self.bound

    def __str__(self) -> str:
        return f"{self.sign} {self.bound:g}"


class Best(Goal):
    """The best mean of the number called ``name``, among the options that keep every limit on average.

    >>> Best("profit", "max", latency="<= 200", error="< 0.01")
    Best('profit', 'max', latency='<= 200', error='<= 0.01')

    A result is then a dict of numbers, ``{"profit": 3.1, "latency": 140.0, "error": 0.0}``.
    """

    least = 1

    def __init__(self, name: str, sense: str = "max", /, **limits: str):
        if not isinstance(name, str) or not name:
            refuse("name", name, 'the name of the number to look at, such as "profit"', TypeError)
        check_sense(sense)
        self.name, self.sense = name, sense
        self.limits = tuple(limit_of(number, text) for number, text in limits.items())
        self.names = tuple(dict.fromkeys((name, *limits)))

    def saved(self) -> Any:
        return ["Best", self.name, self.sense, {limit.name: f"{limit.sign} {limit.bound!r}" for limit in self.limits}]

    def facing(self, value: float, others: tuple[float, ...] = ()) -> Any:
        numbers = dict(zip(self.names, (value, *others), strict=True))
        return (self.sign * value, *(limit.slack(numbers[limit.name]) for limit in self.limits))

    def __repr__(self) -> str:
        limits = "".join(f", {limit.name}='{limit}'" for limit in self.limits)
        return f"Best({self.name!r}, {self.sense!r}{limits})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Best) and self.saved() == other.saved()

    def __hash__(self) -> int:
        return hash(repr(self))


def limit_of(name: str, text: Any) -> Limit:
    match = LIMIT.fullmatch(text) if isinstance(text, str) else None
    try:
        bound = float(match.group(2)) if match else None
    except ValueError:
        bound = None
    if match is None or bound is None or not -LARGEST <= bound <= LARGEST:
        refuse(f"the limit of {name}", text, 'one such as "<= 200" or ">= 0.5"')
    return Limit(name, match.group(1)[0] + "=", bound)  # type: ignore[union-attr, arg-type]


def numbers_of(what: str, value: Any, names: tuple[str, ...]) -> dict[str, float]:
    """The numbers of a result by name, all that are asked for and others that came with them."""
    if not isinstance(value, Mapping):
        listed = ", ".join(f'"{name}": ...' for name in names)
        raise TypeError(f"the result of {what} is {value!r:.100}, and not several numbers by name: write {{{listed}}}")
    found = {str(name): as_float(number) for name, number in value.items()}
    for name in names:
        if name not in found:
            has = ", ".join(map(repr, found)) or "none"
            raise ValueError(
                f"the result of {what} has no {name!r}, its numbers are {has}: write all that the goal names"
            )
        number = found[name]
        if number is None or not abs(number) <= LARGEST:
            kind = TypeError if number is None else ValueError
            raise kind(f"{name} of {what} is {value[name]!r:.100}: write a finite number, or write fail(draw, reason)")
    return {name: number for name, number in found.items() if number is not None and abs(number) <= LARGEST}
