"""Bandits: ``pull(bandit, arm, rng)`` returns one noisy reward.

Your own bandit is a record with a case of ``pull``::

    class Exponential(NamedTuple):
        means: np.ndarray

    @pull.of(Exponential)
    def exponential_reward(bandit, arm, rng):
        return -bandit.means[arm] * math.log(1.0 - uniform(rng))
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .._compile import verb
from ..check import FINITE, LARGEST, problem_with
from ..random import normal, uniform


@verb
def pull(bandit, arm, rng):
    """One reward of ``arm``."""


@verb(fallback=True)
def true_means(bandit):
    """The mean reward of every arm; by default the field ``means``."""
    return bandit.means


class Bernoulli(NamedTuple):
    """Rewards of 0 or 1; ``means`` are the probabilities of 1."""

    means: ArrayLike  # [K]


@pull.of(Bernoulli)
def bernoulli_reward(bandit, arm, rng):
    return 1.0 if uniform(rng) < bandit.means[arm] else 0.0


@problem_with.of(Bernoulli)
def bernoulli_problem(bandit):
    return _unless_each(bandit, "means", lambda mean: 0.0 <= mean <= 1.0, "a probability from 0 to 1, or use Gaussian")


class Gaussian(NamedTuple):
    """Normal rewards, each arm with its own noise."""

    means: ArrayLike  # [K]
    stds: ArrayLike  # [K]


@pull.of(Gaussian)
def gaussian_reward(bandit, arm, rng):
    return bandit.means[arm] + bandit.stds[arm] * normal(rng)


@problem_with.of(Gaussian)
def gaussian_problem(bandit):
    return _unless_each(bandit, "stds", lambda std: 0.0 <= std <= LARGEST, f"{FINITE}, zero or more")


# -- heavy tails, skew, many zeros ---------------------------------------------------------------


class Student(NamedTuple):
    """Heavy tails: Student's t with ``freedom`` degrees of freedom; the variance is infinite at 2 and below."""

    means: ArrayLike  # [K]
    scales: ArrayLike  # [K]
    freedom: float = 3.0


@pull.of(Student)
def student_reward(bandit, arm, rng):
    """The polar method for Student's t (Bailey 1994): exact for any degrees of freedom."""
    radius = math.sqrt(bandit.freedom * ((1.0 - uniform(rng)) ** (-2.0 / bandit.freedom) - 1.0))
    return bandit.means[arm] + bandit.scales[arm] * radius * math.cos(2.0 * math.pi * uniform(rng))


class LogNormal(NamedTuple):
    """Skewed rewards above zero, such as times and amounts: exp of a normal with standard deviation ``sigmas``."""

    means: ArrayLike  # [K]
    sigmas: ArrayLike  # [K] of the logarithm


@pull.of(LogNormal)
def lognormal_reward(bandit, arm, rng):
    sigma = bandit.sigmas[arm]
    return bandit.means[arm] * math.exp(sigma * normal(rng) - 0.5 * sigma * sigma)


class ZeroInflated(NamedTuple):
    """Mostly zeros, as with purchases: with probability ``shares`` an exponential amount, else 0."""

    means: ArrayLike  # [K] zeros included
    shares: ArrayLike  # [K]


@pull.of(ZeroInflated)
def zero_inflated_reward(bandit, arm, rng):
    if uniform(rng) >= bandit.shares[arm]:
        return 0.0
    return -bandit.means[arm] / bandit.shares[arm] * math.log(1.0 - uniform(rng))


@problem_with.of(Student)
def student_problem(bandit):
    if not bandit.freedom > 1.0:
        return f"freedom is {bandit.freedom}: write a number above 1 (otherwise there is no mean)"
    return _unless_each(bandit, "scales", lambda scale: 0.0 < scale <= LARGEST, f"{FINITE}, above 0")


@problem_with.of(LogNormal)
def lognormal_problem(bandit):
    return _unless_each(bandit, "sigmas", lambda sigma: 0.0 < sigma <= 20.0, "a number above 0, at most 20")


@problem_with.of(ZeroInflated)
def zero_inflated_problem(bandit):
    return _unless_each(bandit, "shares", lambda share: 0.0 < share <= 1.0, "a share above 0, at most 1")


def _unless_each(bandit: NamedTuple, name: str, allowed: Callable[[float], bool], wanted: str) -> str:
    """One number per arm, for which ``allowed`` holds."""
    means, given = np.asarray(true_means(bandit), float), np.asarray(getattr(bandit, name), float)
    if means.ndim != 1:
        return f"means has the shape {means.shape}: write a list, one number per arm"
    if given.shape != means.shape:
        return f"there are {means.size} means and {given.size} {name}: write one of each per arm"
    for arm, number in enumerate(given):
        if not allowed(number):
            return f"{name}[{arm}] is {number}: write {wanted}"
    return ""
