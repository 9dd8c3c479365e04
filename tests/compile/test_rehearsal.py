"""A user's slip shows the user's line; what only Python minds is no slip; ours needs no rehearsal."""

import traceback
from typing import NamedTuple

import numpy as np
import pytest

import varde
from varde._compile import rehearse
from varde.bandits.loop import select


class Slip(NamedTuple):
    pass


class Fine(NamedTuple):
    pass


@select.of(Slip)
def misspelt(algorithm, memory, arms, t, rng):
    return int(arms.mean[0])


def test_a_slip_shows_the_users_line():
    with pytest.raises(AttributeError, match="mean") as caught:
        varde.bandits.measure(Slip(), varde.bandits.Bernoulli([0.6, 0.4]), 40)
    assert traceback.extract_tb(caught.tb)[-1].line == "return int(arms.mean[0])"


def test_it_happens_once_for_each_combination_of_types():
    times = []
    for records in [(Fine(),), (Fine(),), (Fine(), varde.VarDE()), (varde.VarDE(Fine()),)]:
        rehearse(records, lambda: times.append(1))
    assert len(times) == 3


def test_ours_are_not_rehearsed():
    rehearse((varde.VarDE(), np.zeros(3), 1), lambda: 1 / 0)


def test_what_machine_code_does_not_mind_is_no_slip():
    class Bold(NamedTuple):
        pass

    rehearse((Bold(),), lambda: 1 / 0)


def test_python_objects_are_not_compiled_and_not_rehearsed():
    rehearse((object(), Fine()), lambda: pytest.fail("rehearsed"))


def test_what_numba_does_not_compile_is_told_in_a_line_with_its_place():
    class Listing(NamedTuple):
        pass

    @select.of(Listing)
    def by_list(algorithm, memory, arms, t, rng):
        means = arms.means
        return means.tolist().index(means.max())

    with pytest.raises(TypeError, match=r"^by_list cannot be compiled \(.*return means.tolist\(\)") as raised:
        varde.bandits.measure(Listing(), varde.bandits.Bernoulli([0.6, 0.4]), 20, runs=2)
    assert "\n" not in str(raised.value) and raised.value.__suppress_context__
