"""Which of many cells changed between two sets of runs with other random numbers: one test for all of them.

If nothing changed, the runs of both sides are exchangeable, jointly for all cells.  So they are permuted between the
sides, and the largest |t| of all numbers of all cells is compared with those of the permutations, stepping down from
the cell that is furthest apart (Westfall and Young).  The probability that anything is called changed is then at most
the level, whatever the dependence between the numbers, and however few the runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .intervals import LEVEL
from .quantiles import normal_quantile
from .resampling import GROUPS, group_size, grouped

DEALS = 999
PROBABLY = 0.8
ROUNDING = 1.0 - 1e-6  # t of well separated sides has lost digits, and a deal that swaps the sides is as far apart
MOST = 4 * GROUPS  # groups of the side with more runs: further ones hardly narrow the difference
FEWEST = 4  # runs a side: with three, no dealing is rare enough


class Apart(NamedTuple):
    p: float  # adjusted for all cells
    column: int  # that is furthest apart
    visible: float  # a change of the last column that would have been seen with 4 chances in 5


def apart(pairs: Sequence[tuple[np.ndarray, np.ndarray]], seed: int = 0, level: float = LEVEL) -> list[Apart]:
    """Of each cell, [n_a, J] against [n_b, J]."""
    both = [in_groups(a, b) for a, b in pairs]
    if not both:
        return []
    first, second = max(len(a) for a, _ in both), max(len(b) for _, b in both)
    chance = np.random.default_rng(seed).random((DEALS, first + second))
    order = np.vstack([np.r_[np.zeros(first), np.ones(second)], chance])  # as measured, then anew
    dealt: dict[tuple[int, int], np.ndarray] = {}
    tops, columns = np.zeros((DEALS + 1, len(both))), []
    for i, (a, b) in enumerate(both):
        sizes = len(a), len(b)
        if sizes not in dealt:
            here = np.r_[np.arange(sizes[0]), first + np.arange(sizes[1])]
            dealt[sizes] = order[:, here].argsort(1, kind="stable").argsort(1, kind="stable") < sizes[0]
        t = distances(a, b, dealt[sizes])
        tops[:, i] = t.max(axis=1)
        columns.append(int(t[0].argmax()))
    far = float(np.quantile(tops[1:].max(axis=1), 1.0 - level)) + normal_quantile(PROBABLY)
    visible = [far * error(a[:, -1], b[:, -1]) for a, b in both]
    return [Apart(float(p), *rest) for p, rest in zip(step_down(tops), zip(columns, visible, strict=True), strict=True)]


def in_groups(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of one size on both sides: means of groups of other sizes spread differently, and are not exchangeable."""
    size = group_size(min(len(a), len(b)))
    return grouped(a[: MOST * size], size), grouped(b[: MOST * size], size)


def error(a: np.ndarray, b: np.ndarray) -> float:
    """Of the difference of two means, from the spread within both sides."""
    within = ((a - a.mean()) ** 2).sum() + ((b - b.mean()) ** 2).sum()
    return float(np.sqrt(within / max(len(a) + len(b) - 2, 1) * (1.0 / len(a) + 1.0 / len(b))))


def distances(a: np.ndarray, b: np.ndarray, dealt: np.ndarray) -> np.ndarray:
    """[deals, J] |t| of the two sides; 0 where no run differs from another."""
    pool = np.vstack([a, b])
    unit = np.maximum(np.abs(pool - pool[0]).max(axis=0), 1e-300)
    pool = (pool - pool[0]) / unit
    pool -= pool.mean(axis=0)
    spread = (pool * pool).sum(axis=0)
    each, free = 1.0 / len(a) + 1.0 / len(b), len(pool) - 2
    if free < 1:
        return np.zeros((len(dealt), pool.shape[1]))
    share = dealt.astype(float) @ pool  # the sum of side a; the pool's is 0
    within = np.maximum(spread - share * share * each, 1e-12 * spread)
    t = np.abs(share) * each / np.sqrt(np.maximum(within / free * each, 1e-300))
    return np.where(spread > 1e-20, t, 0.0)


def step_down(tops: np.ndarray) -> np.ndarray:
    """[cells] p from the statistics of the deals, of which the first is as measured."""
    by = np.argsort(-tops[0], kind="stable")
    rest = np.maximum.accumulate(tops[1:, by[::-1]], axis=1)[:, ::-1]
    p = (1 + (rest >= tops[0, by] * ROUNDING).sum(axis=0)) / len(tops)
    found = np.empty(len(by))
    found[by] = np.maximum.accumulate(p)
    return found
