"""Options that resemble each other: what they can be combined with, and their features at the doors of a selection."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..beliefs.alike import Posterior, matern
from ..beliefs.features import Parameter, Row, Space, check_same_parameters, row_of, rows_of, space_of
from ..certainty.alike import Alike
from ..check import shown
from ..decisions import Gaps
from ..rule import VarDE
from .events import plain
from .goals import Goal, Mean

if TYPE_CHECKING:
    from .ledger import Ledger


class Resembling(NamedTuple):
    """How the options of a selection resemble each other: ``found.alike``."""

    used: bool  # they do; else each was judged by its own results
    odds: float  # log of the evidence for it
    parameters: tuple[Parameter, ...]
    matters: tuple[float, ...]  # 0 to 1: how little both ends of a parameter have in common
    belief: Posterior  # larger is better, in ``unit``
    rows: np.ndarray  # the rows of the options that are compared
    unit: float  # with the sign of the goal

    @classmethod
    def of(cls, found: Alike, kept: np.ndarray, sign: float, unit: float) -> Resembling:
        space, logs = found.belief.space, found.fit.logs
        matters = tuple(1.0 - float(matern(np.array(math.sqrt(5.0) * math.exp(-x)))) for x in logs[:-3])
        return cls(found.used, found.fit.odds, space.parameters, matters, found.belief, kept, sign * unit)


def placed(alike: Mapping[str, Any] | None, kept: np.ndarray) -> tuple[Space, np.ndarray | None] | None:
    """Where the options that are compared are, and the hyper-parameters so far."""
    if alike is None or kept.size < 2:
        return None
    logs = alike["logs"]
    return space_of([alike["features"][i] for i in kept]), None if logs is None else np.array(logs, dtype=float)


def check_alike(goal: Goal, algorithm: Any, crn: bool, stop: Any) -> None:
    """Refuse what options that resemble each other cannot be combined with."""
    refusals = {
        f"goal={goal}": (
            not isinstance(goal, Mean),
            'estimates from neighbours are of means: write goal="max" or "min"',
        ),
        "crn=True": (crn, "results are compared one by one: leave one of the two out"),
        f"algorithm={algorithm}": (
            not (isinstance(algorithm, VarDE) and isinstance(algorithm.decision, Gaps)),
            "only VarDE() knows resemblance: leave algorithm= out",
        ),
        f"stop={stop}": (
            stop is not None,
            "its guarantee holds for options judged by their own results only: leave stop= out and write a budget",
        ),
    }
    for what, (refused, why) in refusals.items():
        if refused:
            raise ValueError(f"alike=True with {what}: {why}")


def described(alike: bool, entries: list[tuple[str, Any]], features: Any, items: Any) -> list[Row]:
    """The features of all options that resemble each other."""
    if not alike:
        if features is not None:
            raise ValueError("features= is for options that resemble each other: leave alike=False out")
        return []
    if items is not None:
        raise ValueError("alike=True with items=: results are compared one by one, leave one of the two out")
    return rows_of([name for name, _ in entries], [option for _, option in entries], features)


def described_later(alike: bool, ledger: Ledger, option: Any, name: str, features: Any) -> list[Row]:
    """The same of an option that is added."""
    if not alike:
        if features is not None:
            raise ValueError("the options have no features: leave features= out, or begin with alike=True")
        return []
    row = row_of(name, option if features is None else features)
    check_same_parameters(ledger.names[0], ledger.alike.rows[0], name, row)
    return [row]


def check_features(ledger: Ledger, entries: list[tuple[str, Any]], features: Sequence[Any]) -> None:
    """Refuse features other than the log's."""
    for (name, _), row in zip(entries, features, strict=True):
        if plain("features=", row) != (there := ledger.alike.rows[ledger.numbers[name]]):
            raise ValueError(
                f"the store has the features {shown(there)} for {name!r}, these are {shown(row)}: "
                "write what it has, or another store"
            )
