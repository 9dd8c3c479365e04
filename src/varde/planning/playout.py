"""Random play beyond the tree, in a world stepped from Python.

What it passes through is not registered where steps are taken one at a time; with workers, batches, and ask and tell
its steps are requests like all others, of states that have numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..check import FINITE, LARGEST, shown
from ..worlds.function import SimulationError, failed, finite, unpack
from ..worlds.visited import Atlas


class Random:
    """Draws the actions: uniformly, or by their prior."""

    def __init__(self, atlas: Atlas):
        self.atlas = atlas
        self.by_prior = getattr(atlas.knowledge, "prior", None) is not None

    def play(self, step: Callable[..., Any], state: Any, steps: int, discount: float, rng: Any) -> float:
        """The return of random play from a state, nothing of which is registered."""
        gain, factor, atlas, began = 0.0, 1.0, self.atlas, state
        for _ in range(steps):
            legal = atlas.listed(state)
            if not legal:
                break
            if self.by_prior:
                action = legal[drawn_by(atlas.weights(state, legal), rng.random())]
            else:
                action = legal[int(rng.integers(len(legal)))]
            try:
                successor, reward, over, _ = unpack(step(state, action, rng))
            except Exception as error:
                raise failed(error, state, action) from error
            gain += factor * finite(reward, state, action)
            factor *= discount
            state = successor
            if over:
                break
        return bounded(gain, began)


def drawn_by(weights: np.ndarray, at: float) -> int:
    """The action of a uniform number, by weights that are 1 on average."""
    return min(int(np.searchsorted(np.cumsum(weights), at * len(weights), "right")), len(weights) - 1)


def bounded(gain: float, state: Any) -> float:
    """The return of random play from a state, if the search can calculate with it."""
    if not abs(gain) <= LARGEST:
        raise SimulationError(f"random play from state {shown(state)} brings {gain:g}: return {FINITE}, in total too")
    return gain
