"""Whether the results of an option depend on each other, and how many independent ones they are as good as.

Everything else takes the results of one option as independent and alike.  Four ways in which they are not can be seen,
each by a test that holds for any distribution.  In ranks R_t of the N results in the order in which they came, scaled
to mean 0 and variance 1:

    correlated   sum of R_t R_t+1, around the circle       c = (1 + rho)/(1 - rho), rho the correlation
    drifting     sum of R_t (t - mean)/sd of t             c = 1 + N rho^2: what the drift explains is no noise
    repeated     the same number again, of results that are no grid, inside their range, in no other option: a cache, or
                 told twice                                c = N / number of different results
    failing      more often than other options             c = 1 + 4 N phi^2: had the share phi that failed been the
                 best or the worst, the mean would be off by up to about 2 phi standard deviations

A mean of N results is then as good as one of N/c.  The first two tests are made for each option and for all together.
With x the statistic, V its variance if the order is random and M the largest term, Bernstein's inequality bounds
the chance of that: exp(-x^2 / (2 (V + M x/3))).  A rare result beside another is no evidence by it.  Failures are
compared by a likelihood ratio.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..beliefs.samples import Ragged

ODD = 5.0  # -log of the bound at which a test of the order speaks, shared by all options; 1 in 10,000 runs in fact
UNEQUAL = 7.0  # the log of a likelihood ratio at which failures are called unequal
FEWEST = 5  # results of an option whose order is looked at
LUCKY = 3.0  # of the trend of an option is due to the sampling: three first results, on average .6 deviations better
AGAIN = 3  # numbers that came again before it is called so
GRID = 0.01  # of the smallest step between two results: all others are multiples of it


class Dependence(NamedTuple):
    """What was noticed."""

    factors: np.ndarray  # [K] c
    correlated: float = 0.0  # rho, of successive results
    drifting: float = 0.0  # rho, of results and their order
    repeated: tuple[int, ...] = ()  # whose results came again
    failing: tuple[int, ...] = ()  # which fail more often than others

    def and_of(self, other: Dependence) -> Dependence:
        """What was noticed in either of two numbers of the same results."""
        return Dependence(
            np.maximum(self.factors, other.factors),
            max(self.correlated, other.correlated),
            max(self.drifting, other.drifting, key=abs),
            tuple(sorted({*self.repeated, *other.repeated})),
            self.failing,
        )


def dependence(values: Ragged | Sequence[np.ndarray], failed: Sequence[int] = (), ordered: bool = True) -> Dependence:
    """Test the results of every option, in the order in which they came unless that has no meaning, and failed calls.

    >>> rng = np.random.default_rng(1)
    >>> walk = [np.convolve(rng.normal(size=104), np.ones(5), "valid") for _ in range(3)]
    >>> found = dependence(walk)
    >>> round(found.correlated, 1), bool(found.factors.min() > 3.0)
    (0.7, True)
    """
    values = Ragged.of(values)
    counts, flat, owners = values.sizes.astype(float), values.flat, values.owners
    factors, repeated = np.ones(counts.size), repeats(values) if ordered else ()
    for i in repeated:
        factors[i] = counts[i] / np.count_nonzero(values.distinct[0] == i)
    tested = counts >= FEWEST
    tested[list(repeated)] = False
    correlated = drifting = np.zeros(0)
    if ordered and tested.any():
        some = tested[owners]
        x, place = ranks(flat[some], owners[some])
        n = np.bincount(place).astype(float)
        correlated = np.maximum(noticed(successive(x, place, n)), 0.0)  # a negative one costs nothing
        drifting = noticed(against_time(x, place, n), LUCKY)
        rho = np.minimum(correlated, 1.0 - 1.0 / n)
        factors[tested] = np.maximum((1.0 + rho) / (1.0 - rho), 1.0 + n * drifting**2)
    failing: tuple[int, ...] = ()
    if any(failed):
        calls = counts + failed
        failing = unequal(np.asarray(failed, float), calls)
        if failing:
            factors = np.maximum(factors, 1.0 + 4.0 * counts * (failed / np.maximum(calls, 1.0)) ** 2)
    most = drifting[np.abs(drifting).argmax()] if drifting.size else 0.0
    factors = np.minimum(factors, np.maximum(counts, 1.0))
    return Dependence(factors, float(correlated.max(initial=0.0)), float(most), repeated, failing)


class Statistics(NamedTuple):
    """A statistic of every option, 0 on average if the order is random."""

    x: np.ndarray
    variance: np.ndarray
    largest: np.ndarray  # term
    results: np.ndarray  # how many


def surprise(x: Any, variance: Any, largest: Any) -> np.ndarray:
    """-log of the bound on the chance of x or more."""
    return np.asarray(x * x / np.maximum(2.0 * (variance + largest * x / 3.0), 1e-300))


def noticed(tests: Statistics, lucky: float = 0.0) -> np.ndarray:
    """The correlation of each option: its own if that is odd, else that of all others together if it is; else 0.

    Only what is more than ``lucky`` counts: an option is sampled on if its first results were good.
    """
    x, variance, largest, results = tests
    odd = surprise(np.maximum(np.abs(x) - lucky, 0.0), variance, largest) > ODD + math.log(x.size)
    found, rest = np.where(odd, x / results, 0.0), ~odd
    more = max(abs(x[rest].sum()) - lucky * np.count_nonzero(rest), 0.0)
    if surprise(more, variance[rest].sum(), largest[rest].max(initial=0.0)) > ODD:
        found[rest] = x[rest].sum() / results[rest].sum()
    return found


def ranks(values: np.ndarray, owners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The rank of each result among its owner's, with mean 0 and variance 1 (0 if all are equal); the owners from 0.

    Equal results share their rank.
    """
    _, place = np.unique(owners, return_inverse=True)
    order = np.lexsort((values, place))
    new = np.ones(values.size, dtype=bool)
    new[1:] = (np.diff(values[order]) != 0.0) | (np.diff(place[order]) != 0)
    group = np.cumsum(new) - 1
    shared = np.bincount(group, np.arange(values.size)) / np.bincount(group)
    found = np.empty(values.size)
    found[order] = shared[group]
    n = np.bincount(place)
    found -= (np.bincount(place, found) / n)[place]
    deviation = np.sqrt(np.bincount(place, found * found) / n)
    return np.divide(found, deviation[place], out=np.zeros(found.size), where=deviation[place] > 0.0), place


def successive(x: np.ndarray, place: np.ndarray, n: np.ndarray) -> Statistics:
    """The sum of products of neighbours around the circle, less its mean in random order (Wald and Wolfowitz 1943)."""
    last = np.cumsum(n).astype(int) - 1
    following = np.arange(1, x.size + 1)
    following[last] = last + 1 - n.astype(int)
    second, fourth = np.bincount(place, x * x), np.bincount(place, x**4)
    mean = -second / (n - 1.0)
    square = second * second
    variance = (square - fourth) / (n - 1.0) + (square - 2.0 * fourth) / ((n - 1.0) * (n - 2.0)) - mean * mean
    largest = np.maximum.reduceat(x * x, last + 1 - n.astype(int))
    return Statistics(np.bincount(place, x * x[following]) - mean, np.maximum(variance, 0.0), largest, n)


def against_time(x: np.ndarray, place: np.ndarray, n: np.ndarray) -> Statistics:
    """The sum of products with the time, which has mean 0 and variance 1 too."""
    start = np.cumsum(n) - n
    middle, deviation = (n - 1.0) / 2.0, np.sqrt((n * n - 1.0) / 12.0)
    time = (np.arange(x.size) - (start + middle)[place]) / deviation[place]
    largest = np.maximum.reduceat(np.abs(x), start.astype(int)) * middle / deviation
    return Statistics(np.bincount(place, x * time), n * n / (n - 1.0), largest, n)


def repeats(values: Ragged) -> tuple[int, ...]:
    """The options in which numbers came again that should not have."""
    owners, numbers, times = values.distinct
    distinct = np.bincount(owners, minlength=len(values))
    suspects = np.flatnonzero((values.sizes - distinct >= AGAIN) & (distinct > AGAIN))
    if not suspects.size:
        return ()
    _, number, many = np.unique(numbers, return_inverse=True, return_counts=True)
    common, found = many[number] > 1, []
    for i in suspects.tolist():
        mine = slice(*np.searchsorted(owners, [i, i + 1]))
        if comes_again(numbers[mine], times[mine], common[mine]):
            found.append(i)
    return tuple(found)


def comes_again(distinct: np.ndarray, times: np.ndarray, common: np.ndarray) -> bool:
    """Whether numbers off a grid come again; not at the ends, not the most frequent one, none that others had."""
    steps = np.diff(distinct) / np.diff(distinct).min()
    if (np.abs(steps - np.rint(steps)) < GRID).all():
        return False
    own = ~common
    own[[0, -1, int(times.argmax())]] = False
    return bool((times[own] - 1).sum() >= AGAIN)


def unequal(failed: np.ndarray, calls: np.ndarray) -> tuple[int, ...]:
    """The options that fail more often than the others: the likelihood ratio of two rates against one."""

    def likelihood(x: np.ndarray, n: np.ndarray) -> np.ndarray:
        parts = [k * np.log(np.maximum(k, 1e-300) / np.maximum(n, 1.0)) for k in (x, n - x)]
        return np.asarray(parts[0] + parts[1])

    total, all_calls = failed.sum(), calls.sum()
    apart = likelihood(failed, calls) + likelihood(total - failed, all_calls - calls)
    odd = apart - likelihood(total, all_calls) > UNEQUAL + math.log(failed.size)
    return tuple(np.flatnonzero(odd & (failed * all_calls > total * calls)).tolist())
