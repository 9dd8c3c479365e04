"""How calls are made where a service limits them: on a clock of its own, by the calls that a token bucket takes."""

import heapq
import importlib
import itertools
import math
import time
from concurrent.futures import Executor, Future

import numpy as np
import pytest

import varde
from tests.long import times

select = importlib.import_module("varde.selection.select")


class TooManyError(Exception):
    def __init__(self, after):
        super().__init__("429")
        self.retry_after = after


class Service(Executor):
    """Workers, and a service behind a token bucket, in simulated time.

    A call begins when a worker is free; without a token it is refused after 10 ms, with the time until the next token,
    or a fixed one, as the wait.
    """

    def __init__(self, workers, rate, burst, latency, after=None):
        self._max_workers, self.rate, self.burst, self.latency, self.after = workers, rate, burst, latency, after
        self.now, self.tokens, self.filled = 1e9, burst, 1e9
        self.queue, self.running, self.number, self.refused = [], [], itertools.count(), 0

    def submit(self, job):
        future = Future()
        self.queue.append((job, future))
        self.begin()
        return future

    def begin(self):
        while self.queue and len(self.running) < self._max_workers:
            job, future = self.queue.pop(0)
            future.set_running_or_notify_cancel()
            self.tokens = min(self.burst, self.tokens + (self.now - self.filled) * self.rate)
            self.filled = self.now
            taken = self.tokens >= 1.0 - 1e-9
            self.tokens -= taken
            self.refused += not taken
            result = job() if taken else TooManyError(self.after or (1.0 - self.tokens) / self.rate)
            seconds = self.latency if taken else 0.01
            heapq.heappush(self.running, (self.now + seconds, next(self.number), future, result))

    def step(self, until):
        """The next call ends, or nothing does until then."""
        if not self.running or self.running[0][0] > until:
            self.now = max(self.now, until) if until < math.inf else self.now
            return False
        ends, _, future, result = heapq.heappop(self.running)
        self.now = max(self.now, ends)
        future.set_exception(result) if isinstance(result, Exception) else future.set_result(result)
        self.begin()
        return True

    def first_done(self, jobs, seconds=math.inf):
        until = self.now + seconds
        while not any(job.done() for job in jobs) and self.step(until):
            pass

    def sleep(self, seconds):
        until = self.now + seconds
        while self.step(until):
            pass


def through(service, monkeypatch, budget=300, **calls):
    """A selection with that service; time is the service's, which needs the one place where a selection waits."""
    with monkeypatch.context() as patch:
        for name in ("time", "monotonic"):
            patch.setattr(time, name, lambda: service.now)
        patch.setattr(time, "sleep", service.sleep)
        patch.setattr(select, "first_done", service.first_done)
        return varde.select(
            lambda option, seed: option + np.random.default_rng(seed).normal(),
            varde.Selector([1, 2, 3, 4, 5], budget, calls=varde.Calls(**calls)),
            workers=service,
            progress=False,
        )


@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize(
    ("rate", "burst", "latency", "after"),
    [
        (10, 5, 0.05, 0.5),
        (10, 10, 0.3, 0.5),
        (10, 10, 0.3, 1.0),
        (10, 1, 0.05, None),
        (10, 5, 0.3, None),
        (50, 50, 0.1, 0.5),
        (20, 5, 0.02, 0.5),  # it asks for more than it needs: a refusal loses half of what it would have taken
    ],
)
def test_a_service_that_limits_calls_is_used_to_its_limit(rate, burst, latency, after, ordered, monkeypatch):
    for workers in times((1, 4, 32), (1, 2, 4, 8, 16, 32)):
        service = Service(workers, rate, burst, latency, after)
        began = service.now
        found = through(service, monkeypatch, ordered=ordered)
        least = max((300 - burst) / rate, 300 * latency / workers)  # seconds that it takes at the limit
        assert found.spent == 300 and found.stopped == "budget"
        assert least / (service.now - began) > 0.8, workers
        assert service.refused < 300, workers  # of 64 calls at once all but one are, if nothing is learnt: 18,000
        assert not found.outages.number and not any(row.failure for row in found.rows)


def test_waits_that_are_asked_for_are_neither_added_nor_doubled(monkeypatch):
    service = Service(4, 2.0, 4.0, 0.01, after=0.5)
    began = service.now
    through(service, monkeypatch, 12)
    assert service.now - began < 6.0  # (12 - 4) / 2 seconds at the limit


def test_a_service_that_only_asks_to_wait_is_an_outage(monkeypatch):
    service = Service(4, 1e-9, 20.0, 0.01, after=0.5)
    found = through(service, monkeypatch, 60, patience=100.0)
    assert found.stopped == "outage" and found.spent == 20


def test_a_wait_beyond_all_patience_is_an_outage(monkeypatch):
    service = Service(4, 1e-9, 20.0, 0.01, after=86400.0)
    began = service.now
    found = through(service, monkeypatch, 60)
    assert found.stopped == "outage" and found.spent == 20 and service.now - began < 10.0


def test_an_option_that_only_asks_to_wait_is_left_out(monkeypatch):
    class AsleepError(Exception):
        retry_after = 0.5

    def call(option, seed):
        if option == 3:
            raise AsleepError
        return option + np.random.default_rng(seed).normal()

    service = Service(4, 1e9, 1e9, 0.01)
    with monkeypatch.context() as patch:
        for name in ("time", "monotonic"):
            patch.setattr(time, name, lambda: service.now)
        patch.setattr(time, "sleep", service.sleep)
        found = varde.select(call, [1, 2, 3, 4], 60, progress=False)
    assert found.spent == 60 and [row.name for row in found.rows if row.failure] == ["3"]


def test_what_was_asked_for_is_seen_by_every_process(tmp_path):
    with varde.Selector(list("abc"), 20, store=tmp_path / "s.db") as first:
        draw = first.ask()
        first.fail(draw, "429", retry_after=50.0)
        with varde.Selector.open(tmp_path / "s.db") as second:
            assert second.ask(wait=False) is None
            assert 40.0 < second.paused.seconds <= 50.0 and "asked to wait" in str(second.paused)
