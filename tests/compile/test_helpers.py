"""Helpers that share helpers; what a user's own compiled code may do."""

from typing import NamedTuple

import numba
import numpy as np

from varde._compile import helper, kernel, verb
from varde.random import key, stream, uniform


class Twist(NamedTuple):
    by: float


@helper
def bottom(x):
    return 3.0 * x


@helper(apart=True)
def left(x):
    return bottom(x) + 1.0


@helper
def right(x):
    return bottom(x) + left(x)


@kernel
def top(x):
    return left(x) * right(x)


def test_helpers_that_share_helpers_agree_with_python():
    assert top(2.0) == top.python(2.0)


def test_a_users_own_compiled_function_may_call_ours():
    @numba.njit
    def theirs(rng):
        return uniform(rng) + uniform(rng)

    assert theirs(stream(key(1))) == theirs.py_func(stream(key(1)))


def test_a_users_verb_may_allocate_and_call_ours():
    @verb
    def twisted(twist, values, rng):
        """Any number."""

    @twisted.of(Twist)
    def sorted_sum(twist, values, rng):
        order = np.argsort(values * twist.by)
        return values[order[0]] + uniform(rng)

    @kernel
    def run(twist, values, rng):
        return twisted(twist, values, rng)

    values = np.array([1.0, 2.0, 0.5])
    assert run(Twist(-1.0), values, stream(key(2))) == run.python(Twist(-1.0), values, stream(key(2)))
