"""From the values of runs to rows: mean, error, interval and verdict of every number of a cell."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ..study import Cell, Outcome, Study
from .intervals import mean_ends, share_ends
from .verdict import SAME, verdict


def summarise(study: Study, cell: Cell, values: np.ndarray) -> Iterator[Outcome]:
    """A row for every column of ``values`` [runs, columns]."""
    runs = len(values)
    if study.percent:
        ones = values.sum(axis=0, dtype=float)
        mean, scale, size = ones / runs, 100.0, np.ones(1)
        # Half a success and half a failure are added: no errors in 100 runs does not mean an error rate of exactly 0.
        share = (ones + 0.5) / (runs + 1.0)
        spread = share * (1.0 - share)
        low, high = share_ends(ones, runs)
    else:
        values = np.where(np.isfinite(values), values, np.nan)  # an infinite value has no mean either
        base = values[:1].astype(float)  # subtracted first, so that values of 1e9 that differ by 1 keep their digits
        apart = values - base
        mean, scale = base[0] + apart.mean(axis=0), 1.0
        size = np.maximum(np.abs(apart).max(axis=0), 1e-300)  # squares of large values are too large for doubles
        spread = (apart / size).var(axis=0, ddof=1) if runs > 1 else np.zeros(len(mean))
        try:
            low, high = mean_ends(values, study.span)
        except ValueError as problem:
            raise ValueError(f"{study.name}: {cell.algorithm} on {cell.problem}: {problem}") from None
    errors = np.broadcast_to(scale * size * np.sqrt(spread / runs), mean.shape)
    for i, (name, step) in enumerate(cell.columns):
        published, unit = study.printed(cell.problem, name, step)
        row = Outcome(cell.problem, name, cell.setting, step, runs, scale * float(mean[i]), float(errors[i]), published)
        if math.isfinite(low[i]):
            row = row._replace(low=scale * float(low[i]), high=scale * float(high[i]))
        yield judged(study, row._replace(unit=unit))


def judged(study: Study, row: Outcome) -> Outcome:
    """The row with the verdict on its published number, and the likely reason if it differs."""
    if row.published is None:
        return row
    row = row._replace(verdict=verdict(study, row).word)
    return row if row.verdict == SAME else row._replace(reason=study.likely(row))
