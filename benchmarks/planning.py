"""Microseconds per simulation, everything included: selection, simulation, backup, growth of the tree.

make bench            (or: python benchmarks/planning.py [--quick])
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

from varde import VarDE
from varde.environments import sailing
from varde.paper.reading import LEADING, Reading
from varde.planning import BTS, DENTS, MENTS, RENTS, TENTS, UCT, Search
from varde.random import key, stream

HORIZON = 50


def algorithms() -> dict[str, Any]:
    return {
        "VarDE, mean returns": LEADING.varde(1.5, 100.0),
        "VarDE as printed": Reading(sampled=False).varde(1.5, 100.0),
        "VarDE()": VarDE(),
        "UCT": UCT(10.0, 0.1),
        "MENTS": MENTS(0.1, 0.25),
        "RENTS": RENTS(0.1, 0.25),
        "TENTS": TENTS(0.1, 0.25),
        "DENTS": DENTS(2.0, 0.75),
        "BTS": BTS(3.0, 0.25),
    }


def microseconds(search: Search, trials: int, repeats: int) -> float:
    """Per trial in a pool that was used before, the best of some repetitions."""
    best = np.inf
    for repeat in range(repeats + 1):
        search.restart()
        rng = stream(key(0, "bench"), repeat)
        began = time.process_time()
        search.run(trials, rng)
        best = min(best, time.process_time() - began) if repeat else best  # the first one makes the pool
    return best / trials * 1e6


def per_algorithm(quick: bool) -> None:
    world, trials, repeats = sailing(), 30_000, 2 if quick else 5
    print(f"Sailing 6x6, H = {HORIZON}, {trials:,} trials, one thread")
    print(f"{'':22}{'tree: us/trial':>16}{'bytes/node':>12}{'graph: us/trial':>17}{'bytes/node':>12}")
    for name, algorithm in algorithms().items():
        line = f"{name:22}"
        for graph in (False, True):
            search = Search(algorithm, world.model, world.start, HORIZON, graph=graph)
            line += f"{microseconds(search, trials, repeats):{16 + graph}.2f}"
            line += f"{search.bytes / search.tree.used[0]:12.0f}"
        print(line, flush=True)


def per_length(quick: bool) -> None:
    world = sailing()
    lengths = (10_000, 100_000) if quick else (10_000, 100_000, 1_000_000)
    print("\nus per trial of searches of" + "".join(f"{n:12,}" for n in lengths) + " trials")
    for name in ("VarDE()", "UCT"):
        for graph in (False, True):
            search = Search(algorithms()[name], world.model, world.start, HORIZON, graph=graph)
            some = lengths if graph else lengths[:2]
            times = [microseconds(search, trials, 1 if trials > 100_000 else 3) for trials in some]
            print(
                f"{name + (', graph' if graph else ', tree'):27}" + "".join(f"{us:12.2f}" for us in times), flush=True
            )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    per_algorithm(quick)
    per_length(quick)
