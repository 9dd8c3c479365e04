"""Microseconds per simulation, everything included: selection, simulation, backup, growth of the tree.

make bench            (or: python benchmarks/planning.py [--quick])
"""

from __future__ import annotations

import argparse
import os
import time
from typing import Any, NamedTuple

import numpy as np

from varde import Planner, VarDE
from varde.beliefs.noise import own_variance
from varde.decisions import influence
from varde.environments import sailing, synthetic_tree
from varde.planning import BTS, DENTS, MENTS, RENTS, TENTS, UCT, Growth, PaperTree, Search, measure
from varde.planning.loop import back_up, columns, edge_value, select
from varde.planning.tree import raise_value, untried
from varde.random import key, stream
from varde.rule import decrement
from varde.worlds.function import Function

# THTS++ (C++, -O3), Sailing 6x6, H = 50, 30,000 trials: microseconds per trial and bytes per node, on another machine.
CPP = {"UCT": (80.0, 762), "MENTS": (199.0, 769), "BTS": (190.0, 841)}

HORIZON = 50


class Direct(NamedTuple):
    """VarDE by its formula, a softmax over all actions at every selection: the yardstick."""

    rule: PaperTree


@columns.of(Direct)
def direct_columns(algorithm):
    return ("value",), ("q", "returns", "squares", "score")


@select.of(Direct)
def largest_decrement(algorithm, memory, problem, tree, lane, node, depth, rng):
    width, first, rule = tree.nodes.width[node], tree.nodes.first[node], algorithm.rule.rule
    if tree.nodes.tried[node] < width:
        return untried(problem, tree, node, rng)
    influence(rule.decision, tree.edges.q[first : first + width], tree.edges.score[first : first + width])
    best, chosen = -np.inf, 0
    for action in range(width):
        count = tree.edges.count[first + action]
        variance = own_variance(rule.noise, 0.0, tree.edges.squares[first + action], count)
        score = decrement(tree.edges.score[first + action] ** 2, variance, count)
        if score > best:
            best, chosen = score, action
    return chosen


@back_up.of(Direct)
def moments_and_maximum(algorithm, memory, problem, tree, lane, node, edge, depth, gain, discount):
    count = tree.edges.count[edge]
    before, old = gain - tree.edges.returns[edge], tree.edges.q[edge]
    tree.edges.returns[edge] += before / count
    tree.edges.squares[edge] += before * (gain - tree.edges.returns[edge])
    tree.edges.q[edge] = edge_value(problem, False, tree, node, edge, discount)
    raise_value(tree, node, old, tree.edges.q[edge], count == 1)


def algorithms() -> dict[str, Any]:
    return {
        "VarDE, mean returns": PaperTree.plain(1.5, 100.0),
        "VarDE as printed": PaperTree.printed(1.5, 100.0),
        "VarDE as printed, direct softmax": Direct(PaperTree.printed(1.5, 100.0)),
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
        "VarDE as printed": PaperTree.printed(0.1, 0.001),
        "VarDE as printed, direct softmax": Direct(PaperTree.printed(0.1, 0.001)),
        "VarDE auto": VarDE(),
        "UCT": UCT(0.1),
        "MENTS": MENTS(0.1, 0.5, per_action=True),
        "BTS": BTS(0.1, 0.25, per_action=True),
    }
    for name, algorithm in rows.items():
        print(f"{name:27}{microseconds(Search(algorithm, tree, 0, 2, graph=True), trials, 2):10.2f}", flush=True)


def asked(quick: bool) -> None:
    """A trivial world in Python: microseconds per step beyond its own, by simulations under way."""
    states, horizon, trials = 997, 20, 1_000 if quick else 4_000

    def step(state: int, action: int, rng: Any) -> tuple[int, float, bool]:
        return (5 * state + 7 * action + 1) % states, 0.125 * (state % 7), False

    def step_many(given: list[int], actions: list[int], rng: Any) -> tuple[list[int], list[float]]:
        found = [step(s, a, rng) for s, a in zip(given, actions, strict=True)]
        return [to for to, _, _ in found], [paid for _, paid, _ in found]

    began = time.process_time()
    for i in range(100_000):
        step(i % states, i & 3, None)
    own = 10.0 * (time.process_time() - began)
    print(f"\na world in Python, H = 20, {own:.2f} us per step of its own; us per step beyond that, by lanes")
    for name, algorithm in (("VarDE auto", VarDE()), ("UCT", UCT())):
        line = f"{name:27}"
        for lanes in (1, 8, 32, 128):
            world = Function(step, range(4), step_many=None if lanes == 1 else step_many)
            planner = Planner(world, horizon, algorithm=algorithm, tree=Growth(batch=lanes))
            planner(0, budget=200)
            began = time.process_time()
            planner.think(trials)
            line += f"{lanes:6}:{(time.process_time() - began) / (trials * horizon) * 1e6 - own:6.2f}"
        print(line, flush=True)


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
    asked(quick)
    threads()
