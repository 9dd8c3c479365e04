"""Files of selections under attack: a short run with fixed seeds; `make attack` runs it for long with fresh ones."""

import itertools
import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
import time
from contextlib import closing

import pytest

import varde
from tests.attack.data import damaged, fill, forked, killed, rewrite
from tests.attack.isolated import PATHS, isolated
from varde.selection import retrying
from varde.selection import selector as selectors
from varde.selection.events import Ask, Begin, Budget, Fail, Lost, Note, Option, Tell

NAMES = list("abcd")


@pytest.mark.parametrize("way", ["fork", "process", "pool"])
def test_what_a_forked_child_is_promised_is_kept(tmp_path, way):
    said, kept = forked(tmp_path / "s.db", way, 2)
    assert said == kept == 42


def test_a_child_forked_in_the_middle_of_a_change_is_told_so(tmp_path):
    ended = isolated(
        """
        import os, sys, varde
        selector = varde.Selector(list("ab"), 100, store=sys.argv[1])
        def fork(ledger):
            if os.fork() == 0:
                try:
                    selector.ask()
                except varde.StoreError as error:
                    print(error, flush=True)
                os._exit(0)
            os.wait()
        selector._journal.change(fork)
        print(selector.tell(selector.ask(), 1.0))
        """,
        tmp_path / "s.db",
    )
    assert "was being changed when this process was forked: open it again" in ended.out and ended.out.endswith("True\n")


def test_kills_lose_nothing_that_was_acknowledged(tmp_path):
    said, lost, twice = killed(tmp_path, 1, kills=5, processes=3, budget=200)
    assert said > 100 and (lost, twice) == (0, 0)


def test_a_closed_file_is_one_file_and_nothing_is_said_of_it(tmp_path):
    with varde.Selector(NAMES, 100, store=tmp_path / "s.db") as selector, varde.Selector.open(tmp_path / "s.db"):
        selector.tell(selector.ask(), 1.0)
    varde.Selector.open(tmp_path / "s.db")  # and left to be collected
    assert os.listdir(tmp_path) == ["s.db"]


@pytest.mark.parametrize("change", ["unlink", "rename", "replace", "log"])
def test_a_file_that_is_gone_takes_no_results(tmp_path, change):
    path = tmp_path / "s.db"
    selector = varde.Selector(NAMES, 100, store=path)
    draw = selector.ask()
    if change == "replace":
        fill(tmp_path / "other.db", 5)
        os.replace(tmp_path / "other.db", path)
    elif change == "rename":
        path.rename(tmp_path / "elsewhere.db")
    else:
        (path if change == "unlink" else tmp_path / "s.db-wal").unlink()
    for _ in range(2):
        with pytest.raises(varde.StoreError, match="was deleted, moved or replaced while it was in use"):
            selector.tell(draw, 1.0)


def test_a_copy_of_a_file_in_use_is_whole(tmp_path):
    path, log = tmp_path / "s.db", tmp_path / "log"
    code = textwrap.dedent(
        """
        import sys, varde
        selector = varde.Selector(list("abcd"), 100000, store=sys.argv[1])
        while True:
            selector.tell(selector.ask(), 1.0)
            print(flush=True)
        """
    )
    command = [sys.executable, "-c", code, str(path)]
    with log.open("wb") as out:
        busy = subprocess.Popen(command, stdout=out, env={**os.environ, "PYTHONPATH": PATHS})
    try:
        while log.stat().st_size < 50:
            time.sleep(0.05)
        said = log.stat().st_size
        with closing(sqlite3.connect(path)) as file, closing(sqlite3.connect(tmp_path / "copy.db")) as to:
            file.backup(to)
    finally:
        busy.send_signal(signal.SIGKILL)
        busy.wait()
    assert varde.Selector.open(tmp_path / "copy.db").spent >= said


def test_damage_is_said_and_the_file_left_alone(tmp_path):
    ends = damaged(tmp_path, 11, 30)
    assert not any(end.isupper() for end in ends), ends
    assert ends["said"] > 10, ends


WRONG = [99, -1, 10**6, "x", "{", None, 1, 0.5, [7], {}]


@pytest.mark.parametrize("kind", [Begin, Option, Ask, Tell, Fail, Lost, Budget, Note])
def test_rows_that_cannot_be_are_a_store_error(tmp_path, kind):
    path = tmp_path / "s.db"
    with varde.Selector(NAMES, 100, store=path) as selector:
        for draw in selector.ask(3):
            selector.tell(draw, 1.0)
        selector.fail(selector.ask())
        selector.release(selector.ask())
        selector.add_budget(5)
        selector.note("n", 1)
        events = selector.events()
    at = next(i for i, event in enumerate(events) if type(event) is kind)
    for field, value in itertools.product(kind._fields, WRONG):
        wrong = events.copy()
        wrong[at] = events[at]._replace(**{field: value})
        rewrite(path, wrong)
        try:
            selector = varde.Selector.open(path)
        except ValueError:  # a StoreError, or that it is not the option of this name
            continue
        with selector:  # what is accepted can be used
            selector.recommend()
            selector.ask(wait=False)  # there may be a pause, of any length


@pytest.mark.parametrize(
    "changed", ["x", [], {}, {"size": -1}, {"warm_start": []}, {"calls": [1, 2, 3, 4]}, {"goal": "odd"}]
)
def test_settings_that_cannot_be_are_a_store_error(tmp_path, changed):
    path = tmp_path / "s.db"
    fill(path, 5)
    with varde.Selector.open(path) as selector:
        first, *others = selector.events()
    settings = {**first.settings, **changed} if isinstance(changed, dict) and changed else changed
    rewrite(path, [first._replace(settings=settings), *others])
    with pytest.raises(ValueError):
        varde.Selector.open(path)


READ_ONLY = """
    import ctypes, sys, varde
    path = sys.argv[1]
    none = (ctypes.c_uint32 * 6)()  # of the rights of root, who may write anywhere
    ctypes.CDLL(None).capset((ctypes.c_uint32 * 2)(0x20080522, 0), none)
    selector = varde.Selector.open(path)
    print(selector.recommend().best_name, selector.spent, selector.notes.get("run"))
    try:
        selector.tell(selector.pending[0], 1.0)
    except varde.StoreError as error:
        print(error)
"""


def test_where_nothing_can_be_written_a_file_can_be_read(tmp_path_factory):
    folder = tmp_path_factory.mktemp("media")
    path = folder / "s.db"
    fill(path)
    before, parents = path.read_bytes(), [folder, folder.parent, folder.parent.parent]
    modes = [parent.stat().st_mode for parent in parents]
    try:
        for parent in parents:
            parent.chmod(0o555)
        path.chmod(0o444)
        ended = isolated(READ_ONLY, path)
    finally:
        for parent, mode in zip(parents, modes, strict=True):
            parent.chmod(mode)
    assert ended.code == 0, ended.err
    assert "{'command': './sim'}" in ended.out and "is read-only here" in ended.out, ended.out
    assert path.read_bytes() == before and os.listdir(folder) == ["s.db"]


class Clock:
    now = 1e9

    def time(self):
        return self.now


@pytest.mark.parametrize("stored", [False, True])
def test_a_draw_handed_out_while_the_clock_was_ahead_expires_like_the_others(tmp_path, monkeypatch, stored):
    clock = Clock()
    for module in (selectors, retrying):
        monkeypatch.setattr(module, "time", clock)
    selector = varde.Selector(NAMES, 10, calls=varde.Calls(expire=60), store=tmp_path / "s.db" if stored else None)
    clock.now += 3600 * 24 * 365
    selector.ask(2)
    clock.now -= 3600 * 24 * 365
    selector.ask()
    clock.now += 3600
    selector.ask(wait=False)
    for opened in [selector, *([varde.Selector.open(tmp_path / "s.db")] if stored else [])]:
        assert not {draw.id for draw in opened.pending} & {1, 2, 3}
