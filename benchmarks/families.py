"""Random problems of choice: many families of noise, sizes, shapes of gaps and budgets, from a seed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from varde.bandits import Bernoulli, Gaussian, LogNormal, Student, ZeroInflated
from varde.bandits.problems import pull

SIZES = (5, 10, 20, 50, 100, 200)
PULLS = (8, 15, 30, 60)  # per arm, on average
SHAPES = ("flat", "linear", "crowded", "duel", "normal")
FAMILIES = ("Bernoulli", "Gaussian", "Student", "LogNormal", "ZeroInflated")


class Bandit(NamedTuple):
    """Any of the families: each rule is compiled once, and not once for each of them."""

    family: int  # in FAMILIES
    means: np.ndarray
    spread: np.ndarray  # what the family's noise depends on besides the mean


@pull.of(Bandit)
def reward(bandit, arm, rng):
    if bandit.family == 0:
        return pull(Bernoulli(bandit.means), arm, rng)
    if bandit.family == 1:
        return pull(Gaussian(bandit.means, bandit.spread), arm, rng)
    if bandit.family == 2:
        return pull(Student(bandit.means, bandit.spread, 3.0), arm, rng)
    if bandit.family == 3:
        return pull(LogNormal(bandit.means, bandit.spread), arm, rng)
    return pull(ZeroInflated(bandit.means, bandit.spread), arm, rng)


def bandit_of(family: str, means: np.ndarray, spread: np.ndarray) -> Bandit:
    return Bandit(FAMILIES.index(family), means, spread)


class Problem(NamedTuple):
    family: str
    shape: str
    bandit: Bandit
    budget: int


def gaps(shape: str, size: int, rng: np.random.Generator) -> np.ndarray:
    """[K - 1] distances to the best, largest about 1."""
    ranks = np.arange(1, size) / (size - 1)
    return {
        "flat": np.ones(size - 1),
        "linear": ranks,
        # More and more options the nearer the top.
        "crowded": np.sqrt(ranks[0] ** 2 + ranks**2) * ranks**0.5,
        "duel": np.r_[0.3, np.ones(size - 2)],
        "normal": spread(rng.normal(size=size)),
    }[shape]


def spread(means: np.ndarray) -> np.ndarray:
    """The distances to the best of random means; the second best is not allowed to come too near."""
    distances = np.sort(means.max() - means)[1:]
    return np.maximum(distances, 0.1 * np.median(distances)) / distances.max()


def random_problem(family: str, rng: np.random.Generator, least: float) -> Problem:
    """Arm 0 is the best.  Rewards are of the order of the paper's: means below 1, deviations of some tenths.

    The gaps are scaled to a hardness, sum of (s_best^2 + s_i^2) / gap_i^2, that the budget can just about meet.
    Where rewards cannot be negative no mean is below ``least`` times the best.
    """
    size = int(rng.choice(SIZES))
    budget = size * int(rng.choice(PULLS[: 3 if size >= 100 else 4]))
    shape = str(rng.choice(SHAPES))
    ease = np.exp(rng.uniform(np.log(1.5), np.log(6.0)))
    top = rng.uniform(0.15, 0.85)
    relative = gaps(shape, size, rng)
    noise = np.exp(rng.normal(0.0, 0.5, size))
    spread = {
        "Bernoulli": noise,
        "Gaussian": 0.25 * noise,
        "Student": 0.15 * noise,
        "LogNormal": np.minimum(noise, 1.5),
        "ZeroInflated": np.clip(0.2 * noise, 0.05, 0.9),
    }[family]
    floor = -np.inf if family in ("Gaussian", "Student") else least * top
    scale = 0.0
    for _ in range(20):  # the noise of some families depends on the means, so the scale is found by repetition
        means = np.maximum(top - scale * np.r_[0.0, relative], floor)
        stds = deviations(family, means, spread)
        scale = np.sqrt(ease / budget * ((stds[0] ** 2 + stds[1:] ** 2) / relative**2).sum())
    return Problem(family, shape, bandit_of(family, means, spread), budget)


def deviations(family: str, means: np.ndarray, spread: np.ndarray) -> np.ndarray:
    """The standard deviations of the rewards."""
    if family == "Bernoulli":
        return np.sqrt(means * (1.0 - means))
    if family == "LogNormal":
        return means * np.sqrt(np.expm1(spread**2))
    if family == "ZeroInflated":
        return means * np.sqrt(2.0 / spread - 1.0)
    return spread * 3.0**0.5 if family == "Student" else spread


def problems(count: int, seed: int, families: tuple[str, ...] = FAMILIES, least: float = 0.3) -> list[Problem]:
    """``count`` of each family; problem i of a family depends on the seed and i alone."""
    return [
        random_problem(family, np.random.default_rng([seed, FAMILIES.index(family), i]), least)
        for family in families
        for i in range(count)
    ]
