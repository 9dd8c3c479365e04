"""Exact values over a finite horizon, by dynamic programming: the reference for planning.

    Q_t(s, a) = R(s, a) + discount * sum_s' P(s' | s, a) V_{t+1}(s'),   V_H = 0,   V = 0 where the episode is over

with V_t = max_a Q_t for the best policy and V_t = mean_a Q_t for uniformly random play.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .function import Function
from .table import MDP
from .visited import unpack


class Values(NamedTuple):
    """``values[t, s]`` with H - t steps to go, ``pairs[t, p]`` the same for a state and one of its actions."""

    values: np.ndarray  # [H + 1, S]
    pairs: np.ndarray  # [H, P]


def best_values(model: MDP, horizon: int, discount: float = 1.0) -> Values:
    """V* and Q*."""
    return _backward(model, horizon, discount, np.maximum.reduceat)


def uniform_values(model: MDP, horizon: int, discount: float = 1.0) -> Values:
    """The value of choosing every action with equal probability."""
    widths = np.diff(model.pairs)
    widths = widths[widths > 0]

    def mean(values: np.ndarray, starts: np.ndarray) -> np.ndarray:
        return np.add.reduceat(values, starts) / widths

    return _backward(model, horizon, discount, mean)


def _backward(model: MDP, horizon: int, discount: float, gather) -> Values:
    alive = np.diff(model.pairs) > 0
    starts = model.pairs[:-1][alive]
    values = np.zeros((horizon + 1, alive.size))
    pairs = np.zeros((horizon, model.means.size))
    if not alive.any():
        return Values(values, pairs)
    for t in range(horizon - 1, -1, -1):
        future = model.probabilities * values[t + 1, model.successors]
        pairs[t] = model.means + discount * np.add.reduceat(future, model.outcomes[:-1])
        values[t, alive] = gather(pairs[t], starts)
    return Values(values, pairs)


# -- time as part of the state -------------------------------------------------------------------


def timed(world: Function, horizon: int) -> Function:
    """The same world, whose states are (state, step): after ``horizon`` steps every episode is over."""
    inner, key, start = world.step, world.key, world.start

    def step(state: Any, action: Any, rng: np.random.Generator) -> tuple[Any, ...]:
        successor, reward, over, cut = unpack(inner(state[0], action, rng))
        made = state[1] + 1
        return (successor, made), reward, over or made >= horizon, cut, None

    def begin(rng: np.random.Generator) -> Any:
        return (start(rng) if callable(start) else start), 0

    return Function(
        step,
        lambda state: world.actions(state[0]),
        None if start is None else begin if callable(start) else (start, 0),
        None if key is None else lambda state: (key(state[0]), state[1]),
    )
