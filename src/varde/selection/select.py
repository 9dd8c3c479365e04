"""One call: spend the budget on the options, and say which to take.

Results reach the rule in the order in which the draws were handed out, whoever finishes first.  So the same seed and
the same number of workers choose the same draws, whatever the timing, and after a crash the continuation is that
of a run that never stopped.  Up to two draws per worker are under way, so that none idles while the oldest is slow.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from contextlib import contextmanager
from typing import Any

from .checks import shorten
from .draws import Draw
from .progress import make_display
from .result import Selection
from .runners import Runner, make_runner
from .selector import Selector

TICK = 0.1  # seconds between two looks at the clock


class SelectionInterrupted(KeyboardInterrupt):
    """Ctrl-C during ``select``; ``selection`` is what was known by then, or None."""

    selection: Selection | None = None


def select(
    function: Callable[..., Any],
    options: Sequence[Any] | Mapping[str, Any],
    budget: float,
    *,
    goal: str = "max",
    rule: Any = None,
    workers: Any = None,
    rng: int = 0,
    crn: bool = False,
    costs: Sequence[float] | Mapping[str, float] | None = None,
    store: str | os.PathLike[str] | None = None,
    retries: int = 2,
    timeout: float | None = None,
    ordered: bool = True,
    progress: bool | Callable[[Selector], Any] | None = None,
    stop: Any = None,
    margin: float = 0.0,
) -> Selection:
    """Find the best of some noisy options.

    >>> import varde
    >>> def wait_at(counters, rng):
    ...     return rng.exponential(10.0 / counters) + 2.0 * counters
    >>> varde.select(wait_at, [1, 2, 3, 4], budget=400, goal="min").option
    2

    ``function`` takes an option and, if it has a parameter of that name, the ``seed`` of the draw or ``rng``, a numpy
    generator made of it; it returns a number.  ``workers`` is how many calls to make at once (in threads; for an async
    function on an event loop, 8 unless you say otherwise), or any executor: processes, a Dask cluster.

    An exception, a result that is no number, or none within ``timeout`` seconds is a failure: recorded, tried again,
    and when an option keeps failing (``retries``) it is left out.  ``store`` is a file to which every result goes: the
    same call goes on after a crash or Ctrl-C.  ``ordered=False`` takes results as they come, so no worker waits, and
    timing may change which draws are made.  ``progress`` is True, False, or a function that is called with the
    selector after every result; by default a line on a terminal after two seconds.  The rest is as in ``Selector``.
    """
    if not callable(function):
        raise TypeError(f"function is {function!r}: write a function that takes an option and returns a number")
    if budget is None:
        raise ValueError(
            "budget is None: write the number of evaluations, or use varde.Selector and stop when you like"
        )
    if timeout is not None and not timeout > 0.0:
        raise ValueError(f"timeout is {timeout}: write seconds, more than 0, or leave it out")
    selector = Selector(
        options,
        budget,
        rule=rule,
        goal=goal,
        rng=rng,
        crn=crn,
        costs=costs,
        store=store,
        retries=retries,
        stop=stop,
        margin=margin,
    )
    with selector:
        runner = make_runner(function, workers, timeout)
        try:
            with make_display(progress, selector) as display, deferred_interrupts() as interrupts:
                last = Flight(selector, runner, ordered, timeout, display, interrupts).run()
        except KeyboardInterrupt as interrupt:
            raise interrupted(selector, store) from interrupt
        finally:
            runner.close()
        return recommended(selector, last)


def recommended(selector: Selector, last: BaseException | None) -> Selection:
    try:
        return selector.recommend()
    except RuntimeError as error:
        raise error from last


def interrupted(selector: Selector, store: Any) -> SelectionInterrupted:
    """What to raise at Ctrl-C: with what is known, and how to go on."""
    spent, budget = selector.spent, selector.budget
    known = f"stopped at {spent} of {budget}"
    if selector.leader is not None:
        known += f", {shorten(selector.leader)!r} leads"
    how = f"the same call goes on from {store}" if store is not None else "write store='file.db' to be able to go on"
    stopped = SelectionInterrupted(f"{known}; the results are in .selection of this exception; {how}")
    stopped.selection = selector.recommend() if spent else None
    return stopped


class Flight:
    """The draws under way, in the order of the asks."""

    def __init__(
        self,
        selector: Selector,
        runner: Runner,
        ordered: bool,
        timeout: float | None,
        display: Callable[[], None],
        interrupts: Interrupts,
    ):
        self.selector, self.runner, self.ordered, self.timeout = selector, runner, ordered, timeout
        self.display, self.interrupts = display, interrupts
        spare = 2 if ordered and runner.at_once > 1 else 1
        self.most = spare * runner.at_once
        self.under_way: dict[int, tuple[Draw, Future[Any]]] = {}
        self.last: BaseException | None = None  # the last failure, to show where it happened

    def run(self) -> BaseException | None:
        """Until there is nothing more to do."""
        try:
            while self.start() or self.under_way:
                self.finish()
        finally:
            self.land()
        return self.last

    def start(self) -> bool:
        """Hand out as many draws as fit."""
        while len(self.under_way) < self.most:
            draw = self.selector.ask()
            if draw is None:
                return False
            self.under_way[draw.id] = draw, Future()
            with self.interrupts.allowed():
                self.under_way[draw.id] = draw, self.runner.submit(draw)
        return True

    def finish(self) -> None:
        """Wait for the next result, or the next look at the clock."""
        pairs = list(self.under_way.values())[: 1 if self.ordered else None]
        with self.interrupts.allowed():
            wait([future for _, future in pairs], TICK if self.timeout is not None else None, FIRST_COMPLETED)
        for draw, future in pairs:
            if future.done():
                self.settle(draw, future)
            elif self.too_late(draw):
                del self.under_way[draw.id]
                if not future.cancel():
                    self.runner.abandon(draw)
                self.fail(draw, TimeoutError(f"no result within {self.timeout:g} s"))

    def too_late(self, draw: Draw) -> bool:
        begun = self.runner.begun.get(draw.id)
        return self.timeout is not None and begun is not None and time.monotonic() - begun > self.timeout

    def settle(self, draw: Draw, future: Future[Any]) -> None:
        del self.under_way[draw.id]
        error = future.exception()
        if isinstance(error, BrokenExecutor):
            self.selector.release(draw)
            raise RuntimeError(f"the executor broke down ({error}); what was told before is not lost") from error
        if error is not None:
            self.fail(draw, error)
            return
        try:
            self.selector.tell(draw, future.result())
        except (TypeError, ValueError) as refused:
            self.fail(draw, refused)
        self.display()

    def fail(self, draw: Draw, error: BaseException) -> None:
        self.last = error
        self.selector.fail(draw, f"{type(error).__name__}: {error}")
        self.display()

    def land(self) -> None:
        """Whatever ends the flight: results that are there are told, the other draws wait for whoever goes on."""
        for draw, future in list(self.under_way.values()):
            if future.done() and not future.cancelled() and future.exception() is None:
                self.settle(draw, future)
            else:
                future.cancel()
                del self.under_way[draw.id]
                self.selector.release(draw)


class Interrupts:
    """Ctrl-C at moments when nothing is half done."""

    def __init__(self) -> None:
        self.open = self.asked = False

    def handle(self, *_: Any) -> None:
        self.asked = True
        if self.open:
            raise KeyboardInterrupt

    @contextmanager
    def allowed(self) -> Iterator[None]:
        if self.asked:
            raise KeyboardInterrupt
        self.open = True
        try:
            yield
        finally:
            self.open = False


@contextmanager
def deferred_interrupts() -> Iterator[Interrupts]:
    """Let Ctrl-C wait for such a moment, unless the program has plans of its own for it."""
    interrupts = Interrupts()
    main = threading.current_thread() is threading.main_thread()
    if not main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield interrupts
        return
    signal.signal(signal.SIGINT, interrupts.handle)
    try:
        yield interrupts
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if interrupts.asked:
        raise KeyboardInterrupt
