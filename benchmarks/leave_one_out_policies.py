"""What each mechanism of the default learner is worth, on fresh worlds: see ``leave_one_out.py``.

Loss 1 - score of the policy that the data support, at a quarter, half and all of the budget, averaged; from all states
and from the start.  A mechanism is left out by replacing its number or its function by one that does nothing, before
anything is compiled: every variant has a process and a cache of its own.
"""

from __future__ import annotations

import multiprocessing
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np

from learning_reliability import gambler, lake, machine, queue, slippery_chain
from leave_one_out import Case
from varde import VarDE, tabulate
from varde._compile import helper
from varde.environments import deep_sea, distracted_river, forked_river_swim, four_rooms, garnet, river_swim
from varde.learning import measure, plan
from varde.worlds.table import Table

UNIT = "loss, % of the best value"
RUNS = 8
variance = plan.variance


@helper
def noise_of_its_own(memory, task, seen, size, discount):
    """The noise of a pair is what it showed; nothing is expected of it."""
    top = 0.0
    for p in range(memory.model.first[size]):
        memory.noise[p] = variance(memory, p, discount) if memory.tried[p] > 0 else 0.0
        top = max(top, memory.noise[p])
    return top > 0.0


@helper
def find_no_families(memory, size):
    """Every state is a family of its own."""
    for s in range(size):
        memory.families.of[s] = memory.model.first[size] + s


@helper
def gains_of_a_state(memory, task, size, discount, rng):
    """A sample of the policy's own pair serves the gaps of its state only."""
    model, weights, top = memory.model, memory.weights, 0.0
    for s in range(1, size):
        own, total = model.first[s] + memory.best.policy[s], 0.0
        for p in range(model.first[s], model.first[s + 1]):
            weights[p] = memory.wrong[p] * (memory.reach[s] * memory.reach[s] if task.objective == 1 else 1.0)
            total += weights[p]
        weights[own] = total
        for p in range(model.first[s], model.first[s + 1]):
            weights[p] *= memory.noise[p] if memory.tried[p] > 0 else 0.0
            top = max(top, weights[p])
    return top


WITHOUT: dict[str, dict[str, Any]] = {
    "value of a first try": {"NOVELTY": 1e-9},
    "noise to be expected (each pair its own)": {"fill_noise": noise_of_its_own},
    "... judged by families (every state its own)": {"find_families": find_no_families},
    "... one pair more than was seen": {"UNSEEN": 0.0},
    "the policy's own pairs serve all gaps (those of their state)": {"fill_gains": gains_of_a_state},
    "looking ahead (two steps)": {"HORIZON": 2.0},
    "how a state is reached from the starts": {"START": -1},
}


def casino(corridor: int, rooms: int, actions: int) -> Table:
    """A corridor to a goal; a door at its start leads to one of many rooms of identical actions."""
    doors = [("room", i) for i in range(rooms)]
    moves: dict[Any, Any] = {room: {i: [(1.0, 0, 0.04)] for i in range(actions)} for room in doors}
    for s in range(corridor):
        goal, back = s + 1 == corridor, max(s - 1, 0)
        on = [(0.6, s if goal else s + 1, float(goal)), (0.4, back, 0.0)]
        moves[s] = {"on": on, "back": [(1.0, back, 0.05 * (s == 0))]}
    moves[0]["door"] = [(1.0 / rooms, room, 0.0) for room in doors]
    return tabulate(moves, 0)


def sacrifice(rng: np.random.Generator, length: int) -> Table:
    """Every step to a prize costs something, and may fail; to give up pays a little."""
    cost = rng.uniform(0.05, 0.2)
    moves: dict[Any, Any] = {
        s: {"pay": [(0.9, s + 1, -cost), (0.1, s, -cost)], "stay": [(1.0, s, 0.0)], "quit": [(1.0, "end", 0.1 * s)]}
        for s in range(length)
    }
    moves[length] = {"take": [(1.0, "end", 10 * cost * length)], "stay": [(1.0, length, 0.0)]}
    return tabulate({**moves, "end": {}}, 0)


def worlds(rng: np.random.Generator) -> Iterator[tuple[str, Table, int]]:
    while True:
        seed = int(rng.integers(2**31))
        yield "garnet", garnet(int(rng.integers(8, 60)), int(rng.integers(2, 5)), seed=seed), 2000
        yield "river", river_swim(int(rng.integers(5, 15))), 2000
        yield "forked river", forked_river_swim(int(rng.integers(3, 6))), 2000
        yield "deep sea", deep_sea(int(rng.integers(5, 12))), 2000
        yield "distractors", distracted_river(int(rng.integers(4, 7)), int(rng.integers(8, 80))), 3000
        yield "casino", casino(int(rng.integers(4, 7)), int(rng.integers(8, 80)), 3), 3000
        yield "sacrifice", sacrifice(rng, int(rng.integers(5, 12))), 1000
        yield "four rooms", four_rooms(int(rng.choice([7, 9, 11]))), 3000
        yield "slippery chain", slippery_chain(rng, int(rng.integers(5, 9))), 1000
        yield "lake", lake(rng, int(rng.integers(4, 7)), 0.5), 3000
        yield "gambler", gambler(rng, 20), 2000
        yield "queue", queue(rng, int(rng.integers(4, 8))), 2000
        yield "machine", machine(rng, int(rng.integers(6, 12))), 1000


# -- a process for every variant -------------------------------------------------------------------


def replace_parts(name: str) -> None:
    """Leave a mechanism out, in this process, before anything is compiled."""
    for part, other in WITHOUT.get(name, {}).items():
        setattr(plan, part, other)


def loss_in(world: Table, budget: int, objective: str, seed: int) -> float:
    steps = [budget // 4, budget // 2, budget]
    how: dict[str, Any] = {"seed": seed, "workers": 1, "report": "model", "engine": "compiled"}
    found = measure(VarDE(), world, budget, at=steps, runs=RUNS, objective=objective, **how)
    return float(100.0 * np.mean(np.minimum(found.best - found.values, found.best)))


class Variants:
    """Processes, begun when first needed."""

    def __init__(self) -> None:
        self.pools: dict[str, ProcessPoolExecutor] = {}

    def loss(self, name: str, *case: Any) -> float:
        if name not in self.pools:
            os.environ["VARDE_CACHE_DIR"] = tempfile.mkdtemp(prefix="varde-")
            context = multiprocessing.get_context("spawn")
            self.pools[name] = ProcessPoolExecutor(1, context, replace_parts, (name,))
        return self.pools[name].submit(loss_in, *case).result()


def cases(rng: np.random.Generator) -> Iterator[Case]:
    variants = Variants()

    def measured(*case: Any) -> Callable[[str], float]:
        return lambda name: variants.loss(name, *case)

    names: Mapping[str, str] = {name: name for name in WITHOUT}
    for name, world, budget in worlds(rng):
        for objective in ("all", "start"):
            yield Case(name, "", names, measured(world, budget, objective, int(rng.integers(2**31))))
