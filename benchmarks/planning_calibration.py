"""Is P(best) of a move what it says?  Stated against observed: ``python benchmarks/planning_calibration.py``.

Worlds of ten kinds are drawn at random, states in them too, and searched with budgets from 3 to 6,400.  A
move is right if its true value, by dynamic programming, is the highest.  Then whole episodes with and without ``stop``.
Writes docs/results/planning-calibration.json, from which docs/tables/move_tables.py makes tables of docs/planning.md.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from varde import Planner, Stop, VarDE
from varde.environments import frozen_lake, sailing, taxi
from varde.planning.certainty import how_sure
from varde.planning.line import choice_at
from varde.planning.search import Search
from varde.random import key, stream
from varde.worlds.solve import best_values
from varde.worlds.table import Table
from varde.worlds.tabulate import tabulate

BUDGETS = (3, 6, 12, 25, 50, 100, 200, 400, 800, 1600, 3200, 6400)
GROUPS = ((3, 12), (25, 100), (200, 800), (1600, 6400))
EDGES = (0.0, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)
EPISODES, EACH, LONGEST = 10, 2000, 60  # simulations of a move, moves of an episode


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
    widths = world.table.model.states["width"]
    choices = np.flatnonzero(widths > 1)
    return rng.choice(choices, min(many, choices.size), replace=False).tolist()


def searches(rounds: int, seed: int, many: int) -> Iterator[tuple[World, Search, np.ndarray]]:
    """Searches of every budget, and the true values of the actions."""
    for place, world in enumerate(draw_worlds(rounds, seed)):
        rng = np.random.default_rng([seed, 99, place])
        truth = best_values(world.table.model, world.horizon, world.discount)
        for graph in (False, True):
            search = Search(VarDE(), world.table.model, 0, world.horizon, world.discount, graph=graph)
            for state in starts(world, many, rng):
                search.start = state
                first, width = world.table.model.states[state][["first", "width"]].tolist()
                rows = slice(first, first + width)
                for budget in BUDGETS:
                    search.restart()
                    search.aim(budget)
                    search.run(budget, stream(key(seed, f"calibration {place} {graph} {budget}"), state))
                    yield world, search, truth.pairs[0, rows]


# -- what is said, and whether it holds ------------------------------------------------------------


def judged(world: World, search: Search, truth: np.ndarray) -> dict[str, Any]:
    """One look at a search."""
    choice = choice_at(search, 0, stream(key(0, "ties")))
    sure = how_sure(choice)
    assert sure is not None
    taken, near = choice.taken, 1e-9 * max(1.0, float(np.abs(truth).max()))
    low, high = float(sure.lows[taken]) - near, float(sure.highs[taken]) + near
    scale = float(np.ptp(truth)) or 1.0
    return {
        "kind": world.name,
        "graph": search.settings.graph,
        "spent": search.trials,
        "stated": float(sure.chances[taken]),
        "right": bool(truth[taken] >= truth.max() - near),
        "tie": int((truth >= truth.max() - near).sum()) > 1,
        "loss": sure.regret / scale,
        "lost": float(truth.max() - truth[taken]) / scale,
        "action": low <= truth[taken] <= high,
        "state": low <= truth.max() <= float(sure.highs.max()) + near,
    }


def mean(rows: list[dict], name: str) -> float:
    return float(np.mean([row[name] for row in rows])) if rows else math.nan


def told(rows: list[dict]) -> dict[str, Any]:
    """How good what was said is."""
    known = [row for row in rows if math.isfinite(row["loss"])]
    return {
        "n": len(rows),
        "stated": mean(rows, "stated"),
        "observed": mean(rows, "right"),
        "loss": mean(known, "loss"),
        "lost": mean(known, "lost"),
        "action": mean(rows, "action"),
        "state": mean(rows, "state"),
        "bins": [
            {"low": low, "n": len(some), "stated": mean(some, "stated"), "observed": mean(some, "right")}
            for low, high in pairwise(EDGES)
            if (some := [row for row in rows if low <= row["stated"] < high or row["stated"] == high == 1.0])
        ],
    }


# -- whole episodes --------------------------------------------------------------------------------


def places() -> list[World]:
    lake = frozen_lake(["SFFFF", "FHFHF", "FFFHF", "HFFFF", "FFHFG"], None, 1.0, 0.8)
    return [
        World("Taxi, rain", taxi(True, (2, 3), "G", "Y"), 25),
        World("Sailing 6", sailing(6), 35),
        World("FrozenLake 5x5", lake, 40, 0.97),
        cliffs(np.random.default_rng(1))._replace(name="cliff", horizon=25),
    ]


def episode(world: World, number: int, stop: float | Stop | None) -> dict[str, float]:
    """One episode, every move by a search of its own."""
    table, model = world.table, world.table.model
    truth = best_values(model, world.horizon, world.discount)
    planner = Planner(table, world.horizon, world.discount, seed=number)
    rng, state = np.random.default_rng([7, number]), table.start
    paid, factor, moves, spent, clear, wrong = 0.0, 1.0, 0, 0, 0, 0
    while model.states["width"][state] > 0 and moves < LONGEST:
        first, width = model.states[state][["first", "width"]].tolist()
        move = planner(table.states[state], EACH, stop=stop)
        place = table.legal(state).index(move.best)
        values = truth.pairs[0, first : first + width]
        if move.stopped == "sure":
            clear += 1
            wrong += bool(
                values[place] < values.max() - 1e-9 * max(1.0, abs(values.max())) - getattr(stop, "margin", 0)
            )
        pair = model.pairs[first + place]
        ways = model.outcomes[pair["first"] :][: pair["outcomes"]]
        outcome = ways[int(rng.choice(len(ways), p=ways["chance"]))]
        paid, factor = paid + factor * float(outcome["reward"]), factor * world.discount
        state, moves, spent = int(outcome["successor"]), moves + 1, spent + int(move.spent)
    return {"return": paid, "moves": moves, "spent": spent, "clear": clear, "wrong": wrong}


def episodes(count: int) -> list[dict[str, Any]]:
    lines = []
    for world in places():
        for name, stop in (("none", None), ("0.05", 0.05), ("0.05, margin", Stop(0.05, margin=0.05))):
            played = [episode(world, number, stop) for number in range(count)]
            gains = [one["return"] for one in played]
            total = {name: int(sum(one[name] for one in played)) for name in ("moves", "spent", "clear", "wrong")}
            error = float(np.std(gains, ddof=1)) / math.sqrt(count) if count > 1 else math.nan
            lines.append({"world": world.name, "stop": name, "return": float(np.mean(gains)), "error": error, **total})
            print(lines[-1], flush=True)
    return lines


def summary(rows: list[dict]) -> list[dict[str, Any]]:
    """By how much was searched, in trees and in graphs; several best actions share the chance of being the best."""
    lines = []
    for low, high in GROUPS:
        group = [row for row in rows if low <= row["spent"] <= high]
        for name, some in (
            ("all", group),
            ("one best action", [row for row in group if not row["tie"]]),
            ("tree", [row for row in group if not row["graph"]]),
            ("graph", [row for row in group if row["graph"]]),
        ):
            lines.append({"low": low, "high": high, "which": name, **told(some)})
    return lines


if __name__ == "__main__":
    rounds, seed, many = (int(argument) for argument in (sys.argv[1:] + ["2", "6006", "6"][len(sys.argv) - 1 :]))
    rows = [judged(*one) for one in searches(rounds, seed, many)]
    found: dict[str, Any] = {
        "settings": {"rounds": rounds, "seed": seed, "states": many, "episodes": EPISODES, "simulations": EACH},
        "reliability": summary(rows),
        "bins": told(rows)["bins"],
    }
    for line in found["reliability"]:
        print("{low:5}-{high:5} {which:16} {n:5} {stated:.3f} {observed:.3f} {action:.3f} {state:.3f}".format(**line))
    print(found["bins"], flush=True)
    found["episodes"] = episodes(EPISODES)
    path = Path(__file__).parent.parent / "docs" / "results" / "planning-calibration.json"
    path.write_text(json.dumps(found, indent=1) + "\n")
