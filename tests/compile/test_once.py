"""One pass of LLVM over each kernel, or Numba's own way: the same numbers."""

from typing import NamedTuple

import numba
import numpy as np

from tests.compile.fresh import fresh
from varde._compile import engine, helper, kernel, verb
from varde.random import key, stream, uniform

RUN = """
from tests.compile.test_once import engine, top
print(top(2.0), top(-1.5))
print("once" if engine.pipelines()[0] else "Numba's")
"""

# What a Numba without one of the names that we need would be.
LACKING = "import numba, numba.core.codegen as codegen; del codegen.JITCodeLibrary\n"


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


def test_our_pipeline_is_in_use():
    from varde._compile.once import PART, WHOLE

    numba_is_loaded = top(1.0)
    assert numba_is_loaded and engine.pipelines() == ({"pipeline_class": PART}, {"pipeline_class": WHOLE})


def test_a_numba_that_lacks_a_name_gives_the_same_numbers_its_own_way_and_says_so_once(tmp_path):
    out, said = fresh(LACKING + RUN, tmp_path)
    assert out.splitlines() == [f"{top.python(2.0)} {top.python(-1.5)}", "Numba's"]
    assert said.count("compiling takes twice as long: Numba") == 1


def test_parts_that_share_parts_agree_with_python():
    assert top(2.0) == top.python(2.0)


def test_a_users_own_compiled_function_may_call_ours():
    """It is linked by Numba, which takes in what a function calls and no more."""

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
