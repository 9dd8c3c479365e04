"""The beta and Student's distribution, on arrays and to ten digits: numpy has neither.

``beliefs.student`` has a closed form, within .001; here shares of a few in 20,000 must be distinguished.
"""

from __future__ import annotations

import functools
import math

import numpy as np

from ...beliefs.student import student_score

TINY = 1e-300
log_gamma = np.frompyfunc(math.lgamma, 1, 1)


def normal_tail(z: float) -> float:
    """P(Z > z)."""
    return 0.5 * math.erfc(z / math.sqrt(2.0))


def beta_below(a: np.ndarray, b: np.ndarray, x: np.ndarray) -> np.ndarray:
    """P(B <= x) of a beta distribution, by Lentz's continued fraction."""
    a, b, x = (np.atleast_1d(np.asarray(part, float)) for part in np.broadcast_arrays(a, b, x))
    swap = x > (a + 1.0) / (a + b + 2.0)  # where it converges fast
    a, b, y = np.where(swap, b, a), np.where(swap, a, b), np.where(swap, 1.0 - x, x)
    inside = (y > 0.0) & (y < 1.0)
    y = np.where(inside, y, 0.5)
    beta = (log_gamma(a) + log_gamma(b) - log_gamma(a + b)).astype(float)
    front = np.exp(a * np.log(y) + b * np.log1p(-y) - beta) / a
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
    low = np.where(inside, front * f, 0.0)
    found = np.where(swap, 1.0 - low, low)
    return np.where(x <= 0.0, 0.0, np.where(x >= 1.0, 1.0, found))


def paulson_quantile(z: float, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The quantile of a beta distribution at a normal deviate, within .001 (Paulson 1942): a quadratic in u."""
    small, large = 1.0 / (9.0 * a), 1.0 / (9.0 * b)
    both = (1.0 - large) * (1.0 - small)
    two, zero = (1.0 - large) ** 2 - z * z * large, (1.0 - small) ** 2 - z * z * small  # two u^2 - 2 both u + zero
    root = np.sqrt(np.maximum(both * both - two * zero, 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        upper = np.where(two > 0.0, (both + root) / two, 1e5)
        u = np.clip(upper if z > 0.0 else zero / (both + root), 0.0, 1e5)
    odds = u**3 * a / b
    return np.asarray(odds / (1.0 + odds))


def beta_quantile(q: float, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """x with P(B <= x) = q, for a and b of 1 or more: Newton's steps from a closed form, kept between both sides."""
    a, b = (np.atleast_1d(np.asarray(part, float)) for part in np.broadcast_arrays(a, b))
    low, high = np.zeros(a.shape), np.ones(a.shape)
    x = np.clip(paulson_quantile(normal_quantile(q), a, b), 1e-12, 1.0 - 1e-12)
    beta = (log_gamma(a) + log_gamma(b) - log_gamma(a + b)).astype(float)
    for _ in range(100):
        off = beta_below(a, b, x) - q
        low, high = np.where(off < 0.0, x, low), np.where(off > 0.0, x, high)
        density = np.exp((a - 1.0) * np.log(x) + (b - 1.0) * np.log1p(-x) - beta)
        step = x - off / np.maximum(density, TINY)
        new = np.where((step > low) & (step < high), step, 0.5 * (low + high))
        done, x = np.abs(new - x) <= 1e-9 * np.minimum(x, 1.0 - x), new
        if done.all():
            break
    return x


@functools.lru_cache(maxsize=256)
def normal_quantile(q: float) -> float:
    from statistics import NormalDist

    return NormalDist().inv_cdf(q)


def student_tail(t: np.ndarray, freedom: float) -> np.ndarray:
    """P(T > t)."""
    t = np.asarray(t, float)
    half = 0.5 * beta_below(np.array(freedom / 2.0), np.array(0.5), freedom / (freedom + t * t)).reshape(t.shape)
    return np.where(t > 0.0, half, 1.0 - half)


@functools.lru_cache(maxsize=4096)
def student_quantile(q: float, freedom: int) -> float:
    """t with P(T <= t) = q, q above one half."""
    t = float(student_score(np.array(normal_quantile(q)), np.array(float(freedom))))
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(freedom * math.pi)
    for _ in range(50):
        off = 1.0 - q - float(student_tail(np.array(t), freedom))
        step = off / (scale * (1.0 + t * t / freedom) ** (-(freedom + 1) / 2))
        t = max(t - step, 0.5 * t)
        if abs(step) <= 1e-12 * t:
            break
    return t
