"""Files that are databases: formats, transactions, and errors in words."""

import sqlite3
import threading

import pytest

from varde._files import StoreError
from varde._sqlite import Database


class First(Database):
    application = 0x1234
    tables = "CREATE TABLE words (word TEXT)"


class Second(First):
    format = 2


def write(kind, path, word):
    db = kind(path)
    with db.alone():
        db.execute("INSERT INTO words (word) VALUES (?)", [word])
    db.close()


def test_a_file_of_another_format_is_refused_and_left_alone(tmp_path):
    write(Second, tmp_path / "x.db", "new")
    before = (tmp_path / "x.db").read_bytes()
    with pytest.raises(StoreError, match="has format 2, this varde reads 1: install a newer varde"):
        First(tmp_path / "x.db")
    assert (tmp_path / "x.db").read_bytes() == before


def test_another_programs_file_is_refused(tmp_path):
    with sqlite3.connect(tmp_path / "x.db") as db:
        db.execute("CREATE TABLE mine (x)")
    db.close()
    with pytest.raises(StoreError, match="belongs to another program and was left unchanged: write another name"):
        First(tmp_path / "x.db")


def test_tables_that_cannot_be_made_leave_an_empty_file(tmp_path):
    class Broken(First):
        tables = "CREATE TABLE words (word TEXT); CREATE TABLE nothing at all"

    db = Broken(tmp_path / "x.db")
    with pytest.raises(StoreError, match="syntax error"), db.alone():
        pass
    db.close()
    write(First, tmp_path / "x.db", "new")


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
    with pytest.raises(StoreError, match="is not a varde store, and was left unchanged: write another name"):
        First(tmp_path / "text")
    with pytest.raises(StoreError, match="is a folder: write another name"):
        First(tmp_path)
    with pytest.raises(StoreError, match="does not exist: make it, or write another name"):
        First(tmp_path / "no" / "x.db")


def test_two_that_close_together_leave_a_file_that_opens(tmp_path):
    path = tmp_path / "x.db"
    write(First, path, "a")
    one, other = First(path), First(path)
    with other.alone():
        other.execute("INSERT INTO words VALUES ('b')")
    closing = [threading.Thread(target=each.close) for each in (one, other)]
    for thread in closing:
        thread.start()
    for thread in closing:
        thread.join()
    for read_only in (True, False):
        again = First(path, read_only)
        assert again.fetch("SELECT word FROM words") == [("a",), ("b",)]
        again.close()


def test_a_path_is_resolved_once(tmp_path, monkeypatch):
    (tmp_path / "real").mkdir()
    (tmp_path / "link.db").symlink_to(tmp_path / "real" / "x.db")
    monkeypatch.chdir(tmp_path)
    db = First("link.db")
    monkeypatch.chdir("real")
    with db.alone():
        db.execute("INSERT INTO words VALUES ('a')")
    db.let_go()
    assert db.fetch("SELECT word FROM words") == [("a",)]
    db.close()
    assert (tmp_path / "real" / "x.db").exists() and (tmp_path / "link.db").is_symlink()


def test_a_file_of_several_names_is_refused(tmp_path):
    write(First, tmp_path / "x.db", "a")
    (tmp_path / "y.db").hardlink_to(tmp_path / "x.db")
    for name in ("x.db", "y.db"):
        with pytest.raises(StoreError, match=r"has several names \(hard links\).*delete all but one"):
            First(tmp_path / name)
