"""What each mechanism of the default learner is worth, on fresh worlds: see ``leave_one_out.py``.

Loss 1 - score of the policy that the data support, at a quarter, half and all of the budget, averaged; from all states
or from the start, by turns.  A mechanism is left out by replacing its number or its function by one that does nothing,
uncompiled: compiled code has them built in.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from leave_one_out import Case
from varde import VarDE, tabulate
from varde.environments import deep_sea, distracted_river, forked_river_swim, four_rooms, garnet, river_swim
from varde.learning import measure
from varde.learning.exploration import gains
from varde.worlds.table import Table

UNIT = "loss, % of the best value"
RUNS, KINDS = 2, 8


def without_errors(memory: Any, *_: Any) -> None:
    """Values are taken for exact: a gap has the noise of its own action alone."""
    memory.probes[1].fill(0.0)


def by_its_own_noise(memory: Any, seen: Any, size: int, discount: float) -> bool:
    """The noise of a pair is what it showed; nothing is expected of it."""
    for p in range(memory.model.first[size]):
        memory.noise[p] = gains.variance(memory, p, discount) if memory.tried[p] > 0 else 0.0
    return bool(memory.noise.max() > 0.0)


def by_the_world(memory: Any, s: int) -> tuple[int, int]:
    """No difference between states: how noisy a pair may be is judged by the whole world."""
    totals = np.sum([count_noisy(memory, t) for t in range(1, memory.model.first.size - 1)], axis=0)
    return int(totals[0]), int(totals[1])


count_noisy = gains.count_noisy

WITHOUT: dict[str, Mapping[str, Any]] = {
    "value of a first try": {"plan.NOVELTY": 1e-9},
    "noise to be expected (each pair its own)": {"plan.fill_noise": by_its_own_noise},
    "... judged by the state (by the whole world)": {"gains.count_noisy": by_the_world},
    "errors of values (each action its own)": {"plan.solve_errors": without_errors},
    "costs of returning": {"gains.LIKELY": 2.0},
    "looking ahead (two steps)": {"plan.HORIZON": 2.0},
    "plan brought up to date in between": {"explorer.AT_ONCE": 0},
    "how a state is reached from the starts": {"gains.START": -1},
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
        yield "garnet", garnet(int(rng.integers(8, 20)), int(rng.integers(2, 5)), seed=seed), 1500
        yield "river", river_swim(int(rng.integers(5, 12))), 2000
        yield "forked river", forked_river_swim(int(rng.integers(3, 6))), 2000
        yield "deep sea", deep_sea(int(rng.integers(5, 9))), 1500
        yield "distractors", distracted_river(int(rng.integers(4, 7)), int(rng.integers(8, 25))), 2000
        yield "casino", casino(int(rng.integers(4, 6)), int(rng.integers(8, 25)), 3), 2000
        yield "sacrifice", sacrifice(rng, int(rng.integers(5, 9))), 1000
        yield "four rooms", four_rooms(7), 1500


def loss_in(world: Table, budget: int, objective: str, seed: int) -> Callable[[Mapping[str, Any]], float]:
    """The loss with some parts of the default replaced."""

    def loss(replaced: Mapping[str, Any]) -> float:
        before = []
        for place, part in replaced.items():
            file, _, name = place.rpartition(".")
            module = importlib.import_module(f"varde.learning.exploration.{file}")
            before.append((module, name, getattr(module, name)))
            setattr(module, name, part)
        try:
            steps = [budget // 4, budget // 2, budget]
            how: dict[str, Any] = {"seed": seed, "workers": 1, "report": "model", "engine": "python"}
            found = measure(VarDE(), world, budget, at=steps, runs=RUNS, objective=objective, **how)
        finally:
            for module, name, part in before:
                setattr(module, name, part)
        return float(100.0 * np.mean(found.best - found.values))

    return loss


def cases(rng: np.random.Generator) -> Iterator[Case]:
    for number, (name, world, budget) in enumerate(worlds(rng)):
        objective = ("all", "start")[(number // KINDS + number) % 2]
        yield Case(name, {}, WITHOUT, loss_in(world, budget, objective, int(rng.integers(2**31))))
