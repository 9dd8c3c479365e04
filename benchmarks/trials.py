"""Simulated selections: results of many kinds, options in many shapes, samples gathered by the default rule.

One trial is K options with known true means after T results.  How hard it is is drawn log-uniformly: the typical gap is
.3 to 15 standard errors of a mean at equal shares.  Half of the trials have a hopeless option added.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

import varde

Draw = Callable[[int, int], np.ndarray]  # of option i, n results
Make = Callable[[np.ndarray, np.random.Generator], tuple[np.ndarray, Draw]]  # true means from gaps, and results

SIZES = (2, 3, 5, 10, 20, 50, 200)
PER_OPTION = (4, 6, 10, 20, 40, 100)
MOST = 4_000  # results of one trial
SHAPES = ("normal", "one good", "staircase", "near tie", "exponential", "Gumbel", "two groups", "uniform")
HOPELESS = ((-1000.0, 0.1), (-100.0, 10.0), (-30.0, 1.0))  # mean and deviation, in deviations of the others


class Trial(NamedTuple):
    """What was seen, and what is true."""

    kind: str
    shape: str
    hopeless: bool  # the last option is
    truth: np.ndarray  # [K]
    values: list[np.ndarray]


def offsets(shape: str, size: int, rng: np.random.Generator) -> np.ndarray:
    """[K] how far each option is from the best, 0 for the best, in units of the typical gap."""
    means = {
        "normal": lambda: rng.normal(size=size),
        "one good": lambda: np.r_[1.0, np.zeros(size - 1)],
        "staircase": lambda: -np.arange(size, dtype=float),
        "near tie": lambda: rng.normal(size=size),
        "exponential": lambda: rng.exponential(size=size),
        "Gumbel": lambda: -rng.gumbel(size=size),
        "two groups": lambda: np.r_[0.3 * rng.normal(size=size - size // 2), -2.0 + 0.3 * rng.normal(size=size // 2)],
        "uniform": lambda: rng.uniform(0.0, 3.0, size),
    }[shape]()
    means = means - means.max()
    if shape == "near tie":
        means[np.argsort(means)[-2]] *= 0.05
    return rng.permutation(means)


def numbers(name: str, gaps: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, Draw]:
    """Noise of deviation 1 added to the means."""
    size = gaps.size
    spread, shape = 10.0 ** rng.uniform(-0.5, 0.5, size), rng.uniform(0.4, 1.3, size)

    def lognormal(sigma: float, n: int) -> np.ndarray:
        middle = math.exp(sigma * sigma / 2.0)
        return (np.exp(sigma * rng.normal(size=n)) - middle) / (middle * math.sqrt(math.expm1(sigma * sigma)))

    weibull = math.gamma(1.0 + 1.0 / 0.7), math.gamma(1.0 + 2.0 / 0.7)
    noise: dict[str, Callable[[int, int], np.ndarray]] = {
        "Gaussian": lambda i, n: rng.normal(size=n),
        "unequal noise": lambda i, n: spread[i] * rng.normal(size=n),
        "Student, 3 degrees": lambda i, n: rng.standard_t(3, n) / math.sqrt(3.0),
        "lognormal": lambda i, n: lognormal(1.0, n),
        "lognormal costs": lambda i, n: -lognormal(1.0, n),
        "lognormals of several shapes": lambda i, n: lognormal(shape[i], n),
        "gamma": lambda i, n: (rng.gamma(2.0, size=n) - 2.0) / math.sqrt(2.0),
        "Laplace": lambda i, n: rng.laplace(size=n) / math.sqrt(2.0),
        "uniform": lambda i, n: math.sqrt(12.0) * (rng.random(n) - 0.5),
        "two bumps": lambda i, n: (rng.choice([-2.0, 1.0], n, p=[1 / 3, 2 / 3]) + 0.5 * rng.normal(size=n)) / 1.5,
        "Weibull costs": lambda i, n: -(rng.weibull(0.7, n) - weibull[0]) / math.sqrt(weibull[1] - weibull[0] ** 2),
        "logistic": lambda i, n: rng.logistic(size=n) / (math.pi / math.sqrt(3.0)),
        "arcsine": lambda i, n: math.sqrt(2.0) * np.sin(2.0 * math.pi * rng.random(n)),
        "exponential": lambda i, n: rng.exponential(size=n) - 1.0,
        "Pareto costs": lambda i, n: -(rng.pareto(2.5, n) - 1.0 / 1.5) / math.sqrt(2.5 / (1.5**2 * 0.5)),
        "triangular": lambda i, n: (rng.triangular(0.0, 1.0, 4.0, n) - 5.0 / 3.0) / math.sqrt(13.0 / 18.0),
        "outliers": lambda i, n: rng.normal(size=n) * np.where(rng.random(n) < 0.05, 4.0, 0.5),
    }
    return gaps, lambda i, n: gaps[i] + noise[name](i, n)


def rates(low: float, high: float) -> Make:
    def make(gaps: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, Draw]:
        top = math.exp(rng.uniform(math.log(low), math.log(high)))
        truth = np.clip(top + math.sqrt(top * (1.0 - top)) * gaps, 0.2 * top, 1.0)
        return truth, lambda i, n: (rng.random(n) < truth[i]).astype(float)

    return make


def counts(dispersion: float) -> Make:
    """Poisson, or with some dispersion negative binomial."""

    def make(gaps: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, Draw]:
        top = rng.uniform(0.3, 8.0)
        truth = np.maximum(top + math.sqrt(top * (1.0 + dispersion * top)) * gaps, 0.1 * top)

        def draw(i: int, n: int) -> np.ndarray:
            rate = truth[i] if dispersion == 0.0 else rng.gamma(1.0 / dispersion, dispersion * truth[i], n)
            return rng.poisson(rate, n).astype(float)

        return truth, draw

    return make


def spikes(size: str = "exponential", sign: float = 1.0, jitter: float = 0.0) -> Make:
    """A spike of mean 1 comes with a small chance, in which the options differ; the rest is 0, or jitter."""

    def make(gaps: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, Draw]:
        top = rng.uniform(0.01, 0.2)
        chance = np.clip(top + sign * math.sqrt(2.0 * top) * gaps, 0.2 * top, 1.0)

        def draw(i: int, n: int) -> np.ndarray:
            high = {
                "exponential": lambda: rng.exponential(size=n),
                "lognormal": lambda: np.exp(rng.normal(size=n) - 0.5),
                "Pareto": lambda: 0.6 * (1.0 + rng.pareto(2.5, n)),
            }[size]()
            return sign * (rng.random(n) < chance[i]) * high + (jitter * rng.normal(size=n) if jitter else 0.0)

        return sign * chance, draw

    return make


def ratings(gaps: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, Draw]:
    """One to five stars: a normal number, rounded."""
    middle = rng.uniform(2.5, 4.5) + gaps
    cuts = np.array([1.5, 2.5, 3.5, 4.5])
    truth = 5.0 - np.array([[0.5 * math.erfc((m - c) / math.sqrt(2.0)) for c in cuts] for m in middle]).sum(axis=1)
    return truth, lambda i, n: np.clip(np.rint(middle[i] + rng.normal(size=n)), 1.0, 5.0)


def capped(gaps: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, Draw]:
    """A full score is common: 1 less an exponential number, if that is below 1."""
    middle = 0.3 + gaps

    def mean(m: float) -> float:  # of min(1, m + z) for a normal z
        a = 1.0 - m
        below = 0.5 * math.erfc(-a / math.sqrt(2.0))
        return m * below - math.exp(-a * a / 2.0) / math.sqrt(2.0 * math.pi) + (1.0 - below)

    truth = np.array([mean(m) for m in middle])
    return truth, lambda i, n: np.minimum(middle[i] + rng.normal(size=n), 1.0)


def crashes(works: float) -> Make:
    """Where it does not work the score is 0."""

    def make(gaps: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, Draw]:
        middle = 5.0 + gaps / works * math.sqrt(works + 25.0 * works * (1.0 - works))
        return works * middle, lambda i, n: (rng.random(n) < works) * (middle[i] + rng.normal(size=n))

    return make


def rounded(gaps: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, Draw]:
    """Even numbers only."""
    steps = 2.0 * np.arange(round(gaps.min() / 2.0) - 6, 7)

    def mean(m: float) -> float:
        below = np.array([0.5 * math.erfc(-(x + 1.0 - m) / math.sqrt(2.0)) for x in steps])
        return float(steps @ np.diff(below, prepend=0.0))

    return np.array([mean(m) for m in gaps]), lambda i, n: 2.0 * np.rint((gaps[i] + rng.normal(size=n)) / 2.0)


def shares(gaps: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, Draw]:
    """Scores between 0 and 1, often near the ends."""
    top = rng.uniform(0.4, 0.9)
    truth = np.clip(top + math.sqrt(top * (1.0 - top) / 3.0) * gaps, 0.1 * top, 1.0)
    return truth, lambda i, n: rng.beta(2.0 * truth[i], 2.0 * (1.0 - truth[i]) + 1e-9, n)


def rare_failures(gaps: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, Draw]:
    """It works nearly always."""
    fails = math.exp(rng.uniform(math.log(0.004), math.log(0.1)))
    truth = 1.0 - np.clip(fails - math.sqrt(fails) * gaps, fails, 1.0)
    return truth, lambda i, n: (rng.random(n) < truth[i]).astype(float)


def right_of_ten(gaps: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, Draw]:
    """How many of ten questions."""
    top = rng.uniform(0.3, 0.95)
    truth = np.clip(top + math.sqrt(top * (1.0 - top) / 10.0) * gaps, 0.1 * top, 1.0)
    return 10.0 * truth, lambda i, n: rng.binomial(10, truth[i], n).astype(float)


NUMBERS = (
    "Gaussian", "unequal noise", "Student, 3 degrees", "lognormal", "lognormal costs", "lognormals of several shapes",
    "gamma", "Laplace", "uniform", "two bumps", "Weibull costs", "outliers",
)  # fmt: skip
# A trial is drawn by the place of its kind: new ones go to the end.
KINDS: dict[str, Make] = {
    **{name: partial(numbers, name) for name in NUMBERS},
    "successes": rates(0.3, 0.95),
    "rare successes": rates(0.004, 0.1),
    "counts": counts(0.0),
    "scattered counts": counts(0.5),
    "mostly zero": spikes(),
    "mostly zero, costs": spikes(sign=-1.0),
    "mostly zero, lognormal": spikes("lognormal"),
    "spikes in jitter": spikes(jitter=0.1),
    "ratings": ratings,
    "capped": capped,
    "crashes": crashes(0.9),
    **{name: partial(numbers, name) for name in ("exponential", "Pareto costs", "triangular")},
    "half zeros": crashes(0.5),
    "rounded": rounded,
    "shares": shares,
    **{name: partial(numbers, name) for name in ("logistic", "arcsine")},
    "rare failures": rare_failures,
    "right of ten": right_of_ten,
    "mostly zero, Pareto": spikes("Pareto"),
    "mostly zero, Pareto costs": spikes("Pareto", -1.0),
}


def trial(kind: str, seed: int, number: int, sizes=SIZES, per_option=PER_OPTION) -> Trial:
    """Trial ``number`` of a kind; it depends on these and the seed alone."""
    rng = np.random.default_rng([seed, list(KINDS).index(kind), number])
    size, shape, hopeless = int(rng.choice(sizes)), str(rng.choice(SHAPES)), bool(number % 2)
    per = int(rng.choice([per for per in per_option if per * size <= MOST]))
    hardness = math.exp(rng.uniform(math.log(0.3), math.log(15.0)))
    truth, draw = KINDS[kind](offsets(shape, size, rng) * hardness / math.sqrt(per), rng)
    if hopeless:
        mean, deviation = HOPELESS[rng.integers(len(HOPELESS))]
        inner, truth = draw, np.append(truth, truth.min() + mean)

        def draw(i: int, n: int) -> np.ndarray:
            return rng.normal(truth[size], deviation, n) if i == size else inner(i, n)

    return Trial(kind, shape, hopeless, truth, gathered(truth.size, per * truth.size, draw, seed))


def gathered(size: int, budget: int, draw: Draw, seed: int) -> list[np.ndarray]:
    """The results that the default rule asks for."""
    selector = varde.Selector(range(size), budget, seed=seed)
    ready: list[Iterator[float]] = [iter(())] * size
    values: list[list[float]] = [[] for _ in range(size)]
    while (asked := selector.ask()) is not None:
        i = asked.option
        value = next(ready[i], None)
        if value is None:
            ready[i] = iter(draw(i, 16 + len(values[i])).tolist())
            value = next(ready[i])
        values[i].append(value)
        selector.tell(asked, value)
    return [np.array(x) for x in values]
