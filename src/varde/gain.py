"""The knowledge gradient: how much better the best estimate is expected to be after one more sample.

A sample of part i moves its estimate by about sig_i = sqrt(sigma_i^2 / (N_i (N_i + 1))); it helps if that moves the
part past the best of the others, d_i away:

    gain_i = sig_i f(-d_i / sig_i),      f(x) = phi(x) + x Phi(x)

(Frazier, Powell and Dayanik 2008).  It looks one sample ahead, where the rule looks at the whole decision.
"""

from __future__ import annotations

import math

import numpy as np

from ._compile import helper
from .beliefs.parts import estimate, noise, samples, size
from .rule import shrinkage

FAR = 8.0  # standard deviations beyond which the two terms of f cancel: use its asymptote


@helper
def log_loss(x):
    """log f(-x), x >= 0."""
    if x < FAR:
        return math.log(0.3989422804014327 * math.exp(-0.5 * x * x) - 0.5 * x * math.erfc(0.7071067811865476 * x))
    return -0.5 * x * x - 0.9189385332046727 - 2.0 * math.log(x)


@helper
def largest_gain(parts):
    """The part whose next sample is expected to gain most, the lowest index on exact ties."""
    many, leader, top, second, widest = size(parts), 0, -np.inf, -np.inf, 0.0
    for i in range(many):
        mean = estimate(parts, i)
        if mean > top:
            leader, top, second = i, mean, top
        else:
            second = max(second, mean)
        widest = max(widest, noise(parts, i) * shrinkage(samples(parts, i)))
    chosen, best = 0, -np.inf
    for i in range(many):
        square = noise(parts, i) * shrinkage(samples(parts, i))
        lead = top - (second if i == leader else estimate(parts, i))
        gain = 0.5 * math.log(square / widest) + log_loss(lead / math.sqrt(square))
        if gain > best:
            chosen, best = i, gain
    return chosen
