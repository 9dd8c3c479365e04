"""Options that resemble each other: the worlds of ``alike_worlds``, and the mechanisms of ``alike=True``.

python benchmarks/leave_one_out.py alike
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

import numpy as np

from alike import Told, with_alike, with_strangers
from alike_worlds import WORLDS, make
from leave_one_out import Case
from varde.beliefs import alike as belief
from varde.selection import by_alike

UNIT = "hundredths of a deviation of regret"
STRUCTURE = ("structure", "none")  # columns: whether features say something

Change = tuple[Any, str, Any]  # an object, the name of one of its parts, and what stands there instead


def at_random(points: np.ndarray, many: int) -> list[int]:
    return np.random.default_rng(many).permutation(len(points))[:many].tolist()


def equal_noise(space: Any, data: Any, logs: np.ndarray, who: np.ndarray) -> np.ndarray:
    return np.ones(who.size)


VARIANTS: dict[str, Any] = {
    "neighbours (each option by its own results)": None,
    "heavy tails of an option's own deviation": [(belief, "ODD", 1e9)],
    "noise of an option and its neighbours (all equal)": [(belief, "relative_noise", equal_noise)],
    "strangers where the evidence is for them": [(by_alike.AlikeChooser, "strangers", False)],
    "options far apart first (at random)": [(by_alike, "far_apart", at_random)],
    "some of them twice": [(by_alike, "TWICE", 10**9)],
}


def regret(kind: str, seed: int, changes: list[Change] | None) -> float:
    world, budget = make(kind, seed)
    told = Told(world, seed)
    if changes is None:
        found = with_strangers(world, told, budget, seed).recommend()
    else:
        patches = [patch.object(*change) for change in changes]
        for each in patches:
            each.start()
        try:
            found = with_alike(world, told, budget, seed).recommend()
        finally:
            for each in patches:
                each.stop()
    return 100.0 * float((world.truth.max() - world.truth[int(found.best_name)]) / world.truth.std())


def cases(rng: np.random.Generator) -> Iterator[Case]:
    while True:
        for kind in rng.permutation(list(WORLDS)).tolist():
            seed = int(rng.integers(2**31))
            name = STRUCTURE[0 if WORLDS[kind][2] else 1]
            yield Case(name, [], VARIANTS, lambda changes, k=kind, s=seed: regret(k, s, changes))  # type: ignore[misc]
