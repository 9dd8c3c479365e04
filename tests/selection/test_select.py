"""One call: functions in threads, processes and event loops, failures, interruptions."""

import asyncio
import functools
import json
import math
import re
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest

import varde
from varde.selection.select import Interrupts

OPTIONS = [1, 2, 3, 4]


def noisy(option, rng):
    return option + rng.normal()


def seeded(option, seed):
    return option + np.random.default_rng(seed).normal()


async def patient(option, seed):
    await asyncio.sleep(0.0001 * (seed % 7))
    return seeded(option, seed)


def same(first, second):
    """Whether two selections made the same draws and got the same results."""
    return all(np.array_equal(a, b) for a, b in zip(first.values.values(), second.values.values(), strict=True))


def test_the_function_gets_what_it_asks_for():
    plain = varde.select(noisy, OPTIONS, 100)
    assert plain.best_name == "4" and plain.best == 4 and plain.spent == 100
    assert same(plain, varde.select(seeded, OPTIONS, 100))
    assert same(plain, varde.select(functools.partial(lambda shift, option, rng: noisy(option, rng), 0), OPTIONS, 100))
    assert not same(plain, varde.select(functools.partial(seeded, seed=3), OPTIONS, 100))
    assert not same(plain, varde.select(seeded, OPTIONS, 100, seed=1))
    assert varde.select(lambda option: -option, {"one": 1, "two": 2}, 10, goal="min").best == 2


def test_timing_does_not_change_the_draws():
    def slow(option, seed):
        time.sleep(np.random.default_rng().uniform(0.0, 0.002))
        return seeded(option, seed)

    runs = [varde.select(slow, OPTIONS, 80, workers=4) for _ in range(2)]
    assert same(*runs)
    assert same(runs[0], varde.select(patient, OPTIONS, 80, workers=4))
    with ThreadPoolExecutor(4) as pool:
        assert same(runs[0], varde.select(seeded, OPTIONS, 80, workers=pool))
    assert varde.select(slow, varde.Selector(OPTIONS, 80, calls=varde.Calls(ordered=False)), workers=4).spent == 80
    assert same(varde.select(slow, OPTIONS, 40, workers=1), varde.select(noisy, OPTIONS, 40))


def test_processes():
    with ProcessPoolExecutor(2) as pool:
        there = varde.select(noisy, OPTIONS, 40, workers=pool)
    assert same(there, varde.select(noisy, OPTIONS, 40, workers=2))


def test_no_more_at_once_than_allowed():
    lock, running, most = threading.Lock(), [0], [0]

    def watched(option):
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        time.sleep(0.001)
        with lock:
            running[0] -= 1
        return float(option)

    varde.select(watched, OPTIONS, 60, workers=3)
    assert 1 < most[0] <= 3

    async def watched_too(option):
        running[0] += 1
        most[0] = max(most[0], running[0])
        await asyncio.sleep(0.001)
        running[0] -= 1
        return float(option)

    most[0] = 0
    varde.select(watched_too, OPTIONS, 60, workers=5)
    assert 1 < most[0] <= 5


def test_an_async_function_inside_a_running_loop():
    async def notebook():
        return varde.select(patient, OPTIONS, 60)

    assert asyncio.run(notebook()).best_name == "4"


@pytest.mark.parametrize("workers", [None, 3])
def test_exceptions_are_recorded_retried_and_then_the_option_is_left_out(workers):
    calls = []

    def moody(option, seed):
        calls.append(option)
        if option == 2:
            raise OSError("disk full")
        if option == 3 and seed % 5 == 0:
            raise ValueError("this seed never works")
        if option == 4 and len(calls) % 9 == 0:
            return float("nan")
        return seeded(option, seed)

    found = varde.select(moody, varde.Selector(OPTIONS, 100, calls=varde.Calls(retries=2), seed=1), workers=workers)
    assert found.best_name == "4" and found.spent == 100
    assert [row.name for row in found.rows if row.verdict == "failing"] == ["2"] and "OSError: disk full" in str(found)
    assert 3 <= calls.count(2) <= 3 * (1 if workers is None else 6)


@pytest.mark.parametrize("workers", [None, 2])
def test_a_function_that_always_fails_ends_with_its_error(workers):
    def broken(option):
        raise KeyError(option)

    words = r"no call has worked: \d calls of 4 options failed in a row \(the last, of '.': KeyError: .\)"
    with pytest.raises(RuntimeError, match=words) as caught:
        varde.select(broken, varde.Selector(OPTIONS, 100, calls=varde.Calls(backoff=0.01)), workers=workers)
    assert isinstance(caught.value.__cause__, KeyError)


def test_a_call_that_hangs_is_given_up():
    hang = threading.Event()

    def hangs(option, seed):
        if option == 2:
            hang.wait(60)
        return seeded(option, seed)

    async def hangs_too(option, seed):
        if option == 2:
            await asyncio.sleep(60)
        return seeded(option, seed)

    began = time.monotonic()
    for function, workers in ((hangs, 2), (hangs, None), (hangs_too, 2)):
        found = varde.select(
            function, varde.Selector(OPTIONS, 40, calls=varde.Calls(timeout=0.3, retries=0)), workers=workers
        )
        assert found.spent == 40 and "no result within 0.3 s" in str(found)
    assert time.monotonic() - began < 50
    hang.set()


def test_progress_is_told_after_every_result():
    seen = []
    varde.select(noisy, OPTIONS, 20, progress=lambda selector: seen.append((selector.spent, selector.leader)))
    assert [spent for spent, _ in seen] == list(range(1, 21)) and seen[-1][1] == "4"


def test_progress_is_silent_where_there_is_no_terminal(capfd):
    varde.select(noisy, OPTIONS, 20)
    assert capfd.readouterr() == ("", "")
    varde.select(noisy, OPTIONS, 20, progress=True)
    assert "of 20" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"function": 3}, "write a function"),
        ({"budget": None}, "use varde.Selector"),
        ({"seconds": 0}, "seconds is 0"),
        ({"seconds": float("nan")}, "seconds is nan"),
        ({"workers": 0}, "workers is 0"),
        ({"workers": "many"}, "write a number, 1 or more, an executor"),
        ({"calls": 3}, r"calls is 3: write varde.Calls"),
        ({"function": patient, "workers": ThreadPoolExecutor(1)}, "runs on an event loop"),
        ({"options": ["a"]}, "two or more"),
    ],
)
def test_bad_input(arguments, words):
    with pytest.raises((TypeError, ValueError), match=words):
        varde.select(**{"function": noisy, "options": OPTIONS, "budget": 100, **arguments})


# -- stopping and going on -----------------------------------------------------------------------

SCRIPT = """
    import sys, time
    import numpy as np, varde

    def slow(option, seed):
        time.sleep(float(sys.argv[2]))
        return option + np.random.default_rng(seed).normal()

    def report(selector):
        if selector.spent == 20:
            print("running", file=sys.stderr, flush=True)

    found = varde.select(slow, [1, 2, 3, 4], 150, workers=3, store=sys.argv[1] or None, progress=report)
    print(found.stopped, file=sys.stderr)
    print([values.tolist() for values in found.values.values()])
"""


def script(store, seconds):
    command = [sys.executable, "-c", textwrap.dedent(SCRIPT), str(store), str(seconds)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_killed_and_called_again_it_ends_as_if_never_stopped(tmp_path):
    whole, _ = script("", 0.0).communicate()
    generator, kills = np.random.default_rng(0), 0
    while True:
        process = script(tmp_path / "s.db", 0.03)  # a second and a half of work at least, killed within 0.8 s
        try:
            output, errors = process.communicate(timeout=float(generator.uniform(0.4, 0.8)) if kills < 3 else 60)
            break
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            kills += 1
    assert process.returncode == 0, errors
    assert kills > 1 and output == whole


def test_ctrl_c_returns_what_is_known(tmp_path):
    path = tmp_path / "s.db"
    process = script(path, 0.05)
    assert process.stderr.readline() == "running\n"
    process.send_signal(signal.SIGINT)
    output, stopped = process.communicate(timeout=60)
    spent = sum(map(len, json.loads(output)))
    assert process.returncode == 0 and stopped == "interrupted\n" and 20 <= spent < 150
    with varde.Selector.open(path) as selector:
        assert selector.spent == spent and selector.pending == []
    whole, stopped = script(path, 0.0).communicate(timeout=60)
    assert sum(map(len, json.loads(whole))) == 150 and stopped.endswith("budget\n")


def test_a_second_ctrl_c_ends_it_at_once(tmp_path):
    interrupts = Interrupts()
    interrupts.handle()
    with pytest.raises(KeyboardInterrupt):
        interrupts.handle()
    with pytest.raises(KeyboardInterrupt), interrupts.allowed():
        raise AssertionError("nothing new is begun after the first")


def test_ctrl_c_before_any_result_raises():
    def impatient(option):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        varde.select(impatient, OPTIONS, 40)


@pytest.mark.parametrize("workers", [None, 2])
def test_seconds_end_it_with_what_is_known(workers):
    def slow(option, rng):
        time.sleep(0.01)
        return noisy(option, rng)

    found = varde.select(slow, OPTIONS, None, seconds=0.5, workers=workers)
    assert found.stopped == found.certificate.stopped == "seconds" and 4 <= found.spent < 500 and found.budget is None


def test_why_it_stopped():
    assert varde.select(noisy, OPTIONS, 40).stopped == "budget"
    assert varde.select(float, OPTIONS, 4000, stop=0.05).stopped == "sure"


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (None, "is None: expected a number; is a return missing?"),
        ("0.5", "write float(...)"),
        (np.ones(1), "add .item()"),
        (np.ones(3), "or their mean: float(numpy.mean(...))"),
        ([1.0, 2.0], "or their mean: float(numpy.mean(...))"),
        (math.nan, "is nan: expected a finite number; where there is none, raise an exception"),
        (1e200, "at most 1e+150 in size"),
    ],
)
def test_what_is_not_a_number_is_answered_with_what_to_return(result, words):
    with pytest.raises((TypeError, ValueError), match=re.escape(words)):
        varde.Selector(["a", "b"]).tell("a", result)


def test_functions_classes_and_numbers_of_numpy_have_plain_names():
    assert list(varde.Selector([(x, 1) for x in np.array([0.5, 2.0])]).options) == ["(0.5, 1)", "(2.0, 1)"]
    assert list(varde.Selector([math.sin, math.cos, re.escape, int]).options) == ["sin", "cos", "escape", "int"]


@pytest.mark.parametrize(
    ("means", "given"),
    [
        ([1.0, 1.1, 30.0, 50.0], {"goal": "min"}),
        ([1.0, 1.1, 30.0, 50.0], {"goal": "min", "crn": True}),
        ([0.0, 1.0, 1.4, -30.0, -50.0, -60.0], {"goal": varde.Top(2)}),
    ],
)
def test_a_stopping_rule_does_not_wait_for_options_that_nobody_samples(means, given):
    """Those far off get too few results to be rejected, and no more from the rule: the stopping rule asks for them."""
    found = varde.select(lambda mean, rng: mean + 0.1 * rng.normal(), means, 3_000, stop=0.05, **given)
    assert found.stopped == "sure" and found.spent < 500
    assert max(row.n for row in found.rows[3:]) < 20
