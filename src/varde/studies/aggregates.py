"""Aggregate scores over many problems, with their uncertainty for few runs (Agarwal and others 2021).

>>> import numpy as np
>>> from varde.studies.aggregates import interquartile_mean, of_problems
>>> scores = {"easy": np.array([0.9, 1.0, 0.8, 0.9]), "hard": np.array([0.1, 0.0, 0.3, 0.2])}
>>> round(float(interquartile_mean(np.concatenate(list(scores.values())))), 2)
0.55
>>> found = of_problems(scores)
>>> found.low < found.value < found.high
True

Runs are resampled within each problem (stratified bootstrap), so that no problem drops out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from .rows import Rows

DRAWS = 2000
Scores = Mapping[str, np.ndarray]  # by problem, [runs]


class Aggregate(NamedTuple):
    value: float
    low: float  # ends of the 95 % interval
    high: float


def interquartile_mean(values: np.ndarray, axis: int | None = None) -> np.ndarray:
    """The mean of the middle half of the values: robust to outliers, more efficient than the median."""
    ordered = np.sort(np.asarray(values, float), axis=axis)
    if axis is None:
        ordered, axis = ordered.ravel(), 0
    n = ordered.shape[axis]
    cut = 0.25 * n
    whole = int(np.floor(cut))
    weights = np.zeros(n)  # a run on the border of the middle half counts partly
    weights[whole : n - whole] = 1.0
    weights[whole] -= cut - whole
    weights[n - 1 - whole] -= cut - whole
    shape = [1] * ordered.ndim
    shape[axis] = n
    return np.asarray((ordered * weights.reshape(shape)).sum(axis=axis) / weights.sum())


def of_problems(
    scores: Scores, statistic: Callable[..., np.ndarray] = interquartile_mean, draws: int = DRAWS, seed: int = 0
) -> Aggregate:
    """A statistic of the runs of all problems together."""
    pooled = np.concatenate([np.asarray(some, float) for some in scores.values()])
    ends = np.quantile(statistic(drawn(scores, draws, seed), axis=1), [0.025, 0.975])
    return Aggregate(float(statistic(pooled)), float(ends[0]), float(ends[1]))


def drawn(scores: Scores, draws: int, seed: int) -> np.ndarray:
    """[draws, runs of all problems]: within each problem, with replacement."""
    rng = np.random.default_rng(seed)
    parts = [np.asarray(some, float) for some in scores.values()]
    return np.concatenate([some[rng.integers(0, len(some), (draws, len(some)))] for some in parts], axis=1)


def profile(scores: Scores, levels: Sequence[float], draws: int = DRAWS, seed: int = 0) -> list[Aggregate]:
    """The performance profile: at each level, the share of runs above it, with equal weight for all problems."""
    at = np.asarray(levels, float)

    def shares(part: np.ndarray) -> np.ndarray:
        return (part[..., None] > at).mean(axis=-2)

    rng = np.random.default_rng(seed)
    value = np.mean([shares(np.asarray(some, float)) for some in scores.values()], axis=0)
    again = np.zeros((draws, at.size))
    for some in scores.values():
        again += shares(np.asarray(some, float)[rng.integers(0, len(some), (draws, len(some)))]) / len(scores)
    ends = np.quantile(again, [0.025, 0.975], axis=0)
    return [Aggregate(float(v), float(low), float(high)) for v, low, high in zip(value, *ends, strict=True)]


def improvement(mine: Scores, other: Scores, draws: int = DRAWS, seed: int = 0) -> Aggregate:
    """The probability that a run of one is above a run of the other on the same problem; ties count half."""
    rng = np.random.default_rng(seed)
    value, again = [], np.zeros(draws)
    for problem in mine:
        a, b = (np.asarray(scores[problem], float) for scores in (mine, other))
        b = np.sort(b)
        below, upto = np.searchsorted(b, a, "left"), np.searchsorted(b, a, "right")
        value.append(float((below + upto).mean() / 2.0 / len(b)))
        for start in range(0, draws, 100):  # a hundred at a time, to keep them small
            size = min(100, draws - start)
            x, y = (drawn_counts(rng, size, len(some)) for some in (a, b))
            lower = np.pad(y.cumsum(axis=1), ((0, 0), (1, 0)))  # runs of the other among its lowest so many
            wins = (x * (lower[:, below] + lower[:, upto])).sum(axis=1) / 2.0
            again[start : start + size] += wins / (len(a) * len(b)) / len(mine)
    ends = np.quantile(again, [0.025, 0.975])
    return Aggregate(float(np.mean(value)), float(ends[0]), float(ends[1]))


def drawn_counts(rng: np.random.Generator, draws: int, runs: int) -> np.ndarray:
    """[draws, runs] how often each run is drawn, with replacement."""
    which = rng.integers(0, runs, (draws, runs)) + runs * np.arange(draws)[:, None]
    return np.bincount(which.ravel(), minlength=draws * runs).reshape(draws, runs).astype(float)


def scores_of(rows: Rows, algorithm: str, problems: Iterable[str] = ()) -> dict[str, np.ndarray]:
    """The runs of an algorithm at the last step of every problem, or of these."""
    wanted = list(problems) or [problem for problem, name in rows.runs if name == algorithm]
    return {problem: rows.paired([(problem, algorithm)])[problem, algorithm] for problem in wanted}
