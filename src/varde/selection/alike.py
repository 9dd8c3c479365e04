"""Options that resemble each other: what they can be combined with, and their features at the doors of a selection."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..beliefs.alike import Posterior
from ..beliefs.features import Parameter, Row, Space, check_same_parameters, row_of, rows_of, space_of
from ..certainty.alike import Alike
from ..check import refuse, shown
from .events import plain
from .goals import Goal, Mean

if TYPE_CHECKING:
    from .ledger import Ledger
    from .result import Selection

FAINT = 0.05  # a parameter that matters no more than this hardly does
POINTS = 41  # of a curve along a parameter


class Resembling(NamedTuple):
    """How the options of a selection resemble each other: ``found.alike``."""

    used: bool  # they do; else each was judged by its own results
    odds: float  # log of the evidence for it
    parameters: tuple[Parameter, ...]
    matters: tuple[float, ...]  # of each, 0 to 1: how far estimates differ along it, relative to all options
    belief: Posterior  # larger is better, in ``unit``
    rows: np.ndarray  # the rows of the options that are compared
    unit: float  # with the sign of the goal

    @classmethod
    def of(cls, found: Alike, kept: np.ndarray, sign: float, unit: float) -> Resembling:
        space = found.belief.space
        record = cls(
            found.used,
            found.fit.odds,
            space.parameters,
            (0.0,) * len(space.parameters),
            found.belief,
            kept,
            sign * unit,
        )
        whole = float(np.ptp(found.estimates)) * unit
        if not found.used or not whole > 0.0:
            return record
        lines = [record.along(found.sure.best, g) for g in space.groups]
        means = np.split(record.predict(np.concatenate(lines))[0], np.cumsum([len(line) for line in lines])[:-1])
        return record._replace(matters=tuple(min(float(np.ptp(curve)) / whole, 1.0) for curve in means))

    def along(self, best: int, g: int) -> np.ndarray:
        """[n, D] points along a parameter, the others as in the option ``best``."""
        space = self.belief.space
        own, kind = np.flatnonzero(space.owners == g), self.parameters[g].kind
        if kind == "embedding":
            return space.points
        values = np.eye(own.size) * math.sqrt(0.5) if kind == "category" else np.linspace(0.0, 1.0, POINTS)[:, None]
        points = np.repeat(space.points[best][None], len(values), axis=0)
        points[:, own] = values
        return points

    def predict(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What is known of options that are not there, and its standard errors, as results."""
        means, variances = self.belief.at(points)
        return means * self.unit, np.sqrt(variances) * abs(self.unit)

    def to_dict(self) -> dict[str, Any]:
        names = [each.name for each in self.parameters]
        log = [each.name for each in self.parameters if each.kind == "log"]
        return {
            "used": self.used,
            "odds": self.odds,
            "matters": dict(zip(names, self.matters, strict=True)),
            "log": log,
        }

    def in_words(self, found: Selection) -> list[str]:
        """What the estimates rest on."""
        scales = [f"{each.name} on a log scale" for each in self.parameters if each.kind == "log"]
        if not self.used:
            return ["The parameters do not tell how good an option is: each was judged by its own results."]
        many = [each.name for each, matter in zip(self.parameters, self.matters, strict=True) if matter < FAINT]
        faint = [f"{' and '.join(many)} hardly matter{'s' if len(many) == 1 else ''}"] if many else []
        rows = [found.rows[i] for i in self.rows.tolist()]
        tried = sum(row.n > 0 for row in rows)
        how = f" ({'; '.join(scales + faint)})" if scales or faint else ""
        sentences = [f"Estimates use neighbours{how}; {tried:,} of {len(rows):,} options were tried."]
        best = next(place for place, row in enumerate(rows) if row.name == found.best_name)
        if not rows[best].n:
            apart = np.sqrt(((self.belief.space.points - self.belief.space.points[best]) ** 2).sum(axis=1))
            near = int(np.argmin(np.where([row.n > 0 for row in rows], apart, np.inf)))
            sentences.append(
                f"{rows[best].name} was never tried itself: the nearest that was, {rows[near].name}, is "
                f"{100.0 * apart[near]:.0f} % of the range of a parameter away."
            )
        return sentences


def placed(alike: Mapping[str, Any] | None, kept: np.ndarray) -> tuple[Space, np.ndarray | None] | None:
    """Where the options that are compared are, and the hyper-parameters so far."""
    if alike is None or kept.size < 2:
        return None
    space, logs = space_of(alike["features"]), alike["logs"]
    space = space._replace(points=space.points[kept])
    return space, None if logs is None else np.array(logs, dtype=float)


def check_alike(goal: Goal, crn: bool, stop: Any) -> None:
    """Refuse what options that resemble each other cannot be combined with."""
    refusals = {
        f"goal={goal}": (not isinstance(goal, Mean), "neighbours tell of means: write goal='max' or goal='min'"),
        "crn=True": (crn, "results are compared one by one: leave one of the two out"),
        f"stop={stop}": (
            stop not in (None, "watched"),
            'its guarantee holds for options judged by their own results only: write stop="watched", or a budget',
        ),
    }
    for what, (refused, why) in refusals.items():
        if refused:
            raise ValueError(f"alike=True with {what}: {why}")


def resemblance(alike: Any) -> tuple[bool, Any]:
    """Whether options resemble each other, and what their features are read from (None: the options themselves)."""
    if isinstance(alike, (bool, np.bool_)):
        return bool(alike), None
    rows = hasattr(alike, "__len__") and getattr(alike, "ndim", 1) > 0 and not isinstance(alike, (str, bytes))
    if not (rows or callable(alike)):
        wanted = (
            "True, False, or a row of numbers or texts for each option: an array, a data frame, or a function of it"
        )
        refuse("alike", alike, wanted, TypeError)
    return True, alike


def described(alike: bool, entries: list[tuple[str, Any]], features: Any, **others: Any) -> list[Row]:
    """The features of all options that resemble each other; ``others`` are settings that do not go with it."""
    if not alike:
        return []
    for name, given in others.items():
        if given is not None:
            raise ValueError(f"alike=True with {name}=: leave one of the two out")
    return rows_of([name for name, _ in entries], [option for _, option in entries], features)


def described_later(alike: bool, ledger: Ledger, option: Any, name: str, features: Any) -> list[Row]:
    """The same of an option that is added."""
    if not alike:
        if features is not None:
            raise ValueError("the options do not resemble each other: leave alike= out, or begin with alike=True")
        return []
    row = row_of(name, option if features is None else features)
    check_same_parameters(ledger.names[0], ledger.alike.rows[0], name, row)
    return [row]


def check_features(ledger: Ledger, entries: list[tuple[str, Any]], features: Sequence[Any]) -> None:
    """Refuse features other than the log's."""
    for (name, _), row in zip(entries, features, strict=True):
        if plain("alike=", row) != (there := ledger.alike.rows[ledger.numbers[name]]):
            raise ValueError(
                f"the store has the features {shown(there)} for {name!r}, these are {shown(row)}: "
                "write what it has, or another store"
            )
