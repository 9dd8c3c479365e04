"""Failures: which count against an option, and which are an outage."""

import asyncio
import collections
import functools
import json
import logging
import signal
import subprocess
import sys
import textwrap
import threading
import time
import urllib.error
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest

import varde
from tests.noted import noted
from varde.selection.failures import LONGEST, RARE, ROW, Failures, is_mistake
from varde.selection.shell import Command

NAMES = list("abcdef")


class Clock:
    """Time that passes only when somebody sleeps, or when a test says so."""

    def __init__(self, monkeypatch):
        self.now, self.slept = 1e9, 0.0
        monkeypatch.setattr(time, "time", lambda: self.now)
        monkeypatch.setattr(time, "sleep", self.sleep)

    def sleep(self, seconds):
        self.now += seconds
        self.slept += seconds


@pytest.fixture
def clock(monkeypatch):
    return Clock(monkeypatch)


def noise(draw):
    return float(np.random.default_rng(draw.seed).normal()) + 0.3 * NAMES.index(draw.name)


def loop(selector, works, batch=1, clock=None, seconds=0.01):
    """The calls of a loop of one's own: (name, whether it worked); a call takes some time."""
    calls = []
    while not selector.done and len(calls) < 3000:
        for draw in selector.ask(batch):
            if clock is not None:
                clock.now += seconds / batch
            calls.append((draw.name, works(draw)))
            if calls[-1][1]:
                selector.tell(draw, noise(draw))
            else:
                selector.fail(draw, "no answer")
    return calls


# -- options that fail -------------------------------------------------------------------------------


@pytest.mark.parametrize("batch", [1, 16])
@pytest.mark.parametrize("retries", [0, 2])
@pytest.mark.parametrize("bad", ["bc", "abcde"])
def test_options_that_fail_while_others_work_are_left_out(clock, batch, retries, bad):
    selector = varde.Selector(NAMES, 120, calls=varde.Calls(retries=retries))
    calls = loop(selector, lambda draw: draw.name not in bad, batch, clock)
    assert set(selector.failing) == set(bad) and selector.recommend().best_name == "f"
    assert selector.spent == 120 or len(bad) == 5  # of one option there is no more to learn
    once = [sum(name == option for name, _ in calls) for option in bad]
    assert max(once) == retries + 1 if batch == 1 else max(once) <= retries + 1 + 6  # and what was under way
    assert clock.slept == 0.0


def test_each_option_left_out_has_its_reason(clock):
    selector = varde.Selector(NAMES, 60)
    loop(selector, lambda draw: draw.name != "c" or draw.replicate == 0)
    failed, told = selector._journal.ledger.failures.counts[2], 1
    words = f"{failed} of {failed + told} calls failed, last: no answer"
    found = selector.recommend()
    assert selector.failing == {"c": words} and found.rows[2].failure == words
    assert f"failing: {words}" in str(found) and words in found.to_html() and found.to_dict()["rows"][2]["failure"]


@pytest.mark.parametrize(("batch", "chance"), [(1, 0.1), (16, 0.1), (16, 0.6)])
def test_calls_that_fail_now_and_then_condemn_nobody_and_one_that_always_fails_is_found(clock, batch, chance):
    for seed in range(2):
        random = np.random.default_rng(seed)
        selector = varde.Selector(NAMES, 300, seed=seed)
        loop(selector, lambda draw, random=random: draw.name != "b" and random.random() >= chance, batch, clock)
        assert set(selector.failing) == {"b"} and selector.spent == 300


@pytest.mark.parametrize("names", [NAMES[:2], NAMES])
def test_seeds_that_fail_whenever_they_are_tried_condemn_no_option_that_works(clock, names):
    """One simulation in twenty breaks down, and does so again with the same seed."""
    for seed in range(10):
        selector = varde.Selector(names, 200, seed=seed)
        loop(selector, lambda draw: np.random.default_rng([draw.seed, 1]).random() >= 0.05, clock=clock)
        assert selector.failing == {} and selector.spent == 200
    assert clock.slept <= 5.0  # in 10 runs; with two options 11 if a second failure with the same seed were proof


def test_a_seed_that_fails_twice_is_no_proof_of_an_outage(clock):
    selector = varde.Selector(["a", "b"], 100)
    for draw in selector.ask(20):
        selector.tell(draw, noise(draw))
    for _ in range(2):  # one failure of each
        selector.fail(selector.ask(), "broke down")
    again = selector.ask()
    selector.fail(again, "broke down")
    other = selector.ask()
    assert clock.slept == 0.0 and other.seed != again.seed
    selector.fail(other, "broke down")  # now it is
    assert selector.paused.seconds == 1.0


def test_how_often_an_option_must_fail_before_it_is_no_accident():
    """The constant that decides: as many failures in a row as happen by chance once in 10,000 times."""
    failures = Failures(lambda i: i == 1)
    failures.told = 10
    failures.strikes[0] = varde.selection.failures.Strikes(0, 0, 0, 0)
    failures.singly[1] = 10  # every second call of the others failed
    needed = 0
    while not failures.guilty(2):
        failures.strike(0)
        needed += 1
    assert needed == 14 and RARE == 1e-4


# -- outages -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("batch", [1, 16])
@pytest.mark.parametrize("names", [NAMES[:2], NAMES])
@pytest.mark.parametrize("retries", [0, 2])
def test_an_outage_is_waited_out_and_counts_against_nobody(clock, batch, names, retries):
    whole = varde.Selector(names, 100, calls=varde.Calls(retries=retries))
    loop(whole, lambda draw: True, batch)
    usual = whole.recommend().values
    for length in (0.005, 2.0, 100.0):
        selector = varde.Selector(names, 100, calls=varde.Calls(retries=retries))
        began = clock.now + 0.2
        loop(selector, lambda draw, a=began, b=began + length: not a <= clock.now < b, batch, clock)
        assert selector.failing == {} and selector.spent == 100
        found = selector.recommend()
        assert found.stopped == "budget"
        strange = 0  # the same seeds, so that the results are those of a run without an outage ...
        for name in names:
            both = max(min(found.values[name].size, usual[name].size) - batch, 0)
            strange += len(set(found.values[name][:both]) - set(usual[name]))
        assert strange <= len(selector._journal.ledger.given_up)  # ... but for probes that failed twice


def test_pauses_double_up_to_a_minute_and_one_call_is_made_in_each(clock):
    calls = varde.Calls(backoff=4.0, patience=1e6)
    selector = varde.Selector(NAMES, 100, warm_start=8, calls=calls)
    for draw in selector.ask(30):
        selector.tell(draw, noise(draw))
    for draw in selector.ask(8):
        selector.fail(draw, "down")
    pauses = []
    for _ in range(7):
        (draw,) = selector.ask(8)  # waits, and hands out one
        assert selector.ask(wait=False) is None and selector.paused.seconds == 0.0
        selector.fail(draw, "down")
        pauses.append(selector.paused.seconds)
        assert not selector.done and selector.ask(wait=False) is None and selector.ask(3, wait=False) == []
    assert pauses == [4.0, 8.0, 16.0, 32.0, 60.0, 60.0, 60.0] and LONGEST == 60.0
    assert str(selector.paused) == (
        f"paused: 15 calls of 6 options failed in a row (the last, of {draw.name!r}: down); next try in 60 s"
    )
    (draw,) = selector.ask(8)
    selector.tell(draw, 1.0)
    assert selector.paused is None and len(selector.ask(8)) == 8 and clock.slept == pytest.approx(sum(pauses))


def test_a_selection_that_is_sure_is_not_paused_by_calls_that_fail_afterwards(clock):
    selector = varde.Selector(["good", "bad"], 1_000, stop=0.05, calls=varde.Calls(bounds=(0, 1)))
    draws = selector.ask(200)
    for draw in draws[:-8]:
        selector.tell(draw, float(draw.name == "good"))
    for draw in draws[-8:]:  # nothing will be asked any more that could show that an outage is over
        selector.fail(draw, "down")
    assert selector.done and selector.paused is None and selector.ask() is None


def test_three_failures_in_a_row_of_two_options_are_looked_into(clock):
    selector = varde.Selector(NAMES, 100)
    draws = selector.ask(12)
    for number, draw in enumerate(draws[:ROW]):
        assert selector.paused is None, number
        selector.fail(draw, "down")
    assert ROW == 3 and selector.paused.seconds == 0.0
    assert selector.ask() is not None and selector.ask() is None  # one at a time, at once
    selector.tell(draws[5], 1.0)  # whatever works shows that not everything fails
    assert selector.paused is None and len(selector.ask(5)) == 5 and clock.slept == 0.0


def test_what_was_under_way_before_a_pause_does_not_end_it(clock):
    selector = varde.Selector(NAMES, 100)
    for draw in selector.ask(30):
        selector.tell(draw, 1.0)
    draws = selector.ask(12)
    for draw in draws[:4]:
        selector.fail(draw, "down")
    selector.fail(selector.ask(), "down")
    assert selector.paused.seconds == 1.0
    selector.tell(draws[5], 1.0)
    assert selector.paused.seconds == 1.0 and selector.spent == 31


def test_an_outage_without_end_ends_the_search_with_what_is_known(clock):
    selector = varde.Selector(NAMES, 100, calls=varde.Calls(patience=50.0))
    began = clock.now + 0.5
    loop(selector, lambda draw: clock.now < began, clock=clock)
    found = selector.recommend()
    assert selector.done and selector.paused is None and selector.ask() is None and selector.failing == {}
    assert found.stopped == "outage" and found.spent == selector.spent > 30
    assert 0.0 < clock.now - began <= 51.0


def test_patience_begins_anew_when_a_file_is_opened_again(clock, tmp_path):
    path, began = tmp_path / "s.db", clock.now + 0.5
    with varde.Selector(NAMES, 100, calls=varde.Calls(patience=50.0), store=path) as selector:
        loop(selector, lambda draw: clock.now < began, clock=clock)
        spent = selector.spent
        assert selector.done and spent < 100
    with varde.Selector(NAMES, 100, calls=varde.Calls(patience=50.0), store=path) as selector:
        assert not selector.done and selector.spent == spent
        loop(selector, lambda draw: True, clock=clock)
        assert selector.spent == 100 and selector.failing == {} and selector.recommend().stopped == "budget"


@pytest.mark.parametrize("names", [NAMES[:2], NAMES])
@pytest.mark.parametrize("batch", [1, 16])
def test_when_nothing_ever_works_it_ends_soon_and_the_cause_is_told(clock, names, batch):
    selector = varde.Selector(names, 100)
    calls = loop(selector, lambda draw: False, batch, clock)
    assert clock.slept == pytest.approx(3.0) and {name for name, _ in calls} == set(names)
    with pytest.raises(RuntimeError, match=rf"no call has worked: \d+ calls of {len(names)} options .*: no answer\)"):
        selector.recommend()


@pytest.mark.parametrize(
    ("error", "seconds"),
    [
        (NameError("name 'maen' is not defined"), 0.0),
        (TypeError("unsupported operand"), 0.0),
        (ModuleNotFoundError("No module named 'pandsa'"), 0.0),
        (FileNotFoundError("prices.csv"), 0.0),
        (KeyError("price"), 0.0),
        (ConnectionError("refused"), 3.0),
        (TimeoutError("no answer"), 3.0),
        (urllib.error.HTTPError("http://a", 503, "busy", None, None), 3.0),
        (json.JSONDecodeError("Expecting value", "<html>", 0), 3.0),
        (RuntimeError("out of memory"), 3.0),
    ],
)
def test_a_function_that_never_worked_and_is_wrong_is_not_waited_for(clock, error, seconds):
    def broken(option):
        raise error

    words = f"no call has worked: 5 calls of 2 options failed in a row .*{type(error).__name__}"
    with pytest.raises(RuntimeError, match=words) as told:
        varde.select(broken, ["a", "b"], 100)
    assert clock.slept == pytest.approx(seconds) and told.value.__cause__ is error


def test_what_worked_before_is_waited_for_whatever_it_raises(clock):
    began = clock.now + 0.3

    def moody(option, rng):
        clock.now += 0.01
        if began <= clock.now < began + 5.0:
            raise KeyError("choices")
        return rng.normal()

    found = varde.select(moody, NAMES, 100)
    assert found.stopped == "budget" and found.outages.number == 1 and clock.slept > 4.0


def test_if_the_first_seeds_fail_others_are_tried_before_it_gives_up(clock, tmp_path):
    bad = {varde.Selector([name, "x"], 60).ask().seed for name in NAMES[:2]}
    calls = collections.deque()  # a list is part of what the store knows of the function

    def measure(option, seed):
        calls.append(seed)
        if seed in bad:
            raise RuntimeError("it broke down")
        return float(np.random.default_rng(seed).normal())

    found = varde.select(measure, NAMES[:2], 60, store=tmp_path / "s.db")
    assert {calls[0], calls[1]} == bad and calls[2] not in bad and clock.slept == 0.0 and found.spent == 60
    assert all(calls.count(seed) == 2 for seed in bad)  # they were tried again when others worked
    again = varde.select(measure, NAMES[:2], 60, store=tmp_path / "s.db")
    assert again.p_right == found.p_right and len(calls) == 64
    assert all(np.array_equal(again.values[name], found.values[name]) for name in NAMES[:2])


def test_an_outage_at_the_first_call_changes_no_result(clock):
    for names in (NAMES[:2], NAMES):
        whole, late = varde.Selector(names, 100), varde.Selector(names, 100)
        loop(whole, lambda draw: True)
        began = clock.now + 2.0
        loop(late, lambda draw, began=began: clock.now > began, clock=clock)
        for name in names:
            first = whole.recommend().values[name][:2]
            assert np.isin(first, late.recommend().values[name]).all()


def test_a_service_that_comes_up_late_is_waited_for(clock):
    selector, began = varde.Selector(NAMES, 60), clock.now
    loop(selector, lambda draw: clock.now > began + 2.0, 16, clock)
    assert selector.spent == 60 and selector.failing == {}


def test_a_file_in_which_nothing_worked_is_tried_again(clock, tmp_path):
    for works in (False, False, True):
        with varde.Selector(NAMES, 60, store=tmp_path / "s.db") as selector:
            loop(selector, lambda draw, works=works: works, 4, clock)
    assert selector.spent == 60 and selector.failing == {}


def test_a_service_may_say_when_to_come_back(clock):
    selector = varde.Selector(NAMES, 60)
    selector.fail(selector.ask(), "429", retry_after=17.0)
    assert selector.paused.seconds == 17.0
    with pytest.raises(ValueError, match="retry_after is -1"):
        selector.fail(selector.ask(), "429", retry_after=-1)


def test_every_process_and_every_day_see_the_same_outage(clock, tmp_path):
    random = np.random.default_rng(3)
    first = varde.Selector(NAMES, 200, store=tmp_path / "s.db", calls=varde.Calls(retries=2))
    second = varde.Selector(NAMES, 200, store=tmp_path / "s.db", calls=varde.Calls(retries=2))
    for step in range(120):
        one, other = (first, second) if step % 2 else (second, first)
        clock.now, down = clock.now + 0.5, step // 20 % 2
        for draw in one.ask(int(random.integers(1, 8)), wait=False):
            clock.now += 0.1
            if down or draw.name == "c" or random.random() < 0.2:
                one.fail(draw, "down")
            else:
                one.tell(draw, noise(draw))
        if step % 4:
            continue
        third = varde.Selector.open(tmp_path / "s.db")
        states = [vars(selector._journal.view().failures) | {"has_worked": 0} for selector in (one, other, third)]
        assert states[0] == states[1] == states[2]
        assert [selector.paused for selector in (one, other)] == [third.paused] * 2
        third.close()
    assert first.failing.keys() == {"c"} and first._journal.ledger.failures.outages.number >= 2
    first.close()
    second.close()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"backoff": 0}, "backoff is 0: write seconds of the first pause"),
        ({"backoff": "1"}, "backoff is '1'"),
        ({"patience": -1}, "patience is -1: write how many seconds an outage may last"),
        ({"patience": float("nan")}, "patience is nan"),
        ({"per_second": 0}, "per_second is 0"),
        ({"retries": 1.5}, "retries is 1.5"),
        ({"timeout": -1}, "timeout is -1"),
    ],
)
def test_bad_settings(settings, words):
    with pytest.raises((TypeError, ValueError), match=words):
        varde.Calls(**settings)
    with pytest.raises(TypeError, match=r"calls is .*: write varde.Calls"):
        varde.Selector(NAMES, 60, calls=settings)


# -- in threads, processes, event loops and clusters -----------------------------------------------------


class Service:
    """Noisy options behind a service that is down from its 60th call on, until so many pauses were seen."""

    def __init__(self, pauses, error=None):
        self.lock, self.calls, self.pauses, self.seen = threading.Lock(), 0, pauses, set()
        self.error = error or ConnectionError("no route to host")

    def __call__(self, option, seed):
        with self.lock:
            self.calls += 1
            down = self.calls > 60 and len(self.seen) < self.pauses
        if down:
            raise self.error
        return option + np.random.default_rng(seed).normal()

    def watch(self, selector):
        self.seen |= {selector._journal.ledger.failures.until} - {0.0}

    async def later(self, option, seed):
        await asyncio.sleep(0.0)
        return self(option, seed)


@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("how", ["here", "threads", "event loop"])
def test_select_waits_an_outage_out(how, ordered):
    service = Service(pauses=3)
    function, workers = {"here": (service, 1), "threads": (service, 16), "event loop": (service.later, 16)}[how]
    selector = varde.Selector([1, 2, 3, 4], 200, calls=varde.Calls(backoff=0.001, ordered=ordered))
    found = varde.select(function, selector, workers=workers, progress=service.watch)
    assert found.spent == 200 and found.stopped == "budget" and not any(row.failure for row in found.rows)
    assert found.outages.number == 1 and found.outages.calls >= 6
    assert "s (ConnectionError: no route to host); " in noted(found) and "count against no option" in noted(found)
    assert found.to_dict()["outages"]["number"] == 1


def fails_once_there_is_a_file(option, seed, path):
    if path.exists() and path.read_text():
        path.write_text(path.read_text()[1:])
        raise ConnectionError("no route to host")
    return option + np.random.default_rng(seed).normal()


class Begin:
    """An outage of so many calls, after so many results."""

    def __init__(self, path, results=30, calls=6):
        self.path, self.results, self.calls = path, results, calls

    def __call__(self, selector):
        if selector.spent == self.results and not self.path.exists():
            self.path.write_text("x" * self.calls)


def test_an_outage_of_processes(tmp_path):
    function = functools.partial(fails_once_there_is_a_file, path=tmp_path / "processes")
    with ProcessPoolExecutor(1) as pool:
        begin = Begin(tmp_path / "processes")
        found = varde.select(
            function, varde.Selector([1, 2, 3], 60, calls=varde.Calls(backoff=0.001)), workers=pool, progress=begin
        )
    assert found.spent == 60 and found.outages.number == 1


def test_dask_does_not_remember_a_failure_when_the_outage_is_over(tmp_path):
    distributed = pytest.importorskip("distributed")
    local = {"n_workers": 1, "threads_per_worker": 1, "processes": False, "dashboard_address": ":0"}
    function = functools.partial(fails_once_there_is_a_file, path=tmp_path / "dask")
    with distributed.Client(**local) as client:
        begin = Begin(tmp_path / "dask")
        found = varde.select(
            function, varde.Selector([1, 2, 3], 60, calls=varde.Calls(backoff=0.001)), workers=client, progress=begin
        )
        assert client.submit(abs, -1).result() == 1  # it is the user's, and still open
    assert found.spent == 60 and found.outages.number == 1


def test_a_timeout_takes_part():
    hang, calls = threading.Event(), [0]

    def slow(option, seed):
        calls[0] += 1
        if 30 < calls[0] < 40:
            hang.wait(60)
        return option + np.random.default_rng(seed).normal()

    found = varde.select(slow, varde.Selector([1, 2, 3], 60, calls=varde.Calls(timeout=0.1, backoff=0.001)), workers=4)
    hang.set()
    assert found.spent == 60 and not any(row.failure for row in found.rows)


def test_no_more_calls_are_begun_per_second_than_allowed():
    began = []

    def watched(option):
        began.append(time.monotonic())
        return float(option)

    varde.select(watched, varde.Selector([1, 2], 20, calls=varde.Calls(per_second=200.0)), workers=4)
    assert len(began) == 20 and max(began) - min(began) > 15 / 200.0  # never less, whatever else the machine does


def test_an_error_may_say_when_to_come_back():
    class TooManyError(Exception):
        retry_after = 0.02

    service = Service(1, TooManyError("429"))
    found = varde.select(
        service, varde.Selector([1, 2, 3], 100, calls=varde.Calls(backoff=30.0)), workers=4, progress=service.watch
    )
    assert found.spent == 100 and 0.02 <= found.outages.seconds < 25.0


def test_what_happens_is_logged(caplog):
    caplog.set_level(logging.INFO, "varde")
    service = Service(pauses=2)
    varde.select(service, varde.Selector([1, 2, 3], 80, calls=varde.Calls(backoff=0.001)), progress=service.watch)
    said = [record.getMessage() for record in caplog.records]
    assert any(line.startswith("draw ") and "failed: ConnectionError: no route" in line for line in said)
    assert any(line.startswith("paused: ") and "of 3 options failed in a row (the last" in line for line in said)
    assert any(line.startswith("the outage is over after ") for line in said)


SCRIPT = """
    import sys, time, pathlib
    import numpy as np, varde

    down = pathlib.Path(sys.argv[2])

    def call(option, seed):
        if down.exists():
            raise ConnectionError("no route to host")
        return option + np.random.default_rng(seed).normal()

    def watch(selector):
        if selector.spent == 40 and sys.argv[3] == "down":
            down.touch()
        if selector.paused is not None and selector.paused.seconds > 1.0:
            print("paused", file=sys.stderr, flush=True)

    calls = varde.Calls(backoff=30.0)
    selector = varde.Selector([1, 2, 3, 4], 150, store=sys.argv[1], calls=calls)
    found = varde.select(call, selector, workers=4, progress=watch)
    print(found.stopped, found.spent, [row.failure for row in found.rows])
"""


def script(tmp_path, how):
    command = [sys.executable, "-c", textwrap.dedent(SCRIPT), tmp_path / "s.db", tmp_path / "down", how]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_ended_in_a_pause_it_keeps_everything_and_goes_on(tmp_path, how):
    process = script(tmp_path, "down")
    assert process.stderr.readline() == "paused\n"
    process.send_signal(how)
    output, _ = process.communicate(timeout=60)  # at once, and not after half a minute
    with varde.Selector.open(tmp_path / "s.db") as selector:
        spent = selector.spent
        assert 40 <= spent < 150 and selector.failing == {} and selector.paused.seconds > 0.0
        assert selector.ask(wait=False) is None
    assert output == ("" if how == signal.SIGKILL else f"interrupted {spent} ['', '', '', '']\n")


def test_seconds_end_a_pause_too():
    found = varde.select(
        Service(pauses=10), varde.Selector([1, 2, 3], 200, calls=varde.Calls(backoff=30.0)), seconds=1.0
    )
    assert found.stopped == "seconds" and 50 < found.spent <= 60


def test_seeds_that_fail_do_not_keep_an_outage_going():
    """In it they are tried again as probes; after two attempts others take their place."""

    def poor(option, rng):
        if rng.random() < 0.3:
            raise ZeroDivisionError(option)
        return rng.random()

    found = varde.select(
        poor,
        varde.Selector({"x": 1, "y": 2}, 10, seed=3, crn=True, calls=varde.Calls(retries=1, backoff=0.001, patience=5)),
        workers=2,
    )
    assert found.spent == 10 and found.stopped == "budget"


def test_where_calls_fail_at_random_a_row_of_failures_is_no_outage():
    ledger = Failures(lambda i: True)
    for number in range(40):  # every second call
        ledger.failed(number % 2, number, number, number, 0.0, "x")
        ledger.told += 1
        ledger.worked(number % 2, number, 0.0)
    for number in range(100, 113):  # about once in 10,000
        ledger.failed(number % 2, number, number, number, 0.0, "x")
    assert not ledger.narrow
    ledger.failed(0, 113, 113, 113, 0.0, "x")
    assert ledger.narrow


@pytest.mark.parametrize("seed", range(3))
def test_where_half_of_all_calls_fail_hardly_any_time_is_lost_to_pauses(clock, seed):
    selector, random = varde.Selector(NAMES, 200), np.random.default_rng(seed)
    while (draw := selector.ask()) is not None:
        selector.fail(draw, OSError("busy")) if random.random() < 0.5 else selector.tell(draw, noise(draw))
    assert selector.spent == 200 and clock.slept <= 7.0  # 400 calls


def test_messages_are_one_line_whatever_is_in_names_and_reasons(caplog):
    caplog.set_level(logging.INFO, "varde")
    selector = varde.Selector(["a\nb", "\ud83e"], 20)
    for _ in range(6):
        selector.fail(selector.ask(wait=False) or selector.pending[0], "no\x1b[2J\r\nroute")
        if selector.paused:
            break
    assert caplog.records
    for record in caplog.records:
        assert record.getMessage().encode() and record.getMessage().isprintable()


@pytest.mark.parametrize(
    ("command", "mistake"),
    [("no-such-program {option}", True), ("echo {option} is not a number", True), ("echo {option}; exit 3", False)],
)
def test_a_command_that_does_not_exist_or_prints_no_number_is_a_mistake(command, mistake):
    with pytest.raises(RuntimeError) as failed:
        Command(command, ["option"])("a", seed=1)
    assert is_mistake(failed.value) == mistake
