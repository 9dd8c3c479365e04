"""The public door: answers, curves, streams, and what it refuses."""

import math
from typing import NamedTuple

import numpy as np
import pytest

import varde
from varde import UCBE, Bernoulli, Floor, Gaussian, LogSumExp, SuccessiveRejects, Uniform, VarDE, identify
from varde.bandits.loop import select
from varde.bandits.problems import pull
from varde.random import uniform
from varde.testing import check_algorithm, check_bandit

EASY = Gaussian([0.0, 1.0, 0.2], [0.1, 0.1, 0.1])


def test_answers_and_curve():
    result = identify(VarDE(LogSumExp()), EASY, 100, runs=50, checkpoints=[10, 30])
    assert result.arms.shape == (50, 3) and result.checkpoints.tolist() == [10, 30, 100]
    assert result.best == 1 and (result.recommended == 1).all()
    assert result.error.shape == (3,) and result.error[-1] == 0.0


def test_every_run_depends_on_its_number_alone():
    whole = identify(VarDE(LogSumExp()), EASY, 40, runs=64, checkpoints=range(1, 41), seed=3)
    part = identify(VarDE(LogSumExp()), EASY, 40, runs=7, checkpoints=range(1, 41), seed=3, threads=1)
    assert np.array_equal(whole.arms[:7], part.arms)
    other = identify(VarDE(LogSumExp()), EASY, 40, runs=64, checkpoints=range(1, 41), seed=4)
    assert not np.array_equal(whole.arms, other.arms)


def test_checkpoints_do_not_change_the_run():
    bare = identify(UCBE(), INSTANCE.bandit, 300, runs=20)
    curve = identify(UCBE(), INSTANCE.bandit, 300, runs=20, checkpoints=range(20, 300, 7))
    assert np.array_equal(bare.recommended, curve.recommended)


INSTANCE = varde.INSTANCES["BAI.1"]


def test_shuffling_removes_the_advantage_of_the_first_arm():
    """Two equal arms: by index the first wins every tie, shuffled neither does."""
    twins = Bernoulli([0.5, 0.5])
    by_index = identify(Uniform(), twins, 2, runs=4000, shuffle=False)
    shuffled = identify(Uniform(), twins, 2, runs=4000)
    assert np.mean(by_index.recommended == 0) == pytest.approx(0.75, abs=0.03)
    assert np.mean(shuffled.recommended == 0) == pytest.approx(0.5, abs=0.03)


def test_lists_and_integers_will_do():
    assert identify(VarDE(LogSumExp(1), Floor(1)), Bernoulli([1, 0]), 20).recommended.tolist() == [0]


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
    result = identify(VarDE(LogSumExp()), Exponential([0.5, 0.1]), 200, runs=100)
    assert result.error[-1] < 0.1


class Forgotten(NamedTuple):
    pass


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: identify(VarDE(LogSumExp()), Gaussian([0.1, math.nan], [1, 1]), 10), "mean of arm 1 is nan"),
        (lambda: identify(VarDE(LogSumExp()), Gaussian([math.inf, 0.1], [1, 1]), 10), "mean of arm 0 is inf"),
        (lambda: identify(VarDE(LogSumExp()), Gaussian([0.1, 0.2], [1, -1]), 10), "deviation of arm 1 is -1"),
        (lambda: identify(VarDE(LogSumExp()), Gaussian([0.1, 0.2], [1]), 10), "2 means and 1 standard deviation"),
        (lambda: identify(VarDE(LogSumExp()), Bernoulli([0.5, 1.5]), 10), "mean of arm 1 is 1.5"),
        (lambda: identify(VarDE(LogSumExp()), Bernoulli([0.5]), 10), "two or more"),
        (lambda: identify(Uniform(), Bernoulli([0.5, 0.4, 0.3]), 2), "write 3 or more"),
        (lambda: identify(VarDE(warm_start=5), Bernoulli([0.5, 0.4]), 9), "write 10 or more"),
        (lambda: identify(VarDE(LogSumExp(0)), Bernoulli([0.5, 0.4]), 9), "temperature is 0"),
        (lambda: identify(VarDE(LogSumExp(-1)), Bernoulli([0.5, 0.4]), 9), "temperature is -1"),
        (lambda: identify(UCBE(-1), Bernoulli([0.5, 0.4]), 9), "alpha is -1"),
        (lambda: identify(VarDE(LogSumExp()), EASY, 20, runs=0), "runs is 0"),
        (lambda: identify(VarDE(LogSumExp()), EASY, 20, threads=0), "threads is 0"),
        (lambda: identify(VarDE(LogSumExp()), EASY, 20, checkpoints=[0]), "checkpoint 0"),
        (lambda: identify(VarDE(LogSumExp()), EASY, 20, checkpoints=[21]), "checkpoint 21"),
        (lambda: identify(VarDE(LogSumExp()), EASY, 20, engine="fortran"), "engine is 'fortran'"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_unknown_records_are_answered_with_the_next_step():
    with pytest.raises(TypeError, match=r"write @select.of\(Forgotten\)"):
        identify(Forgotten(), EASY, 20)
    with pytest.raises(TypeError, match=r"write @pull.of\(Forgotten\)"):
        identify(SuccessiveRejects(), Forgotten(), 20)
    with pytest.raises(TypeError, match=r"write a record"):
        identify("varde", EASY, 20)
