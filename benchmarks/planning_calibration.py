"""Is P(best) of a move what it says?  Stated against observed: ``python benchmarks/planning_calibration.py``.

Worlds of thirteen kinds are drawn at random, states in them too, and searched with budgets from 3 to 6,400.  A move is
right if its true value, by dynamic programming, is the highest.  Writes docs/results/planning-calibration.json, from
which docs/tables/planning_tables.py makes a table of docs/planning.md.
"""

from __future__ import annotations

import itertools
import json
import math
import sys
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import leave_one_out_moves
from varde import VarDE
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
OTHERS = 9  # kinds of leave_one_out_moves.worlds
EDGES = (0.0, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)


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


KINDS: tuple[Callable[[np.random.Generator], World], ...] = (sailings, taxis, lakes, bandits)


def draw_worlds(rounds: int, seed: int) -> Iterator[World]:
    """One of each kind, also of those of ``make leave-one-out``."""
    for number in range(rounds):
        for place, kind in enumerate(KINDS):
            yield kind(np.random.default_rng([seed, number, place]))
        others = leave_one_out_moves.worlds(np.random.default_rng([seed, number, len(KINDS)]))
        yield from (World(*one) for one in itertools.islice(others, OTHERS))


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
        "settings": {"rounds": rounds, "seed": seed, "states": many},
        "reliability": summary(rows),
        "graph": told([row for row in rows if row["graph"]]),
        "tree": told([row for row in rows if not row["graph"]]),
    }
    for line in found["reliability"]:
        print("{low:5}-{high:5} {which:16} {n:5} {stated:.3f} {observed:.3f} {action:.3f} {state:.3f}".format(**line))
    print(found["graph"], found["tree"], flush=True)
    path = Path(__file__).parent.parent / "docs" / "results" / "planning-calibration.json"
    path.write_text(json.dumps(found, indent=1) + "\n")
