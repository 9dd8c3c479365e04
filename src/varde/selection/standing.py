"""``Standing``: where one option stands, and the same in plain types for JSON, CSV and data frames."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .batches import Batch


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
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the estimate; infinite without results."""
        return self.low, self.high


def as_json(row: Standing) -> dict[str, Any]:
    found = {key: finite(value) for key, value in row._asdict().items()}
    if not row.numbers:
        del found["numbers"], found["p_allowed"]
        return found
    names = ("mean", "low", "high")
    found["numbers"] = {name: dict(zip(names, map(finite, ends), strict=True)) for name, ends in row.numbers.items()}
    return found


def in_plain(batches: Mapping[str, Sequence[Batch]]) -> dict[str, list[dict[str, Any]]]:
    return {name: [batch._asdict() for batch in each] for name, each in batches.items()}


def cells_of(rows: Sequence[Standing]) -> list[dict[str, Any]]:
    """The columns of a CSV file or a data frame, the same for every row."""
    limits = next((list(row.numbers) for row in rows if row.numbers), [])
    found = []
    for row in rows:
        cells = row._asdict()
        del cells["numbers"]
        if not limits:
            del cells["p_allowed"]
        for name in limits:
            ends = row.numbers.get(name, (math.nan,) * 3)
            cells |= dict(zip((name, f"{name} low", f"{name} high"), ends, strict=True))
        found.append(cells)
    return found


def finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value
