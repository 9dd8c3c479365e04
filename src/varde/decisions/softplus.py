"""Soft maxima of pairs, merged level by level."""

from __future__ import annotations

import math
from typing import NamedTuple

from .._compile import helper
from ..check import problem_with, unless_positive
from .decision import influence, value


class PairwiseSoftplus(NamedTuple):
    """A soft maximum that merges neighbours by m(a, b) = (a+b)/2 + sqrt(((a-b)/2)^2 + delta^2), level by level.

    The derivative of m in a is 1/2 + (a-b) / (4 sqrt(...)).  The paper prints 2 for the 4, which gives
    weights below 0 and above 1.
    """

    delta: float = 0.1
    printed: bool = False


@helper
def merge_pairs(decision, values, weights):
    """Merge level by level in place: node i of level l lives at place i 2^l, and the derivative of each
    merger in its left side takes the place of its right side.  An odd one out is carried up by itself.
    """
    size, step = values.size, 1
    for i in range(size):
        weights[i] = values[i]
    share = 1.0 if decision.printed else 0.5
    while step < size:
        for i in range(0, size - step, 2 * step):
            left, right = weights[i], weights[i + step]
            half = 0.5 * (left - right)
            root = math.sqrt(half * half + decision.delta * decision.delta)
            weights[i] = right + half + root
            weights[i + step] = 0.5 + share * half / root if root > 0.0 else 0.5
        step *= 2
    return step


@value.of(PairwiseSoftplus)
def pairwise_softplus(decision, values, weights):
    merge_pairs(decision, values, weights)
    return weights[0]


@influence.of(PairwiseSoftplus)
def softplus_weights(decision, values, weights):
    step = merge_pairs(decision, values, weights)
    weights[0] = 1.0
    while step > 1:
        step //= 2
        for i in range(0, values.size - step, 2 * step):
            slope = weights[i + step]
            weights[i + step] = weights[i] * (1.0 - slope)
            weights[i] *= slope


@problem_with.of(PairwiseSoftplus)
def delta_problem(decision):
    return unless_positive("delta", decision.delta, "0.1")
