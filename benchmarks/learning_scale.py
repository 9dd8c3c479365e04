"""The default of learning against the number of states: steps per second, bytes, and the first call on an empty cache.

    python benchmarks/learning_scale.py [states ...]

Garnets of 4 actions with 5 successors each, a tenth of the pairs paying, 20 steps for each pair; CPU time of one
thread, compiled beforehand.  Bytes are those of all arrays of a run.  The time of a plan is the longest that Ctrl-C
has to wait.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time

import numpy as np

from varde.arrays import arrays_of
from varde.learning.explorer import Explorer
from varde.learning.run import Driver, task_of
from varde.random import key, stream
from varde.worlds.record import EXACT, World, empty, in_order
from varde.worlds.table import numbered

STATES = (50, 200, 1_000, 10_000)
ACTIONS, SUCCESSORS, TRIES = 4, 5, 20


def garnet(states: int, seed: int = 0) -> World:
    """The Garnet of ``varde.environments``, drawn as arrays: a description of 10,000 states takes a minute."""
    rng = np.random.default_rng(seed)
    pairs = states * ACTIONS
    shares = rng.dirichlet(np.ones(SUCCESSORS), pairs)
    paid = rng.normal(size=pairs) * (rng.random(pairs) < 0.1)
    after = (
        rng.integers(states, size=(pairs, 1)) + np.cumsum(rng.integers(1, states // 5, (pairs, SUCCESSORS)), 1)
    ) % states
    made = empty(states, pairs, pairs * SUCCESSORS)
    made[0]["width"], made[1]["outcomes"], made[1]["label"] = ACTIONS, SUCCESSORS, np.tile(np.arange(ACTIONS), states)
    made[1]["expected"], made[2]["reward"] = paid, np.repeat(paid, SUCCESSORS)
    made[2]["successor"], made[2]["chance"] = after.ravel(), shares.ravel()
    return in_order(*made, EXACT)


def tour_of(states: int, objective: str, budget: int) -> Driver:
    world = numbered(garnet(states))
    return Driver(Explorer(), task_of(world, 0.99, budget, objective), stream(key(0, "scale")), world.model)


def measured(states: int, objective: str) -> str:
    budget = TRIES * states * ACTIONS
    tour = tour_of(states, objective, budget)
    tour.go(states)  # compiled by now, plans and all
    began = time.process_time()
    tour.go(budget)
    taken = time.process_time() - began
    size, outcomes = sum(array.nbytes for array in arrays_of(tour.run)), int(tour.run.seen.kinds.sum())
    tour.run.now.due[0], began = 1, time.process_time()
    tour._think.call()
    longest = time.process_time() - began
    return (
        f"{states:8,} {objective:6} {budget / taken:12.2e} {outcomes:10,} "
        f"{size / 1e6:8.1f} {size / outcomes:8.0f} {1e3 * longest:8.1f}"
    )


def first_call() -> float:
    """CPU seconds of ``varde.learn`` in a new process with an empty cache, import included."""
    code = "import varde; varde.learn(varde.environments.river_swim(5), 1000)"
    with tempfile.TemporaryDirectory() as folder:
        before = os.times()
        subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "VARDE_CACHE_DIR": folder})
        after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def main() -> None:
    print(f"{'states':>8} {'':6} {'steps/s':>12} {'outcomes':>10} {'MB':>8} {'B/outc.':>8} {'ms/part':>8}")
    for states in [int(given) for given in sys.argv[1:]] or STATES:
        for objective in ("all", "start"):
            print(measured(states, objective), flush=True)
    print(f"first call on an empty cache: {first_call():.1f} s of CPU time")


if __name__ == "__main__":
    main()
