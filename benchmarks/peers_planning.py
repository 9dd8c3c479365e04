"""Microseconds per simulation of a world in Python, beside UCT as one writes it, all in one run and by turns.

python benchmarks/peers_planning.py [--quick]

The world is trivial and deterministic, four actions, 20 steps: nearly all of the time is the search's own.  CPU time,
the least of some rounds.  Compiled, as searches are that would take Python longer than about eight seconds; and in
plain Python, as shorter ones run.
"""

from __future__ import annotations

import argparse
import math
import random
import time
from collections.abc import Callable
from typing import Any

from varde import Planner, VarDE
from varde._compile import using
from varde.planning import UCT

STATES, ACTIONS, HORIZON = 997, 4, 20


def step(state: int, action: int, rng: Any = None) -> tuple[int, float]:
    return (5 * state + 7 * action + 1) % STATES, 0.125 * (state % 7)


def dict_uct(trials: int) -> None:
    """UCT as one writes it in an afternoon: dicts of counts and means by (state, depth)."""
    visits: dict[tuple[int, int], int] = {}
    counts: dict[tuple[int, int], list[int]] = {}
    means: dict[tuple[int, int], list[float]] = {}
    for _ in range(trials):
        state, depth, path = 0, 0, []
        while depth < HORIZON and (state, depth) in visits:
            node = state, depth
            count, mean = counts[node], means[node]
            if 0 in count:
                action = random.choice([a for a in range(ACTIONS) if count[a] == 0])
            else:
                log = math.log(visits[node])
                action = max(range(ACTIONS), key=lambda a: mean[a] + 10.0 * math.sqrt(log / count[a]))
            state, reward = step(state, action)
            path.append((node, action, reward))
            depth += 1
        if depth < HORIZON:
            visits[state, depth], counts[state, depth], means[state, depth] = 0, [0] * ACTIONS, [0.0] * ACTIONS
        gain = 0.0
        for _ in range(depth, HORIZON):
            state, reward = step(state, random.randrange(ACTIONS))
            gain += reward
        for node, action, reward in reversed(path):
            gain += reward
            visits[node] += 1
            counts[node][action] += 1
            means[node][action] += (gain - means[node][action]) / counts[node][action]


def planned(algorithm: Any, engine: str = "compiled") -> Callable[[int], None]:
    planner = Planner(step, HORIZON, algorithm=algorithm, actions=range(ACTIONS))

    def run(trials: int) -> None:
        with using(engine):
            planner(0, trials)

    return run


def microseconds(run: Callable[[int], None], trials: int) -> float:
    began = time.process_time()
    run(trials)
    return (time.process_time() - began) / trials * 1e6


def main(quick: bool) -> None:
    trials, rounds = (1_000, 2) if quick else (4_000, 5)
    runs = {"a dict UCT": dict_uct}
    for name, algorithm in (("UCT", UCT(10.0)), ("VarDE()", VarDE())):
        runs |= {f"{name}, {engine}": planned(algorithm, engine) for engine in ("compiled", "python")}
    for run in runs.values():
        run(50)  # compiles
    took = dict.fromkeys(runs, math.inf)
    for _ in range(rounds):
        for name, run in runs.items():
            took[name] = min(took[name], microseconds(run, trials))
    print(f"us per simulation, {trials:,} simulations of {HORIZON} steps")
    for name, us in took.items():
        print(f"{name:20}{us:8.1f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    main(parser.parse_args().quick)
