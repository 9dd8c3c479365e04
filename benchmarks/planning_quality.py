"""How good is the plan of the untuned default, beside rivals that are told the scale of the world?

python benchmarks/planning_quality.py [--seed 0] [--runs 10] [--only taxi] [--mode tree] [--who default] [--file x.json]

Regret (V* - V) / (V* - V_random) of the recommended policy, exact, with 1,000, 5,000 and 20,000 simulations.  Every
world is made from the seed: 0 to 99 are for development, others confirm.  Rivals are given R = V* - V_random, which no
user knows.  ``docs/tables/planning_tables.py`` makes the tables of docs/planning.md from
docs/results/planning-quality.json.
"""

from __future__ import annotations

import argparse
import json
import pathlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from varde import VarDE
from varde.environments import combination_lock, deep_sea, frozen_lake, garnet, sailing, taxi
from varde.paper.reading import LEADING, Reading
from varde.planning import BTS, MENTS, RENTS, TENTS, UCT, measure
from varde.worlds.solve import best_values, uniform_values
from varde.worlds.table import Table
from varde.worlds.tabulate import tabulate

AT = [1_000, 5_000, 20_000]
MODES = {"graph": True, "tree": False}
NOT_IN_TREES = (  # where nobody gets anywhere, or what another world shows too
    "taxi, dry", "sailing 8", "lake 9x9", "garnet, shifted", "lock 12x4", "lock 8x4, costs", "deep sea 20", "cliff",
)  # fmt: skip


class World(NamedTuple):
    name: str
    table: Table
    horizon: int


# -- worlds from a seed ----------------------------------------------------------------------------


def cliff(rng: np.random.Generator) -> Table:
    """Along a cliff of random length; who falls begins again."""
    rows, columns = 4, int(rng.integers(8, 13))
    ways = {"up": (-1, 0), "right": (0, 1), "down": (1, 0), "left": (0, -1)}

    def moves(place: tuple[int, int]) -> dict[Any, Any]:
        if place == (rows - 1, columns - 1):
            return {}
        legal = {}
        for name, (down, right) in ways.items():
            row, column = min(max(place[0] + down, 0), rows - 1), min(max(place[1] + right, 0), columns - 1)
            fell = row == rows - 1 and 0 < column < columns - 1
            legal[name] = [(1.0, (rows - 1, 0) if fell else (row, column), -100.0 if fell else -1.0)]
        return legal

    return tabulate(moves, (rows - 1, 0))


def lake(rng: np.random.Generator, size: int) -> Table:
    """A random lake with a way to its goal."""
    while True:
        cells = np.where(rng.random((size, size)) < 0.2, "H", "F")
        cells[0, 0], cells[-1, -1] = "S", "G"
        reached, frontier = {(0, 0)}, [(0, 0)]
        while frontier:
            r, c = frontier.pop()
            for to in ((r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1)):
                if to not in reached and min(to) >= 0 and max(to) < size and cells[to] != "H":
                    reached.add(to)
                    frontier.append(to)
        if (size - 1, size - 1) in reached:
            return frozen_lake(["".join(row) for row in cells], horizon=None)


def layout(rng: np.random.Generator, rain: bool) -> Table:
    """Taxi: where it is, where the passenger waits, where they go."""
    waits, goal = rng.choice(list("RGYB"), 2, replace=False)
    place = int(rng.integers(5)), int(rng.integers(5))
    return taxi(rain, place, str(waits), str(goal))


def worlds(seed: int) -> Iterator[World]:
    """One world of every kind."""
    kinds: dict[str, tuple[Callable[[np.random.Generator], Table], int]] = {
        "taxi in the rain": (lambda r: layout(r, True), 32),
        "taxi, dry": (lambda r: layout(r, False), 30),
        "sailing 5": (lambda r: sailing(5, int(r.integers(8))), 30),
        "sailing 6": (lambda r: sailing(6, int(r.integers(8)), float(r.uniform(0.1, 0.3))), 35),
        "sailing 8": (lambda r: sailing(8, int(r.integers(8))), 45),
        "lake 7x7": (lambda r: lake(r, 7), 30),
        "lake 9x9": (lambda r: lake(r, 9), 40),
        "garnet": (lambda r: garnet(80, 5, seed=r), 12),
        "garnet, sparse": (lambda r: garnet(80, 5, paying=0.1, seed=r), 12),
        "garnet, noisy": (lambda r: garnet(50, 4, deviation=1.0, seed=r), 10),
        "garnet, shifted": (lambda r: garnet(50, 4, shift=-100.0, seed=r), 10),
        "garnet, deterministic": (lambda r: garnet(80, 5, successors=1, paying=0.1, seed=r), 12),
        "lock 9x3": (lambda r: combination_lock(9, 3, seed=r), 9),
        "lock 12x4": (lambda r: combination_lock(12, 4, seed=r), 12),
        "lock 8x4, costs": (lambda r: combination_lock(8, 4, cost=0.02, seed=r), 8),
        "deep sea 10": (lambda r: deep_sea(10, seed=r), 10),
        "deep sea 20": (lambda r: deep_sea(20, seed=r), 20),
        "cliff": (cliff, 60),
        "50 actions": (lambda r: garnet(20, 50, deviation=0.5, seed=r), 4),
        "30 actions": (lambda r: garnet(30, 30, deviation=1.0, seed=r), 6),
    }
    for i, (name, (make, horizon)) in enumerate(kinds.items()):
        yield World(name, make(np.random.default_rng([seed, i])), horizon)


def rivals(scale: float) -> dict[str, Any]:
    """Settings for a world in which the best policy is ``scale`` ahead of random play."""
    return {
        "UCT": UCT(),
        "UCT R": UCT(scale),
        "UCT R/4": UCT(0.25 * scale),
        "MENTS .1R": MENTS(0.1 * scale),
        "RENTS .01R": RENTS(0.01 * scale),
        "TENTS .02R": TENTS(0.02 * scale),
        "TENTS .1R": TENTS(0.1 * scale),
        "BTS .03R": BTS(0.03 * scale),
        "text .1R": Reading(sampled=False).varde(0.1 * scale, 0.01 * scale**2),
        "as-run .05R": LEADING.varde(0.05 * scale, 0.01 * scale**2),
    }


# -- measuring -------------------------------------------------------------------------------------


def regrets(algorithm: Any, world: World, graph: bool, runs: int, seed: int) -> np.ndarray:
    """[runs, 3] regret after so many simulations; the default, which makes use of its budget, searches for each."""
    options: dict[str, Any] = {"horizon": world.horizon, "graph": graph, "runs": runs, "seed": seed, "workers": 1}
    if isinstance(algorithm, VarDE):
        found = [measure(algorithm, world.table, trials, **options) for trials in AT]
    else:
        found = [measure(algorithm, world.table, AT[-1], at=AT, **options)]
    values = np.concatenate([one.values for one in found], axis=1)
    return (found[0].best - values) / (found[0].best - random_value(world))


def random_value(world: World) -> float:
    return float(uniform_values(world.table.model, world.horizon).values[0, world.table.start])


def scale_of(world: World) -> float:
    return float(best_values(world.table.model, world.horizon).values[0, world.table.start]) - random_value(world)


Cell = tuple[float, float]  # mean and standard error


def cells(found: np.ndarray) -> list[Cell]:
    return [(float(c.mean()), float(c.std(ddof=1) / len(c) ** 0.5)) for c in found.T]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--runs", type=int, default=10, help="of the default; the rivals get half as many")
    parser.add_argument("--only", default="", help="worlds whose name contains this")
    parser.add_argument("--mode", choices=MODES)
    parser.add_argument("--who", choices=("all", "default", "rivals"), default="all")
    parser.add_argument("--file", help="keep every mean and standard error there; what it has is not measured again")
    args = parser.parse_args()
    path = pathlib.Path(args.file) if args.file else None
    kept: dict[str, Any] = json.loads(path.read_text()) if path and path.exists() else {}
    for mode in MODES if args.mode is None else [args.mode]:
        for world in worlds(args.seed):
            if args.only not in world.name or (mode == "tree" and world.name in NOT_IN_TREES):
                continue
            rows = kept.setdefault(mode, {}).setdefault(world.name, {})
            everyone = {"VarDE": VarDE()} if args.who != "rivals" else {}
            everyone |= rivals(scale_of(world)) if args.who != "default" else {}
            for name, algorithm in everyone.items():
                if name not in rows:
                    runs = args.runs if name == "VarDE" else args.runs // 2
                    rows[name] = cells(regrets(algorithm, world, MODES[mode], runs, args.seed))
            if "VarDE" in rows:
                said = "  ".join(f"{mean:.3f} ({error:.3f})" for mean, error in rows["VarDE"])
                print(f"{mode:6}{world.name:24}{said}", flush=True)
            if path:
                path.write_text(json.dumps(kept))


if __name__ == "__main__":
    main()
