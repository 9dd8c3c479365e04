"""95 % intervals of measured numbers: Wilson's for shares, Student's for means of few runs."""

from __future__ import annotations

import math

from ..certainty.student import quantile
from .study import Outcome, Study

Z = 1.959964
BEYOND_TWO = math.erfc(2.0 / math.sqrt(2.0))  # of normal deviations, how many are beyond two standard errors


def half_width(row: Outcome) -> float:
    """Of the interval of a mean; infinite for a single run, which says nothing about its error."""
    return quantile(row.runs - 1) * row.stderr if row.runs > 1 else math.inf


def interval(study: Study, row: Outcome) -> tuple[float, float] | None:
    """Low and high, or None where the runs do not tell."""
    if not (math.isfinite(row.value) and math.isfinite(row.stderr)):
        return None
    if study.percent and 0.0 <= row.value <= 100.0:
        share, each = row.value / 100.0, Z * Z / row.runs
        middle = (share + each / 2.0) / (1.0 + each)
        half = math.sqrt(share * (1.0 - share) * each + each * each / 4.0) / (1.0 + each)
        # At 0 and 100 the value is an end of the interval; rounding must not push it out.
        return min(100.0 * max(middle - half, 0.0), row.value), max(100.0 * min(middle + half, 1.0), row.value)
    half = half_width(row)
    if math.isinf(half):
        return None
    most = math.inf if study.figure is None or study.figure.most is None else study.figure.most
    return row.value - half, max(min(row.value + half, most), row.value)
