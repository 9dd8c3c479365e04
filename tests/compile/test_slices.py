"""Work in slices: all of it, within the time, and Ctrl-C in between."""

import itertools
import os
import signal

import pytest

from varde._compile import in_slices
from varde._compile.slices import SLICE


class Work:
    """Units of work that take a given time on a clock of their own."""

    def __init__(self, seconds):
        self.seconds, self.now, self.sizes = seconds, 0.0, []

    def clock(self):
        return self.now

    def __call__(self, size):
        self.now += size * self.seconds
        self.sizes.append(size)
        return size


@pytest.mark.parametrize("total", [0, 1, 2, 1000])
def test_all_is_done_once(total):
    work = Work(1e-9)
    assert in_slices(work, total, clock=work.clock) == "budget"
    assert sum(work.sizes) == total


def test_slices_double_until_they_take_their_time():
    work = Work(1e-4)
    in_slices(work, 5000, clock=work.clock)
    assert work.sizes[:8] == [1, 2, 4, 8, 16, 32, 64, 128]
    assert max(work.sizes) * work.seconds <= SLICE


def test_work_that_slows_down_is_cut_smaller():
    work = Work(1e-6)

    def slower(size):
        work.seconds *= 1.5
        return work(size)

    in_slices(slower, 10**6, seconds=10.0, clock=work.clock)
    assert max(work.sizes) > 100 > work.sizes[-1]


def test_seconds_end_it():
    work = Work(1e-3)
    assert in_slices(work, 10**9, seconds=0.5, clock=work.clock) == "seconds"
    assert 0.5 <= work.now <= 0.5 + 2 * SLICE


def test_no_time_at_all_does_nothing():
    work = Work(1.0)
    assert in_slices(work, 5, seconds=0.0, clock=work.clock) == "seconds"
    assert work.sizes == []


def test_ctrl_c_ends_it_between_slices():
    calls = itertools.count(1)

    def call(size):
        if next(calls) == 5:
            os.kill(os.getpid(), signal.SIGINT)
        return 1

    assert in_slices(call, 10**9) == "interrupted"
    assert next(calls) <= 7


def test_what_goes_wrong_inside_is_not_hidden():
    with pytest.raises(ZeroDivisionError):
        in_slices(lambda size: 1 // 0, 3)
