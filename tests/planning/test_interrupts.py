"""Ctrl-C, as a signal to all processes of a terminal: the move so far, whoever makes the steps; the next one raises."""

import multiprocessing
import os
import random
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from tests.long import times
from varde import Planner, tabulate
from varde._compile import using
from varde.planning import UCT

SIZE = 1000


def step(state, action, rng):
    return (state + action + int(rng.integers(3))) % SIZE, float(action)


def slow(state, action, rng):
    time.sleep(60.0)
    return step(state, action, rng)


def table():
    return tabulate(lambda s: {a: [(0.5, (s + a) % 9, a), (0.5, (s + a + 1) % 9, a)] for a in (0, 1)}, 0)


def search_until_interrupted(planner):
    planner(0, 20)
    threading.Timer(0.2, os.killpg, (0, signal.SIGINT)).start()
    move = planner.think(10**9)
    tree = planner.search.tree
    whole = sum(move.visits.values()) == move.certificate.spent == planner.trials
    assert whole and not tree.edges["pending"][: tree.used[1]].any()
    assert planner.think(5).certificate.spent == move.certificate.spent + 5
    return move.stopped


def main():
    options = {"actions": [0, 1], "algorithm": UCT()}
    # A fork of a process that has threads may wait for ever for a lock that one of them held.
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        for name, planner in {
            "table": Planner(table(), 6, algorithm=UCT()),
            "steps": Planner(step, 6, **options),
            "threads": Planner(step, 6, workers=2, **options),
            "processes": Planner(step, 6, workers=pool, **options),
        }.items():
            print(name, search_until_interrupted(planner), flush=True)
    planner = Planner(slow, 6, **options)
    for _ in range(2):  # before there is anything to answer, and then once more
        threading.Timer(0.2, os.killpg, (0, signal.SIGINT)).start()
        try:
            planner(0, 10)
        except KeyboardInterrupt:
            print("nothing raised", flush=True)


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="signals of a terminal")
def test_ctrl_c_returns_the_move_so_far_whoever_makes_the_steps():
    ran = subprocess.run(
        [sys.executable, "-c", "from tests.planning.test_interrupts import main; main()"],
        capture_output=True,
        text=True,
        timeout=300,
        start_new_session=True,
        cwd=Path(__file__).parents[2],
        check=False,
    )
    found = dict(line.split() for line in ran.stdout.splitlines())
    names = ("table", "steps", "threads", "processes")
    assert found == {**dict.fromkeys(names, "interrupted"), "nothing": "raised"}, ran.stderr[-2000:]


def test_ctrl_c_leaves_no_simulation_half_made_in_plain_python():
    rng, interrupts = random.Random(3), 0
    before = signal.signal(signal.SIGALRM, lambda *_: os.kill(os.getpid(), signal.SIGINT))
    try:
        with using("python"):
            planner = Planner(table(), 6)
            planner(0, 20)
            while interrupts < times(10, 200):
                try:
                    signal.setitimer(signal.ITIMER_REAL, rng.uniform(1e-4, 8e-3))
                    interrupts += planner.think(10**6).stopped == "interrupted"
                except KeyboardInterrupt:
                    interrupts += 1
                signal.setitimer(signal.ITIMER_REAL, 0.0)
                made = planner.trials
                move = planner.think(5)
                assert move.certificate.spent == planner.trials == made + 5
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
