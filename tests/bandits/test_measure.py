"""The public door: answers, curves, streams, and what it refuses."""

import math
import os
import signal
import threading
from typing import NamedTuple

import numpy as np
import pytest

import varde
from varde import VarDE
from varde.bandits import UCBE, Bernoulli, Gaussian, SuccessiveRejects, Uniform, measure
from varde.bandits.loop import many_runs, prepare, select
from varde.bandits.measure import run_block
from varde.bandits.problems import pull
from varde.beliefs import Floor
from varde.decisions import LogSumExp
from varde.moments import make_moments
from varde.random import key as named_key
from varde.random import uniform
from varde.testing import check_algorithm, check_bandit

EASY = Gaussian([0.0, 1.0, 0.2], [0.1, 0.1, 0.1])


def test_answers_and_curve():
    result = measure(VarDE(LogSumExp()), EASY, 100, runs=50, at=[10, 30])
    assert result.answers.shape == (50, 3) and result.at.tolist() == [10, 30, 100]
    assert result.best == 1.0 and (result.answers[:, -1] == 1).all()
    assert result.error.shape == (3,) and result.error[-1] == 0.0


def test_every_run_depends_on_its_number_alone():
    whole = measure(VarDE(LogSumExp()), EASY, 40, runs=64, at=range(1, 41), seed=3)
    part = measure(VarDE(LogSumExp()), EASY, 40, runs=7, at=range(1, 41), seed=3, workers=1)
    assert np.array_equal(whole.answers[:7], part.answers)
    other = measure(VarDE(LogSumExp()), EASY, 40, runs=64, at=range(1, 41), seed=4)
    assert not np.array_equal(whole.answers, other.answers)


def test_checkpoints_do_not_change_the_run():
    bare = measure(UCBE(), INSTANCE.bandit, 300, runs=20)
    curve = measure(UCBE(), INSTANCE.bandit, 300, runs=20, at=range(20, 300, 7))
    assert np.array_equal(bare.answers[:, -1], curve.answers[:, -1])


INSTANCE = varde.bandits.INSTANCES["BAI.1"]


def test_shuffling_removes_the_advantage_of_the_first_arm():
    """Two equal arms: by index the first wins every tie, shuffled neither does."""
    twins = Bernoulli([0.5, 0.5])
    by_index = measure(Uniform(), twins, 2, runs=4000, shuffle=False)
    shuffled = measure(Uniform(), twins, 2, runs=4000)
    assert np.mean(by_index.answers[:, -1] == 0) == pytest.approx(0.75, abs=0.03)
    assert np.mean(shuffled.answers[:, -1] == 0) == pytest.approx(0.5, abs=0.03)


def test_lists_and_integers_will_do():
    assert measure(VarDE(LogSumExp(1), Floor(1)), Bernoulli([1, 0]), 20, runs=1).answers[:, -1].tolist() == [0]


class Exponential(NamedTuple):
    means: np.ndarray


@pull.of(Exponential)
def exponential_reward(bandit, arm, rng):
    return -bandit.means[arm] * math.log(1.0 - uniform(rng))


class LeastPulled(NamedTuple):
    """Allocates inside the kernel, as a newcomer would."""


@select.of(LeastPulled)
def least_pulled(algorithm, memory, arms, t, rng):
    order = np.argsort(arms.counts, kind="mergesort")  # stable, or ties would depend on the engine
    return order[0]


def test_a_users_bandit_and_algorithm_run_compiled():
    check_bandit(Exponential(np.array([0.5, 0.3, 0.2])))
    check_algorithm(LeastPulled())
    result = measure(VarDE(LogSumExp()), Exponential([0.5, 0.1]), 200, runs=20, engine="python")
    assert result.error[-1] <= 0.2  # compiled, it is compared with this by the contract


def test_slices_do_not_change_the_run():
    rule, steps, key = UCBE(), np.array([7, 30, 100]), named_key(0, "slices")
    rng, order, at = np.empty(4, np.uint64), np.arange(3), np.zeros(4, np.int64)
    whole, sliced = np.empty((4, 3, 1), np.int32), np.empty((4, 3, 1), np.int32)
    run_block(rule, EASY, steps, True, key, 5, whole)
    arms, memory = make_moments(3), prepare(rule, 3)
    while at[0] < 4:
        many_runs((rule, EASY, memory, arms, order, True, steps, key, rng, 5, sliced, at), 1 + int(at[1]) % 13)
    assert np.array_equal(whole, sliced)


def test_a_goal_is_a_decision_in_both_engines():
    goal = varde.Top(2)
    bandit = varde.bandits.Gaussian([0.3, 0.5, 0.6, 0.2], [0.2] * 4)
    found = measure(varde.VarDE(goal), bandit, 400, runs=30, engine="compiled")
    assert np.array_equal(found.answers, measure(varde.VarDE(goal), bandit, 400, runs=30, engine="python").answers)
    assert [sorted(arm for arm in row if arm >= 0) for row in found.answers[:, -1].tolist()].count([1, 2]) > 25
    assert found.error[-1] < 0.15 and found.best == pytest.approx(1.1)


def test_a_set_is_worth_the_sum_of_its_means():
    bandit = varde.bandits.Gaussian([0.3, 0.5, 0.6, 0.2], [1e-9] * 4)
    assert measure(varde.VarDE(varde.Top(2)), bandit, 40, runs=2).values[0, 0] == pytest.approx(1.1)


@pytest.mark.parametrize(
    ("goal", "message"),
    [
        (varde.Top(2, "min"), "negative rewards"),
        (varde.Quantile(0.9), "goal=Quantile"),
        (varde.Best("x", y="<= 1"), "goal=Best"),
    ],
    ids=str,
)
def test_what_rewards_cannot_decide_is_refused(goal, message):
    with pytest.raises(ValueError, match=message):
        measure(varde.VarDE(goal), EASY, 100)


def test_ctrl_c_ends_a_run_that_would_take_hours():
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        measure(Uniform(), EASY, 10**13, runs=1)


@pytest.mark.parametrize(
    ("other", "call"), [(varde.planning.UCT(), "varde.plan"), (varde.learning.PSRL(), "varde.learn")]
)
def test_an_algorithm_of_another_family_is_shown_the_way(other, call):
    with pytest.raises(TypeError, match=rf"write {call}\(\.\.\.\)"):
        measure(other, EASY, 20)


class Forgotten(NamedTuple):
    pass


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: measure(VarDE(LogSumExp()), Gaussian([0.1, math.nan], [1, 1]), 10), "means.1. is nan"),
        (lambda: measure(VarDE(LogSumExp()), Gaussian([math.inf, 0.1], [1, 1]), 10), "means.0. is inf"),
        (lambda: measure(VarDE(LogSumExp()), Gaussian([0.1, 0.2], [1, -1]), 10), "stds.1. is -1"),
        (lambda: measure(VarDE(LogSumExp()), Gaussian([0.1, 0.2], [1]), 10), "2 means and 1 stds"),
        (lambda: measure(VarDE(LogSumExp()), Bernoulli([0.5, 1.5]), 10), "means.1. is 1.5"),
        (lambda: measure(VarDE(LogSumExp()), Bernoulli([0.5]), 10), "two or more"),
        (lambda: measure(Uniform(), Bernoulli([0.5, 0.4, 0.3]), 2), "write 3 or more"),
        (lambda: measure(VarDE(warm_start=5), Bernoulli([0.5, 0.4]), 9), "write 10 or more"),
        (lambda: measure(VarDE(LogSumExp(0)), Bernoulli([0.5, 0.4]), 9), "temperature is 0"),
        (lambda: measure(VarDE(LogSumExp(-1)), Bernoulli([0.5, 0.4]), 9), "temperature is -1"),
        (lambda: measure(UCBE(-1), Bernoulli([0.5, 0.4]), 9), "alpha is -1"),
        (lambda: measure(VarDE(LogSumExp()), EASY, 20, runs=0), "runs is 0"),
        (lambda: measure(VarDE(LogSumExp()), EASY, 20, workers=0), "workers is 0"),
        (lambda: measure(VarDE(LogSumExp()), EASY, 20, at=[0]), "at.0. is 0"),
        (lambda: measure(VarDE(LogSumExp()), EASY, 20, at=[21]), "at.0. is 21"),
        (lambda: measure(VarDE(LogSumExp()), EASY, 20, engine="fortran"), "engine is 'fortran'"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_unknown_records_are_answered_with_the_next_step():
    with pytest.raises(TypeError, match=r"write @select.of\(Forgotten\)"):
        measure(Forgotten(), EASY, 20)
    with pytest.raises(TypeError, match=r"write @pull.of\(Forgotten\)"):
        measure(SuccessiveRejects(), Forgotten(), 20)
    with pytest.raises(TypeError, match=r"write a record"):
        measure("varde", EASY, 20)
