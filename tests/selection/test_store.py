"""The file: resuming, several processes, kills, and files that are refused."""

import os
import random
import shutil
import sqlite3
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import varde
import varde.testing
from varde.selection import EventLog
from varde.selection.file import File
from varde.selection.ledger import Ledger
from varde.selection.worker import is_gone, this_process

NAMES = ["a", "b", "c", "d"]


def value(draw):
    return float(np.random.default_rng(draw.seed).normal() + 0.5 * "abcde".index(draw.name))


def state(selector):
    """All that two selectors of the same file must agree on."""
    ledger = selector._journal.view()
    return (
        [ledger.results.owners, ledger.results.values, ledger.results.replicates, ledger.drawn],
        sorted(ledger.tickets),
        list(ledger.live),
        list(ledger.waiting),
        ledger.failing,
        ledger.spent,
        ledger.reserved,
        ledger.budget,
        ledger.chooser.pending.tolist(),
        [column.tolist() for column in ledger.chooser.moments],
        selector.remaining,
    )


def test_reopened_at_every_step_it_goes_on_as_if_never_closed(tmp_path):
    kept = varde.Selector(NAMES, 40)
    steps = 0
    while not kept.done:
        steps += 1
        with varde.Selector(NAMES, 40, store=tmp_path / "s.db") as other:
            mine, theirs = kept.ask(3), other.ask(3)
            assert mine == theirs
            for draw in mine[::-1]:
                for selector in (kept, other):
                    if draw.name == "b" and draw.replicate == 1:
                        selector.fail(draw, "once")
                    else:
                        selector.tell(draw, value(draw))
            assert state(other) == state(kept)
    assert steps > 10 and varde.Selector.open(tmp_path / "s.db").leader == kept.leader


def test_two_selectors_of_one_file_share_everything(tmp_path):
    path = tmp_path / "s.db"
    first, second = (varde.Selector(NAMES, 60, store=path) for _ in range(2))
    generator, under_way = random.Random(4), []
    while not first.done:
        one = generator.choice([first, second])
        under_way += one.ask(generator.randint(1, 4))
        generator.shuffle(under_way)
        for _ in range(min(len(under_way), generator.randint(1, 4))):
            draw, other = under_way.pop(), generator.choice([first, second])
            if generator.random() < 0.2:
                other.fail(draw, "bad luck")
            else:
                other.tell(draw, value(draw))
                told = draw.id
        if first.spent > 30 and first.budget == 60:
            other.add_option("e")
            first.add_budget(20)
    assert state(first) == state(second) and second.done and first.spent == 80
    again = varde.Selector.open(path)
    assert state(again) == state(first)
    for one in (first, second, again):
        with pytest.raises(varde.AlreadyToldError):
            one.tell(told, 0.0)


def test_raw_values_reasons_times_and_workers_are_kept(tmp_path):
    path = tmp_path / "s.db"
    with varde.Selector(NAMES, 40, store=path) as selector:
        draw, other = selector.ask(2)
        selector.tell(draw, 0.1 + 0.2)
        selector.fail(other, ZeroDivisionError("oh"))
        selector.tell("c", -1)
    with sqlite3.connect(path) as db:
        results = db.execute("SELECT draw, name, replicate, seed, value FROM results").fetchall()
        failures = db.execute("SELECT name, reason, worker FROM failures").fetchall()
        times = [row[0] for row in db.execute("SELECT time FROM results UNION SELECT time FROM failures")]
    db.close()
    assert results == [(1, "a", 0, draw.seed, 0.1 + 0.2), (3, "c", None, None, -1.0)]
    assert failures == [("b", "ZeroDivisionError: oh", this_process())]
    assert all(abs(when - time.time()) < 600 for when in times)


def test_a_larger_budget_on_opening(tmp_path):
    path = tmp_path / "s.db"
    varde.Selector(NAMES, 40, store=path).close()
    varde.Selector(NAMES, 60, store=path).close()
    with varde.Selector(NAMES, 40, store=path) as selector:
        assert selector.budget == 60
    assert varde.Selector.open(path).budget == 60


def test_options_and_settings_come_from_the_file(tmp_path):
    path = tmp_path / "s.db"
    designs = [{"s": 1, "S": 5}, {"s": 2, "S": 5}, {"s": 2, "S": 9}]
    with varde.Selector(
        designs, 90, goal="min", seed=7, crn=True, warm_start=4, costs=[1, 2, 3], store=path
    ) as selector:
        expected = selector.ask(9)
        selector.tell(expected[0], 1.5)
    with varde.Selector.open(path) as selector:
        assert selector.pending == expected[1:] and selector.ask().option in designs
        assert selector.recommend().goal == "min" and selector.settings.warm_start == 4
    things = {"x": object(), "y": len}
    with varde.Selector(things, 20, store=tmp_path / "things.db") as selector:
        selector.tell(selector.ask(), 1.0)
    with pytest.raises(ValueError, match="only the names of its options, such as 'x'"):
        varde.Selector.open(tmp_path / "things.db")
    with varde.Selector.open(tmp_path / "things.db", things) as selector:
        assert selector.ask().option is things["y"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"options": ["a", "b", "c"]}, "has the option 'd', which is not among those given"),
        ({"options": [*NAMES, "e"]}, "has no option 'e'"),
        ({"options": {name: name + "!" for name in NAMES}}, "has 'a' as 'a', this is 'a!'"),
        ({"goal": "min"}, "was made with goal='max', this is goal='min'"),
        ({"seed": 1}, "was made with seed=0"),
        ({"crn": True}, "was made with crn=False"),
        ({"warm_start": 5}, "was made with warm_start=3, this is warm_start=5"),
        ({"costs": [1, 1, 1, 2]}, "'d' at a cost of 1, this is 2"),
    ],
)
def test_other_settings_than_the_files_are_refused(tmp_path, change, words):
    path = tmp_path / "s.db"
    with varde.Selector(NAMES, 40, store=path) as selector:
        selector.tell(selector.ask(), 1.0)
    with pytest.raises(ValueError, match=words):
        varde.Selector(**{"options": NAMES, "budget": 40, "store": path, **change})
    with varde.Selector(NAMES[::-1], 40, store=path) as selector:  # another order is the same selection
        assert selector.spent == 1


def test_after_closing_what_is_known_can_be_read_and_nothing_told(tmp_path):
    with varde.Selector(NAMES, 40, store=tmp_path / "s.db") as selector:
        draw, other = selector.ask(2)
        selector.tell(draw, 1.0)
    assert selector.spent == 1 and selector.recommend().best_name == "a"
    for change in (lambda: selector.tell(other, 1.0), selector.ask, lambda: selector.fail(other)):
        with pytest.raises(varde.StoreError, match="was closed: open it again"):
            change()


def test_names_that_do_not_last_are_refused(tmp_path):
    with pytest.raises(ValueError, match="differs between processes"):
        varde.Selector([lambda: 1, lambda: 2], 40, store=tmp_path / "s.db")


# -- files that are refused ----------------------------------------------------------------------


def refused(path, words):
    before = path.read_bytes()
    for opening in (lambda: varde.Selector(NAMES, 40, store=path), lambda: varde.Selector.open(path)):
        with pytest.raises(varde.StoreError, match=words):
            opening()
    assert path.read_bytes() == before


def filled(path, results=300):
    with varde.Selector(NAMES, results, store=path) as selector:
        draws = selector.ask(results)
        for draw in draws[:5]:
            selector.tell(draw, value(draw))


@pytest.mark.parametrize(
    "name", ["IOERR_LOCK", "IOERR_SHMLOCK", "IOERR_CHECKRESERVEDLOCK", "PROTOCOL", "FULL", "IOERR"]
)
def test_what_a_file_system_lacks_is_said(tmp_path, name):
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorname = f"SQLITE_{name}"
    words = str(File(tmp_path / "s.db").in_words(error))
    assert ("no locks that work: put it on a local disk, or use a database" in words) is (name not in ("FULL", "IOERR"))


def test_files_of_others_are_left_alone(tmp_path):
    text = tmp_path / "notes.txt"
    text.write_text("my only copy\n" * 100)
    refused(text, "is not a varde store, and was left unchanged: write another name")
    foreign = tmp_path / "foreign.db"
    with sqlite3.connect(foreign) as db:
        db.execute("CREATE TABLE mine (x)")
    db.close()
    refused(foreign, "belongs to another program")
    for folder in (tmp_path, "."):
        with pytest.raises(varde.StoreError, match="is a folder"):
            varde.Selector(NAMES, 40, store=folder)
    with pytest.raises(varde.StoreError, match="does not exist"):
        varde.Selector(NAMES, 40, store=tmp_path / "no" / "s.db")
    with pytest.raises(varde.StoreError, match="does not exist"):
        varde.Selector.open(tmp_path / "no.db")
    with pytest.raises(varde.StoreError, match="is a folder"):
        varde.Selector.open(tmp_path)


def test_a_newer_format_is_refused(tmp_path):
    path = tmp_path / "s.db"
    filled(path)
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 3")
    db.close()
    refused(path, "has format 3, this varde reads 2: install a newer varde")


def test_a_damaged_file_is_refused(tmp_path):
    path = tmp_path / "s.db"
    filled(path)
    whole = path.read_bytes()
    assert len(whole) > 5 * 4096
    for first in range(4096, len(whole) - 4096, 4096):
        path.write_bytes(whole[:first] + os.urandom(2048) + whole[first + 2048 :])
        refused(path, "damaged")
    path.write_bytes(whole[: len(whole) // 2])
    refused(path, "damaged")


def test_a_full_disk_loses_nothing_acknowledged(tmp_path):
    path = tmp_path / "s.db"
    selector = varde.Selector(NAMES, 4000, store=path)
    store = selector._journal.record.log
    store.execute(f"PRAGMA max_page_count = {store.pragma('page_count') + 4}")  # as a disk that fills up
    told = 0
    with pytest.raises(varde.StoreError, match="full"):
        while True:
            draw = selector.ask()
            selector.tell(draw, value(draw))
            told += 1
    assert told > 10 and selector.spent in (told, told + 1)
    store.execute("PRAGMA max_page_count = 100000")
    assert selector.spent == told
    selector.tell(selector.pending[0] if selector.pending else selector.ask(), 1.0)
    assert selector.spent == told + 1 and state(varde.Selector.open(path)) == state(selector)


# -- real processes, real kills --------------------------------------------------------------------


def test_draws_of_a_process_that_died_are_handed_out_again(tmp_path):
    path = tmp_path / "s.db"
    code = "import os, sys, varde; varde.Selector(list('abcd'), 12, store=sys.argv[1]).ask(5); os._exit(9)"
    subprocess.run([sys.executable, "-c", code, str(path)], check=False)
    with varde.Selector(NAMES, 12, store=path) as selector:
        draws = selector.ask(12)
        assert [draw.id for draw in draws] == list(range(1, 13)) and selector.failing == {}
    assert not is_gone(this_process()) and not is_gone("outside") and not is_gone("elsewhere/1:1:1")


def test_a_process_is_gone_only_where_its_number_means_something():
    where, pid, began = this_process().split(":")
    name, space, number = where.split("/")
    assert is_gone(f"{where}:{pid}:{int(began) - 1}")
    for elsewhere in (f"{name}/{space}/another", f"{name}/1/{number}", f"other/{space}/{number}"):
        assert not is_gone(f"{elsewhere}:{pid}:{int(began) - 1}")


def test_all_but_draws_of_this_process_waits_for_the_disk(tmp_path):
    with varde.Selector(NAMES, 40, store=tmp_path / "s.db") as selector:

        def waited():
            return selector._journal.record.log.pragma("synchronous") == 2  # FULL

        draws = selector.ask(3)
        assert not waited()
        for change in (
            lambda: selector.tell(draws[0], 1.0),
            lambda: selector.fail(draws[1]),
            lambda: selector.release(draws[2]),
            lambda: selector.ask(worker="a machine elsewhere"),
            lambda: selector.add_budget(5),
            lambda: selector.note("a", 1),
        ):
            selector.ask()
            change()
            assert waited()


def test_draws_that_a_power_cut_undoes_are_handed_out_again_the_same(tmp_path):
    """A copy of file and log from before the draws is what the disk has of them at worst."""
    path, disk = tmp_path / "s.db", tmp_path / "disk"
    with varde.Selector(NAMES, 60, store=path) as selector:
        for draw in selector.ask(20):
            selector.tell(draw, value(draw))
        disk.mkdir()
        for file in tmp_path.glob("s.db*"):
            shutil.copy(file, disk)
        undone = selector.ask(7)
    with varde.Selector.open(disk / "s.db") as selector:
        assert selector.spent == 20 and selector.ask(7) == undone


# -- logs kept elsewhere ---------------------------------------------------------------------------


class Shelf(EventLog):
    """A log of one's own, for several selectors of one process."""

    def __init__(self):
        self.lines, self.lock = [], threading.RLock()

    def begin(self, at_once=True):
        self.lock.acquire()
        self.before = len(self.lines)

    def append(self, lines):
        self.lines += lines

    def commit(self):
        self.lock.release()

    def roll_back(self):
        del self.lines[self.before :]
        self.lock.release()

    def since(self, position, most=None):
        return self.lines[position:][:most]

    def close(self):
        pass


def test_a_log_of_ones_own_is_as_good_as_a_file(tmp_path):
    shelf = Shelf()
    with varde.Selector(NAMES, 40, store=shelf) as first, varde.Selector(NAMES, 40, store=tmp_path / "s.db") as other:
        for _ in range(12):
            draws = first.ask(2)
            assert draws == other.ask(2)
            for draw in draws:
                assert first.tell(draw, value(draw)) and other.tell(draw, value(draw))
        again = varde.Selector.open(shelf)
        assert state(again) == state(first) == state(other) and again.ask() == other.ask()
        with pytest.raises(varde.AlreadyToldError):
            again.tell(1, 0.0)
        assert state(first) == state(other)


def test_stores_keep_the_contract_of_stores(tmp_path):
    shelves = {}
    varde.testing.check_store(lambda name: shelves.setdefault(name, Shelf()))
    varde.testing.check_store(lambda name: File(tmp_path / name))


class Forgetful(Shelf):
    def roll_back(self):
        self.commit()


class Rounding(Shelf):
    def append(self, lines):
        super().append([line.replace("0.30000000000000004", "0.3") for line in lines])


class Crowded(Shelf):
    def begin(self, at_once=True):
        self.before = len(self.lines)

    def commit(self):
        pass

    def roll_back(self):
        del self.lines[self.before :]


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        (Forgetful, "an exception undoes"),
        (Rounding, "sees what was appended"),
        (Crowded, "appends while a first one does"),
        (dict, "is not a subclass"),
    ],
)
def test_a_store_that_breaks_the_contract_is_found_out(kind, why):
    shelves = {}
    with pytest.raises(AssertionError, match=why):
        varde.testing.check_store(lambda name: shelves.setdefault(name, kind()))


def test_what_is_no_store_is_refused():
    with pytest.raises(TypeError, match="store is 3: write the name of a file"):
        varde.Selector(NAMES, 40, store=3)


def test_removed_and_restored_options_are_so_for_everybody(tmp_path):
    path = tmp_path / "s.db"
    kept, mine = varde.Selector(NAMES, 60), varde.Selector(NAMES, 60, store=path)
    for step in range(20):
        theirs = varde.Selector(NAMES if step < 4 else NAMES[1:], 60, store=path)  # removed, it need not be given
        for selector in (kept, theirs):
            if step == 3:
                selector.remove_option("a")
            if step == 12:
                selector.add_option("a")
            for draw in selector.ask(2):
                selector.tell(draw, value(draw))
        assert state(mine) == state(kept) == state(theirs)
        if step < 12:
            theirs.close()
            continue
        break
    assert kept.removed == mine.removed == () and len(kept.recommend().values["a"]) >= 2


@pytest.mark.parametrize("when", range(4))
def test_an_interrupt_while_events_of_others_are_read_loses_none_of_them(tmp_path, monkeypatch, when):
    with varde.Selector(NAMES, store=tmp_path / "s.db") as selector, varde.Selector.open(tmp_path / "s.db") as other:
        for name in NAMES:
            other.tell(name, 1.0)
        apply, seen = Ledger.apply, []

        def interrupted(ledger, event):
            seen.append(event)
            if len(seen) == when + 1:
                raise KeyboardInterrupt
            apply(ledger, event)

        monkeypatch.setattr(Ledger, "apply", interrupted)
        with pytest.raises(KeyboardInterrupt):
            selector.ask()
        seen.clear()
        with pytest.raises(KeyboardInterrupt):  # and again, while all of them are
            selector.ask()
        monkeypatch.undo()
        assert selector.ask() is not None and selector.spent == other.spent == len(NAMES)
