"""Trials in flight together, as search threads that share a tree have them: a step of each in turn."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .._compile import contents, kernel, whole_number
from ..planning import Search
from ..planning.tree import IDLE, LEFT, WRONG
from ..planning.trial import ask, finish, has_room, hear, plant, random_play
from ..worlds.table import step


@kernel
def grow_together(held, root, trials):
    """As ``grow``, with as many trials under way as the tree has lanes; none is when it returns."""
    algorithm, memory, problem, tree, path, walks, settings, rng = contents(held)
    if root >= 0:
        plant(algorithm, memory, problem, tree, path, root, settings)
    lanes, done = walks.lane, 0
    for lane in range(tree.lanes):
        lanes.phase[lane] = IDLE
    while done < trials:
        several = min(tree.lanes, trials - done)
        if not has_room(problem, tree, settings, several * (settings.horizon + 1)):
            return done
        walks.remaining[0], busy = several, 1
        while busy > 0:
            busy = 0
            for lane in range(several):
                if not ask(algorithm, memory, problem, tree, path, walks, settings, lane, rng):
                    continue
                busy += 1
                successor, reward = step(problem, lanes.state[lane], lanes.action[lane], rng)
                hear(
                    algorithm, memory, problem, tree, path, walks, settings, lane, whole_number(problem, successor),
                    reward,
                )  # fmt: skip
                if lanes.phase[lane] == LEFT:
                    steps = settings.horizon - lanes.depth[lane] - (0 if math.isnan(lanes.reward[lane]) else 1)
                    gain = random_play(problem, path, lanes.state[lane], steps, settings.discount, rng)
                    finish(algorithm, memory, problem, tree, path, walks, settings, lane, gain)
                if path.fault[0] != 0:
                    return WRONG
        done += several
    return trials


class TogetherSearch(Search):
    """A search with several trials in flight."""

    def run(self, trials: int, rng: np.ndarray, seconds: float = math.inf) -> str:
        """In one piece: slices of time would end trials together that are in flight with later ones."""
        super().run(0, rng)
        self._grow(trials)
        return "budget"

    def _inside(self) -> Any:
        _, records, scalars = super()._inside()
        return grow_together, records, scalars

    def _enlarge(self, steps: int) -> None:
        super()._enlarge(self.settings.lanes * steps)
