"""Ctrl-C, and other things that come in the middle of compiling: the call ends, and the next one works."""

import os
import signal
import threading
import time

import numpy as np
import pytest

from tests.compile.fresh import fresh
from varde._compile import Door, kernel, kernels, left_when, notice, uninterrupted, using
from varde._compile.kernels import Version

# A Ctrl-C as Numba enters each of these: its registries, typing, linking, LLVM's callback into Python, storing.
INTERRUPTED = """
import signal, sys
import numpy as np
import varde.moments
from varde._compile import Door, helper, kernel, notice
signal.signal(signal.SIGINT, signal.default_int_handler)
notice.notify = None
asked = []
safe_point = notice.safe_point
def counted():
    asked.append(1)
    safe_point()
notice.safe_point = counted

def make(place):
    @helper
    def bottom(x):
        return 3.0 * x

    @helper
    def middle(x):
        return bottom(x) + bottom(x)

    def top(records):
        return middle(records[0][0])

    top.__name__, top.__module__ = f"top_{place}", "varde.moments"  # ours, so that it is stored
    top.__code__ = top.__code__.replace(co_filename=varde.moments.__file__)
    return kernel(top)

def call(top):
    return Door(top, (np.ones(1),), choice="compiled").call()

def interrupt_in(place):
    def watch(frame, event, arg):
        if event == "call" and frame.f_code.co_name == place:
            sys.setprofile(None)
            asked.clear()
            signal.raise_signal(signal.SIGINT)
    sys.setprofile(watch)

call(make("first"))
for place in ("stream_list", "propagate", "link_in", "_raw_object_cache_notify", "save"):
    top = make(place)
    try:
        interrupt_in(place)
        call(top)
    except KeyboardInterrupt:
        print("interrupted", len(asked), end=" ")
    finally:
        sys.setprofile(None)
    print(place, call(top), call(make(place)))
"""


def test_ctrl_c_in_the_middle_of_compiling_ends_it_soon_and_leaves_nothing_half_made(tmp_path):
    """At the next helper; and where none is left, what is nearly done is finished."""
    lines = fresh(INTERRUPTED, tmp_path)[0].splitlines()
    places = "stream_list", "propagate", "link_in", "_raw_object_cache_notify", "save"
    assert len(lines) == len(places)
    for line, place in zip(lines, places, strict=True):
        assert line in [f"interrupted {begun} {place} 6.0 6.0" for begun in (0, 1)]


@kernel
def triple(x):
    return 3.0 * x


def test_a_thread_that_nobody_waits_for_leaves_what_it_compiles():
    over, found = threading.Event(), []

    def work():
        with left_when(over.is_set):
            over.set()
            found.append(triple(2.0))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [] and triple(2.0) == 6.0


def test_two_threads_compile_once(monkeypatch):
    @kernel
    def fourfold(x):
        return 4.0 * x

    said, found, both = [], [], threading.Barrier(2)
    monkeypatch.setattr(notice, "notify", lambda name, stored: said.append(name))

    def work():
        both.wait()
        found.append(fourfold(2.0))

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [8.0, 8.0] and said == ["fourfold"]


def no_memory(*_, **options):
    raise MemoryError("none left")


def test_what_cannot_be_compiled_goes_on_in_python_with_a_warning(monkeypatch):
    def double(held, times):
        held[0][0] += 2.0 * times
        return held[0][0]

    double.__module__ = "varde.made_up"  # a user's kernel is compiled, or fails
    monkeypatch.setattr(Version, "is_worth_compiling", lambda self, ahead, choice: self.compilable)
    monkeypatch.setattr(kernels, "compiled", no_memory)
    with pytest.warns(UserWarning, match=r"double could not be compiled \(MemoryError: none left\) and runs in Python"):
        door = Door(kernel(double), (np.zeros(1),), int)
    assert [door.call(1), door.call(2)] == [2.0, 6.0] and not door.compiled
    with using("compiled"), pytest.raises(MemoryError):
        triple(1)


def test_ctrl_c_waits_for_what_must_not_be_left_half_done():
    done = []

    @uninterrupted()
    def work():
        for _ in range(2):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.001)
            done.append(1)

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done == [1, 1]
    other = threading.Thread(target=uninterrupted()(lambda: done.append(2)))
    other.start()
    other.join()
    assert done[2] == 2 and signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_handler_that_does_not_raise_is_called_for_every_ctrl_c(monkeypatch):
    pressed = []
    before = signal.signal(signal.SIGINT, lambda *how: pressed.append(len(pressed)))
    try:
        with uninterrupted() as answer:
            signal.raise_signal(signal.SIGINT)
            assert pressed == []
            answer()
            assert pressed == [0]
            signal.raise_signal(signal.SIGINT)
        assert pressed == [0, 1]
    finally:
        signal.signal(signal.SIGINT, before)
