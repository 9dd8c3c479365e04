"""When may I stop?  Only with a promise that holds however often one looks.

The promise: with probability at least 1 - delta, over the whole run, it never stops with an answer that is worse than
the best option by more than ``margin``.  Looking after every single result costs nothing, and the rule that chooses
what to sample does not matter, as long as the results of each option are independent and alike.

For every option and every value mu that its mean might have there is a bet against mu, a process M(mu) of mean 1 if
mu is true, so that P(M ever reaches x) <= 1/x (Ville).  N, m and M2 are the option's own:

  results within known bounds, scaled to 0..1, with sum S = N m: any distribution at all
     M(mu) = B(S + 1/2, N - S + 1/2) / B(1/2, 1/2)  /  (mu^S (1 - mu)^(N - S))
  otherwise Gaussian of unknown variance, own to each option (Lai 1976)
     M(mu) = sqrt(c / (N + c)) ((M2 + N d^2) / (M2 + N d^2 c / (N + c)))^(N / 2),    d = m - mu,  c = 30

"b is worse than j" is given up when M_b(mu_b) M_j(mu_j) reaches x for every mu_b + margin <= mu_j.  A wrong answer b
needs that of b and the truly best option at their true means: a union over K - 1 pairs.  For bounded results the product
is a bet as well, and x = (K - 1)/delta.  The Gaussian bet is one only in the light of its own option's results, so the
two highest points are bounded apart: P(sup M_b sup M_j >= x) <= (1 + log x)/x.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..gaps import GapVarDE, guarded

CELLS = 64  # slices between two means; the bets are bounded from below on each, so that few only cost samples
CENTRE = 30.0  # c: an effect of about a fifth of the noise is bet on
GUARD = GapVarDE(guard=50.0)


class Stop(NamedTuple):
    """Stop when the answer is right with probability ``1 - delta``, whenever that is.

    >>> stop = Stop(delta=0.05, margin=0.01, bounds=(0, 1))
    >>> counts, means = np.array([4000.0, 4000.0]), np.array([0.80, 0.76])
    >>> stop.satisfied(counts, means, counts * means * (1 - means))
    True

    With ``margin`` 0 the answer is the best option, or one of several that are exactly equal; two options that are
    nearly so take long.  With a positive margin, in the unit of the results, it is at most that much worse than the
    best.  ``bounds`` are the lowest and highest value that a result can have; give them where they are known, always
    for successes and failures, (0, 1): the promise then holds whatever the results look like.  Without them it is for
    results that are about Gaussian.
    """

    delta: float = 0.05
    margin: float = 0.0
    bounds: tuple[float, float] | None = None

    def facing(self, goal: str) -> Stop:
        """The same for results that were turned over, so that larger is better."""
        mirrored = goal == "min" and self.bounds is not None
        return self._replace(bounds=(-self.bounds[1], -self.bounds[0])) if mirrored else self  # type: ignore[index]

    def satisfied(self, counts: np.ndarray, means: np.ndarray, squares: np.ndarray) -> bool:
        """Whether the option with the highest mean may be taken now; ``squares`` are sums of squared deviations."""
        if counts.size < 2 or counts.min() < 2:
            return False
        best = int(np.argmax(means))
        pooled = squares.sum() / (counts - 1.0).sum()
        needed = threshold(self, counts.size)
        # The nearest rival first: nearly always it is the one that says no.
        error = (pooled + squares / counts) / counts
        nearness = (means[best] - means + self.margin) ** 2 / (error + error[best])
        nearness[best] = np.inf
        spread = GUARD_variances(counts, squares, pooled)
        for j in np.argsort(nearness)[:-1]:
            if evidence(self, *((x[best], x[j]) for x in (counts, means, spread))) < needed:
                return False
        return True


def GUARD_variances(counts, squares, pooled):
    own = squares / (counts - 1.0)
    return guarded(GUARD, pooled, own, counts) * (counts - 1.0)


def threshold(stop: Stop, size: int) -> float:
    """log x for ``size`` options."""
    wanted = math.log((size - 1) / stop.delta)
    if stop.bounds is not None:
        return wanted
    x = wanted
    for _ in range(50):
        x = wanted + math.log1p(x)
    return x


def evidence(stop: Stop, counts: tuple, means: tuple, squares: tuple) -> np.ndarray:
    """A lower bound of log M_b(mu_b) M_j(mu_j) over all mu_b + margin <= mu_j; pairs (b, j) of numbers or arrays."""
    ahead, behind = means[0] + stop.margin, means[1]
    steps = np.linspace(0.0, 1.0, CELLS + 1)
    at = np.asarray(behind)[..., None] + np.asarray(ahead - behind)[..., None] * steps
    # Between the two means the bet on b falls with mu and the one on j rises: each is least at one end of a slice.
    if stop.bounds is None:
        first = gaussian_bet(counts[0], ahead, squares[0], at[..., 1:])
        second = gaussian_bet(counts[1], behind, squares[1], at[..., :-1])
    else:
        low, high = stop.bounds
        width = high - low
        scaled = (at - low) / width
        first = bounded_bet(counts[0], (means[0] - low) / width, scaled[..., 1:] - stop.margin / width)
        second = bounded_bet(counts[1], (behind - low) / width, scaled[..., :-1])
    return np.where(ahead > behind, (first + second).min(axis=-1), -np.inf)


def gaussian_bet(counts, means, squares, at):
    """log M(mu) for Gaussian results of unknown variance."""
    n, m2 = np.asarray(counts)[..., None], np.asarray(squares)[..., None]
    away = n * (np.asarray(means)[..., None] - at) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        growth = np.log((m2 + away) / (m2 + away * CENTRE / (n + CENTRE)))
    growth = np.where(m2 + away > 0.0, growth, 0.0)
    return 0.5 * (n * growth - np.log1p(n / CENTRE))


def bounded_bet(counts, means, at):
    """log M(mu) for results from 0 to 1."""
    n = np.asarray(counts)[..., None]
    sums = n * np.asarray(means)[..., None]
    with np.errstate(divide="ignore", invalid="ignore"):
        likelihood = np.where(sums > 0.0, sums * np.log(at), 0.0) + np.where(n > sums, (n - sums) * np.log1p(-at), 0.0)
    return log_beta(sums + 0.5, n - sums + 0.5) - math.log(math.pi) - likelihood


def log_beta(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    gamma = np.vectorize(math.lgamma, otypes=[float])
    return gamma(a) + gamma(b) - gamma(a + b)
