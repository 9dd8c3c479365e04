"""A bandit, a decision function and an algorithm of your own, compiled beside all baselines, in one file."""

import math
from typing import NamedTuple

import numpy as np

import varde
import varde.testing
from varde.bandits.loop import select
from varde.bandits.problems import pull
from varde.decisions import influence, value
from varde.random import uniform


class Exponential(NamedTuple):
    """Waiting times: the noisier the longer."""

    means: np.ndarray


@pull.of(Exponential)
def exponential_reward(bandit, arm, rng):
    return -bandit.means[arm] * math.log(1.0 - uniform(rng))


class LeastPulled(NamedTuple):
    """Pull the arm with the fewest pulls."""


@select.of(LeastPulled)
def least_pulled(algorithm, memory, arms, t, rng):
    return np.argmin(arms.counts)


class Quadratic(NamedTuple):
    """The mean of squares: a decision that cares for large values."""


@value.of(Quadratic)
def mean_square(decision, values, weights):
    total = 0.0
    for x in values:
        total += x * x / values.size
    return total


@influence.of(Quadratic)
def mean_square_weights(decision, values, weights):
    for i in range(values.size):
        weights[i] = 2.0 * values[i] / values.size


if __name__ == "__main__":
    varde.testing.check_bandit(Exponential(np.array([0.5, 0.4])))
    varde.testing.check_algorithm(LeastPulled())
    bandit = Exponential(np.array([1.0, 0.7, 0.6, 0.5, 0.4]))
    for algorithm in (
        LeastPulled(),
        varde.bandits.SuccessiveRejects(),
        varde.bandits.UCBE(0.5),
        varde.VarDE(Quadratic()),
        varde.VarDE(varde.LogSumExp(0.2), warm_start=10),
    ):
        error = varde.bandits.measure(algorithm, bandit, budget=300, runs=5_000).error[-1]
        print(f"{100 * error:5.1f} % wrong  {algorithm}")
