"""Microseconds per simulation, everything included: selection, simulation, backup, growth of the tree.

make bench            (or: python benchmarks/planning.py [--quick])
"""

from __future__ import annotations

import argparse
import os
import time
from typing import Any

import numpy as np

from varde import VarDE
from varde.environments import sailing, synthetic_tree
from varde.paper.reading import LEADING, Reading
from varde.planning import BTS, DENTS, MENTS, RENTS, TENTS, UCT, Search, measure
from varde.random import key, stream

# THTS++ (C++, -O3), Sailing 6x6, H = 50, 30,000 trials: microseconds per trial and bytes per node, on another machine.
CPP = {"UCT": (80.0, 762), "MENTS": (199.0, 769), "BTS": (190.0, 841)}

HORIZON = 50


def algorithms() -> dict[str, Any]:
    return {
        "VarDE, mean returns": LEADING.varde(1.5, 100.0),
        "VarDE as printed": Reading(sampled=False).varde(1.5, 100.0),
        "VarDE auto": VarDE(),
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
    print("Sailing 6x6, H = 50, 30,000 trials, one thread")
    print(f"{'':27}{'tree: us/trial':>15}{'ns/step':>9}{'B/node':>8}{'C++ us':>8}{'ratio':>7}", end="")
    print(f"{'graph: us/trial':>17}{'ns/step':>9}")
    for name, algorithm in algorithms().items():
        line = f"{name:27}"
        for graph in (False, True):
            search = Search(algorithm, world.model, world.start, HORIZON, graph=graph)
            us = microseconds(search, trials, repeats)
            steps = search.tree.nodes["visits"][: search.tree.used[0]].sum() / trials
            if graph:
                line += f"{us:17.2f}{1000 * us / steps:9.0f}"
                continue
            line += f"{us:15.2f}{1000 * us / steps:9.0f}{search.bytes / search.tree.used[0]:8.0f}"
            line += f"{CPP[name][0]:8.0f}{CPP[name][0] / us:6.0f}x" if name in CPP else f"{'':15}"
        print(line, flush=True)


def pool(quick: bool) -> None:
    world = sailing()
    fresh = []
    for repeat in range(2 if quick else 4):
        search = Search(UCT(10.0, 0.1), world.model, world.start, HORIZON)
        began = time.process_time()
        search.run(30_000, stream(key(0, "pool"), repeat))
        fresh.append(time.process_time() - began)
    reused = microseconds(search, 30_000, 3)
    print(f"\na pool used before: {reused:.2f} us/trial; a new one {min(fresh) / 0.03:.2f} (UCT, growth included)")


def per_length(quick: bool) -> None:
    world = sailing()
    lengths = (10_000, 100_000) if quick else (10_000, 100_000, 1_000_000)
    print("\nus per trial (ns per step) of searches of" + "".join(f"{n:15,}" for n in lengths) + " trials")
    for name in ("VarDE, mean returns", "VarDE auto", "UCT", "BTS"):
        for graph in (False, True):
            search = Search(algorithms()[name], world.model, world.start, HORIZON, graph=graph)
            line = f"{name + (', graph' if graph else ', tree'):41}"
            for trials in lengths if graph or name == "VarDE, mean returns" else lengths[:2]:
                us = microseconds(search, trials, 1 if trials > 100_000 else 3)
                steps = search.tree.nodes["visits"][: search.tree.used[0]].sum() / trials
                line += f"{us:9.2f} ({1000 * us / steps:3.0f})"
            print(line, flush=True)


def wide(quick: bool) -> None:
    tree, trials = synthetic_tree(200, 2), 3_000 if quick else 30_000
    print(f"\nsynthetic tree k = 200, d = 2, graph, {trials:,} trials: us/trial")
    rows = {
        "VarDE as printed": Reading(sampled=False).varde(0.1, 0.001),
        "VarDE auto": VarDE(),
        "UCT": UCT(0.1),
        "MENTS": MENTS(0.1, 0.5, per_action=True),
        "BTS": BTS(0.1, 0.25, per_action=True),
    }
    for name, algorithm in rows.items():
        print(f"{name:27}{microseconds(Search(algorithm, tree, 0, 2, graph=True), trials, 2):10.2f}", flush=True)


def threads() -> None:
    measure(UCT(10.0, 0.1), sailing(), 100, horizon=HORIZON, runs=1)
    seconds = {}
    for count in (1, os.cpu_count() or 1):
        began = time.perf_counter()
        measure(UCT(10.0, 0.1), sailing(), 10_000, horizon=HORIZON, runs=64, workers=count)
        seconds[count] = time.perf_counter() - began
    one, many = seconds[1], seconds[max(seconds)]
    print(f"\nthreads: {max(seconds)} are {one / many:.2f} times as fast as 1 (UCT, 64 runs)")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    per_algorithm(quick)
    pool(quick)
    wide(quick)
    per_length(quick)
    threads()
