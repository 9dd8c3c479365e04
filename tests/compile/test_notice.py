"""Compiling is timed, and the garbage collector waits."""

import gc

from varde._compile import compile_seconds, kernel


def test_the_collector_stands_still_only_while_we_compile():
    @kernel
    def thrice(x):
        return 3 * x

    assert gc.isenabled() and thrice(3) == 9 and gc.isenabled()


def test_time_spent_compiling_is_known():
    @kernel
    def twice(x):
        return 2 * x

    before = compile_seconds()
    assert twice(3) == 6
    compiled = compile_seconds()
    assert compiled > before
    assert twice(4) == 8 and compile_seconds() == compiled
