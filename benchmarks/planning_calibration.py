"""Is P(best) of a move what it says?  Stated against observed: ``python benchmarks/planning_calibration.py``.

Worlds of ten kinds are drawn at random, states in them too; a search is looked at again and again while it grows.  A
move is right if its true value, by dynamic programming, is the highest.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from varde import VarDE
from varde.environments import frozen_lake, sailing, taxi
from varde.planning.search import Search
from varde.random import key, stream
from varde.worlds.horizon import best_values
from varde.worlds.table import Table, tabulate

BUDGETS = (3, 6, 12, 25, 50, 100, 200, 400, 800, 1600, 3200, 6400)


class World(NamedTuple):
    name: str
    table: Table
    horizon: int
    discount: float = 1.0


# -- worlds ----------------------------------------------------------------------------------------


def sailings(rng: np.random.Generator) -> World:
    size, wind = int(rng.integers(4, 7)), int(rng.integers(8))
    return World("sailing", sailing(size, wind, float(rng.uniform(0.05, 0.35))), 4 * size + int(rng.integers(8)))


def taxis(rng: np.random.Generator) -> World:
    ends = rng.permutation(list("RGYB"))
    start = (int(rng.integers(5)), int(rng.integers(5)))
    return World("taxi", taxi(bool(rng.integers(2)), start, str(ends[0]), str(ends[1])), int(rng.integers(20, 31)))


def lakes(rng: np.random.Generator) -> World:
    size = int(rng.integers(4, 8))
    cells = np.where(rng.random((size, size)) < rng.uniform(0.1, 0.25), "H", "F")
    cells[0, 0], cells[-1, -1] = "S", "G"
    rows = ["".join(row) for row in cells]
    return World("lake", frozen_lake(rows, None, 1.0, float(rng.uniform(0.5, 1.0))), 4 * size, 0.97)


def garnets(rng: np.random.Generator) -> World:
    states, width, branching = int(rng.integers(15, 90)), int(rng.integers(2, 8)), int(rng.integers(1, 5))
    sparse, deviation = rng.random() < 0.3, float(rng.choice([0.0, 0.0, 1.0]))

    def moves() -> Any:
        for s in range(states):
            legal = {}
            for a in range(width):
                to = rng.choice(states, branching, replace=False)
                shares = rng.dirichlet(np.ones(branching))
                paid = float(rng.random() < 0.08) if sparse else float(rng.normal())
                legal[a] = [(float(p), int(t), paid, deviation) for p, t in zip(shares, to, strict=True)]
            yield s, legal

    return World("garnet", tabulate(dict(moves())), int(rng.integers(4, 16)), float(rng.uniform(0.85, 1.0)))


def wides(rng: np.random.Generator) -> World:
    """Many actions, each with a gain of its own, that lead to a few rooms at random."""
    width, rooms, noisy = int(rng.integers(12, 41)), int(rng.integers(3, 9)), float(rng.uniform(0.2, 2.0))
    table = {}
    for s in range(rooms):
        legal = {}
        for a in range(width):
            gain = float(rng.normal())
            chances = rng.dirichlet(np.ones(2))
            to = rng.choice(rooms, 2)
            legal[a] = [
                (float(p), int(t), gain + noisy * float(rng.normal())) for p, t in zip(chances, to, strict=True)
            ]
        table[s] = {a: merged(outs) for a, outs in legal.items()}
    return World("wide", tabulate(table), int(rng.integers(2, 6)), 0.95)


def merged(outcomes: list[tuple[float, int, float]]) -> list[tuple[float, int, float]]:
    if outcomes[0][1] != outcomes[1][1]:
        return outcomes
    p, q = outcomes[0][0], outcomes[1][0]
    return [(1.0, outcomes[0][1], (p * outcomes[0][2] + q * outcomes[1][2]) / (p + q))]


def bandits(rng: np.random.Generator) -> World:
    """Each action wins, draws or loses, with chances of its own; the prize is paid a step later."""
    width, tight = int(rng.integers(2, 12)), float(rng.uniform(1.0, 8.0))
    prizes = np.sort(rng.normal(size=3))
    table: dict[Any, Any] = {f"prize {i}": {"collect": [(1.0, "over", float(x))]} for i, x in enumerate(prizes)}
    table["over"] = {}
    bandit = {}
    for a in range(width):
        shares = rng.dirichlet(np.full(3, tight))
        bandit[a] = [(float(p), f"prize {i}", 0.0) for i, p in enumerate(shares)]
    return World("bandit", tabulate({"bandit": bandit, **table}, "bandit"), 2)


def cliffs(rng: np.random.Generator) -> World:
    rows, columns, slips = int(rng.integers(3, 5)), int(rng.integers(4, 9)), float(rng.choice([0.0, 0.05, 0.2]))
    ways = {"north": (-1, 0), "south": (1, 0), "west": (0, -1), "east": (0, 1)}

    def landed(at: tuple[int, int], way: tuple[int, int]) -> tuple[Any, float]:
        row, column = min(max(at[0] + way[0], 0), rows - 1), min(max(at[1] + way[1], 0), columns - 1)
        if row == rows - 1 and 0 < column < columns - 1:
            return (rows - 1, 0), -20.0
        return ((row, column) if (row, column) != (rows - 1, columns - 1) else "home"), -1.0

    def moves(at: Any) -> Any:
        if at == "home":
            return {}
        legal = {}
        for name, way in ways.items():
            found: dict[Any, float] = {}
            for p, w in [(1.0 - slips, way)] + [(slips / 4.0, other) for other in ways.values()]:
                if p > 0.0:
                    found[landed(at, w)] = found.get(landed(at, w), 0.0) + p
            legal[name] = [(p, to, paid) for (to, paid), p in found.items()]
        return legal

    return World("cliff", tabulate(moves, (rows - 1, 0)), int(rng.integers(15, 31)))


def locks(rng: np.random.Generator) -> World:
    width, length, cost = int(rng.integers(2, 4)), int(rng.integers(4, 8)), float(rng.choice([0.0, 0.01]))
    right = rng.integers(width, size=length)
    table: dict[Any, Any] = {"lost": {0: [(1.0, "lost", 0.0)]}, "open": {}}
    for i in range(length):
        on, paid = (i + 1, -cost) if i + 1 < length else ("open", 1.0)
        table[i] = {a: [(1.0, on, paid)] if a == right[i] else [(1.0, "lost", 0.0)] for a in range(width)}
    return World("lock", tabulate(table, 0), length + 1)


def shops(rng: np.random.Generator) -> World:
    """How much to order; the demand is random, stock costs."""
    most, mean = int(rng.integers(5, 11)), float(rng.uniform(1.0, 4.0))
    price, cost, keep = 4.0, float(rng.uniform(1.0, 3.0)), float(rng.uniform(0.05, 0.5))
    chances = np.array([mean**k / float(np.prod(np.arange(1, k + 1))) for k in range(most)])
    chances = np.append(chances, max(np.exp(mean) - chances.sum(), 0.0)) / np.exp(mean)

    def moves(stock: int) -> Any:
        legal = {}
        for order in range(most - stock + 1):
            found: dict[int, list[float]] = {}
            for demand, p in enumerate(chances):
                left = max(stock + order - demand, 0)
                p_old, gain = found.get(left, [0.0, 0.0])
                paid = price * (stock + order - left) - cost * order - keep * left
                found[left] = [p_old + float(p), gain + float(p) * paid]
            legal[order] = [(p, left, gain / p) for left, (p, gain) in found.items() if p > 0.0]
            total = sum(out[0] for out in legal[order])
            legal[order] = [(p / total, left, paid) for p, left, paid in legal[order]]
        return legal

    return World("shop", tabulate(moves, 0), int(rng.integers(3, 9)), 0.95)


def walks(rng: np.random.Generator) -> World:
    """To the left a small prize, to the right a large one far away, and a wind."""
    length, wind = int(rng.integers(6, 14)), float(rng.uniform(0.05, 0.4))
    prize, cost = float(rng.uniform(1.5, 6.0)), float(rng.uniform(0.0, 0.2))

    def moves(at: int) -> Any:
        if at in (0, length):
            return {}

        def to(step: int) -> tuple[int, float]:
            there = at + step
            return there, (1.0 if there == 0 else prize if there == length else 0.0) - cost

        return {
            name: [(1.0 - wind, *to(step)), (wind, *to(-step))] if step else [(1.0, at, -cost)]
            for name, step in (("left", -1), ("stay", 0), ("right", 1))
        }

    return World("walk", tabulate(moves, length // 3 + 1), 2 * length)


KINDS: tuple[Callable[[np.random.Generator], World], ...] = (
    sailings, taxis, lakes, garnets, garnets, wides, bandits, cliffs, locks, shops, walks,
)  # fmt: skip


def draw_worlds(rounds: int, seed: int) -> Iterator[World]:
    for number in range(rounds):
        for place, kind in enumerate(KINDS):
            yield kind(np.random.default_rng([seed, number, place]))


def starts(world: World, many: int, rng: np.random.Generator) -> list[int]:
    """States with a choice."""
    widths = np.diff(world.table.model.pairs)
    choices = np.flatnonzero(widths > 1)
    return rng.choice(choices, min(many, choices.size), replace=False).tolist()


def searches(rounds: int, seed: int, many: int, most: int = BUDGETS[-1]) -> Iterator[tuple[World, Search, np.ndarray]]:
    """Searches as they grow, and the true values of the actions."""
    for place, world in enumerate(draw_worlds(rounds, seed)):
        rng = np.random.default_rng([seed, 99, place])
        truth = best_values(world.table.model, world.horizon, world.discount)
        for graph in (False, True):
            search = Search(VarDE(), world.table.model, 0, world.horizon, world.discount, graph=graph)
            for state in starts(world, many, rng):
                search.start = state
                search.restart()
                done, choices = 0, stream(key(seed, f"calibration {place} {graph}"), state)
                rows = slice(*world.table.model.pairs[state : state + 2])
                for budget in BUDGETS:
                    if budget > most:
                        break
                    search.run(budget - done, choices)
                    done = budget
                    yield world, search, truth.pairs[0, rows]


if __name__ == "__main__":
    print(sum(1 for _ in searches(1, int(sys.argv[1]), 3)))
