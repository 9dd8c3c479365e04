"""A change is whole or not at all, whatever interrupts it: an exception at any line, a Ctrl-C at any moment."""

import contextlib
import gc
import random
import signal
import sys
from pathlib import Path

import numpy as np
import pytest

import varde
from tests.long import times
from tests.selection.test_store import NAMES, state

ROOM = str(Path(varde.__file__).parent)


class StruckError(BaseException):
    """Comes from nowhere."""


@contextlib.contextmanager
def struck(at):
    """An exception at the ``at``-th line of the package; yields a list that has that line if it was reached."""
    left, hit = [at], []

    def line(frame, event, _):
        if event == "line" and not hit:
            left[0] -= 1
            if left[0] <= 0:
                hit.append(f"{frame.f_code.co_filename}:{frame.f_lineno}")
                raise StruckError
        return line

    before = sys.gettrace()
    sys.settrace(lambda frame, *_: line if frame.f_code.co_filename.startswith(ROOM) else None)
    try:
        yield hit
    finally:
        sys.settrace(before)


def value(seed):
    return float(np.random.default_rng(seed).normal())


CHANGES = {
    "ask": lambda selector: selector.ask(),
    "ask for three": lambda selector: selector.ask(3),
    "tell": lambda selector: selector.tell(selector.pending[0], 0.5),
    "tell by name": lambda selector: selector.tell("b", 0.25),
    "tell many": lambda selector: selector.tell_many([("a", 1.0), ("b", 2.0), ("c", {"successes": 1, "trials": 3})]),
    "add an option": lambda selector: selector.add_option({"s": 1}, "new"),
    "remove and add": lambda selector: selector.remove_option("a") or selector.add_option("a"),
    "fail": lambda selector: selector.fail(selector.pending[0], "no"),
}


def begun(store):
    selector = varde.Selector(NAMES, 400, store=store)
    for draw in selector.ask(14):
        selector.tell(draw, value(draw.seed))
    selector.ask(2)
    if store is not None:  # another process wrote meanwhile
        with varde.Selector.open(store) as other:
            other.tell("c", 0.75)
            other.add_option("theirs")
    return selector


def later(selector):
    """What it does from here on."""
    found = []
    for _ in range(3):
        draw = selector.ask()
        found.append((draw.id, draw.name, draw.seed))
        selector.tell(draw, value(draw.seed))
    return found, state(selector), list(selector.options.items()), selector.recommend().to_dict()


@pytest.mark.parametrize("kept", [False, True], ids=["memory", "file"])
@pytest.mark.parametrize("change", CHANGES)
def test_an_exception_at_any_line_leaves_a_change_done_or_undone(tmp_path, change, kept):
    """As it would be after any part of the calls, one after the other."""
    number, wanted = iter(range(10**9)), []

    def store():
        return tmp_path / f"{next(number)}.db" if kept else None

    for calls in (0, 1) if change != "remove and add" else (0, 0.5, 1):
        with begun(store()) as selector:
            if calls == 0.5:
                selector.remove_option("a")
            elif calls:
                CHANGES[change](selector)
            wanted.append(later(selector))
    rng, at, lines = random.Random(4), 1, 0
    while True:
        with begun(store()) as selector:
            with struck(at) as hit, contextlib.suppress(StruckError):
                CHANGES[change](selector)
            if not hit:
                break
            assert later(selector) in wanted, hit
            lines += 1
        at += 1 if times(0, 1) else rng.randrange(1, 160 if kept else 60)
    assert lines > 2


def handle(*_):
    raise KeyboardInterrupt


def poked(store, count, most=1e-2):
    """Ask and tell with so many interrupts, ``most`` seconds apart: no result is lost, none is counted twice."""
    selector = varde.Selector(NAMES, store=store)
    gc.disable()  # Hypothesis listens to it, and Python ignores an interrupt that comes there
    rng, told, interrupts, before = random.Random(1), 0, 0, signal.signal(signal.SIGALRM, handle)
    try:
        while interrupts < count:
            try:
                # Again after a while: an interrupt may come where Python ignores exceptions, as in a finalizer.
                signal.setitimer(signal.ITIMER_REAL, rng.uniform(2e-4, most), 1.0)
                while True:
                    draw = selector.ask()
                    told += selector.tell(draw, value(draw.seed))
            except KeyboardInterrupt:
                signal.setitimer(signal.ITIMER_REAL, 0.0)
                interrupts += 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
        gc.enable()
    assert told <= selector.spent <= told + interrupts
    for draw in selector.pending:
        assert selector.tell(draw, value(draw.seed))
    ledger = selector._journal.ledger
    results = ledger.results
    assert selector.spent == len(results.values) == len(set(zip(results.owners, results.replicates, strict=True)))
    assert list(results.counts) == ledger.chooser.moments.counts.tolist() == list(ledger.drawn)
    assert ledger.reserved == 0 and not ledger.tickets and not ledger.chooser.pending.any()
    kept = state(selector)
    selector.close()
    if store is not None:
        with varde.Selector.open(store) as again:
            assert state(again) == kept


@pytest.mark.parametrize("kept", [False, True], ids=["memory", "file"])
def test_ctrl_c_at_random_moments_loses_nothing_and_counts_nothing_twice(tmp_path, kept):
    poked(tmp_path / "s.db" if kept else None, times(30, 5_000 if not kept else 2_000))


def test_a_transaction_that_was_left_open_is_rolled_back(tmp_path):
    with varde.Selector(NAMES, store=tmp_path / "s.db") as selector:
        log = selector._journal.record.log
        log.begin()
        log.append(["of a change that was interrupted, and so was its end"])
        assert selector.tell("a", 1.0) and selector.spent == 1
    assert varde.Selector.open(tmp_path / "s.db").spent == 1
