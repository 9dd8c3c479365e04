"""``Evidence``: everything that an answer is based on, from a ledger or a table, and what of it is compared."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..certainty import Block, Ragged
from ..certainty.assumptions import Calls, Note, diagnose
from ..show.sentence import ASSUMPTION
from .alike import placed
from .batches import Batch
from .failures import NO_OUTAGES, Outages
from .goals import Goal, goal_of
from .goals.judged import Compared, facing, in_unit, unit_of
from .standing import check_results, others_than


@dataclass(frozen=True, eq=False)
class Evidence:
    """Raw results by option, with the sign the user gave them, and what they mean: a field for each.

    A column has an entry for each option, in the order of ``names``.
    """

    names: Sequence[str]
    options: Sequence[Any]  # as they were given
    values: Ragged | Sequence[Any]  # none or more of each
    goal: str | Goal = "max"
    budget: float | None = None
    spent: float | None = None  # None: the cost of all results
    stopped: str = "budget"  # what ended the search
    stop: Mapping[str, Any] | None = None  # delta, margin and bounds of a promise to stop
    bounds: tuple[float, float] | None = None  # no result lies outside
    costs: Sequence[float] | None = None
    numbers: Mapping[str, Sequence[np.ndarray] | Ragged] = field(default_factory=dict)  # those that the goal names
    batches: Sequence[Sequence[Batch]] = ()  # results without their values
    replicates: Sequence[np.ndarray] | None = None  # of the results, where options may share them
    crn: bool = False  # results of one replicate have random numbers in common
    items: Sequence[str] = ()  # or are of one item of a fixed test set
    missing: Mapping[str, list[str]] = field(default_factory=dict)  # the items that were given up, by option
    failing: Mapping[str, str] = field(default_factory=dict)  # options that are left out, and why
    removed: Sequence[str] = ()
    calls: Calls | None = None  # those of each option that gave no result
    outages: Outages = NO_OUTAGES
    ordered: bool = True  # the order of results is time
    times: Sequence[np.ndarray] | None = None  # of results, on one clock of all options
    adaptive: bool = False  # what was sampled depended on results
    alike: Mapping[str, Any] | None = None  # features of options that resemble each other, and hyper-parameters
    notes: Sequence[Note] = ()  # what is known against the assumptions

    @functools.cached_property
    def asked(self) -> Goal:
        return goal_of(self.goal)

    @functools.cached_property
    def texts(self) -> list[str]:
        return list(map(str, self.names))

    @functools.cached_property
    def results(self) -> Ragged:
        return check_results(self.names, self.values)

    @functools.cached_property
    def blocks(self) -> list[list[Block]]:
        """Of each option the results without their values; empty if there are none at all."""
        grouped = self.batches if any(self.batches) else ()
        return [[block for batch in each for block in batch.blocks if block.times] for each in grouped]

    @functools.cached_property
    def counts(self) -> np.ndarray:
        """[K] the number of results."""
        sizes = self.results.sizes
        return sizes + [sum(block.times for block in each) for each in self.blocks] if self.blocks else sizes

    @functools.cached_property
    def unit(self) -> float:
        """A power of two in which results are measured."""
        return unit_of(self.results, self.blocks)

    @property
    def turn(self) -> float:
        """By which results are multiplied: then larger is better."""
        return self.asked.sign / self.unit

    @functools.cached_property
    def there(self) -> np.ndarray:
        """[K] whether an option was not removed."""
        return others_than(self.names, self.removed)

    @functools.cached_property
    def kept(self) -> np.ndarray:
        """The options that are compared, by number."""
        sound = self.there & others_than(self.names, self.failing)
        if not self.counts[sound].any():
            sound = (self.counts > 0) & self.there  # nothing else is left
        return np.flatnonzero(sound)

    @functools.cached_property
    def whole(self) -> Ragged:
        """All results in their unit, larger being better."""
        return self.results if self.turn == 1.0 else Ragged(self.results.flat * self.turn, self.results.sizes)

    @functools.cached_property
    def turned(self) -> list[list[Block]]:
        return [[in_unit(block, self.turn) for block in each] for each in self.blocks]

    @functools.cached_property
    def prices(self) -> np.ndarray:
        """[K] what a result costs."""
        return np.ones(len(self.names)) if self.costs is None else np.asarray(self.costs, dtype=float)

    @property
    def shared(self) -> Sequence[np.ndarray] | None:
        """The replicates, where what they have in common is no dependence."""
        return self.replicates if self.crn or self.items else None

    def of_kept(self, column: Sequence[Any]) -> list[Any]:
        return [column[i] for i in self.kept.tolist()]

    @functools.cached_property
    def named(self) -> dict[str, Ragged]:
        """Further numbers of the options that are compared, as they came."""
        return {name: Ragged.of(column).take(self.kept) for name, column in self.numbers.items()}

    @functools.cached_property
    def diagnosis(self) -> tuple[np.ndarray, list[Note]]:
        """[compared] so many results count as one, and what speaks against the assumptions."""
        among, alone = self.of_kept(self.texts), self.shared is None
        some = Calls(*(self.of_kept(column) if len(column) else () for column in self.calls or Calls()))
        how: dict[str, Any] = {
            "ordered": self.ordered and self.results.flat.size > 0,
            "adaptive": self.adaptive,
            "independent": alone,
            "ends": (0.0, *(facing(self.bounds, self.turn) or ())),
        }
        clock = None if self.times is None else self.of_kept(self.times)
        factors, noticed = diagnose(self.whole.take(self.kept), among, some, times=clock, **how)
        for limit in self.asked.limits if alone else ():
            column = self.named[limit.name]
            more, also = diagnose(Ragged(limit.slack(column.flat), column.sizes), among, number=limit.name, **how)
            factors = np.maximum(factors, more)
            noticed += [one for one in also if one.severity != ASSUMPTION]  # the same for all numbers
        return factors, noticed

    @functools.cached_property
    def fewer(self) -> bool:
        """Whether results count for less than one each."""
        return self.shared is None and bool((self.diagnosis[0] > 1.0).any())

    def compared(self) -> Compared:
        """What goals judge."""
        if not self.counts.any():
            reasons = "; ".join(f"{name}: {why}" for name, why in list(self.failing.items())[:3])
            raise ValueError(f"no option gave a result{f' ({reasons})' if reasons else ''}: tell some first")
        return Compared(
            values=self.whole.take(self.kept),
            numbers=self.named,
            replicates=None if self.shared is None else self.of_kept(self.shared),
            items=len(self.items),
            unit=self.unit,
            bounds=facing(self.bounds, self.turn),
            blocks=self.of_kept(self.turned) if any(self.turned) else (),
            factors=self.diagnosis[0] if self.fewer else None,
            alike=placed(self.alike, self.kept),
        )

    @property
    def rates(self) -> bool:
        """Whether every result is 0 or 1."""
        counted = all(block.value in (0.0, 1.0) and not block.squares for each in self.blocks for block in each)
        return counted and bool(np.isin(self.results.flat, (0.0, 1.0)).all())
