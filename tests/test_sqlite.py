"""Files that are databases: formats, transactions, and errors in words."""

import random
import sqlite3
import warnings

import pytest

from varde import _sqlite
from varde._files import StoreError, StoreWarning
from varde._sqlite import Database


class First(Database):
    application = 0x1234
    steps = ("CREATE TABLE words (word TEXT)",)


class Second(First):
    steps = (
        *First.steps,
        lambda db: db.script("ALTER TABLE words ADD COLUMN length INTEGER; UPDATE words SET length = 3"),
    )


def write(kind, path, word):
    db = kind(path)
    with db.alone():
        db.execute("INSERT INTO words (word) VALUES (?)", [word])
    db.close()


def test_an_older_file_is_brought_up_to_date_by_the_steps_it_lacks(tmp_path):
    write(First, tmp_path / "x.db", "old")
    write(Second, tmp_path / "x.db", "new")
    db = Second(tmp_path / "x.db")
    assert db.execute("SELECT * FROM words").fetchall() == [("old", 3), ("new", None)]
    assert db.format == db.pragma("user_version") == 2


def test_a_newer_file_is_refused_and_left_alone(tmp_path):
    write(Second, tmp_path / "x.db", "new")
    before = (tmp_path / "x.db").read_bytes()
    with pytest.raises(StoreError, match="has format 2, this varde reads up to 1: install a newer varde"):
        First(tmp_path / "x.db")
    assert (tmp_path / "x.db").read_bytes() == before


def test_another_programs_file_is_refused(tmp_path):
    with sqlite3.connect(tmp_path / "x.db") as db:
        db.execute("CREATE TABLE mine (x)")
    db.close()
    with pytest.raises(StoreError, match="belongs to another program and was left unchanged: write another name"):
        First(tmp_path / "x.db")


def test_what_fails_on_the_way_to_a_new_format_leaves_the_old_one(tmp_path):
    class Broken(First):
        steps = (*First.steps, "DELETE FROM words; CREATE TABLE nothing at all")

    write(First, tmp_path / "x.db", "old")
    db = Broken(tmp_path / "x.db")
    with pytest.raises(StoreError, match="syntax error"), db.alone():
        pass
    db.close()
    db = First(tmp_path / "x.db")
    assert db.execute("SELECT * FROM words").fetchall() == [("old",)] and db.format == 1


def test_a_transaction_is_kept_whole_or_not_at_all(tmp_path):
    db = First(tmp_path / "x.db")
    with pytest.raises(ZeroDivisionError), db.alone():
        db.execute("INSERT INTO words VALUES ('half')")
        raise ZeroDivisionError
    write(First, tmp_path / "x.db", "whole")
    assert db.execute("SELECT * FROM words").fetchall() == [("whole",)]
    db.close()
    with pytest.raises(StoreError, match="was closed: open it again"):
        db.begin()


def test_errors_say_what_to_do(tmp_path):
    db = First(tmp_path / "x.db")
    with db.alone():
        pass
    db.execute(f"PRAGMA max_page_count = {db.pragma('page_count')}")
    with pytest.raises(StoreError, match=r"full\); earlier results are safe: free some space"), db.alone():
        for _ in range(100):
            db.execute("INSERT INTO words VALUES (?)", ["x" * 1000])
    (tmp_path / "text").write_text("not a database\n" * 100)
    with pytest.raises(StoreError, match="is damaged or not a varde store"):
        First(tmp_path / "text")
    with pytest.raises(StoreError, match="is a folder: write another name"):
        First(tmp_path)
    with pytest.raises(StoreError, match="does not exist: make it, or write another name"):
        First(tmp_path / "no" / "x.db")


def header(path):
    return path.read_bytes()[18:20]


def closed_together(path):
    """As by two processes, of which neither was alone: the log is gone, and the header speaks of it."""
    write(First, path, "a")
    db = sqlite3.connect(path)
    db.execute("PRAGMA journal_mode = WAL")
    db.close()
    assert header(path) == b"\2\2" and not path.with_name("x.db-wal").exists()
    return path


def test_the_last_of_two_that_close_together_leaves_a_plain_file(tmp_path, monkeypatch):
    path, made_plain, asked = tmp_path / "x.db", _sqlite.made_plain, []

    def not_alone_at_first(db):
        asked.append(db)
        return len(asked) > 1 and made_plain(db)

    monkeypatch.setattr(_sqlite, "made_plain", not_alone_at_first)
    users = random.getstate()
    write(First, path, "a")
    assert len(asked) == 2 and header(path) == b"\1\1" and random.getstate() == users


def test_whoever_is_not_last_leaves_the_file_to_the_others(tmp_path):
    path = tmp_path / "x.db"
    write(First, path, "a")
    one, other = First(path), First(path)
    one.close()
    assert header(path) == b"\2\2" and path.with_name("x.db-wal").exists()
    other.close()
    assert header(path) == b"\1\1"


@pytest.mark.parametrize("read_only", [False, True])
def test_a_file_that_others_are_closing_is_waited_for(tmp_path, monkeypatch, read_only):
    path, slept = closed_together(tmp_path / "x.db"), []

    def others_finish(seconds):
        slept.append(seconds)
        if len(slept) == 3:
            db = sqlite3.connect(path)
            db.execute("PRAGMA journal_mode = DELETE")
            db.close()

    monkeypatch.setattr(_sqlite.time, "sleep", others_finish)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        First(path, read_only).close()
    assert len(slept) >= 3


@pytest.mark.parametrize("read_only", [False, True])
def test_a_log_that_stays_missing_is_said(tmp_path, monkeypatch, read_only):
    path = closed_together(tmp_path / "x.db")
    monkeypatch.setattr(_sqlite, "PAUSE", 0.0)
    with pytest.warns(StoreWarning, match="x.db-wal is not next to it"):
        First(path, read_only).close()
