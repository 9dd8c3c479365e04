"""What each mechanism of the default learner is worth, on fresh worlds: see ``leave_one_out.py``.

Loss 1 - score of the policy that the data support, at a quarter, half and all of the budget, averaged.  A mechanism is
left out by setting its number such that it does nothing, uncompiled: compiled code has its numbers built in.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping

import numpy as np

from leave_one_out import Case
from varde import VarDE
from varde.environments import deep_sea, distracted_river, forked_river_swim, garnet, river_swim
from varde.learning import measure
from varde.worlds.table import Table

UNIT = "loss, % of the best value"
RUNS = 3

WITHOUT: dict[str, Mapping[str, float]] = {
    "value of an untried pair": {"novelty.NOVELTY": 1e-9},
    "shrinkage of the noise": {"noise.PRIOR": 1e-9},
    "looking ahead": {"plan.HORIZON": 2.0},
    "plan brought up to date in between": {"step.AT_ONCE": 0},
    "exact errors in small worlds (probes instead)": {"memory.FEW": 0},
}


def worlds(rng: np.random.Generator) -> Iterator[tuple[str, Table, int]]:
    while True:
        seed = int(rng.integers(2**31))
        yield "garnet", garnet(int(rng.integers(8, 20)), int(rng.integers(2, 5)), seed=seed), 1500
        yield "river", river_swim(int(rng.integers(5, 12))), 2000
        yield "forked river", forked_river_swim(int(rng.integers(3, 6))), 2000
        yield "deep sea", deep_sea(int(rng.integers(5, 9))), 1500
        yield "distractors", distracted_river(int(rng.integers(4, 7)), int(rng.integers(8, 25))), 2000


def loss_in(world: Table, budget: int, seed: int) -> Callable[[Mapping[str, float]], float]:
    """The loss with some numbers of the default replaced."""

    def loss(replaced: Mapping[str, float]) -> float:
        places = [(name.rpartition("."), number) for name, number in replaced.items()]
        before = []
        for (file, _, name), number in places:
            module = importlib.import_module(f"varde.learning.exploration.{file}")
            before.append((module, name, getattr(module, name)))
            setattr(module, name, number)
        try:
            steps = [budget // 4, budget // 2, budget]
            found = measure(
                VarDE(), world, budget, at=steps, runs=RUNS, seed=seed, workers=1, report="model", engine="python"
            )
        finally:
            for module, name, number in before:
                setattr(module, name, number)
        return float(100.0 * np.mean(found.best - found.values))

    return loss


def cases(rng: np.random.Generator) -> Iterator[Case]:
    for name, world, budget in worlds(rng):
        yield Case(name, {}, WITHOUT, loss_in(world, budget, int(rng.integers(2**31))))
