"""Short work stays in Python, long work is compiled; a search that switches in the middle gives the same bits."""

import itertools
import time

import numpy as np
import pytest

import varde
from tests.compile.fresh import fresh
from varde._compile import Door, engine, kernel, kernels, using
from varde._compile.kernels import Version
from varde.environments import frozen_lake, river_swim

README = """
import sys, varde
sys.modules["varde._compile.kernels"].BRIEF = 100.0  # on however slow and busy a machine
def waiting_time(counters, rng):
    return rng.exponential(10.0 / counters) + 2.0 * counters
print(varde.select(waiting_time, [1, 2, 3, 4, 5], budget=500, goal="min"))
def step(stock, order, rng):
    sold = min(stock + order, int(rng.poisson(3)))
    rest = min(stock + order - sold, 10)
    return rest, 5.0 * sold - 2.0 * order - 0.3 * rest
print(varde.plan(step, 1, budget=600, horizon=5, discount=0.95, actions=range(0, 7, 2)))
print(varde.learn(varde.environments.river_swim(10), 3_000, discount=0.99))
print("numba" in sys.modules, file=sys.stderr)
"""


def test_the_examples_of_the_readme_import_no_numba_and_say_nothing(tmp_path):
    assert fresh(README, tmp_path)[1] == "False\n"


def stock(left, order, rng):
    sold = min(left + order, int(rng.poisson(3)))
    rest = min(left + order - sold, 10)
    return rest, 5.0 * sold - 2.0 * order - 0.3 * rest


WORK = {
    "plan, table": lambda: varde.plan(frozen_lake(), budget=150, horizon=20),
    "plan, function": lambda: varde.plan(stock, 1, budget=150, horizon=5, actions=range(0, 7, 2)),
    "learn, table": lambda: varde.learn(river_swim(6), 400, discount=0.95),
    "learn, function": lambda: varde.learn(stock, 400, discount=0.95, actions=range(0, 7, 2), start=1),
    "measure": lambda: varde.bandits.measure(varde.VarDE(), varde.bandits.Bernoulli([0.6, 0.5, 0.4]), 60, runs=20),
}


def bits(answer):
    """The numbers of an answer, as text."""
    if isinstance(answer, varde.Move):
        return repr((answer.best, answer.values, answer.intervals, answer.visits, answer.p_right))
    if isinstance(answer, varde.Policy):
        return repr((answer.values, answer.intervals, answer.visits, [answer[state] for state in answer]))
    return answer.answers.tolist()


@pytest.mark.parametrize("work", WORK.values(), ids=WORK)
def test_switching_in_the_middle_changes_no_bit(work, monkeypatch):
    with using("python"):
        wanted = bits(work())
    with using("compiled"):
        assert bits(work()) == wanted
    monkeypatch.setattr(kernels, "LOOK", 0.0)
    for calls in (1, 7):
        counted = itertools.count()
        monkeypatch.setattr(Version, "is_worth_compiling", lambda self, ahead, choice, n=calls, c=counted: next(c) >= n)
        assert bits(work()) == wanted


@kernel
def spin(held, times):
    (log,) = held
    log[0] += times
    return log[0]


spin.python.__module__ = "varde.made_up"  # one of ours: a user's kernel is compiled at once


def decide(monkeypatch, seconds, share, stored=False):
    """Whether a door compiles after a call that took so many seconds and did that share of the work."""
    spin.versions.clear()
    clock = itertools.count(0.0, seconds)
    monkeypatch.setattr(time, "thread_time", lambda: next(clock))
    monkeypatch.setattr(Version, "is_kept", stored)
    monkeypatch.setattr(kernels, "LOAD", kernels.FIRST)
    through = Door(spin, (np.zeros(1),), int)
    through.expect(None if share is None else lambda: share)
    for _ in range(2):  # it decides between two calls
        through.call(1)
    return through.compiled


@pytest.mark.parametrize(
    "seconds, share, stored, compiled",
    [
        (0.15, 0.5, False, False),  # .15 s more
        (0.15, 0.01, False, True),  # 15 s more
        (0.01, 0.0001, False, False),  # too early to tell
        (7.9, None, False, False),  # nobody knows how much more
        (8.1, None, False, True),  # it was long already
        (0.15, 0.05, True, True),  # 3 s more
        (1.1, None, True, True),  # as long as it takes to load
        (0.05, 0.9, True, False),  # the rest is done before the code is loaded
    ],
)
def test_what_is_compiled(monkeypatch, seconds, share, stored, compiled):
    assert decide(monkeypatch, seconds, share, stored) == compiled


def test_an_interrupt_waits_for_the_end_of_a_call_in_python(monkeypatch):
    import signal

    def interrupted(held, times):
        signal.raise_signal(signal.SIGINT)
        held[0][0] += times
        return held[0][0]

    log = np.zeros(1)
    interrupted.__module__ = "varde.made_up"
    through = Door(kernel(interrupted), (log,), int)
    with pytest.raises(KeyboardInterrupt):
        through.call(3)
    assert log[0] == 3.0


def test_without_numba_it_goes_on_in_python_and_says_so_once(monkeypatch, recwarn):
    monkeypatch.setattr(engine, "has_numba", lambda: False)
    engine.say_that_it_is_missing.cache_clear()
    world = river_swim(4)
    monkeypatch.setattr(kernels, "BRIEF", 0.0)
    moves = [varde.plan(world, 0, 300, horizon=8, discount=0.9) for _ in range(2)]
    assert moves[0] == moves[1]
    [warning] = [each for each in recwarn if "varde[fast]" in str(each.message)]
    assert "goes on in Python, with the same results" in str(warning.message)
    with using("compiled"), pytest.raises(ImportError, match=r"pip install 'varde\[fast\]'"):
        varde.plan(world, 0, 300, horizon=8, discount=0.9)
    engine.say_that_it_is_missing.cache_clear()
