"""Compiling is timed, and the garbage collector waits."""

import gc
import time

from varde._compile import kernel, working_time


def test_the_collector_stands_still_only_while_we_compile():
    @kernel
    def thrice(x):
        return 3 * x

    assert gc.isenabled() and thrice(3) == 9 and gc.isenabled()


def test_a_clock_leaves_out_the_time_spent_compiling():
    @kernel
    def twice(x):
        return 2 * x

    def left_out():
        return time.perf_counter() - working_time()

    before = left_out()
    assert twice(3) == 6
    after = left_out()
    assert after > before + 0.001
    assert twice(4) == 8 and left_out() < after + 0.001
