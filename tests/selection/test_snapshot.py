"""Snapshots: the same bits as a log that is read from its beginning, and never trusted if they are not of it."""

import json
import re
import shutil
import sqlite3

import numpy as np
import pytest

import varde
from tests.selection.test_store import NAMES, state, value
from varde.selection import snapshot
from varde.selection.events import Snapshot, line_of, read
from varde.selection.journal import Journal

CASES = [
    {},
    {"warm_start": 7},
    {"crn": True},
    {"items": range(30)},
    {"goal": varde.Top(2)},
    {"goal": varde.Quantile(0.9)},
    {"goal": varde.Best("x", y="<= 1")},
    {"costs": [1, 2, 1, 3]},
    {"stop": 0.001},
]


@pytest.fixture
def always(monkeypatch):
    """A snapshot after every change."""
    monkeypatch.setattr(snapshot, "step", lambda position, ledger: 1)


def result(case, draw):
    number = value(draw)
    if isinstance(case.get("goal"), varde.Best):
        return {"x": number, "y": abs(number)}
    return number


@pytest.mark.parametrize("case", CASES, ids=str)
def test_opened_from_snapshots_it_goes_on_as_if_never_closed(tmp_path, always, case):
    kept = varde.Selector(NAMES, 36, **case)
    rng = np.random.default_rng(1)
    for step in range(20):
        with varde.Selector(NAMES, 36, store=tmp_path / "s.db", **case) as other:
            mine, theirs = kept.ask(3), other.ask(3)
            assert mine == theirs
            for draw in [*mine, *kept.pending][::-1]:
                if draw.id not in {each.id for each in kept.pending} or rng.random() < 0.2:
                    continue
                for selector in (kept, other):
                    fails = draw.name == "b" and draw.replicate == 1
                    selector.fail(draw, "no") if fails else selector.tell(draw, result(case, draw))
            if step == 5 and "items" not in case and "costs" not in case:
                for selector in (kept, other):
                    selector.add_option("e")
                    selector.remove_option("a")
            assert state(other) == state(kept)
        if kept.done:
            break
    with varde.Selector.open(tmp_path / "s.db") as other:
        assert state(other) == state(kept) and other.recommend().to_dict() == kept.recommend().to_dict()


def filled(path):
    with varde.Selector(NAMES, store=path) as selector:
        for draw in selector.ask(50):
            selector.tell(draw, value(draw))
        return state(selector)


def snapshots(path, change=None, *given):
    """The snapshots in a file, after a statement that changes them."""
    db = sqlite3.connect(path)
    with db:
        if change:
            db.execute(change, given)
        found = db.execute("SELECT code, position, data FROM snapshots ORDER BY position").fetchall()
    db.close()
    return found


def seen(monkeypatch):
    """How many events a selection reads when it is opened."""
    taken, take = [], Journal.take
    monkeypatch.setattr(Journal, "take", lambda self, ledger, news: taken.append(len(news)) or take(self, ledger, news))
    return taken


DAMAGES = [
    "UPDATE snapshots SET data = CAST(substr(data, 1, 40) || x'00' || substr(data, 42) AS BLOB)",
    "UPDATE snapshots SET data = x''",
    "UPDATE snapshots SET data = zeroblob(5000)",
    "DELETE FROM events WHERE id > 60",
    "DELETE FROM events WHERE id = (SELECT position + 1 FROM snapshots)",
]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_snapshot_of_another_log_or_a_damaged_one_is_not_used(tmp_path, always, damage):
    path, plain = tmp_path / "s.db", tmp_path / "plain.db"
    filled(path)
    snapshots(path, damage)
    shutil.copy(path, plain)
    snapshots(plain, "DELETE FROM snapshots")
    found = []
    for each in (path, plain):
        try:
            with varde.Selector.open(each) as selector:
                found.append(state(selector))
        except varde.StoreError as error:
            found.append(str(error).replace(str(each), "FILE"))
    assert found[0] == found[1]


def swapped(state):
    """The same snapshot with the names of two options exchanged: every result belongs to the other."""
    position, checksum, long = snapshot.PREFIX.unpack_from(state)
    first = snapshot.PREFIX.size
    saved, names, parts = json.loads(state[first : first + long])
    head = json.dumps([saved, [names[-1], *names[1:-1], names[0]], parts], separators=(",", ":")).encode()
    return snapshot.PREFIX.pack(position, checksum, len(head)) + head + state[first + long :]


def test_a_snapshot_that_does_not_follow_from_the_events_changes_no_answer(tmp_path, always):
    path = tmp_path / "s.db"
    filled(path)
    with varde.Selector.open(path) as selector:
        best = selector.recommend().best_name
    ((*_, kept),) = snapshots(path)
    snapshots(path, "UPDATE snapshots SET data = ?", swapped(kept))
    with varde.Selector.open(path) as selector:
        assert selector.recommend().best_name == best == "d"


def forge(path, change):
    """A snapshot with another head or body, for which the log vouches as it does for ours."""
    ((_, position, kept),) = snapshots(path)
    first, (_, checksum, long) = snapshot.PREFIX.size, snapshot.PREFIX.unpack_from(kept)
    head, body = change(kept[first : first + long].decode(), kept[first + long :])
    forged = snapshot.PREFIX.pack(position, checksum, len(head)) + head.encode() + body
    snapshots(path, "UPDATE snapshots SET data = ?", forged)
    db = sqlite3.connect(path)
    with db:
        event = read(db.execute("SELECT line FROM events WHERE id = ?", (position + 1,)).fetchone()[0])
        assert type(event) is Snapshot
        line, _ = line_of(event._replace(digest=snapshot.digest_of(forged)), checksum)
        db.execute("UPDATE events SET line = ? WHERE id = ?", (line, position + 1))
        db.execute("DELETE FROM events WHERE id > ?", (position + 1,))
    db.close()


FORGERIES = {
    "objects": lambda head, body: (head.replace('"type":"d"', '"type":"O"'), body),
    "objects of numpy": lambda head, body: (head.replace('"type":"<f8"', '"type":"|O"'), body),
    "too long": lambda head, body: (re.sub(r'"shape":\[\d+', '"shape":[1000000000', head), body),
    "too short": lambda head, body: (re.sub(r'"shape":\[4', '"shape":[3', head), body),
    "beyond": lambda head, body: (re.sub(r'"array":\d+', '"array":999999', head), body),
    "before": lambda head, body: (re.sub(r'"array":\d+', '"array":-8', head), body),
    "cut": lambda head, body: (head, body[:-8]),
    "other options": lambda head, body: (head, b"\xff" * len(body)),
    "a record": lambda head, body: (head.replace('"Moments"', '"Ledger"'), body),
    "types": lambda head, body: (re.sub(r'"next_id":\d+', '"next_id":"x"', head), body),
    "fields": lambda head, body: (head.replace('"handed_out":', '"handed":'), body),
}


@pytest.mark.parametrize("what", FORGERIES)
def test_a_snapshot_holds_nothing_but_what_a_selection_has(tmp_path, always, monkeypatch, what):
    path = tmp_path / "s.db"
    filled(path)
    forge(path, lambda head, body: (head, body))
    taken = seen(monkeypatch)
    varde.Selector.open(path).close()
    assert taken == [1], "the log vouches for it"
    forge(path, FORGERIES[what])
    taken.clear()
    varde.Selector.open(path).close()
    assert sum(taken) > 60, "it was not used"


@pytest.mark.parametrize(
    ("place", "kind", "shape"), [(8, "d", [2]), (-8, "d", [1]), (0, "d", [10**12]), (0, "u", [1]), (0, "|O", [1])]
)
def test_an_array_is_of_numbers_that_are_there(place, kind, shape):
    with pytest.raises(ValueError, match="array"):
        snapshot.Reading(4, memoryview(bytes(16))).array_of(place, kind, shape, False)


@pytest.mark.parametrize(
    "change",
    [("varde.__version__", "0.0.0"), ("varde.selection.snapshot.package_digest", lambda: "edited")],
    ids=["version", "sources"],
)
def test_code_that_differs_keeps_a_snapshot_of_its_own(tmp_path, always, monkeypatch, change):
    """Two versions in turn: neither reads the whole log at every opening, nor what the other wrote."""
    path = tmp_path / "s.db"
    known, taken = filled(path), seen(monkeypatch)
    with monkeypatch.context() as patch:
        patch.setattr(*change)
        for few in (False, True):
            taken.clear()
            with varde.Selector.open(path) as selector:
                assert state(selector) == known
            assert (sum(taken) < 5) is few
    taken.clear()
    varde.Selector.open(path).close()
    assert sum(taken) < 5


def test_snapshots_are_made_now_and_then_whichever_process_writes(tmp_path, monkeypatch):
    monkeypatch.setattr(snapshot, "LEAST", 100)
    path, made = tmp_path / "s.db", []
    with varde.Selector(NAMES, store=path) as one, varde.Selector.open(path) as other:
        for _ in range(150):
            for selector in (one, other):
                selector.tell(selector.ask(), 1.0)
                made += [position for _, position, _ in snapshots(path)]
    assert [*dict.fromkeys(made)] == [100, 200, 300, 400, 500, 600]
