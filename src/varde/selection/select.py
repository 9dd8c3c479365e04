"""``select``: spend the budget on the options and say which one to take.

Results reach the algorithm in the order in which the draws were handed out, whichever finishes first.  So the same seed
and the same number of workers choose the same draws, whatever the timing, and after a crash the continuation is that
of a run that never stopped.  Up to two draws per worker are pending, so that none idles while the oldest is slow.
"""

from __future__ import annotations

import functools
import inspect
import logging
import math
import os
import signal
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from typing import Any, Concatenate, Literal, NamedTuple, TypedDict, TypeVar, Unpack, overload

import numpy as np

from .._interrupts import Interrupts, deferred_interrupts
from .._keywords import helpful
from .._pool import TICK, Here, first_done, make_workers
from ..check import LARGEST, as_float, positive, refuse, shown
from ..protocols import Stopping
from .calls import USUAL, Calls
from .contexts import Choices
from .draws import Draw
from .functions import check_call, check_same, check_sendable, identity_of, wanted
from .goals import Best, Goal, Top
from .log import EventLog
from .progress import make_display
from .result import Selection
from .selector import RULE, Selector

# Where a service limits calls, the time between two of them shrinks
QUICKLY = 0.02  # by this share with each result
NEAR, SLOWLY = 0.1, 0.005  # or, this near to where calls were refused, by this share in the time that a refusal costs
FEW = 4  # results that show how fast it takes calls

T = TypeVar("T")

messages = logging.getLogger("varde")


class Settings(TypedDict, total=False):
    """What ``select`` takes beside the question: the settings of a ``Selector``, and how to spend its budget."""

    seconds: float
    workers: int | Executor | None
    seed: int
    crn: bool
    costs: Sequence[float] | Mapping[str, float] | None
    items: Sequence[Any] | Mapping[str, Any] | None
    alike: Any
    store: str | os.PathLike[str] | EventLog | None
    calls: Calls
    warm_start: int | None
    stop: float | Literal["watched"] | Stopping | None
    progress: bool | Callable[[Selector[Any]], Any] | None


@overload
def select(
    function: Callable[Concatenate[T, ...], Any],
    options: Sequence[T] | Mapping[str, T],
    budget: float | None = None,
    *,
    contexts: Sequence[Any] | Mapping[str, Any],
    goal: Literal["max", "min"] = "max",
    **settings: Unpack[Settings],
) -> Choices: ...
@overload
def select(
    function: Callable[Concatenate[T, ...], Any],
    options: Sequence[T] | Mapping[str, T],
    budget: float | None = None,
    *,
    goal: Top,
    **settings: Unpack[Settings],
) -> Selection[list[T]]: ...
@overload
def select(
    function: Callable[Concatenate[T, ...], Any],
    options: Sequence[T] | Mapping[str, T],
    budget: float | None = None,
    *,
    goal: Best,
    **settings: Unpack[Settings],
) -> Selection[T | None]: ...
@overload
def select(
    function: Callable[Concatenate[T, ...], Any],
    options: Sequence[T] | Mapping[str, T],
    budget: float | None = None,
    *,
    goal: Literal["max", "min"] | Goal = "max",
    **settings: Unpack[Settings],
) -> Selection[T]: ...
@overload
def select(
    function: Callable[..., Any],
    options: Selector[Any],
    *,
    seconds: float = math.inf,
    workers: int | Executor | None = None,
    progress: bool | Callable[[Selector[Any]], Any] | None = None,
) -> Selection[Any]: ...
@helpful(algorithm=RULE)
def select(
    function: Callable[..., Any],
    options: Sequence[Any] | Mapping[str, Any] | Selector[Any],
    budget: float | None = None,
    *,
    goal: Literal["max", "min"] | Goal = "max",
    seconds: float = math.inf,
    workers: int | Executor | None = None,
    seed: int = 0,
    crn: bool = False,
    costs: Sequence[float] | Mapping[str, float] | None = None,
    items: Sequence[Any] | Mapping[str, Any] | None = None,
    alike: Any = False,
    contexts: Sequence[Any] | Mapping[str, Any] | None = None,
    store: str | os.PathLike[str] | EventLog | None = None,
    calls: Calls = USUAL,
    warm_start: int | None = None,
    stop: float | Literal["watched"] | Stopping | None = None,
    progress: bool | Callable[[Selector[Any]], Any] | None = None,
) -> Selection[Any] | Choices:
    """Find the best of some noisy options.

    >>> import varde
    >>> def wait_at(counters, rng):
    ...     return rng.exponential(10.0 / counters) + 2.0 * counters
    >>> varde.select(wait_at, [1, 2, 3, 4], budget=400, goal="min").best
    2

    Args:
        function: takes an option and, if it has parameters of these names, the ``seed`` of the draw, ``rng`` (a
            numpy generator made from it), with a test set the ``item`` to judge the option on, and
            with ``contexts`` the ``context`` to evaluate it in.  It returns a
            number (a dict of numbers for ``goal=varde.Best(...)``).
        options: a list, a dict of names and options, or a ``Selector``, whose settings then hold.
        workers: how many calls to run at once, in threads (an async function runs on an event loop, 8 calls at once
            by default), or any executor: processes, a Dask cluster.
        seconds: time limit.  After it, or at Ctrl-C, the result so far is returned; ``stopped`` says why it ended.
        store: a file that keeps every result; the same call continues after a crash or Ctrl-C.
        progress: True, False, or a function that is called with the selector after every result; by default a line
            on a terminal or in a notebook after two seconds.

    Failures are recorded and tried again; an option that keeps failing while others work is left out.  When all fail
    it pauses and, should that not end, gives up: ``stopped`` is then "outage".  The other arguments are those of
    ``Selector``.
    """
    if not callable(function):
        refuse("function", function, "a function that takes an option and returns a number", TypeError)
    seconds = positive("seconds", seconds, "how long it may take, more than 0")
    settings: dict[str, Any] = {"goal": goal, "seed": seed, "crn": crn, "costs": costs, "items": items, "alike": alike}
    settings |= {"contexts": contexts, "store": store, "calls": calls, "warm_start": warm_start, "stop": stop}
    if isinstance(options, Selector):
        usual = {"goal": "max", "seed": 0, "crn": False, "alike": False, "calls": USUAL}
        for name, value in {"budget": budget, **settings}.items():
            if not (value is usual.get(name) or (isinstance(value, str | int) and value == usual.get(name))):
                raise TypeError(f"the Selector has its settings already: write {name}={shown(value)} there")
        return spend(function, options, seconds, workers, progress)
    if budget is None and seconds == math.inf and stop is None and items is None:
        raise ValueError(
            "budget is None: write the number of evaluations, or seconds=..., or use varde.Selector and stop when "
            "you like"
        )
    check_call(function, items is not None, contexts is not None)
    with Selector(options, budget, **settings) as selector:
        return spend(function, selector, seconds, workers, progress)


def spend(
    function: Callable[..., Any],
    selector: Selector[Any],
    seconds: float,
    workers: int | Executor | None,
    progress: bool | Callable[[Selector[Any]], Any] | None,
) -> Selection[Any]:
    """Spend the budget of a selector, and recommend."""
    settings, has_items = selector.settings, bool(selector.items)
    check_call(function, has_items, settings.contexts > 0)
    if selector.budget is None and seconds == math.inf and settings.stop is None and not has_items:
        raise ValueError("the Selector has no budget: give it one, or write seconds=...")
    if settings.crn and not {"seed", "rng"} & set(wanted(function)):
        raise TypeError(
            f"crn is True, and {function!r:.80} takes neither seed nor rng, so there are no random numbers to share: "
            "give it a parameter seed or rng and draw from that, or leave crn out"
        )
    check_sendable(function, selector.options.items(), workers)
    if (store := selector.store) is not None:
        note_function(selector, function, store)
    ended = drive(selector, function, workers, ordered=settings.calls.ordered, progress=progress, seconds=seconds)
    if ended.stopped == "interrupted" and not selector.spent:
        raise KeyboardInterrupt
    try:
        return selector.recommend(ended.stopped)
    except RuntimeError as error:
        raise error from ended.failure


def note_function(selector: Selector[Any], function: Callable[..., Any], where: Any) -> None:
    """The file keeps which function it is; another is refused."""
    now, noted = identity_of(function), selector.notes.get("function")
    check_same(now, noted, where)
    if noted != now._asdict():
        selector.note("function", now._asdict())


class Ended(NamedTuple):
    """Why ``drive`` ended."""

    stopped: str | None  # "seconds" or "interrupted"; None: there is nothing more to ask
    failure: BaseException | None  # the last one, to show where it happened


def drive(
    selector: Selector[Any],
    function: Callable[..., Any],
    workers: int | Executor | None = None,
    *,
    ordered: bool = True,
    progress: bool | Callable[[Selector[Any]], Any] | None = None,
    seconds: float = math.inf,
    signals: Sequence[signal.Signals] = (signal.SIGINT,),
) -> Ended:
    """Evaluate what ``selector`` asks for until nothing is left, time is up, or Ctrl-C."""
    asynchronous = inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(type(function).__call__)
    pool = make_workers(workers, asynchronous, selector.settings.calls.timeout)
    try:
        with make_display(progress, selector) as display, deferred_interrupts(signals) as interrupts:
            flight = Flight(selector, function, pool, ordered, time.monotonic() + seconds)
            return Ended(flight.run(display, interrupts), flight.failure)
    finally:
        pool.close()


class Flight:
    """The pending draws, in the order they were asked for."""

    def __init__(
        self, selector: Selector[Any], function: Callable[..., Any], pool: Here, ordered: bool, deadline: float
    ):
        self.pace = Pace(selector.settings.calls.per_second)
        self.selector, self.pool, self.ordered, self.deadline = selector, pool, ordered, deadline
        self.timeout = selector.settings.calls.timeout
        self.function, self.wanted = function, wanted(function)
        self.most = (2 if ordered and pool.at_once > 1 else 1) * pool.at_once
        self.under_way: dict[int, tuple[Draw[Any], Future[Any]]] = {}
        self.suspects: set[int] = set()  # draws of which one broke the pool: each is evaluated alone
        self.refused: deque[int] = deque()  # draws whose calls were asked to wait, which is heeded at once
        self.failure: BaseException | None = None  # the last
        self.pause = 0.0  # seconds until the next draw may be handed out, at most

    def run(self, display: Callable[[], None], interrupts: Interrupts) -> str | None:
        """Until there is nothing more to do, or it is stopped."""
        self.display, self.interrupts = display, interrupts
        try:
            while self.start() or self.under_way:
                if time.monotonic() >= self.deadline:
                    return "seconds"
                self.finish()
            return "interrupted" if interrupts.asked else None
        except KeyboardInterrupt:
            return "interrupted"
        finally:
            self.land()

    def start(self) -> bool:
        """Hand out as many draws as fit; returns whether there may be more."""
        while len(self.under_way) < (1 if self.suspects else self.most):
            while self.refused:
                pair = self.under_way.get(self.refused.popleft())
                if pair is not None and pair[1].done():
                    self.settle(*pair)
            self.pause = self.pace.left()
            if self.pause:
                return True
            draw = self.selector.ask(wait=False)
            if draw is None:
                paused = self.selector.paused
                self.pause = 0.0 if paused is None else min(paused.seconds or TICK, TICK)
                return paused is not None
            self.pace.start()
            self.under_way[draw.id] = draw, Future()
            job = functools.partial(
                evaluate, self.function, self.wanted, draw.option, draw.seed, draw.item, draw.context
            )
            with self.interrupts.allowed():
                future = self.pool.submit(job)
                self.under_way[draw.id] = draw, future
            future.add_done_callback(functools.partial(self.notice, draw.id))
        self.pause = 0.0
        return True

    def finish(self) -> None:
        """Wait for the next result, or the next glance at the clock, or the end of a pause."""
        pairs = list(self.under_way.values())[: 1 if self.ordered else None]
        timed = self.timeout is not None or self.deadline < math.inf
        limit = min(self.pause or TICK, TICK) if timed or self.pause else math.inf
        with self.interrupts.allowed():
            if pairs:
                first_done([future for _, future in pairs], limit)
            else:
                time.sleep(min(self.pause, TICK))
        if self.pause:
            self.display()
        for draw, future in pairs:
            if draw.id not in self.under_way:
                continue  # its pool broke down
            if future.done():
                self.settle(draw, future)
            elif self.too_late(future):
                del self.under_way[draw.id]
                if not self.pool.cancel(future):
                    self.pool.abandon()
                self.fail(draw, TimeoutError(f"no result within {self.timeout:g} s"))

    def too_late(self, future: Future[Any]) -> bool:
        began = self.pool.began(future)
        return self.timeout is not None and began is not None and time.monotonic() - began > self.timeout

    def settle(self, draw: Draw[Any], future: Future[Any]) -> None:
        del self.under_way[draw.id]
        error = CancelledError("it was cancelled") if future.cancelled() else future.exception()
        if isinstance(error, BrokenExecutor):
            self.mend(draw, error)
            return
        self.suspects.discard(draw.id)
        if error is not None:
            self.fail(draw, error)
            return
        self.pace.quicken()
        messages.debug("draw %d of %r gave %r", draw.id, draw.name, future.result())
        try:
            self.selector.tell(draw, future.result())
        except (TypeError, ValueError) as refused:
            self.fail(draw, refused)
        self.display()

    def notice(self, id: int, future: Future[Any]) -> None:
        if not future.cancelled() and asked_to_wait(future.exception()):
            self.refused.append(id)

    def fail(self, draw: Draw[Any], error: BaseException) -> None:
        self.failure, after = error, asked_to_wait(error)
        if after:
            self.pace.slow(after)
        self.selector.fail(draw, error, retry_after=after)
        self.display()

    def mend(self, draw: Draw[Any], error: BrokenExecutor) -> None:
        """A worker died and broke its pool: take another, and find out which draw did it.

        Pending draws are handed out again one at a time; the one that breaks the pool alone has failed.
        """
        if not self.pool.mend():
            self.selector.release(draw)
            raise RuntimeError(f"the executor failed ({error}); earlier results are not lost") from error
        others = [other for other, future in self.under_way.values() if not has_result(future)]
        if not others:
            self.suspects.discard(draw.id)
            self.fail(draw, error)
            return
        for other in (draw, *others):
            self.under_way.pop(other.id, None)
            self.suspects.add(other.id)
            self.selector.release(other)

    def land(self) -> None:
        """Clean up, however it ends: finished results are recorded, the other draws wait for the next call."""
        for draw, future in list(self.under_way.values()):
            if has_result(future):
                self.settle(draw, future)
            else:
                self.pool.cancel(future)
                del self.under_way[draw.id]
                self.selector.release(draw)


class Pace:
    """How fast calls are begun: at most so many per second, and as fast as a service that limits them has taken them.

    It took so many while it asked for no wait, and fewer with the waits: its limit lies between the two, and so does
    the pace, which then grows with every result.  Near the pace at which the service refused calls it grows slowly: a
    refusal costs a whole wait.
    """

    def __init__(self, per_second: float):
        self.least = self.spacing = 1.0 / per_second  # seconds between two starts
        self.next = -math.inf  # when the next call may begin
        self.since = self.over = time.monotonic()  # since when results are counted, and when the last wait is over
        self.results, self.free = 0, 0.0  # results since then, and the time without waits
        self.limit, self.wait = math.inf, 0.0  # the spacing at which calls were refused, and the wait they cost

    def left(self) -> float:
        return max(self.next - time.monotonic(), 0.0)

    def start(self) -> None:
        now = time.monotonic()
        late = now - self.next  # which the next call makes good, but not a pause
        self.next = now + self.spacing - (late if late < self.spacing else 0.0)

    def slow(self, after: float) -> None:
        now = time.monotonic()
        if now > self.over:
            self.free, self.wait = self.free + now - self.over, after
            if self.results >= FEW:
                self.limit = self.free / self.results
                self.spacing = max(math.sqrt(self.limit * (now - self.since) / self.results), self.least)
                self.since, self.results, self.free = now, 0, 0.0
        self.over = max(self.over, now + after)

    def quicken(self) -> None:
        is_near = abs(self.spacing - self.limit) < NEAR * self.limit
        less = min(SLOWLY * self.spacing / self.wait, QUICKLY) if is_near and self.wait else QUICKLY
        self.spacing = max((1.0 - less) * self.spacing, self.least)
        self.results += 1


def asked_to_wait(error: BaseException | None) -> float | None:
    """The seconds to wait that the error of a service asks for (Retry-After), if any."""
    seconds = as_float(getattr(error, "retry_after", None))
    return seconds if seconds is not None and 0.0 <= seconds <= LARGEST else None


def has_result(future: Future[Any]) -> bool:
    return future.done() and not future.cancelled() and future.exception() is None


def evaluate(
    function: Callable[..., Any],
    wanted: tuple[str, ...],
    option: Any,
    seed: int,
    item: Any = None,
    context: Any = None,
) -> Any:
    """Call the user's function with the arguments it takes."""
    given = {"seed": seed, "item": item, "context": context}
    if "rng" in wanted:
        given["rng"] = np.random.default_rng(seed)
    return function(option, **{name: given[name] for name in wanted})
