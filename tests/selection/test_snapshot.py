"""Snapshots: the same bits as a log that is read from its beginning, and never trusted if they are not of it."""

import os
import pickle
import shutil
import sqlite3
import zlib

import numpy as np
import pytest

import varde
from tests.selection.test_store import NAMES, state, value
from varde.selection import snapshot
from varde.selection.file import File

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


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE snapshots SET data = CAST(substr(data, 1, 40) || x'00' || substr(data, 42) AS BLOB)",
        "UPDATE snapshots SET data = x''",
        "DELETE FROM events WHERE id > 60",
    ],
)
def test_a_snapshot_of_another_log_or_a_damaged_one_is_not_used(tmp_path, always, damage):
    path, plain = tmp_path / "s.db", tmp_path / "plain.db"
    filled(path)
    with sqlite3.connect(path) as db:
        assert db.execute("SELECT position FROM snapshots").fetchone() == (105,)
        db.execute(damage)
    db.close()
    shutil.copy(path, plain)
    with sqlite3.connect(plain) as db:
        db.execute("DELETE FROM snapshots")
    db.close()
    found = []
    for each in (path, plain):
        try:
            with varde.Selector.open(each) as selector:
                found.append(state(selector))
        except varde.StoreError as error:
            found.append(str(error).replace(str(each), "FILE"))
    assert found[0] == found[1]


@pytest.mark.parametrize(
    "change",
    [("varde.__version__", "0.0.0"), ("varde.selection.snapshot.package_digest", lambda: "edited")],
    ids=["version", "sources"],
)
def test_code_that_differs_keeps_a_snapshot_of_its_own(tmp_path, always, monkeypatch, change):
    """Two versions in turn: neither reads the whole log at every opening, nor what the other wrote."""
    path = tmp_path / "s.db"
    known = filled(path)
    with monkeypatch.context() as patch:
        patch.setattr(*change)
        with File(path) as log:
            assert snapshot.load(log) is None
        with varde.Selector.open(path) as selector:
            assert state(selector) == known
        with File(path) as log:
            assert snapshot.load(log) is not None, "the next opening need not read the whole log"
    with File(path) as log:
        assert snapshot.load(log) is not None, "nor that of the other"


def test_a_snapshot_makes_no_object_that_is_not_plain(tmp_path, always):
    filled(tmp_path / "s.db")
    with File(tmp_path / "s.db") as log:
        data = log.snapshot(snapshot.code())
    start = 12 + int.from_bytes(data[4:12], "little")
    body = data[4:start] + pickle.dumps(os.getcwd)
    forged = zlib.crc32(body).to_bytes(4, "little") + body
    with sqlite3.connect(tmp_path / "s.db") as db:
        db.execute("UPDATE snapshots SET data = ?", (forged,))
    db.close()
    with File(tmp_path / "s.db") as log:
        assert snapshot.load(log) is None


def test_snapshots_are_made_now_and_then_whichever_process_writes(tmp_path, monkeypatch):
    monkeypatch.setattr(snapshot, "LEAST", 100)
    with varde.Selector(NAMES, store=tmp_path / "s.db") as one, varde.Selector.open(tmp_path / "s.db") as other:
        seen = []
        for log in (one._journal.log, other._journal.log):
            monkeypatch.setattr(log, "keep_snapshot", lambda data, position, code: seen.append(position))
        for _ in range(150):
            for selector in (one, other):
                selector.tell(selector.ask(), 1.0)
    assert seen == [100, 200, 300, 400, 500, 600]
