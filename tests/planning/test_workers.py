"""Workers: the same search whoever makes the steps; what a step does to its worker is said, and the search goes on."""

import asyncio
import os
import signal
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest

from varde import Planner, SimulationError, plan
from varde.planning import UCT, Growth

WAYS = ["left", "right"]


def walk(state, action, rng):
    to = state + (1 if (action == "right") == (rng.random() < 0.9) else -1)
    return to, 10.0 if to == 4 else -0.1, not -3 < to < 4


def fatal(state, action, rng):
    """Kills its process now and then."""
    if rng.random() < 0.02:
        os.kill(os.getpid(), signal.SIGKILL)
    return walk(state, action, rng)


def faulty(state, action, rng):
    if rng.random() < 0.02:
        raise KeyError("out of order")
    return walk(state, action, rng)


async def awaited(state, action, rng):
    await asyncio.sleep(0.0)
    return walk(state, action, rng)


def planner(step=walk, batch=6, **options):
    return Planner(step, 6, actions=WAYS, algorithm=UCT(), tree=Growth(batch=batch), **options)


def move(step=walk, **options):
    return planner(step, **options)(0, 60)


@pytest.fixture(scope="module")
def processes():
    with ProcessPoolExecutor(2) as pool:
        yield pool


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_the_number_of_workers_changes_nothing(workers):
    assert move(workers=workers) == move()


def test_threads_processes_and_an_event_loop_find_the_same(processes):
    with ThreadPoolExecutor(2) as pool:
        assert move(workers=pool) == move()
    assert move(workers=processes) == move()
    assert move(awaited, workers=3) == move()


def test_a_dask_client_finds_the_same():
    distributed = pytest.importorskip("distributed")
    local = {"n_workers": 1, "threads_per_worker": 2, "processes": False, "dashboard_address": ":0"}
    with distributed.Client(**local) as client:
        assert move(workers=client) == move()


def test_the_first_who_is_ready_changes_nothing():
    waits = iter(np.random.default_rng(0).random(10_000) * 0.002)

    def late(state, action, rng):
        time.sleep(next(waits))
        return walk(state, action, rng)

    assert move(late, workers=3) == move()


def test_a_killed_process_is_replaced_and_changes_nothing():
    with ProcessPoolExecutor(2) as pool:
        pool.submit(abs, 1).result()
        threading.Timer(0.05, os.kill, (next(iter(pool._processes)), signal.SIGKILL)).start()
        found = planner(workers=pool)(0, 300)
    assert found == planner()(0, 300)


def test_a_step_that_kills_its_process_is_named_and_the_search_goes_on():
    with ProcessPoolExecutor(2) as pool:
        search = planner(fatal, workers=pool, batch=8)
        with pytest.raises(SimulationError, match=r"a worker died in state -?\d, action '(left|right)'"):
            search(0, 300)
        done = search.trials
        assert done < 300
        search._workers.step = walk
        assert search.think(5).certificate.spent == done + 5


@pytest.mark.parametrize("workers", [1, 2, "processes"])
def test_a_step_that_fails_in_a_worker_is_named_and_the_search_goes_on(workers, processes):
    search = planner(faulty, workers=processes if workers == "processes" else workers, batch=16)
    errors = []
    search.begin(0)
    while search.trials < 60:
        with pytest.raises(SimulationError, match=r"in state -?\d, action '(left|right)': KeyError: 'out of order'"):
            search.think(1000)
        errors.append(search.trials)
    assert errors == sorted(errors) and len(set(errors)) > 1
    assert sum(search.recommend().visits.values()) == search.trials


def test_what_cannot_be_sent_to_a_process_is_refused(processes):
    with pytest.raises(TypeError, match=r"the step cannot be sent to another process .* def or a class at the top"):
        move(lambda state, action, rng: (state, 0.0), workers=processes)
    with pytest.raises(TypeError, match="event loop"):
        move(awaited, workers=processes)


def test_time_is_up_while_steps_are_under_way():
    over, search = threading.Event(), planner(walk, workers=2)
    search(0, 20)

    def endless(state, action, rng):
        over.wait(60)
        return walk(state, action, rng)

    search._workers.step = endless
    assert search.think(10**6, seconds=0.02).stopped == "seconds"
    over.set()
    assert sum(search.recommend().visits.values()) == search.trials == 20


def test_workers_make_the_steps_of_a_plan():
    assert plan(walk, 0, 200, horizon=8, actions=WAYS, workers=2).best == "right"
