"""``Stop``: when to stop, with a guarantee that holds however often it is checked.

The guarantee: with probability at least 1 - delta, over the whole run, it never stops at an option that is worse than
the best by more than ``margin``.  The results of an option are like a deck of cards, shuffled before the run: what is
sampled and when it is checked only decide how far the deck has been read.  To stop at a wrong b, the bets (``bets.py``)
must have rejected "b is worse than j" for every j that is better than b, including the best option.  Three methods:

**Pairs** (common random numbers; also up to four options without bounds).  The differences of b and j, result by
result, are one deck; M bets against a mean of -margin or less, and P(M ever >= x) <= 1/x.  K - 1 wrong options, each
with the best: x = (K - 1)/delta.  Independent results may be paired p to q, as means of p and of q results in a row;
these designs share delta.

**Two bets multiplied**, M_b(mu - margin) M_j(mu) >= x for all mu: M_b on results of b that are higher than allowed, M_j
on results of j that are lower.  M_b falls with mu and M_j rises, so it holds at the two true means as well.
*Within bounds* the product is a bet itself: x = (K - 1)/delta.
*Gaussian* bets are valid only for an observer who sees just the ratios of one option's results.  So their suprema,
which are independent of each other and of the sampling, are bounded separately, P(sup M >= y) <= 1/y each.  The wrong
option of rank r has r - 1 better ones to beat, the least of whose suprema has P(D >= d) <= d^-(r - 1), and with margin
0 all those products must reach x:

    P(sup M_b times the least of r - 1 others >= x) <= (1 + log x)/x for r = 2,  (1 + 1/(r - 2))/x for r > 2
    x = (1 + log x + (K - 2) + (1 + 1/2 + ... + 1/(K - 2)))/delta

With a margin better options within it prove nothing.  That leaves the best one, A, and n = K - 1 wrong ones, B:
P(some sup A sup B >= x) <= (1 + n (1 + log x - (1 + 1/2 + ... + 1/n)) + n^2/(2 x))/x.

The best m: a wrong set has a wrong option in place of a right one, m (K - m) pairs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..check import LARGEST, as_float, real, refuse
from .comparing import better

PAIRED = 4  # options up to which Gaussian results are paired: with more, too many results of the leader have no partner


@dataclass
class Results:
    """The data for a stopping rule; larger is better.

    ``values(i)`` are the results of option i in the order they came, ``replicates(i)`` which draws of it they were,
    under common random numbers or on a fixed test set (else None).  ``best`` is the option that would be recommended.
    ``memory`` is for the rule: it may cache work there for the next check, when there are at least as many results.
    Results that were only counted have no order: ``values`` has the higher ones first, ``lower`` the lower ones, so
    that the first, on which nothing is bet, is the one that a bet on higher or lower results would gain from.
    """

    counts: np.ndarray
    means: np.ndarray
    squares: np.ndarray  # sums of squared deviations from the means
    values: Callable[[int], np.ndarray]
    replicates: Callable[[int], np.ndarray] | None = None
    best: int = -1
    memory: dict[Any, Any] = field(default_factory=dict)
    items: int = 0  # size of a fixed test set: the most results an option can have
    lower: Any = None  # as ``values``, but of results that were only counted the lower ones first
    # What a rule that does not stop yet waits for: the options of a comparison that is open while nearer ones are
    # closed.  Empty if the nearest is open: the rule of VarDE samples that one anyway.
    waits_for: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if self.best < 0 and self.means.size:
            self.best = int(self.means.argmax())
        self.lower = self.lower or self.values

    @classmethod
    def of(cls, values: Sequence[Any], replicates: Sequence[Any] | None = None) -> Results:
        """From the raw results of every option.

        >>> Results.of([[1.0, 2.0], [0.0, 4.0, 5.0]]).means
        array([1.5, 3. ])
        """
        columns = [np.asarray(x, float) for x in values]
        means = np.array([x.mean() if x.size else np.nan for x in columns])
        squares = np.array([((x - mean) ** 2).sum() for x, mean in zip(columns, means, strict=True)])
        shared = None if replicates is None else [np.asarray(r) for r in replicates].__getitem__
        return cls(np.array([x.size for x in columns]), means, squares, columns.__getitem__, shared)


@dataclass(frozen=True)
class Stop:
    """A stopping rule: stop when the answer is right, with probability ``1 - delta`` over the whole run.

    >>> stop = Stop(delta=0.05, bounds=(0, 1))
    >>> tosses = np.arange(900)
    >>> stop.satisfied(Results.of([tosses % 10 < 8, tosses % 10 < 7]))
    True

    Args:
        delta: the probability of ever stopping at a wrong answer.
        margin: with 0, right means the best, or one of several exactly equal; two nearly equal options then take
            very long.  With a positive margin, in the unit of the results, it means at most that much worse than
            the best.
        bounds: the lowest and the highest value a result can have.  Give them if there are any, and always for
            successes and failures, (0, 1): the guarantee then needs no other assumption.  Without bounds it holds
            for results that are about Gaussian, with any variances.
    """

    delta: float = 0.05
    margin: float = 0.0
    bounds: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        wanted = "a difference that does not matter, 0 or more"
        check_delta("delta", self.delta)
        real("margin", self.margin, wanted, lambda margin: 0.0 <= margin <= LARGEST)
        if self.bounds is None:
            return
        pair = isinstance(self.bounds, (tuple, list, np.ndarray)) and np.shape(self.bounds) == (2,)
        low, high = map(as_float, self.bounds) if pair else (None, None)
        if low is None or high is None or not -LARGEST <= low < high <= LARGEST:
            refuse("bounds", self.bounds, "the lowest and the highest result, such as (0, 1)")

    def facing(self, goal: str) -> Stop:
        """The same for negated results, where ``goal`` is "min"."""
        if goal != "min" or self.bounds is None:
            return self
        return replace(self, bounds=(-self.bounds[1], -self.bounds[0]))

    def satisfied(self, results: Results) -> bool:
        """Whether to stop, at ``results.best``."""
        if results.counts.size < 2 or not self.ready(results):
            return False
        needed = results.memory.get("needed")
        if needed is None:
            matched = results.replicates is not None
            needed = results.memory["needed"] = threshold(self, results.counts.size, matched)
        return ahead(self, results, results.best, None, needed)

    def ready(self, results: Results) -> bool:
        """Whether every option has two results; once true it stays true."""
        if "ready" not in results.memory:
            if results.counts.min() < 2:
                return False
            results.memory["ready"] = True
        if self.bounds is not None:
            mean, slack = results.means.item(results.best), 1e-9 * (self.bounds[1] - self.bounds[0])  # it is rounded
            if not self.bounds[0] - slack <= mean <= self.bounds[1] + slack:
                self.outside(results.means.min(), results.means.max())
        return True

    def outside(self, low: float, high: float) -> None:
        raise ValueError(
            f"there are results from {low:g} to {high:g}, outside the bounds {self.bounds}: write bounds that hold "
            'every result (Stop.facing("min") for negated results)'
        )


def check_delta(name: str, delta: object) -> float:
    """A probability of being wrong; 0.95 usually means 0.05."""
    wanted = "the chance of a wrong answer, such as 0.05" + (", or a varde.Stop" if name == "stop" else "")
    chance = real(name, delta, wanted, lambda chance: 0.0 < chance < 1.0)
    if chance >= 0.5:
        raise ValueError(
            f"{name} is {chance:g}, but it is the chance of a wrong answer: did you mean "
            f"{round(1.0 - chance, 12):g}? If so: write that"
        )
    return chance


def terms(stop: Any) -> dict[str, Any] | None:
    """What ``Stop`` promises, as JSON types; None if there is none, or a rule of the user's own."""
    return {"delta": stop.delta, "margin": stop.margin, "bounds": stop.bounds} if isinstance(stop, Stop) else None


# -- other questions -------------------------------------------------------------------------------


def all_apart(stop: Stop, results: Results, above: Sequence[int], below: Sequence[int]) -> bool:
    """Whether every option of ``above`` is better than every one of ``below``: the best m of K, for example.

    A wrong answer includes an option that does not belong above and misses one that does: m (K - m) possible pairs.
    """
    if not stop.ready(results):
        return False
    pairs = len(above) * len(below)
    needed = results.memory.get(("needed", pairs))
    if needed is None:
        needed = results.memory["needed", pairs] = pairwise(stop, pairs, is_paired(stop, results))
    return all(
        ahead(stop, results, i, below, needed, n == 0) for n, i in enumerate(sorted(above, key=results.means.item))
    )


# -- how much is needed ------------------------------------------------------------------------------


def is_paired(stop: Stop, results: Results) -> bool:
    """Whether options are compared by the differences of their results."""
    return results.replicates is not None or (stop.bounds is None and results.counts.size <= PAIRED)


def threshold(stop: Stop, size: int, matched: bool = False) -> float:
    """log x for the best of ``size`` options."""
    n = size - 1
    if stop.bounds is not None or matched or size <= PAIRED:
        return math.log(n / stop.delta)
    harmonic = sum(1.0 / i for i in range(1, n))
    x = n / stop.delta
    for _ in range(100):
        if stop.margin == 0.0:
            x = (math.log(x) + n + harmonic) / stop.delta
        else:
            x = (1.0 + n * (1.0 + math.log(x) - harmonic - 1.0 / n) + 0.5 * n * n / x) / stop.delta
    return math.log(x)


def pairwise(stop: Stop, pairs: int, paired: bool) -> float:
    """log x if any of so many ``pairs`` may be wrong."""
    wanted = log_x = math.log(pairs / stop.delta)
    if stop.bounds is None and not paired:
        for _ in range(100):  # (1 + log x)/x = delta/pairs
            log_x = wanted + math.log1p(log_x)
    return log_x


def ahead(
    stop: Stop, results: Results, b: int, rivals: Sequence[int] | None, needed: float, nearest: bool = True
) -> bool:
    """Whether ``b`` is better than all ``rivals``, or all others; ``nearest`` if nothing else is nearer than they."""
    paired = is_paired(stop, results)
    for place, j in enumerate(nearest_first(results, b, rivals)):
        if not better(stop, results, b, j, needed, paired):
            results.waits_for = () if nearest and place == 0 else (b, j)
            return False
    return True


def nearest_first(results: Results, best: int, rivals: Sequence[int] | None) -> Iterator[int]:
    """The rivals, nearest in standard errors first; usually only the first is looked at."""
    others = np.delete(np.arange(results.means.size), best) if rivals is None else np.asarray(rivals)
    error = results.squares / np.square(results.counts, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = ((results.means[best] - results.means) ** 2 / (error + error[best]))[others]
    z[np.isnan(z)] = np.inf
    first = int(z.argmin())
    yield int(others[first])
    yield from (int(others[at]) for at in np.argsort(z, kind="stable") if at != first)
