"""Where work runs: blocks of runs, and the four ways of a user's function."""

import threading
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor

import pytest

from tests.unnoticed import interrupted_unnoticed
from varde._pool import Borrowed, Here, Loop, Threads, cut, first_done, in_blocks, make_workers


def test_blocks_cover_every_run_once():
    assert list(cut(10, 3)) == [(0, 4), (4, 8), (8, 10)]
    seen = []
    assert in_blocks(lambda first, stop: seen.extend(range(first, stop)), 1000, 3) == "budget"
    assert sorted(seen) == list(range(1000))


def test_a_wait_notices_an_interrupt_that_did_not_wake_it():
    slow = Future()
    timer = threading.Timer(10.0, slow.set_result, [None])
    timer.start()
    with pytest.raises(KeyboardInterrupt), interrupted_unnoticed():
        first_done([slow])
    assert not slow.done()
    timer.cancel()


def test_a_wait_ends_with_the_first_job_or_its_time():
    done, open_ = Future(), Future()
    done.set_result(1)
    assert first_done([open_, done]) == {done}
    assert first_done([open_], 0.15) == set() == first_done([open_], -1.0)


async def answer():
    return 42


@pytest.mark.parametrize(
    ("workers", "asynchronous", "kind", "at_once"),
    [
        (None, False, Here, 1),
        (3, False, Threads, 3),
        (None, True, Loop, 8),
        (2, True, Loop, 2),
        (ThreadPoolExecutor(5), False, Borrowed, 5),
    ],
)
def test_what_workers_ask_for(workers, asynchronous, kind, at_once):
    pool = make_workers(workers, asynchronous)
    assert type(pool) is kind and pool.at_once == at_once
    assert pool.submit(answer if asynchronous else lambda: 42).result(timeout=10) == 42
    pool.close()


def test_a_thread_that_hangs_is_replaced():
    pool, hang = make_workers(1, timeout=1.0), threading.Event()
    stuck = pool.submit(hang.wait)
    while pool.began(stuck) is None:
        pass
    pool.abandon()
    assert pool.submit(lambda: "done").result(timeout=10) == "done"
    hang.set()
    pool.close()


def test_an_error_is_the_result_of_its_job():
    for pool in (make_workers(None), make_workers(2)):
        assert isinstance(pool.submit(lambda: 1 / 0).exception(timeout=10), ZeroDivisionError)
        pool.close()


def test_jobs_of_processes_are_not_cancelled():
    """Python 3.11 forgets the other jobs of a pool when its processes die and one of its jobs was cancelled."""
    cancellable, kept = Future(), Future()
    with ThreadPoolExecutor(1) as threads, ProcessPoolExecutor(1) as processes:  # which starts no process here
        assert Borrowed(threads).cancel(cancellable) and cancellable.cancelled()
        assert not Borrowed(processes).cancel(kept) and not kept.cancelled()
