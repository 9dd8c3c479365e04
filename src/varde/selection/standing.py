"""``Standing``: where one option stands, and ``Standings``: where all of them do."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..certainty import Ragged, from_values
from ..check import some_numbers
from ..show.ranges import OUT

if TYPE_CHECKING:
    from .evidence import Evidence
    from .goals.judged import Judged


class Standing(NamedTuple):
    """Where one option stands: ``found[name]``."""

    name: str
    n: int  # the number of results
    mean: float  # nan without results
    estimate: float  # of what is compared: the mean, or the quantile that the goal names
    sd: float  # of single results; nan with fewer than two
    low: float  # the lower end of the 95 % interval of the estimate; infinite without results
    high: float  # the upper end
    p_best: float  # the chance that it is the best; for other goals, that it belongs to the answer
    verdict: str  # best or chosen, possible, rejected, failing or removed
    failure: str = ""  # why it is failing
    p_allowed: float = math.nan  # the chance that it keeps all limits, if there are any
    numbers: Mapping[str, tuple[float, ...]] = {}  # mean and 95 % interval of what has limits

    @property
    def option(self) -> str:
        """The name of the option."""
        return self.name

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the estimate; infinite without results."""
        return self.low, self.high


class Standings(NamedTuple):
    """All options, a column for each field of ``Standing``: of 100,000 a row is made when somebody looks at it."""

    name: list[str]
    n: np.ndarray
    mean: np.ndarray
    estimate: np.ndarray
    sd: np.ndarray
    low: np.ndarray
    high: np.ndarray
    p_best: np.ndarray
    verdict: list[str]
    failure: Mapping[str, str]  # by name
    p_allowed: np.ndarray
    numbers: Mapping[str, np.ndarray]  # [3, K] mean and 95 % interval of what has limits

    @classmethod
    def of(cls, given: Evidence, judged: Judged) -> Standings:
        """From what was judged of those that are compared."""
        counts, kept, unit = given.counts, given.kept, given.asked.sign * given.unit
        every = kept.size == counts.size and not given.fewer
        sample = judged.sample if every else from_values(given.whole, blocks=given.turned)

        def all_with(some: Any, otherwise: float = np.nan) -> np.ndarray:
            column = np.full((*np.shape(some)[:-1], counts.size), otherwise)
            column[..., kept] = some
            return column

        with np.errstate(divide="ignore", invalid="ignore"):
            means = np.where(counts > 0, sample.means * unit, np.nan)
            deviations = np.where(counts > 1, np.sqrt(sample.squares / (counts - 1.0)), np.nan) * abs(unit)
        seen, estimates = (counts[kept] > 0) | (judged.alike is not None and judged.alike.used), means.copy()
        estimates[kept] = np.where(seen, judged.estimates * unit, np.nan)
        ends = (judged.lows, judged.highs) if unit > 0 else (-judged.highs, -judged.lows)
        low, high = (end * abs(unit) + 0.0 for end in ends)  # no -0.0
        verdicts = np.where(given.there, "failing", "removed").astype(object)
        verdicts[kept] = judged.verdicts
        return cls(
            *(given.texts, counts, means, estimates, deviations, all_with(low, -np.inf), all_with(high, np.inf)),
            *(all_with(judged.chances, 0.0), verdicts.tolist(), dict(given.failing)),
            all_with(np.full(kept.size, np.nan) if judged.allowed is None else judged.allowed),
            {name: all_with(ends) for name, ends in (judged.numbers or {}).items()},
        )

    def row(self, i: int) -> Standing:
        return next(self.rows(slice(i, i + 1)))

    def rows(self, which: slice = slice(None)) -> Iterator[Standing]:
        """Some rows, or all."""
        names, verdicts = self.name[which], self.verdict[which]
        numbers_of_each = self.n, self.mean, self.estimate, self.sd, self.low, self.high, self.p_best
        columns = [column[which].tolist() for column in numbers_of_each]
        failures = [self.failure.get(name, "") for name in names] if self.failure else [""] * len(names)
        if not self.numbers:
            return map(Standing, names, *columns, verdicts, failures)
        ends = [[*zip(*column[:, which].tolist(), strict=True)] for column in self.numbers.values()]
        numbers = [dict(zip(self.numbers, each, strict=True)) for each in zip(*ends, strict=True)]
        numbers = [{} if verdict in OUT else each for each, verdict in zip(numbers, verdicts, strict=True)]
        return map(Standing, names, *columns, verdicts, failures, self.p_allowed[which].tolist(), numbers)


def judged_on(names: Sequence[str], replicates: Sequence[Any], items: Sequence[str]) -> dict[str, list[str]]:
    """The item of every result, by option."""
    if not items:
        return {}
    pairs = zip(names, replicates, strict=True)
    return {str(name): [items[int(row)] for row in rows] for name, rows in pairs}


def check_results(names: Sequence[str], values: Ragged | Sequence[Any]) -> Ragged:
    """The results of every option, none or more."""
    if isinstance(values, Ragged) and np.isfinite(values.flat).all():
        return values
    return Ragged.of(
        [
            np.zeros(0) if np.size(x) == 0 else some_numbers(f"the results of {name}: values", x)
            for name, x in zip(names, values, strict=True)
        ]
    )


def others_than(names: Sequence[str], gone: Collection[str]) -> np.ndarray:
    """[K] whether an option is none of those."""
    return np.array([name not in gone for name in names]) if gone else np.ones(len(names), dtype=bool)
