"""Bandits: ``pull(bandit, arm, rng)`` returns one noisy reward.

A bandit of your own is a record with a case of ``pull``::

    class Exponential(NamedTuple):
        means: np.ndarray

    @pull.of(Exponential)
    def exponential_reward(bandit, arm, rng):
        return -bandit.means[arm] * math.log(1.0 - uniform(rng))
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .._jit import generic
from ..decisions import problem_with
from ..random import normal, uniform


@generic
def pull(bandit, arm, rng):
    """One reward of ``arm``."""


@generic(fallback=True)
def true_means(bandit):
    """The mean reward of every arm; the field ``means`` unless told otherwise."""
    return bandit.means


class Bernoulli(NamedTuple):
    """Rewards 0 or 1."""

    means: ArrayLike  # [K]


@pull.of(Bernoulli)
def bernoulli_reward(bandit, arm, rng):
    return 1.0 if uniform(rng) < bandit.means[arm] else 0.0


@problem_with.of(Bernoulli)
def bernoulli_problem(bandit):
    for arm, mean in enumerate(np.ravel(bandit.means)):
        if not 0.0 <= mean <= 1.0:
            return f"the mean of arm {arm} is {mean}: write a probability between 0 and 1, or use Gaussian"
    return ""


class Gaussian(NamedTuple):
    """Normal rewards, each arm with its own noise."""

    means: ArrayLike  # [K]
    stds: ArrayLike  # [K]


@pull.of(Gaussian)
def gaussian_reward(bandit, arm, rng):
    return bandit.means[arm] + bandit.stds[arm] * normal(rng)


@problem_with.of(Gaussian)
def gaussian_problem(bandit):
    if np.shape(bandit.stds) != np.shape(bandit.means):
        return (
            f"there are {np.size(bandit.means)} means and {np.size(bandit.stds)} standard deviations: "
            "write one deviation per arm"
        )
    for arm, (mean, std) in enumerate(zip(np.ravel(bandit.means), np.ravel(bandit.stds), strict=True)):
        if not np.isfinite(mean):
            return f"the mean of arm {arm} is {mean}: write a finite number"
        if not 0.0 <= std < np.inf:
            return f"the standard deviation of arm {arm} is {std}: write a finite number, zero or more"
    return ""
