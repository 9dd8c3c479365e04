"""The arms of tab:stylized and what a rule does with them: what ``stylized`` runs.

Apart from the words of that study, since whatever a kernel's file imports counts in the digest of the kernels.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._compile import helper, kernel
from ..bandits.loop import advance, begin, prepare, recommend, select, update
from ..bandits.problems import pull
from ..moments import clear, make_moments, observe
from ..random import start, uniform

SEEN = 40  # pulls of each arm in the snapshot


class TwoValued(NamedTuple):
    """Rewards of two values: ``highs`` with probability ``shares``, else ``lows``."""

    means: np.ndarray  # [K]
    lows: np.ndarray  # [K]
    highs: np.ndarray  # [K]
    shares: np.ndarray  # [K]


@pull.of(TwoValued)
def one_of_two(bandit, arm, rng):
    return bandit.highs[arm] if uniform(rng) < bandit.shares[arm] else bandit.lows[arm]


class Only(NamedTuple):
    """Pull one arm and no other, after ``warm_start`` pulls of each."""

    arm: int
    warm_start: int = SEEN


@select.of(Only)
def that_arm(algorithm, memory, arms, t, rng):
    return t % arms.counts.size if t < algorithm.warm_start * arms.counts.size else algorithm.arm


def two_valued(*arms: tuple[float, float, float]) -> TwoValued:
    """From (low, high, probability of high) of each arm."""
    lows, highs, shares = (np.array(column) for column in zip(*arms, strict=True))
    return TwoValued(lows + shares * (highs - lows), lows, highs, shares)


@helper
def show_snapshot(rule, memory, arms, snapshot, seen):
    """``seen`` pulls of each arm, in turn, with the mean and the deviation of ``snapshot``: half above, half below."""
    for t in range(seen * arms.counts.size):
        i, side = t % arms.counts.size, 1.0 if (t // arms.counts.size) % 2 == 0 else -1.0
        reward = snapshot[i, 0] + side * snapshot[i, 1]
        observe(arms, i, reward)
        update(rule, memory, arms, i, reward)


@kernel
def follow(rule, bandit, memory, arms, order, snapshot, seen, steps, key, rng, first, out):
    """Fill ``out [R, C, 2]``: whether the arm recommended is not arm 0, and the share of the pulls that arm 0 got.

    Both are in percent and counted from the snapshot of ``seen`` pulls of each arm; without one, from the first pull.
    """
    before = seen * order.size
    for run in range(out.shape[0]):
        start(rng, key, first + run)
        clear(arms)
        begin(rule, memory, order.size, before + steps[-1])
        show_snapshot(rule, memory, arms, snapshot, seen)
        t = before
        for c in range(steps.size):
            advance(rule, bandit, memory, arms, order, t, before + steps[c], rng)
            t = before + steps[c]
            out[run, c, 0] = 0.0 if recommend(rule, memory, arms) == 0 else 100.0
            out[run, c, 1] = 100.0 * (arms.counts[0] - seen) / steps[c]


def wrong_and_share(
    rule: Any,
    bandit: TwoValued,
    snapshot: tuple[tuple[float, float], ...],
    seen: int,
    steps: tuple[int, ...],
    key: np.ndarray,
    first: int,
    runs: int,
) -> np.ndarray:
    """[runs, steps x 2] of ``follow``."""
    size = len(bandit.means)
    out, rng, order = np.empty((runs, len(steps), 2)), np.empty(4, np.uint64), np.arange(size)
    memory, arms = prepare(rule, size), make_moments(size)
    shown = np.array(snapshot)
    follow(rule, bandit, memory, arms, order, shown, seen, np.array(steps), key, rng, first, out)
    return out.reshape(runs, -1)
