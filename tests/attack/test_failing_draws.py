"""Whatever a draw comes to, the selection goes on: at worst its option is left out."""

import asyncio
import multiprocessing
import os
import time
from concurrent.futures import ProcessPoolExecutor

import pytest

import varde


class MuteError(Exception):
    def __str__(self):
        raise ValueError("no words")


class Endless:
    def __float__(self):
        raise RecursionError

    def __repr__(self):
        raise RecursionError


def raising(error):
    def function(option, rng):
        if option == "c":
            raise error
        return rng.random()

    return function


def returning(value):
    return lambda option, rng: value if option == "c" else rng.random()


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (returning(10**400), "expected a finite number"),
        (returning(Endless()), "cannot be printed"),
        (returning("0.5"), "is '0.5': expected a number"),
        (raising(MuteError()), "MuteError: a MuteError that cannot be printed"),
        (raising(asyncio.CancelledError()), "CancelledError"),
        (raising(StopIteration()), "StopIteration"),
    ],
)
@pytest.mark.parametrize("workers", [1, 2])
def test_a_draw_fails_and_the_others_go_on(function, words, workers):
    found = varde.select(function, ["a", "b", "c"], 30, workers=workers)
    assert found.spent == 30 and words in found.rows[2].failure


def test_a_cancelled_task_is_a_failure():
    async def function(option):
        if option == "c":
            raise asyncio.CancelledError
        await asyncio.sleep(0)
        return 1.0 if option == "a" else 0.5

    found = varde.select(function, ["a", "b", "c"], 30)
    assert found.spent == 30 and "CancelledError" in found.rows[2].failure


def deadly(option, rng):
    time.sleep(0.005)  # so that others are under way when it dies
    if option == "c":
        os._exit(3)
    return rng.random()


def test_a_lost_worker_is_replaced_and_only_the_option_that_kills_it_is_left_out():
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        found = varde.select(deadly, varde.Selector(["a", "b", "c"], 12, calls=varde.Calls(retries=0)), workers=pool)
    assert found.spent == 12
    assert [row.failure == "" for row in found.rows] == [True, True, False]
    assert "BrokenProcessPool" in found.rows[2].failure


def test_a_pool_that_broke_while_idle_is_replaced():
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        pool.submit(os._exit, 3).exception()
        found = varde.select(abs, {"a": -1.0, "b": 2.0}, 6, workers=pool)
    assert found.best_name == "b" and found.spent == 6
