"""The door to every log: whatever is accepted opens again, equal; everything else is refused in words.

The same random selections are tried on a file and a database; `make long` tries many more.
"""

import datetime
import enum
import itertools
import uuid

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import varde
from tests.long import times
from tests.selection import server as servers
from tests.selection.test_store import state
from varde.selection.events import Note, Tell, event_of, kept, line_of


class Name(str):
    def __str__(self):
        return f"<{super().__str__()}>"

    __repr__ = __str__


class Colour(enum.StrEnum):
    RED = "red"


class Size(enum.IntEnum):
    LARGE = 3


def nested(depth):
    found = "x"
    for _ in range(depth):
        found = [found]
    return found


texts = st.text(st.characters(), max_size=8) | st.sampled_from(["\ud83e", "a\0b", "é\n\t", "'; --", "\\u0000", "NULL"])
odd = st.sampled_from(
    [
        np.str_("n"), np.int64(3), np.float64(0.1), np.float32(0.1), np.bool_(True), np.uint64(2**63 + 1),
        np.datetime64("2020-01-01"), np.arange(3), Colour.RED, Size.LARGE, Name("sub"), 2**63, -(2**63) - 1, 2**300,
        float("nan"), float("inf"), -0.0, 5e-324, 1e308, b"bytes", datetime.date(2020, 1, 1), (1, 2), {1, 2}, {1: 2},
        {"a": (1,)}, {Name("k"): 1}, nested(60), nested(70), nested(200), object(), len, None, True, 3 + 4j, Ellipsis,
    ]
)  # fmt: skip
plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
values = plain | odd | st.lists(odd, max_size=2) | st.dictionaries(texts, odd, max_size=2)
names = texts | st.sampled_from([np.str_("np"), Name("sub"), Colour.RED, 3, "ok", "other"])
changes = st.one_of(
    st.tuples(st.just("ask"), names | st.integers(0, 5)),
    st.tuples(st.just("tell"), values),
    st.tuples(st.just("fail"), values),
    st.tuples(st.just("note"), names, values),
    st.tuples(st.just("add"), names, values),
    st.tuples(st.just("many"), names, values),
)
SLOW = {"deadline": None, "suppress_health_check": list(HealthCheck)}
REFUSED = (TypeError, ValueError)  # StoreError is one


def change(selector, kind, *given):
    """Do one thing; a refusal is as good as anything else, a store that is damaged is not."""
    try:
        if kind == "ask":
            selector.ask(worker=given[0], wait=False)
        elif kind == "note":
            selector.note(*given)
        elif kind == "add":
            selector.add_option(given[1], given[0])
        elif kind == "many":
            selector.tell_many([("first", given[1]), ("first", 1.0)], once=given[0], skip=True)
        elif selector.pending and kind == "tell":
            selector.tell(selector.pending[0], given[0])
        elif selector.pending:
            selector.fail(selector.pending[0], given[0])
    except REFUSED as error:
        assert str(error) and "damaged" not in str(error), error


def live(store, options, items, done):
    """A selection with two processes on its store: both, and whoever opens it later, agree."""
    given = {"first": 1, **options}
    how = {"calls": varde.Calls(backoff=1e-9), "items": items}
    try:
        selector = varde.Selector(given, store=store(), **how)
    except REFUSED as error:
        assert str(error) and "damaged" not in str(error), error
        return False
    with selector, varde.Selector(given, store=store(), **how) as other:
        for kind, *parts in done:
            change(selector, kind, *parts)
            change(other, "ask", "")
        mine, notes = state(selector), selector.notes
        assert state(other) == mine and other.notes == notes
        names, all_options = list(selector.options), selector.options
    with varde.Selector(given | {name: all_options[name] for name in names}, store=store(), **how) as again:
        assert state(again) == mine and again.notes == notes
    try:
        again = varde.Selector.open(store())
    except ValueError as error:
        assert "only the names of its" in str(error), error
        return True
    with again:
        assert state(again) == mine and list(again.options) == names
        assert all(again.options[name] == all_options[name] for name in names)
    return True


cases = st.tuples(
    st.dictionaries(names, values, min_size=1, max_size=3),
    st.none() | st.dictionaries(names, values, min_size=1, max_size=2),
    st.lists(changes, max_size=6),
)


@settings(max_examples=times(60, 2_000), **SLOW)
@given(case=cases)
def test_whatever_a_file_accepts_opens_again_equal(tmp_path_factory, case):
    path = tmp_path_factory.mktemp("door") / "s.db"
    live(lambda: path, *case)


@pytest.fixture(scope="module")
def database():
    if servers.missing() is not None:
        pytest.skip(str(servers.missing()))
    server = servers.Server()
    yield server
    server.remove()


@settings(max_examples=times(10, 300), **SLOW)
@given(case=cases)
@example(case=({"a\0b": {"\ud83e": "\\ud83e\ude00", "\\u0000": "\U0001f600"}}, None, []))
def test_whatever_a_database_accepts_opens_again_equal(database, case):
    url = f"{database.url()}#{uuid.uuid4().hex}"
    if live(lambda: url, *case):
        for view in ("options", "items", "results", "failures"):
            database.sql(f"SELECT * FROM varde.{view}")


@given(st.lists(st.tuples(st.sampled_from([Tell, Note]), st.integers(), st.floats(allow_nan=False), texts, plain)))
def test_lines_are_ascii_and_vouch_for_all_before_them(rows):
    lines, last = [], 0
    events = [Note(t, kept("it", d), x) if k is Note else Tell(n, n, x, data={t: d}, time=x) for k, n, x, t, d in rows]
    for event in events:
        try:
            line, last = line_of(event, last)
        except ValueError:
            assert not np.isfinite(event.time)
            return
        lines.append(line)
    back, last = [], 0
    for line in lines:
        assert line.isascii() and "\n" not in line
        event, last = event_of(line, last)
        back.append(event)
    assert back == events
    for gone in range(len(lines)):
        with pytest.raises(ValueError):
            left, last = lines[:gone] + lines[gone + 1 :] + ["[]"], 0
            for line in left:
                _, last = event_of(line, last)


def test_names_of_numpy_open_again(tmp_path):
    path, names = tmp_path / "s.db", np.unique(["b", "a"])
    found = varde.select(lambda option, seed: seed / 2**31, dict.fromkeys(names, 1), 20, store=path)
    assert type(found.best_name) is str and varde.Selector.open(path).recommend().best_name == found.best_name


@pytest.mark.parametrize("worker", [0, 3, np.int64(3), b"x", "\ud800", ["a"]])
def test_a_worker_that_is_no_text_is_refused_and_hurts_nobody(tmp_path, worker):
    one, other = (varde.Selector(["a", "b"], 20, store=tmp_path / "s.db") for _ in range(2))
    with pytest.raises((TypeError, ValueError), match="worker"):
        one.ask(worker=worker)
    assert other.tell(other.ask(worker="rank 3"), 1.0) and one.spent == 1


def test_a_function_that_changes_the_folder_loses_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folders = itertools.cycle(["/", str(tmp_path)])

    def wander(option, seed):
        monkeypatch.chdir(next(folders))
        return option + seed / 2**31

    found = varde.select(wander, [1, 2, 3], 30, store="s.db")
    assert found.spent == 30 and varde.Selector.open(tmp_path / "s.db").spent == 30


@pytest.mark.parametrize("value", [nested(100_000), 10**5000, {"a": nested(2_000)}, "x" * 2**24], ids=range(4))
def test_what_is_too_deep_or_too_long_is_refused_before_anything_is_stored(tmp_path, value):
    with pytest.raises(ValueError, match="an option has"):
        varde.Selector({"a": value, "b": 1}, 20, store=tmp_path / "new.db")
    with varde.Selector(["a", "b"], 20, store=tmp_path / "s.db") as selector:
        for refused in (lambda: selector.note("n", value), lambda: selector.add_option(value, "c")):
            with pytest.raises(ValueError, match=r"the (note|option) |has .* characters"):
                refused()
        assert selector.tell(selector.ask(), 1.0)
    assert varde.Selector.open(tmp_path / "s.db").spent == 1


def test_infinite_and_foreign_options_are_kept_by_name(tmp_path):
    options = {"a": float("inf"), "b": (1, 2), "c": b"x"}
    with varde.Selector(options, 20, store=tmp_path / "s.db") as selector:
        assert selector.tell(selector.ask(), 1.0)
    with pytest.raises(ValueError, match="has only the names of its options, such as 'a'"):
        varde.Selector.open(tmp_path / "s.db")
    assert varde.Selector.open(tmp_path / "s.db", options).options == options
