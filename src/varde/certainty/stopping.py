"""When may I stop?  Only with a promise that holds however often one looks.

The promise: with probability 1 - delta or more, over the whole run, it never stops at an option that is worse than the
best by more than ``margin``.  The results of an option are a pile of cards, shuffled before the run: the choice of what
to sample and when to look decide only how far down one has read.  To stop at a wrong b, the bets (``bets.py``) must
have given up "b is worse than j" for every j that is better than b, the best option among them.  Three ways:

**Pairs** (common random numbers; also up to three options without bounds).  The differences of b and j, result by
result, are one pile; M bets against a mean of -margin or less, and P(M ever >= x) <= 1/x.  K - 1 wrong options, each
with the best: x = (K - 1)/delta.  Independent results may be paired p to q, as means of p and of q results in a row;
these designs share delta.

**Two bets multiplied**, M_b(mu - margin) M_j(mu) >= x for all mu: M_b on results of b that are higher than allowed, M_j
on results of j that are lower.  M_b falls with mu and M_j rises, so it holds at the two true means as well.
*Within bounds* the product is a bet itself: x = (K - 1)/delta.
*Gaussian* bets hold only to somebody who sees nothing but the ratios of one option's results.  So their highest points,
which are independent of each other, are bounded apart, P(sup M >= y) <= 1/y each.  The wrong option of rank r has r - 1
better ones to get past, and with margin 0 all those products must reach x:

    P(sup M_b times the least of r - 1 others >= x) <= (1 + log x)/x for r = 2,  (1 + 1/(r - 2))/x for r > 2
    x = (1 + log x + (K - 2) + (1 + 1/2 + ... + 1/(K - 2)))/delta

With a margin better options within it prove nothing.  That leaves the best one, A, and n = K - 1 wrong ones, B:
P(some sup A sup B >= x) <= (1 + n (1 + log x - (1 + 1/2 + ... + 1/n)) + n^2/(2 x))/x.

docs/confidence.md has the proofs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..check import LARGEST, as_float, real, refuse
from .bets import CASH, FAR, NEAR, Effects, bounded_bet, difference_bet, gaussian_bet, turned, with_cash, within

PAIRED = 3  # options up to which Gaussian results are paired: with more, too many results of the leader have no partner
DESIGNS = ((1, 1, 0.6), (2, 1, 0.13), (1, 2, 0.13), (4, 1, 0.07), (1, 4, 0.07))  # p of b, q of j, share of delta
TINY = 1e-140  # squares of what is so small are 0
MATCHED = ((1, 1, 1.0),)  # common random numbers say which belong together
# Places where two bets are multiplied, in units of the lead, from the rival's mean; they are bounded in between.
GRID = np.concatenate([np.linspace(-1.0, 0.0, 25)[:-1], np.linspace(0.0, 1.0, 257), np.linspace(1.0, 2.0, 25)[1:]])


@dataclass
class Results:
    """What a stopping rule sees; larger is better.

    ``values(i)`` are the results of option i in the order they came, ``replicates(i)`` which draws of it they were,
    under common random numbers (else None).  ``best`` is the option that would be recommended.  ``memory`` is for the
    rule: what it puts there saves it work at the next look, at which there are as many results or more.
    """

    counts: np.ndarray
    means: np.ndarray
    squares: np.ndarray  # sums of squared deviations from the means
    values: Callable[[int], np.ndarray]
    replicates: Callable[[int], np.ndarray] | None = None
    best: int = -1
    memory: dict[Any, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.best < 0 and self.means.size:
            self.best = int(self.means.argmax())

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
    """Stop when the answer is right, with probability ``1 - delta`` over the whole run.

    >>> stop = Stop(delta=0.05, bounds=(0, 1))
    >>> tosses = np.arange(900)
    >>> stop.satisfied(Results.of([tosses % 10 < 8, tosses % 10 < 7]))
    True

    With ``margin`` 0 right means the best, or one of several exactly equal; then two options that nearly are so take
    very long.  With a positive margin, in the unit of the results, it means at most that much worse than the best.
    ``bounds`` are the lowest and the highest value that a result can have.  Give them where there are any, always for
    successes and failures, (0, 1): the promise then needs nothing else.  Without bounds it is made for results that
    are about Gaussian, with any variances.
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
        """The same for results with their sign turned, where ``goal`` is "min"."""
        if goal != "min" or self.bounds is None:
            return self
        return replace(self, bounds=(-self.bounds[1], -self.bounds[0]))

    def satisfied(self, results: Results) -> bool:
        """Whether to stop, at ``results.best``."""
        size = results.counts.size
        if size < 2 or not self.ready(results):
            return False
        best, memory = results.best, results.memory
        needed = memory.get("needed")
        if needed is None:
            needed = memory["needed"] = threshold(self, size, results.replicates is not None)
        first = memory.get(best, -1)  # the rival that said no last time
        if first >= 0 and not better(self, results, best, first, needed):
            return False
        return self.all_better(results, best, nearest_first(results, best), needed)

    def all_better(self, results: Results, best: int, rivals: Iterable[int], needed: float) -> bool:
        """Whether ``best`` is better than all ``rivals``; who says no is asked first the next time."""
        for j in rivals:
            if not better(self, results, best, j, needed):
                results.memory[best] = j
                return False
        return True

    def ready(self, results: Results) -> bool:
        """Whether every option has two results; within the bounds, or it is an error."""
        if results.counts.min() < 2:
            return False
        if self.bounds is not None:
            low, high = results.means.min(), results.means.max()
            slack = 1e-9 * (self.bounds[1] - self.bounds[0])  # means are rounded
            if low < self.bounds[0] - slack or high > self.bounds[1] + slack:
                self.outside(low, high)
        return True

    def outside(self, low: float, high: float) -> None:
        raise ValueError(
            f"there are results from {low:g} to {high:g}, outside the bounds {self.bounds}: write bounds that hold "
            'every result (Stop.facing("min") for results with their sign turned)'
        )


def check_delta(name: str, delta: object) -> float:
    """A chance of being wrong; 0.95 is mostly meant as 0.05."""
    wanted = "the chance of a wrong answer, such as 0.05" + (", or a varde.Stop" if name == "stop" else "")
    chance = real(name, delta, wanted, lambda chance: 0.0 < chance < 1.0)
    if chance >= 0.5:
        raise ValueError(
            f"{name} is {chance:g}, but it is the chance of a wrong answer: did you mean {round(1.0 - chance, 12):g}?"
        )
    return chance


# -- other questions -------------------------------------------------------------------------------


def all_apart(stop: Stop, results: Results, above: Sequence[int], below: Sequence[int]) -> bool:
    """Whether every option of ``above`` is better than every one of ``below``: the best m of K, for example.

    A wrong answer has an option that does not belong above and misses one that does: m (K - m) pairs can be to blame.
    """
    if not stop.ready(results):
        return False
    needed = results.memory.get("needed")
    if needed is None:
        needed = pairwise(
            stop, len(above) * len(below), paired(stop, results.counts.size, results.replicates is not None)
        )
        results.memory["needed"] = needed
    last = results.memory.get("apart")
    if (
        last is not None
        and last[0] in above
        and last[1] in below
        and not better(stop, results, last[0], last[1], needed)
    ):
        return False
    for i in sorted(above, key=lambda i: results.means[i]):
        for j in sorted(below, key=lambda j: -results.means[j]):
            if not better(stop, results, i, j, needed):
                results.memory["apart"] = (i, j)
                return False
    return True


def all_beside(stop: Stop, results: Results, line: float) -> bool:
    """Whether every option is on its side of the ``line``, but for the margin: K bets, as each has one wrong side."""
    if not stop.ready(results):
        return False
    needed = math.log(results.counts.size / stop.delta)
    n, means, squares = (np.asarray(x, float) for x in (results.counts, results.means, results.squares))
    ahead = np.abs(means - line) + stop.margin
    if stop.bounds is None:
        return bool((gaussian_bet(n, squares, ahead) >= needed).all())
    low, width = stop.bounds[0], stop.bounds[1] - stop.bounds[0]
    for i in np.argsort(ahead * ahead / np.maximum(squares / (n * n), 1e-300)).tolist():
        one = within(results.values(i), stop.bounds)
        if means[i] > line:
            found = bounded_bet(one, np.array((line - stop.margin - low) / width))
        else:
            found = bounded_bet(turned(one), np.array(1.0 - (line + stop.margin - low) / width))
        if found < needed:
            return False
    return True


# -- how much is needed ------------------------------------------------------------------------------


def paired(stop: Stop, size: int, matched: bool) -> bool:
    """Whether options are compared by the differences of their results."""
    return matched or (stop.bounds is None and size <= PAIRED)


def threshold(stop: Stop, size: int, matched: bool = False) -> float:
    """log x for the best of ``size`` options."""
    n = size - 1
    if stop.bounds is not None or paired(stop, size, matched):
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
    """log x where any of so many ``pairs`` may be to blame."""
    wanted = log_x = math.log(pairs / stop.delta)
    if stop.bounds is None and not paired:
        for _ in range(100):  # (1 + log x)/x = delta/pairs
            log_x = wanted + math.log1p(log_x)
    return log_x


# -- what there is -----------------------------------------------------------------------------------


def nearest_first(results: Results, best: int) -> list[int]:
    """The rivals, the nearest in standard errors first."""
    error = results.squares / np.square(results.counts, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = (results.means[best] - results.means) ** 2 / (error + error[best])
    return [j for j in np.argsort(z).tolist() if j != best]


def better(stop: Stop, results: Results, b: int, j: int, needed: float) -> bool:
    """Whether "b is worse than j by more than the margin" is given up."""
    if paired(stop, results.counts.size, results.replicates is not None):
        return by_pairs(stop, results, b, j, needed)
    return promising(stop, results, b, j) >= needed and by_product(stop, results, b, j, needed)


def by_pairs(stop: Stop, results: Results, b: int, j: int, needed: float) -> bool:
    """The same from differences; no values are read before so many have come that it might be so."""
    designs = DESIGNS if results.replicates is None else MATCHED
    first, second = results.counts.item(b), results.counts.item(j)
    not_before = results.memory.get((b, j))
    if not_before is not None:
        for (p, q, _), least in zip(designs, not_before, strict=True):
            if first >= least * p and second >= least * q:
                break
        else:
            return False
    not_before = []
    for p, q, share in designs:
        given_up, least = differ(stop, pair_up(results, b, j, p, q), needed - math.log(share))
        if given_up:
            return True
        not_before.append(least)
    results.memory[b, j] = not_before
    return False


def pair_up(results: Results, b: int, j: int, p: int, q: int) -> np.ndarray:
    """The differences of two options: of shared replicates, or of means of ``p`` and ``q`` results in a row."""
    first, second = results.values(b), results.values(j)
    if results.replicates is not None:
        _, mine, theirs = np.intersect1d(results.replicates(b), results.replicates(j), True, True)
        return first[mine] - second[theirs]
    n = min(first.size // p, second.size // q)
    first, second = first[: n * p], second[: n * q]
    return (first if p == 1 else first.reshape(n, p).mean(axis=1)) - (
        second if q == 1 else second.reshape(n, q).mean(axis=1)
    )


def differ(stop: Stop, differences: np.ndarray, needed: float) -> tuple[bool, int]:
    """Whether the bet against a mean of -margin reaches ``needed``; if not, with how many differences it may."""
    n = differences.size
    if n < 2:
        return False, 2
    largest = float(np.abs(differences).max())
    if stop.bounds is not None:
        width = stop.bounds[1] - stop.bounds[0]
        if largest > width:
            stop.outside(-largest, largest)
        margin = stop.margin / width
        found = difference_bet(differences / width, margin)
        most = math.log1p((1.0 + margin) / max(1.0 - margin, 1e-9))  # that one more difference can add
        return found >= needed, n + max(1, math.ceil((needed - found) / most))
    x = (differences + stop.margin) / max(largest, stop.margin, 1e-300)  # so that no square vanishes
    mean, total = float(x.mean()), float(x @ x)
    squares = max(total - n * mean * mean, 0.0)
    if mean <= 0.0:
        return False, n + wait(n, 1.0, needed)
    if squares > 0.0 and (more := wait(n, squares / total, needed)):
        return False, n + more
    squares = float(((x - mean) ** 2).sum())
    return bool(gaussian_bet(np.array(n), np.array(squares), np.array(mean)) >= needed), n + 1


def wait(n: int, rest: float, needed: float) -> int:
    """How many differences more are needed at least, 0 if these may do.

    ``rest`` is the part of the sum of squares that is not the mean's.  With m more it is n/(n + m) of that at best,
    when all of them lie on one line with the others, and the likelihood ratio at its highest bounds the bet.
    """

    def hopeless(m: int) -> bool:
        ratio = -0.5 * (n + m) * math.log(rest * n / (n + m))
        return math.log(2.0) - 0.5 * math.log1p((n + m) / NEAR[0][0]) + ratio < needed

    if not hopeless(0):
        return 0
    m = 1
    while hopeless(2 * m):
        m *= 2
    step = m // 2
    while step:
        m += step * hopeless(m + step)
        step //= 2
    return m + 1 if hopeless(m) else m


def promising(stop: Stop, results: Results, b: int, j: int) -> float:
    """More than the evidence can be, from the moments at one place mu: mostly enough to say no."""
    lead = results.means.item(b) + stop.margin - results.means.item(j)
    if not lead > TINY:
        return -math.inf
    n, k = results.counts.item(b), results.counts.item(j)
    if stop.bounds is not None:
        mu = results.means.item(b) + stop.margin - lead * k / (n + k)
        return most_bounded(stop, results, b, mu - stop.margin) + most_bounded(stop, results, j, mu)
    mine, theirs = results.squares.item(b), n / k * (n / k) * results.squares.item(j)
    if mine + theirs <= 0.0:
        return math.inf
    share = mine / (mine + theirs)  # of the lead that is b's: the less, the better b is known
    return most_gaussian(results, b, share * lead, FAR) + most_gaussian(results, j, (1.0 - share) * lead, NEAR)


def most_gaussian(results: Results, i: int, ahead: float, effects: Effects) -> float:
    """At least log M, with cash: the likelihood ratio at its highest, less what the widest prior costs."""
    n, squares = results.counts.item(i), results.squares.item(i)
    away = n * ahead * ahead
    rest = squares + away * effects[-1][0] / (n + effects[-1][0])
    ratio = 0.5 * n * math.log((squares + away) / rest) if rest > 0.0 else 0.0
    return math.log(2.0) + max(0.0, ratio - 0.5 * math.log1p(n / effects[0][0]))


def most_bounded(stop: Stop, results: Results, i: int, mu: float) -> float:
    """At least log M, with cash: the higher of the two ratios at their highest, for the results after the first."""
    assert stop.bounds is not None
    low, width, n, mean = stop.bounds[0], stop.bounds[1] - stop.bounds[0], results.counts.item(i), results.means.item(i)
    first = results.memory.get(("first", i))
    if first is None:
        first = results.memory["first", i] = float(results.values(i)[0])
    m = min(max((mean - low + (mean - first) / (n - 1)) / width, 0.0), 1.0)
    squares = max(results.squares.item(i) - (first - mean) ** 2 * n / (n - 1), 0.0) / width**2
    mu, n = min(max((mu - low) / width, 1e-12), 1.0 - 1e-12), n - 1
    two = (m * math.log(m / mu) if m > 0.0 else 0.0) + (
        (1.0 - m) * math.log((1.0 - m) / (1.0 - mu)) if m < 1.0 else 0.0
    )
    spread = n * (m - mu) ** 2
    return max(n * two, 0.5 * n * spread / (squares + spread) if spread > 0.0 else 0.0, 0.0) + 1e-9


def by_product(stop: Stop, results: Results, b: int, j: int, needed: float) -> bool:
    """Whether log M_b(mu - margin) M_j(mu) is as high as ``needed`` for all mu.

    M_b falls and M_j rises with mu: in a slice of the grid each is least at one end.  Beyond the grid one of them is
    what it is at its end, or more, and the other has its cash.
    """
    first, second = two_bets(stop, results, b, j, GRID[24:-24:16])
    if (first + second).min() < needed:
        return False
    first, second = two_bets(stop, results, b, j, GRID)
    beyond = math.log(CASH) + min(float(first[0]), float(second[-1]))
    return min(float((first[1:] + second[:-1]).min()), beyond) >= needed


def two_bets(stop: Stop, results: Results, b: int, j: int, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """log M_b and log M_j at ``places`` between the mean of j, 0, and that of b, 1."""
    ahead, behind = results.means.item(b) + stop.margin, results.means.item(j)
    lead = ahead - behind
    if stop.bounds is None:
        mine, theirs = (np.array(results.squares.item(i) / lead / lead) for i in (b, j))  # no square vanishes
        first = gaussian_bet(results.counts[b], mine, 1.0 - places, FAR)
        return with_cash(first), with_cash(gaussian_bet(results.counts[j], theirs, places, NEAR))
    low, width, at = stop.bounds[0], stop.bounds[1] - stop.bounds[0], behind + lead * places
    one, other = (within(results.values(i), stop.bounds) for i in (b, j))
    if min(one.lowest, other.lowest) < 0.0 or max(one.highest, other.highest) > 1.0:
        both = np.concatenate([results.values(b), results.values(j)])
        stop.outside(both.min(), both.max())
    first = bounded_bet(one, (at - stop.margin - low) / width)
    return with_cash(first), with_cash(bounded_bet(turned(other), 1.0 - (at - low) / width))
