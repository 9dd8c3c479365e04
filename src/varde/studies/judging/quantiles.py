"""The beta and Student's distribution to ten digits, from one continued fraction.

scipy has both, but it is no dependency of this package, and ``varde reproduce`` works where nothing else is installed.
"""

from __future__ import annotations

import functools
import math
from statistics import NormalDist

import numpy as np

TINY = 1e-300
log_gamma = np.frompyfunc(math.lgamma, 1, 1)


@functools.lru_cache(maxsize=256)
def normal_quantile(q: float) -> float:
    return NormalDist().inv_cdf(q)


def normal_tail(z: float) -> float:
    """P(Z > z)."""
    return 0.5 * math.erfc(z / math.sqrt(2.0))


def log_beta(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.asarray(log_gamma(a) + log_gamma(b) - log_gamma(a + b), float)


def beta_below(a: np.ndarray, b: np.ndarray, x: np.ndarray) -> np.ndarray:
    """P(B <= x) of a beta distribution, by Lentz's continued fraction."""
    a, b, x = (np.asarray(part, float) for part in np.broadcast_arrays(a, b, x))
    swap = x > (a + 1.0) / (a + b + 2.0)  # where it converges fast
    a, b, y = np.where(swap, b, a), np.where(swap, a, b), np.where(swap, 1.0 - x, x)
    y = np.clip(y, TINY, 1.0)
    front = np.exp(a * np.log(y) + b * np.log1p(-np.minimum(y, 1.0 - 1e-16)) - log_beta(a, b)) / a
    c, d = np.ones_like(y), 1.0 / np.maximum(1.0 - (a + b) * y / (a + 1.0), TINY)
    f = d.copy()
    for m in range(1, 10_000):
        for step in (
            m * (b - m) * y / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * y / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1.0 + step * d
            d = 1.0 / np.where(np.abs(d) > TINY, d, TINY)
            c = 1.0 + step / c
            c = np.where(np.abs(c) > TINY, c, TINY)
            f *= c * d
        if (np.abs(c * d - 1.0) < 1e-12).all():
            break
    return np.where(swap, 1.0 - front * f, front * f)


def beta_quantile(q: float, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """x with P(B <= x) = q: Newton's steps from the mean, in the logit of x, between what is known on both sides."""
    a, b = (np.atleast_1d(np.asarray(part, float)) for part in np.broadcast_arrays(a, b))
    low, high, norm = np.full(a.shape, -700.0), np.full(a.shape, 700.0), log_beta(a, b)
    z = np.log(a / b)
    for _ in range(200):
        x, rest = 1.0 / (1.0 + np.exp(-z)), 1.0 / (1.0 + np.exp(z))
        off = beta_below(a, b, x) - q
        low, high = np.where(off < 0.0, z, low), np.where(off > 0.0, z, high)
        density = np.exp(a * np.log(x) + b * np.log(rest) - norm)  # of the logit
        step = z - off / np.maximum(density, TINY)
        new = np.where((step > low) & (step < high), step, 0.5 * (low + high))
        done, z = np.abs(new - z) <= 1e-11, new
        if done.all():
            break
    return np.asarray(1.0 / (1.0 + np.exp(-z)))


def student_tail(t: np.ndarray, freedom: float) -> np.ndarray:
    """P(T > t)."""
    t = np.asarray(t, float)
    half = 0.5 * beta_below(np.array(freedom / 2.0), np.array(0.5), freedom / (freedom + t * t))
    return np.where(t > 0.0, half, 1.0 - half)


@functools.lru_cache(maxsize=4096)
def student_quantile(q: float, freedom: int) -> float:
    """t with P(T <= t) = q, q above one half: t^2 = n y/(1 - y) where y is a quantile of a beta distribution."""
    y = float(beta_quantile(2.0 * q - 1.0, np.array(0.5), np.array(freedom / 2.0))[0])
    return math.sqrt(freedom * y / (1.0 - y))
