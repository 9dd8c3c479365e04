"""Choosing among options: random problems of many kinds of noise, and the mechanisms of ``VarDE()``.

python benchmarks/leave_one_out.py options

A problem is a table of results per option, from which results are drawn at random with replacement: any kind of noise
is then one compiled bandit, and its true means are known.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

import varde
from leave_one_out import Case
from varde import VarDE
from varde.bandits.problems import pull
from varde.decisions import Regret
from varde.decisions.decision import weigh
from varde.random import integer

UNIT = "points of error"
SIZES = (2, 3, 5, 10, 20, 50, 120, 300, 1000)
QUICK = SIZES[1:6]  # with enough runs in a second that their noise does not hide what is looked for
SHARES = (3, 5, 10, 30, 100)  # budget per option
SHAPES = ("flat", "linear", "near tie", "normal", "Gumbel")
RESULTS = 3000  # in the table of an option
WORK = 1.2e7  # pulls times options of one measurement


class Drawn(NamedTuple):
    """Results drawn from a table."""

    means: np.ndarray  # [K]
    table: np.ndarray  # [K, RESULTS]


@pull.of(Drawn)
def drawn_result(bandit, arm, rng):
    return bandit.table[arm, integer(bandit.table.shape[1], rng)]


class Alike(NamedTuple):
    """``Regret`` with g = 1 for all gaps."""


@weigh.of(Alike)
def weigh_alike(decision, belief, square):
    square.fill(1.0)
    square[belief.estimates.argmax()] = max(square.size - 1.0, 1.0)
    return -1


class Unshared(NamedTuple):
    """``Regret`` in which the leader counts as much as its most open rival, however many gaps are open."""


@weigh.of(Unshared)
def weigh_unshared(decision, belief, square):
    leader, highest = weigh(Regret(), belief, square), 0.0
    for i in range(square.size):
        highest = max(highest, square[i]) if i != leader else highest
    square[leader] = highest
    return leader


class Problem(NamedTuple):
    kind: str
    bandit: Drawn
    budget: int


def located(noise: Any, unequal: float = 0.0) -> Any:
    """Noise around the mean, with a standard deviation of a quarter or so."""

    def draw(mean: np.ndarray, spread: np.ndarray, shape: tuple[int, int], rng: np.random.Generator) -> np.ndarray:
        return mean + 0.25 * np.exp(unequal * spread) * noise(shape, rng)

    return draw


def scaled(noise: Any) -> Any:
    """The mean times noise with mean 1."""
    return lambda mean, spread, shape, rng: np.maximum(mean, 0.02) * noise(shape, rng)


def chance(mean: np.ndarray) -> np.ndarray:
    return np.clip(mean, 0.02, 0.98)


def zero_inflated(mean: np.ndarray, spread: np.ndarray, shape: Any, rng: np.random.Generator) -> np.ndarray:
    share = np.clip(0.2 * np.exp(0.5 * spread), 0.04, 0.8)
    return np.where(rng.random(shape) < share, np.maximum(mean, 0.02) / share * rng.exponential(size=shape), 0.0)


def crashing(mean: np.ndarray, spread: np.ndarray, shape: Any, rng: np.random.Generator) -> np.ndarray:
    return np.where(rng.random(shape) < 0.1, 0.0, mean / 0.9 + 0.1 * rng.normal(size=shape))


def rating(mean: np.ndarray, spread: np.ndarray, shape: Any, rng: np.random.Generator) -> np.ndarray:
    return np.clip(np.round(1.0 + 4.0 * mean + rng.normal(size=shape)), 1.0, 5.0)


def contaminated(shape: Any, rng: np.random.Generator) -> np.ndarray:
    return rng.normal(size=shape) * np.where(rng.random(shape) < 0.1, 6.0, 1.0)


KINDS: dict[str, Any] = {
    "Gaussian": located(lambda shape, rng: rng.normal(size=shape)),
    "unequal": located(lambda shape, rng: rng.normal(size=shape), 0.7),
    "quiet best": located(lambda shape, rng: rng.normal(size=shape), 1.0),
    "noisy best": located(lambda shape, rng: rng.normal(size=shape), 1.0),
    "Student 2.5": located(lambda shape, rng: rng.standard_t(2.5, shape) / 2.2),
    "Laplace": located(lambda shape, rng: rng.laplace(size=shape)),
    "contaminated": located(contaminated),
    "exponential": scaled(lambda shape, rng: rng.exponential(size=shape)),
    "Weibull": scaled(lambda shape, rng: rng.weibull(0.7, shape) / math.gamma(1.0 + 1.0 / 0.7)),
    "costs": lambda mean, spread, shape, rng: -(1.1 - mean) * rng.lognormal(-0.32, 0.8, shape),
    "beta": lambda mean, spread, shape, rng: rng.beta(4.0 * chance(mean), 4.0 * (1.0 - chance(mean)), shape),
    "Poisson": lambda mean, spread, shape, rng: rng.poisson(3.0 * np.maximum(mean, 0.02), shape) / 3.0,
    "0/1": lambda mean, spread, shape, rng: (rng.random(shape) < chance(mean)) * 1.0,
    "rare": lambda mean, spread, shape, rng: (rng.random(shape) < 0.06 * chance(mean)) * 1.0,
    "binomial": lambda mean, spread, shape, rng: rng.binomial(8, chance(mean), shape) / 8.0,
    "ratings": rating,
    "crashing": crashing,
    "zero-inflated": zero_inflated,
}


def distances(shape: str, size: int, rng: np.random.Generator) -> np.ndarray:
    """[K] to the best, which is the first; the largest is 1."""
    ranks = np.arange(size) / max(size - 1, 1)
    if shape in ("normal", "Gumbel"):
        drawn = np.sort(rng.normal(size=size) if shape == "normal" else rng.gumbel(size=size))[::-1]
        found = drawn[0] - drawn
        found[1:] = np.maximum(found[1:], 0.1 * np.median(found))
        return found / found.max()
    if shape == "near tie":
        return np.r_[0.0, 0.3, np.ones(size)][:size] / (0.3 if size == 2 else 1.0)
    return ranks if shape == "linear" else np.r_[0.0, np.ones(size - 1)]


def random_problem(rng: np.random.Generator, sizes: tuple[int, ...] = SIZES) -> Problem:
    """Means that the budget can just about tell apart."""
    kind, size, shape = str(rng.choice(list(KINDS))), int(rng.choice(sizes)), str(rng.choice(SHAPES))
    budget = size * int(rng.choice(SHARES[: 3 if size >= 300 else 5]))
    ease, top = np.exp(rng.uniform(np.log(1.0), np.log(6.0))), rng.uniform(0.2, 0.9)
    relative, spread = distances(shape, size, rng)[:, None], rng.normal(size=(size, 1))
    if kind in ("quiet best", "noisy best"):
        spread = np.zeros((size, 1))
        spread[0] = -1.2 if kind == "quiet best" else 1.0
    scale = 0.05
    for _ in range(6):  # the noise of some kinds depends on the means
        table = KINDS[kind](top - scale * relative, spread, (size, 300), rng)
        variances, per = table.var(axis=1, keepdims=True), 0.06 if kind == "rare" else 4.0 if kind == "ratings" else 1.0
        hardness = ((variances[0] + variances[1:]) / relative[1:] ** 2).sum() / per**2
        scale = min(
            float(np.sqrt(ease * hardness / budget)), 0.95 * top if kind not in ("Gaussian", "unequal") else 9.0
        )
    table = np.ascontiguousarray(KINDS[kind](top - scale * relative, spread, (size, RESULTS), rng), dtype=float)
    return Problem(kind, Drawn(table.mean(axis=1), table), max(budget, 2 * size))


def runs_of(problem: Problem) -> int:
    return int(np.clip(WORK / (problem.budget * problem.bandit.means.size), 20, 1500))


def error(rule: Any, problem: Problem, seed: int) -> float:
    """In percent."""
    runs = runs_of(problem)
    found = varde.bandits.measure(rule, problem.bandit, problem.budget, runs=runs, seed=seed, workers=1)
    return 100.0 * float(found.error[-1])


def cases(rng: np.random.Generator) -> Iterator[Case]:
    rule = VarDE()
    variants = {
        "noise shrunk to the pooled one (each its own)": rule._replace(noise=rule.noise._replace(prior=1e-9)),
        "noise of its own (all equal)": rule._replace(noise=rule.noise._replace(prior=1e9)),
        "h for results that are mostly one value": rule._replace(noise=rule.noise._replace(rare=0.0)),
        "how open each gap is (all gaps alike)": rule._replace(decision=Alike()),
        "the leader serves every gap": rule._replace(decision=Unshared()),
        "start of 3 (2 each)": rule._replace(warm_start=2),
    }
    while True:
        problem, seed = random_problem(rng, QUICK), int(rng.integers(2**31))
        yield Case(problem.kind, rule, variants, lambda rule, p=problem, s=seed: error(rule, p, s))  # type: ignore[misc]
