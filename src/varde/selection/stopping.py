"""When may I stop?  Only with a promise that holds however often one looks.

The promise: with probability 1 - delta or more, over the whole run, it never stops at an option that is worse than the
best by more than ``margin``.  Looking after every single result costs nothing, and neither does the rule that chooses
what to sample, as long as all results are independent and those of one option alike.  (Common random numbers make
results of different options depend on each other; going up and down together can only help, but that is not proved.)

For every option and every value mu that its mean might have there is a bet against mu, a process M(mu) that has mean 1
if mu is true, so that P(M ever reaches x) <= 1/x (Ville).  N, m and M2 are the option's own:

  results within known bounds, scaled to 0..1, whatever their distribution, with S = N m
     M(mu) = B(S + 1/2, N - S + 1/2) / B(1/2, 1/2)  /  (mu^S (1 - mu)^(N - S))
  otherwise Gaussian results, the variance unknown and each option's own (Lai 1976), with d = m - mu and c = 10
     M(mu) = sqrt(c / (N + c)) ((M2 + N d^2) / (M2 + N d^2 c / (N + c)))^(N / 2)

That b is worse than j by the margin is given up when M_b(mu_b) M_j(mu_j) >= x for all mu_b + margin <= mu_j.  To stop
at a wrong b, this must happen to b and the truly best option at their true means: K - 1 pairs.  Bounded bets may be
multiplied, the product is one as well, and x = (K - 1)/delta.  The Gaussian one is a bet only to somebody who sees no
other option, so the two highest points are bounded apart: P(sup M_b sup M_j >= x) <= (1 + log x)/x.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from ..check import LARGEST, as_float, real, refuse
from ..noise import Pooled, wary_variance

CELLS = 64  # slices between two means; the bets are bounded from below on each, so that fewer only cost samples
TINY = 1e-140
PRIOR = 10.0  # c: effects of about a third of the noise are bet on
WARY = Pooled(guard=50.0)

Pair = tuple[np.ndarray, np.ndarray]  # of the leader and of a rival, or of many


@dataclass(frozen=True)
class Stop:
    """Stop when the answer is right, with probability ``1 - delta`` over the whole run.

    >>> stop = Stop(delta=0.05, bounds=(0, 1))
    >>> counts, means = np.array([900.0, 900.0]), np.array([0.80, 0.70])
    >>> stop.satisfied(counts, means, counts * means * (1 - means))
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
        real("delta", self.delta, "the chance of a wrong answer, such as 0.05", lambda chance: 0.0 < chance < 1.0)
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

    def satisfied(self, counts: np.ndarray, means: np.ndarray, squares: np.ndarray) -> bool:
        """Whether to stop, at the highest mean; ``squares`` are the sums of squared deviations from the means."""
        if counts.size < 2 or counts.min() < 2 or 0.0 < np.abs(means).max() < TINY:
            return False  # squares of what is so small are 0
        if self.bounds is not None and not self.bounds[0] <= means.min() <= means.max() <= self.bounds[1]:
            raise ValueError(
                f"there are means from {means.min():g} to {means.max():g}, outside the bounds {self.bounds}: "
                'write bounds that hold every result (Stop.facing("min") for results with their sign turned)'
            )
        best, squares, needed = int(np.argmax(means)), careful(counts, squares), threshold(self, counts.size)
        rivals = np.arange(counts.size) != best
        error = squares / (counts * counts)
        nearness = (means[best] - means + self.margin) ** 2 / np.maximum(error + error[best], 1e-300)
        nearness[best] = np.inf
        nearest = int(np.argmin(nearness))  # nearly always it is this one that says no
        for who in (np.array([nearest]), np.flatnonzero(rivals)):
            if evidence(self, *((x[[best]], x[who]) for x in (counts, means, squares))).min() < needed:
                return False
        return True


def threshold(stop: Stop, size: int) -> float:
    """log x for ``size`` options."""
    wanted = math.log((size - 1) / stop.delta)
    log_x = wanted
    if stop.bounds is None:
        for _ in range(50):  # (1 + log x)/x = delta/(K - 1)
            log_x = wanted + math.log1p(log_x)
    return log_x


def careful(counts: np.ndarray, squares: np.ndarray) -> np.ndarray:
    """M2, raised where it is low beside the other options: rare large values may not have come yet."""
    free = counts - 1.0
    pooled = squares.sum(axis=-1, keepdims=True) / free.sum(axis=-1, keepdims=True)
    variances: np.ndarray = wary_variance(WARY, pooled, squares / free, counts)
    return variances * free


def evidence(stop: Stop, counts: Pair, means: Pair, squares: Pair) -> np.ndarray:
    """A lower bound of log M_b(mu_b) M_j(mu_j) over all mu_b + margin <= mu_j."""
    ahead, behind = means[0] + stop.margin, means[1]
    at = behind[..., None] + (ahead - behind)[..., None] * np.linspace(0.0, 1.0, CELLS + 1)
    # Between the two means the bet on b falls with mu and the one on j rises: each is least at one end of a slice.
    if stop.bounds is None:
        first = gaussian_bet(counts[0], ahead, squares[0], at[..., 1:])
        second = gaussian_bet(counts[1], behind, squares[1], at[..., :-1])
    else:
        low, width = stop.bounds[0], stop.bounds[1] - stop.bounds[0]
        first = bounded_bet(counts[0], (means[0] - low) / width, (at[..., 1:] - stop.margin - low) / width)
        second = bounded_bet(counts[1], (behind - low) / width, (at[..., :-1] - low) / width)
    return np.where(ahead > behind, (first + second).min(axis=-1), -np.inf)


def gaussian_bet(counts: np.ndarray, means: np.ndarray, squares: np.ndarray, at: np.ndarray) -> np.ndarray:
    """log M(mu) for Gaussian results."""
    n, m2 = counts[..., None], squares[..., None]
    away = n * (means[..., None] - at) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        growth = np.log((m2 + away) / (m2 + away * PRIOR / (n + PRIOR)))
    return 0.5 * (n * np.where(m2 + away > 0.0, growth, 0.0) - np.log1p(n / PRIOR))


def bounded_bet(counts: np.ndarray, means: np.ndarray, at: np.ndarray) -> np.ndarray:
    """log M(mu) for results from 0 to 1."""
    n, at = counts[..., None], np.clip(at, 0.0, 1.0)
    sums = np.clip(means, 0.0, 1.0)[..., None] * n
    with np.errstate(divide="ignore", invalid="ignore"):
        likelihood = np.where(sums > 0.0, sums * np.log(at), 0.0) + np.where(n > sums, (n - sums) * np.log1p(-at), 0.0)
    beta = log_gamma(sums + 0.5) + log_gamma(n - sums + 0.5) - log_gamma(n + 1.0)
    bet: np.ndarray = beta - math.log(math.pi) - likelihood
    return bet


log_gamma = np.vectorize(math.lgamma, otypes=[float])
