"""From runs to rows: mean, error and interval of every number, and the verdict on the published one.

The same as measured, different, or these runs cannot tell.

The test: our exact value lies within a margin of the printed number.  The margin is the sum of half a unit of the last
printed digit, of what is practically the same (``Study.relative``, ``Study.absolute``), and of three standard errors of
the paper's own runs.  Our interval lies inside it, outside it, or across its edge.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from ..study import Cell, Outcome, Study
from .intervals import FEW, interval, mean_ends, share_ends, student_quantile

SAME, DIFFERENT, CANNOT_TELL = "same", "different", "cannot tell"
VERDICTS = (SAME, CANNOT_TELL, DIFFERENT)
OWN_ERRORS = 3.0  # standard errors of the paper's mean in the margin: one correct number in 370 is beyond
UNSTATED = 100  # runs assumed for a paper that does not state them


class Verdict(NamedTuple):
    word: str
    margin: float
    paper_runs: float = 0.0  # if the paper does not state its runs: not different if it averaged at most so many


def verdict(study: Study, row: Outcome) -> Verdict:
    """On a row with a published number."""
    if row.published is None:
        raise ValueError(f"{row.algorithm} on {row.problem} has no published number: take a row that has one")
    published = float(row.published or 0.0)
    sigma = run_sigma(study, row)
    delta = margin(study, row, sigma)
    ends = interval(study, row)
    few = row.runs < FEW and not study.percent  # which say little of the spread, and so of the paper's own error
    if ends is None or (few and study.possible is None):
        return Verdict(CANNOT_TELL, delta)
    if published - delta <= ends[0] and ends[1] <= published + delta and not few:
        return Verdict(SAME, delta)
    gap = max(published - delta - ends[1], ends[0] - published - delta)
    if gap <= 0.0:
        return Verdict(CANNOT_TELL, delta)
    if study.published_runs is None:  # how few runs of the paper would explain it?
        most = (OWN_ERRORS * sigma / gap) ** 2
        return Verdict(CANNOT_TELL if most >= UNSTATED else DIFFERENT, delta, most)
    return Verdict(DIFFERENT, delta)


def run_sigma(study: Study, row: Outcome) -> float:
    """Standard deviation of a run: of shares from the printed one, else as measured, on the safe side for few runs.

    Within a span no values of that mean spread more than those at its ends, which are shares.
    """
    most = math.inf
    if study.possible is not None:
        low, high = study.possible
        least = min(3.0 / (study.published_runs or UNSTATED), 0.5)  # at 0 and 1 the rule of three
        share = min(max((float(row.published or 0.0) - low) / (high - low), least), 1.0 - least)
        most = (high - low) * math.sqrt(share * (1.0 - share))
    if study.percent or row.runs < 2 or not math.isfinite(row.stderr):
        return most
    measured = row.stderr * math.sqrt(row.runs) * student_quantile(0.975, row.runs - 1) / NormalDist().inv_cdf(0.975)
    return min(measured, most)


def margin(study: Study, row: Outcome, sigma: float) -> float:
    published, possible = float(row.published or 0.0), study.possible
    size = abs(published) if possible is None else min(published - possible[0], possible[1] - published)
    own = OWN_ERRORS * sigma / math.sqrt(study.published_runs) if study.published_runs else 0.0
    return (row.unit or 0.0) / 2.0 + max(study.relative * size, study.absolute) + own


def in_words(study: Study, row: Outcome) -> str:
    """A verdict with its numbers: "different: 0.90 apart, margin 0.60"."""
    found = verdict(study, row)
    if not math.isfinite(row.value):
        return f"{CANNOT_TELL}: some runs gave no finite number"
    apart = abs(row.value - float(row.published or 0.0))
    text = f"{found.word}: {apart:.3g} apart, margin {found.margin:.3g}"
    if found.word == CANNOT_TELL and row.runs < FEW:
        return f"too few runs; {text}"
    if found.paper_runs:
        most = f"{found.paper_runs:,.0f}" if math.isfinite(found.paper_runs) else "any number of"
        return f"{text}; explained if the paper averaged at most {most} runs"
    if found.word == CANNOT_TELL and row.stderr == 0.0 and study.possible is None:
        return f"{text}; all runs are equal, which says nothing of their spread: write span= if values have limits"
    return text


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
    """The row with the verdict on its published number."""
    return row if row.published is None else row._replace(verdict=verdict(study, row).word)
