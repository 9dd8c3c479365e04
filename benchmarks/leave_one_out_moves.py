"""What each mechanism of the default search is worth, on fresh worlds: see ``leave_one_out.py``.

Regret (V* - V) / (V* - V_random) of the recommended policy, exact.  A mechanism is left out by setting its number in
``GapGraph``, or in trees in ``GapTree``, such that it does nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from leave_one_out import Case
from varde.environments import combination_lock, deep_sea, garnet
from varde.planning import GapGraph, GapTree, measure
from varde.worlds.solve import best_values, uniform_values
from varde.worlds.table import Table
from varde.worlds.tabulate import tabulate

UNIT = "regret, % of what random play loses"
BUDGET, RUNS = 2000, 3
NEVER = 10**9

GRAPH = {
    "optimism": GapGraph(optimism=0.0),
    "errors in optimistic values": GapGraph(ahead=0.0),
    "the action tried least": GapGraph(spread=0.0),
    "shared variance": GapGraph(prior=1.0),
}
TREE = {
    "mean return as anchor (K)": GapTree(bias=0.0),
    "optimism": GapTree(optimism=0.0),
    "optimism beyond the best seen": GapTree(ahead=0.0),
    "mean of those that may be level (the highest)": GapTree(parity=NEVER),
    "usual noise of a depth, C_t": GapTree(usual=0.0),
    "deterministic worlds": GapTree(settled=NEVER),
}


def gambler(rng: np.random.Generator) -> tuple[Table, int]:
    goal, chance = int(rng.integers(12, 32)), float(rng.uniform(0.3, 0.49))

    def moves(s: int) -> dict[int, Any]:
        stakes = range(1, min(s, goal - s) + 1) if 0 < s < goal else ()
        return {a: [(chance, s + a, float(s + a == goal)), (1 - chance, s - a, 0.0)] for a in stakes}

    return tabulate(moves, int(rng.integers(goal // 3, goal // 2 + 1))), 30


def queues(rng: np.random.Generator) -> tuple[Table, int]:
    """Work goes to one of two servers, or is refused at a price; what waits costs later."""
    size, price, rates = 5, float(rng.uniform(0.5, 1.5)), rng.uniform(0.3, 0.8, 2)

    def moves(state: tuple[int, int]) -> dict[str, Any]:
        a, b = state
        after = {"refuse": ((a, b), -price)}
        after |= {"first": ((a + 1, b), 0.0)} if a < size else {}
        after |= {"second": ((a, b + 1), 0.0)} if b < size else {}
        served = [
            (p * q, i, j) for p, i in ((1 - rates[0], 0), (rates[0], 1)) for q, j in ((1 - rates[1], 0), (rates[1], 1))
        ]
        return {
            move: [(float(p), (max(x - i, 0), max(y - j, 0)), paid - 0.2 * (x + y)) for p, i, j in served]
            for move, ((x, y), paid) in after.items()
        }

    return tabulate(moves, (3, 3)), 15


def windy(rng: np.random.Generator) -> tuple[Table, int]:
    """A grid with wind, walls and a goal far away."""
    size, gusts = 6, float(rng.uniform(0.1, 0.4))
    walls = {tuple(cell) for cell in rng.integers(1, size - 1, (5, 2)).tolist()}
    ways = {"n": (-1, 0), "s": (1, 0), "w": (0, -1), "e": (0, 1)}

    def to(cell: tuple[int, int], way: str) -> tuple[int, int]:
        new = cell[0] + ways[way][0], cell[1] + ways[way][1]
        return new if min(new) >= 0 and max(new) < size and new not in walls else cell

    def moves(cell: tuple[int, int]) -> dict[str, Any]:
        if cell == (size - 1, size - 1):
            return {}
        return {way: [(1 - gusts, to(cell, way), -1.0), (gusts, to(to(cell, way), "w"), -1.0)] for way in ways}

    return tabulate(moves, (0, 0)), 30


def sacrifice(rng: np.random.Generator) -> tuple[Table, int]:
    """A small prize at once, again and again, or several payments for a large one at the end."""
    length, cost, chance = int(rng.integers(4, 8)), float(rng.uniform(0.02, 0.1)), float(rng.uniform(0.7, 1.0))

    def moves(place: int) -> dict[str, Any]:
        if place > length:
            return {}
        if place == length:
            return {"take": [(1.0, length + 1, 1.0)]}
        on, back = place + 1, max(place - 1, 0)
        return {
            "stay": [(1.0, place, 0.01)],
            "pay": [(chance, on, -cost), (1.0 - chance, back, -cost)],
            "back": [(1.0, back, 0.005)],
        }

    return tabulate(moves, 0), 2 * length + 4


def maze(rng: np.random.Generator) -> tuple[Table, int]:
    """Without chance: walls, steps that cost a little, and a goal in the far corner."""
    size = int(rng.integers(4, 7))
    walls = {tuple(cell) for cell in rng.integers(0, size, (size, 2)).tolist()} - {(0, 0), (size - 1, size - 1)}

    def moves(cell: tuple[int, int]) -> dict[str, Any]:
        legal = {}
        for way, (down, right) in {"n": (-1, 0), "s": (1, 0), "w": (0, -1), "e": (0, 1)}.items():
            to = cell[0] + down, cell[1] + right
            to = to if min(to) >= 0 and max(to) < size and to not in walls else cell
            legal[way] = [(1.0, to, float(to == (size - 1, size - 1)) - 0.01)]
        return legal if cell != (size - 1, size - 1) else {}

    return tabulate(moves, (0, 0)), 4 * size


def worlds(rng: np.random.Generator) -> Iterator[tuple[str, Table, int]]:
    while True:
        yield "gambler", *gambler(rng)
        yield "queues", *queues(rng)
        yield "windy", *windy(rng)
        yield "garnet", garnet(30, int(rng.integers(2, 8)), seed=int(rng.integers(2**31))), 12
        yield "wide", garnet(15, 40, seed=int(rng.integers(2**31))), 5
        yield "sacrifice", *sacrifice(rng)
        yield "maze", *maze(rng)
        yield "lock", combination_lock(8, 4, cost=0.02, seed=rng), 8
        yield "deep sea", deep_sea(10, seed=rng), 10


def loss_in(table: Table, horizon: int, seed: int, graph: bool) -> Callable[[Any], float]:
    """The regret of an algorithm in one world."""
    best = best_values(table.model, horizon).values[0, table.start]
    scale = 0.01 * max(best - uniform_values(table.model, horizon).values[0, table.start], 1e-12)

    def loss(algorithm: Any) -> float:
        found = measure(algorithm, table, BUDGET, horizon=horizon, graph=graph, runs=RUNS, seed=seed, workers=1)
        return float(np.mean(found.best - found.values[:, -1]) / scale)

    return loss


def cases(rng: np.random.Generator) -> Iterator[Case]:
    """Every world as a tree and as a graph."""
    for name, table, horizon in worlds(rng):
        seed = int(rng.integers(2**31))
        for graph in (False, True):
            kind = f"{name}, {'graph' if graph else 'tree'}"
            default, without = (GapGraph(), GRAPH) if graph else (GapTree(), TREE)
            yield Case(kind, default, without, loss_in(table, horizon, seed, graph))
