"""``Selection``: which option to take, how sure that is, and why, for people and for programs."""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..beliefs.alike import Data, Posterior
from ..beliefs.features import Parameter, Space
from ..certainty import Block, Certificate, Ragged, Sample
from ..certainty.assumptions import Note
from ..show import Answer
from ..show.answer import T_co, flat, plain
from ..show.page.text import HTML, join
from ..show.ranges import OUT
from ..show.sentence import Promise
from ..show.sheet import Entry, Piece
from ..show.table import rest_in_words
from ..show.words import DASH, WIDEST, between, digits, listed, number, percent, short
from .alike import Resembling
from .batches import Batch, Counts, Summary
from .evidence import Evidence
from .failures import Outages
from .goals import RECORDS, Best, Goal, Mean, goal_of
from .goals.limits import Limit
from .lifts import NAMED, Lift
from .reasons import all_notes, promise_of
from .standing import Standing, Standings, judged_on


@dataclass(frozen=True, repr=False, eq=False)
class Selection(Answer[T_co]):
    """The recommended option, and how sure it is that it is the best.

    >>> results = [np.array([1.0, 2.0, 3.0]), np.array([8.0, 9.0, 7.0])]
    >>> found = Selection.of(Evidence(["a", "b"], ["a", "b"], results, budget=6))
    >>> found.best, round(found.p_right, 2)
    ('b', 0.88)
    >>> found["b"].mean, found["b"].n
    (8.0, 3)

    ``found[option]`` is what is known of one option, given by itself or by its name, ``found[found.best]`` of the best.

    Verdicts: ``best`` is the option to take (``chosen`` if the goal asks for several).  ``rejected`` options can be
    dropped: the chance that the best is among them is at most 5 % in total.  A ``possible`` option may still turn out
    to be the best.  ``failing`` options gave errors; ``removed`` ones were taken out by the user.
    """

    _kind: ClassVar[str] = "Selection"
    _texts: ClassVar[Sequence[str]] = ("option", "verdict")
    _records: ClassVar[Sequence[type]] = (
        *(Certificate, Standings, Ragged, Sample, Block, Counts, Summary, Outages, Note, Mean, Best, Limit),
        *(Lift, Resembling, Parameter, Posterior, Space, Data),
        *RECORDS.values(),
    )

    chosen: tuple[str, ...]  # the names of all that belong to the answer, best first
    picked: tuple[Any, ...]  # and these options themselves
    certificate: Certificate  # how sure the answer is, what it may lose, and what ended the search
    standings: Standings  # what is known of each option, in the order in which they were given
    results: Ragged  # every raw result, with the sign the user gave it
    goal: str | Goal
    budget: float | None
    gap: tuple[str, float, float] | None  # the strongest rival, the lead over it, and its 95 % margin
    priced: bool  # the budget is in units of cost and not in evaluations
    sample: Sample  # of the options that do not fail; larger is better, in its own unit
    prices: np.ndarray  # what a result of each of them costs
    outages: Outages  # pauses because all calls failed
    judged_on: Mapping[str, list[str]]  # the item of every raw result, by option, where there is a fixed test set
    items: int  # how many there are in it, 0 without one
    missing: Mapping[str, list[str]]  # the items that failed for an option and were given up, by option
    batches: Mapping[str, tuple[Batch, ...]]  # counts and summaries without raw results, by option
    bounds: tuple[float, float] | None  # no result lies outside, as far as it was said
    promise: Mapping[str, Any] | None  # delta, margin and bounds of ``varde.Stop``, if the search was to end by it
    factors: np.ndarray  # [K] so many results of each that is compared count as one
    alike: Resembling | None  # how options resemble each other, if they may
    lifts: tuple[Lift, ...] = ()  # over the control of ``judge``, of all others
    noticed: tuple[Note, ...] = ()  # what speaks against the assumptions

    @classmethod
    def of(cls, given: Evidence) -> Selection[Any]:
        """The answer to the question of the evidence."""
        asked, kept, texts = given.asked, given.kept, given.texts
        judged = asked.judge(given.compared())
        if not asked.ordered and given.rates:
            low, high = sorted((0.0, given.turn))  # no mean of successes lies outside
            judged = judged._replace(lows=np.clip(judged.lows, low, high), highs=np.clip(judged.highs, low, high))
        standings, (factors, noticed) = Standings.of(given, judged), given.diagnosis
        chosen = [int(kept[i]) for i in judged.chosen]
        return cls(
            chosen=tuple(texts[i] for i in chosen),
            picked=tuple(given.options[i] for i in chosen),
            certificate=Certificate(
                dict(zip(texts, standings.p_best.tolist(), strict=True)),
                judged.right,
                judged.loss * given.unit,
                given.stopped,
                float(given.counts @ given.prices) if given.spent is None else given.spent,
                judged.watched,
            ),
            standings=standings,
            results=given.results,
            goal=given.goal,
            budget=given.budget,
            gap=judged.gap and (texts[kept[judged.gap[0]]], judged.gap[1] * given.unit, judged.gap[2] * given.unit),
            priced=given.costs is not None,
            sample=judged.sample if judged.compared is None else judged.compared,
            prices=given.prices[kept],
            outages=given.outages,
            judged_on={} if given.replicates is None else judged_on(given.names, given.replicates, given.items),
            items=len(given.items),
            missing=dict(given.missing),
            batches={name: tuple(each) for name, each in zip(texts, given.batches, strict=False) if each},
            bounds=given.bounds,
            promise=given.stop if given.stopped == "sure" else None,
            factors=factors,
            alike=judged.alike and Resembling.of(judged.alike, kept, asked.sign, given.unit),
            noticed=(*noticed, *given.notes),
        )

    @property
    def best(self) -> T_co:
        """The option to take as it was given, or None; for ``Top`` a list, best first."""
        several: Any = list(self.picked)
        return several if self.goal_record.several else next(iter(several), None)  # type: ignore[return-value]

    @property
    def best_name(self) -> Any:
        """The same as text: the name, None if there is none, or a list of names."""
        return list(self.chosen) if self.goal_record.several else next(iter(self.chosen), None)

    def __getitem__(self, option: object) -> Standing:
        place = self._places.get(str(option))  # an option that is not a text is named by its text
        if place is None:
            for name, picked in zip(self.chosen, self.picked, strict=True):
                if picked is option:
                    return self[name]
            raise KeyError(f"no option is called {option!r}; the options are {listed(list(self))}")
        return self.standings.row(place)

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    @functools.cached_property
    def _places(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.standings.name)}

    @functools.cached_property
    def values(self) -> dict[str, np.ndarray]:
        """Every raw result, by option."""
        return dict(zip(self.standings.name, self.results, strict=True))

    @functools.cached_property
    def rows(self) -> tuple[Standing, ...]:
        """What is known of each option, in the order in which they were given."""
        return tuple(self.standings.rows())

    @functools.cached_property
    def _verdicts(self) -> Counter[str]:
        """How many options have each verdict."""
        return Counter(self.standings.verdict)

    @functools.cached_property
    def notes(self) -> tuple[Note, ...]:
        """What speaks against the answer, details, and what is only assumed."""
        return all_notes(self)

    @property
    def value(self) -> float:
        """The estimate of what is compared, of the option to take, the first of several; nan if there is none."""
        return self[self.chosen[0]].estimate if self.chosen else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of ``value``; infinite if there is none."""
        return self[self.chosen[0]].interval if self.chosen else (-math.inf, math.inf)

    @property
    def p_right(self) -> float:
        """The chance that the answer is right: that the option is the best, or that all chosen ones belong to it.

        For a budget fixed beforehand; ``p_watched`` is the one to stop by.
        """
        return self.certificate.p_right

    @property
    def p_watched(self) -> float:
        """The same for somebody who looks again and again, and stops as soon as the chance is high enough."""
        stop = self.certificate.p_watched
        return math.nan if stop is None else stop

    @property
    def chances(self) -> dict[str, float]:
        """By option: the chance that it is the best; for other goals, that it belongs to the answer."""
        return self.certificate.chances

    @property
    def goal_record(self) -> Goal:
        """The goal as a record; "max" and "min" are goals like the others."""
        return goal_of(self.goal)

    @property
    def expected_regret(self) -> float:
        """The expected loss of the answer against the truly right one (simple regret)."""
        return self.certificate.loss

    @property
    def stopped(self) -> str:
        """What ended the search: "budget", "seconds", "sure", "interrupted", "outage", or "not yet"."""
        return self.certificate.stopped

    @property
    def spent(self) -> float:
        """The cost of the results: their number, unless costs were given."""
        return self.certificate.spent

    @functools.cached_property
    def ranked(self) -> list[Standing]:
        """The options in order: the answer, then the likeliest to belong to it, failing ones last."""
        return [self.rows[i] for i in self._order]

    @functools.cached_property
    def _order(self) -> list[int]:
        """The places of those that are ``ranked``."""
        known, last = self.standings, len(self.chosen)
        behind = np.where(known.n > 0, -self.goal_record.sign * known.estimate, np.inf)
        first = np.full(known.n.size, last)
        first[[self._places[name] for name in self.chosen]] = np.arange(last)
        order: list[int] = np.lexsort((behind, -np.round(known.p_best, 3), ~self._compared, first)).tolist()
        return order

    def _top(self, most: int) -> Sequence[Standing]:
        return [self.standings.row(i) for i in self._order[:most]]

    def _rest(self, shown: int) -> str:
        return rest_in_words([self.standings.verdict[i] for i in self._order[shown:]])

    # -- how it is shown -----------------------------------------------------------------------------

    @property
    def _unit(self) -> str:
        return "spent" if self.priced else "evaluations"

    def _headline(self, most: int = WIDEST) -> str:
        return self.goal_record.headline(self, most)

    def _reasons(self, most: int) -> Sequence[str]:
        return self.goal_record.why(self, most)

    def _promise(self) -> Promise | None:
        return promise_of(self)

    def _entries(self, row: Standing, decimals: int | None) -> dict[str, Entry]:
        asked, failing = self.goal_record, row.verdict == "failing"
        limits: dict[str, Entry] = {}
        for name in self._limits:
            mean, low, high = row.numbers.get(name, (math.nan,) * 3)
            limits[name] = number(mean, digits([(high - low) / 2.0]))
        if limits:
            limits["P(limits)"] = percent(row.p_allowed)
        lifts: dict[str, Entry] = {}
        if self.lifts:
            one = self._lifts.get(row.name)
            lifts = dict(zip(("lift (95 % interval)", "relative"), one.in_words if one else (DASH, DASH), strict=True))
        return {
            "option": row.name,
            "n": f"{row.n:,}",
            asked.measure: number(row.estimate, decimals),
            "sd": number(row.sd, decimals),
            "95 % interval": between(row.interval, decimals),
            **limits,
            **lifts,
            asked.chance: Piece(DASH, "bad") if row.verdict in OUT else percent(row.p_best),
            "verdict": f"failing: {short(row.failure, 60)}" if failing else row.verdict,
        }

    @functools.cached_property
    def _lifts(self) -> dict[str, Lift]:
        return {lift.option: lift for lift in self.lifts}

    @property
    def _limits(self) -> list[str]:
        """The names of the numbers with limits."""
        return list(self.standings.numbers)

    def _drawn(self, brief: bool) -> HTML:
        from ..show.document import styled
        from ..show.ranges import MOST, meaning, options

        if brief:
            return join([styled("ranges"), options(self)])
        return join([styled("ranges"), options(self, MOST), meaning(self.goal_record)], "\n")

    def _axes(self) -> tuple[str, str, str, float | None]:
        asked = self.goal_record
        return asked.measure, "results", asked.chance, asked.level(self)

    def _about(self) -> dict[str, Any]:
        batches = {name: [batch._asdict() for batch in each] for name, each in self.batches.items()}
        return {
            "chosen": list(self.chosen),
            "p_watched": self.certificate.p_watched,
            "goal": self.goal_record.saved(),
            "budget": self.budget,
            "outages": self.outages._asdict(),
            "values": {name: values.tolist() for name, values in self.values.items()},
            **({"items": self.judged_on, "missing": self.missing} if self.items else {}),
            **({"alike": self.alike.to_dict()} if self.alike is not None else {}),
            **({"batches": batches} if batches else {}),
            **({"lifts": [plain(lift._asdict()) for lift in self.lifts]} if self.lifts else {}),
        }

    def _json_rows(self) -> list[dict[str, Any]]:
        rows = super()._json_rows()
        for row, cells in zip(self.rows, rows, strict=True):
            ends = ("mean", "low", "high")
            cells["numbers"] = {name: dict(zip(ends, numbers, strict=True)) for name, numbers in row.numbers.items()}
            if not row.numbers:
                del cells["numbers"], cells["p_allowed"]
        return rows

    def _cells(self) -> list[dict[str, Any]]:
        rows = super()._cells()
        for row, cells in zip(self.rows, rows, strict=True):
            del cells["numbers"]
            if not self._limits:
                del cells["p_allowed"]
            for name in self._limits:
                ends = row.numbers.get(name, (math.nan,) * 3)
                cells |= dict(zip((name, f"{name} low", f"{name} high"), ends, strict=True))
            for name in NAMED if self.lifts else ():
                cells[NAMED[name]] = getattr(self._lifts.get(row.name), name, math.nan)
        return rows

    def _columns(self, values: bool) -> dict[str, Any]:
        if not values:
            return super()._columns(values)
        names, results = self.standings.name, self.results
        items = {"item": [flat(item) for name in names for item in self.judged_on[name]]} if self.items else {}
        return {
            "option": [names[i] for i in results.owners.tolist()],
            "number": np.arange(results.flat.size) - (results.ends - results.sizes)[results.owners],
            **items,
            "value": results.flat.copy(),
        }

    def by_item(self) -> dict[str, dict[str, float]]:
        """The results of every option by the name of the item; needs a fixed test set.

        >>> told = {"values": [np.ones(2), np.zeros(1)], "replicates": [[0, 1], [0]]}
        >>> found = Selection.of(Evidence("ab", "ab", **told, items=["x", "y"]))
        >>> found.by_item()
        {'a': {'x': 1.0, 'y': 1.0}, 'b': {'x': 0.0}}
        """
        if not self.items:
            raise ValueError("the selection has no fixed test set: begin with items=...")
        return {
            name: dict(zip(judged, self.values[name].tolist(), strict=True)) for name, judged in self.judged_on.items()
        }

    @property
    def settled(self) -> bool:
        """Whether every option that works was judged on all items of a fixed test set: nothing is left to find out."""
        return self.items > 0 and bool((self.standings.n[self._compared] == self.items).all())

    @functools.cached_property
    def _compared(self) -> np.ndarray:
        """[K] whether an option is compared with the others."""
        return np.array([verdict not in OUT for verdict in self.standings.verdict])
