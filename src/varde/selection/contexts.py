"""Which option for which context: what ``contexts=`` takes, and ``Choices``, the answer to it.

A cell is an option in a context.  To everything that is kept, asked and told a cell is an option of its own; what
belongs together is in its row of features, from which the belief about all cells is made.
"""

from __future__ import annotations

import functools
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..beliefs.cells import features_of, space_of_cells
from ..beliefs.features import rows_of
from ..certainty import Sample, from_values
from ..certainty.alike import Cells, assess_cells
from ..certainty.assumptions import Note
from ..check import refuse, shown
from ..show import Answer
from ..show.page.text import HTML
from ..show.sheet import Entry
from ..show.table import SHOWN, sheet
from ..show.words import DASH, WIDEST, Interval, between, called, counted, number, percent
from .by_context import MOST
from .checks import named
from .evidence import Evidence
from .goals.judged import facing

SURE = 0.95  # a chance from which a context counts as decided
REFUSED = "contexts= is for goal='max' or 'min' with a budget: leave {} out"


def cells(
    options: Sequence[Any] | Mapping[str, Any], contexts: Sequence[Any] | Mapping[str, Any]
) -> tuple[list[tuple[str, Any]], list[Any], int]:
    """All cells by name, [option, context] each, the row of each, and how many contexts there are.

    Contexts are texts, which have nothing in common, or names (or not even those) with features: dicts of numbers and
    texts, or lists of numbers.
    """
    if isinstance(contexts, str) or not isinstance(contexts, Mapping | Sequence) or not len(contexts):
        refuse(
            "contexts", contexts, "a list of texts or of dicts of features, or a dict of names and features", TypeError
        )
    choices, places = named(options), named(contexts)
    if len(choices) < 2:
        raise ValueError(f"contexts= with {len(choices)} option: write two or more, there is nothing to choose")
    if len(choices) * len(places) > MOST:
        raise ValueError(
            f"{len(choices)} options in {len(places)} contexts are {len(choices) * len(places):,} pairs: write at most "
            f"{MOST}, or group contexts that are nearly the same"
        )
    told = [context for _, context in places]
    plain = all(isinstance(context, str) for context in told)
    features = [None] * len(told) if plain else rows_of([name for name, _ in places], told)
    entries, rows = [], []
    for (where, context), feature in zip(places, features, strict=True):
        for what, option in choices:
            entries.append((f"{what} | {where}", [option, context]))
            rows.append({"option": what, "context": where, "features": feature})
    return entries, rows, len(places)


def check_contexts(**others: Any) -> None:
    """Refuse settings that contexts cannot be combined with."""
    for name, given in others.items():
        if given is not None and given is not False:
            raise ValueError(REFUSED.format(f"{name}={shown(given)}"))


def cells_of(context: int, size: int, contexts: int) -> np.ndarray:
    """[size] whether a cell is of that context."""
    return np.arange(size) // (size // contexts) == context


def found_in(contexts: Sequence[tuple[str, Any]], wanted: Any) -> int:
    """The place of a context, given by its name or as it is."""
    for place, (name, given) in enumerate(contexts):
        if wanted is given or wanted in (name, given):
            return place
    names = ", ".join(name for name, _ in contexts[:5])
    raise KeyError(f"there is no context {shown(wanted)}: write one of {names}{', ...' * (len(contexts) > 5)}")


class Choice(NamedTuple):
    """What to take in one context: ``found[context]``."""

    name: str  # of the context
    best: Any  # the option to take there
    best_name: str
    n: int  # the number of results of that option there
    estimate: float  # of its mean there, from all results
    low: float  # the lower end of the 95 % interval
    high: float  # the upper end
    p_right: float  # the chance that it is the best there
    expected_regret: float  # what taking it there loses on average
    rival: str  # the likeliest of the others
    verdict: str  # decided, from a chance of 95 % on, or open
    chances: Mapping[str, float]  # of every option to be the best there

    @property
    def interval(self) -> Interval:
        """The 95 % interval of its mean there."""
        return self.low, self.high


@dataclass(frozen=True, repr=False, eq=False)
class Choices(Answer[dict[Any, Any]]):
    """Which option to take in which context: ``found[context]`` is the ``Choice`` there, ``policy`` all of them.

    ``p_right`` is the share of contexts in which the choice is right, on average; ``interval`` is of the mean over
    contexts of what is chosen, and ``expected_regret`` of what that loses against the best choice in each.
    """

    rows: list[Choice]
    given: list[Any]  # the contexts as they were given
    p_right: float
    interval: Interval
    expected_regret: float
    stopped: str
    spent: float
    budget: float | None
    notes: list[Note]

    _kind: ClassVar[str] = "Choices"
    _texts: ClassVar[Sequence[str]] = ("context", "take", "rival", "verdict")
    _records: ClassVar[Sequence[type]] = (Choice, Note)
    _unit: ClassVar[str] = "evaluations"

    @classmethod
    def of(
        cls,
        rows: Sequence[Any],
        cells: Sequence[Any],
        contexts: int,
        sample: Sample,
        unit: float,
        start: Sequence[float] | None,
        **others: Any,
    ) -> Choices:
        """From the rows and moments of all cells; ``unit`` has the sign of the goal."""
        size = len(rows) // contexts
        space = space_of_cells(size, contexts, features_of(rows, contexts))
        found = assess_cells(sample, space, size, None if start is None else np.array(start))
        names = [row["option"] for row in rows[:size]]
        worth = sorted((found.worth[1] * unit, found.worth[2] * unit))
        regret = float(np.mean([sure.regret for sure in found.sure])) * abs(unit)
        choices = [
            choice(found, c, rows[c * size]["context"], names, cells[c * size :], sample.counts[c * size :], unit)
            for c in range(contexts)
        ]
        right = float(np.mean([row.p_right for row in choices]))
        given = [cells[c * size][1] for c in range(contexts)]
        return cls(choices, given, right, (worth[0], worth[1]), regret, **others)

    @property
    def policy(self) -> dict[Any, Any]:
        """The option to take, by context (by its name, where it is not a text or a number)."""
        return {key: row.best for key, row in zip(self._keys, self.rows, strict=True)}

    @property
    def best(self) -> dict[Any, Any]:
        """The ``policy``."""
        return self.policy

    @property
    def best_name(self) -> str:
        """The same as text."""
        return ", ".join(f"{row.name}: {row.best_name}" for row in self.rows)

    @property
    def ranked(self) -> list[Choice]:
        """Those in doubt first."""
        return sorted(self.rows, key=lambda row: row.p_right)

    @functools.cached_property
    def _keys(self) -> list[Any]:
        return [
            each if isinstance(each, Hashable) else row.name for each, row in zip(self.given, self.rows, strict=True)
        ]

    def __getitem__(self, context: Any) -> Choice:
        """What to take in a context, given as it is or by its name."""
        names = [row.name for row in self.rows]
        return self.rows[found_in([*zip(names, self.given, strict=True)], context)]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self.rows)

    # -- in words --------------------------------------------------------------------------------------

    def _headline(self, most: int = WIDEST) -> str:
        kinds = list(dict.fromkeys(row.best_name for row in self.rows))
        return (
            f"Take {called(kinds[0], most)} everywhere" if len(kinds) == 1 else f"Take {len(kinds)} options, by context"
        )

    def _reasons(self, most: int) -> Sequence[str]:
        sure = sum(row.verdict == "decided" for row in self.rows)
        right = f"the choice is expected to be right in {percent(self.p_right)}"
        after = f"after {counted(self.spent, self._unit)} {right} of {counted(len(self.rows), 'contexts')}"
        decided = f"{sure} are decided, with a chance of 95 % or more"
        return f"{after}, and loses {self.expected_regret:.2g} on average; {decided}", f"{after}; {decided}"

    def _entries(self, row: Choice, decimals: int | None) -> dict[str, Entry]:
        value, spread = number(row.estimate, decimals), between(row.interval, decimals)
        return {
            "context": "",
            "take": row.best_name,
            "n": f"{row.n:,}",
            "estimate": value,
            "95 % interval": spread,
            "P(best)": percent(row.p_right),
            "rival": row.rival or DASH,
            "verdict": row.verdict,
        }

    def _cells(self) -> list[dict[str, Any]]:
        left_out = ("name", "best", "chances")
        return [
            {"context": row.name} | {key: cell for key, cell in row._asdict().items() if key not in left_out}
            for row in self.rows
        ]

    def _drawn(self, brief: bool) -> HTML:
        return sheet(self, self.ranked[:SHOWN] if brief else self.ranked).html()

    def _axes(self) -> tuple[str, str, str, float | None]:
        return "estimate", "results", "P(best)", None

    def _about(self) -> dict[str, Any]:
        return {"policy": {row.name: row.best_name for row in self.rows}}


def choices_of(known: Evidence, rows: Sequence[Any], contexts: int) -> Choices:
    """From the evidence about all cells, and their rows."""
    bounds = known.bounds or ((0.0, 1.0) if known.rates else None)
    sample = from_values(known.whole, facing(bounds, known.turn), known.turned)
    factors, notes = np.ones(len(rows)), known.diagnosis[1]
    factors[known.kept] = known.diagnosis[0]
    return Choices.of(
        rows,
        known.options,
        contexts,
        sample.thinned(factors) if known.fewer else sample,
        known.asked.sign * known.unit,
        None if known.alike is None else known.alike["logs"],
        notes=notes,
        stopped=known.stopped,
        spent=known.spent,
        budget=known.budget,
    )


def choice(
    found: Cells, c: int, name: str, names: list[str], cells: Sequence[Any], counts: np.ndarray, unit: float
) -> Choice:
    sure, estimates = found.sure[c], found.estimates[c]
    best, size = sure.best, len(names)
    low, high = sorted((float(sure.lows[best]) * unit, float(sure.highs[best]) * unit))
    p_right = float(sure.chances[best])
    return Choice(
        name=name,
        best=cells[best][0],
        best_name=names[best],
        n=int(counts[best]),
        estimate=float(estimates[best]) * unit,
        low=low,
        high=high,
        p_right=p_right,
        expected_regret=sure.regret * abs(unit),
        rival="" if sure.gap is None else names[sure.gap[0]],
        verdict="decided" if p_right >= SURE else "open",
        chances=dict(zip(names, sure.chances[:size].tolist(), strict=True)),
    )
