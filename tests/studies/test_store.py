"""The store of finished blocks: what is put stays, what is damaged is noticed, what is intact is kept."""

import os
import sqlite3

import numpy as np
import pytest

from varde._files import StoreError
from varde.studies.store import Block, Blocks, DamagedError, packed, runs_of, unpacked


def block(i, columns=20):
    rng = np.random.default_rng(i)
    values = packed(rng.random((5, columns)))
    return Block(f"{i:064x}", "study", "problem", "algorithm", 5 * i, values, 0.25)


def same(a, b):
    return a[:7] == b[:7]


@pytest.fixture
def path(tmp_path):
    """A store of 100 blocks and a description, closed."""
    with Blocks(tmp_path / "blocks.db") as store:
        store.put(*map(block, range(100)))
        store.describe("study", {"seconds": 25.0, "title": "A <study>"})
    return tmp_path / "blocks.db"


def intact(path, **options):
    """How many of the hundred blocks a store still has, each as it was put; and what it said."""
    said = []
    with Blocks(path, said.append, **options) as store:
        found = [store.get(block(i).fingerprint) for i in range(100)]
        assert all(same(f, block(i)) for i, f in enumerate(found) if f is not None)
        return sum(f is not None for f in found), said


def test_what_is_put_is_found_again(path):
    assert intact(path) == (100, [])
    with Blocks(path) as store:
        assert store.get("0" * 63 + "z") is None and len(store) == 100
        assert store.descriptions() == {"study": {"seconds": 25.0, "title": "A <study>"}}
        store.put(block(5, columns=3))
        assert unpacked(store.get(block(5).fingerprint).values).shape == (5, 3) and len(store) == 100
    assert [p.name for p in path.parent.iterdir()] == ["blocks.db"]  # nothing else when it is closed


@pytest.mark.parametrize("seed", range(12))
def test_a_flipped_bit_is_never_believed(path, seed):
    """Anywhere in the file: each block is as it was put, or missing; and what is missing is said."""
    data, rng = bytearray(path.read_bytes()), np.random.default_rng(seed)
    data[rng.integers(len(data))] ^= 1 << rng.integers(8)
    path.write_bytes(data)
    count, said = intact(path)
    assert said or count == 100


def test_a_flipped_bit_in_a_block_costs_that_block(path):
    data = path.read_bytes()
    at = data.index(block(7).values) + 20
    path.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
    count, said = intact(path)
    assert count == 99 and len(said) == 1 and "measured again" in said[0]
    with Blocks(path) as store:
        store.put(block(7))
    assert intact(path) == (100, [])


DAMAGES = {
    "cut within a page": (lambda data: data[:-5000], 50),
    "a hole": (lambda data: data[:40_000] + os.urandom(10_000) + data[50_000:], 0),
    "cut in half": (lambda data: data[: len(data) // 2], 0),
    "no header": (lambda data: os.urandom(100) + data[100:], 0),
    "all gone": (lambda data: os.urandom(30_000), 0),
    "text": (lambda data: b"not a database\n" * 100, 0),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_put_aside_and_what_can_be_read_is_kept(path, damage):
    spoil, least = DAMAGES[damage]
    spoiled = spoil(path.read_bytes())
    path.write_bytes(spoiled)
    count, said = intact(path)
    assert count >= least and f"{count} of its blocks are kept" in said[0] and "blocks.db.damaged" in said[0]
    assert path.with_name("blocks.db.damaged").read_bytes() == spoiled
    assert intact(path) == (count, [])
    with Blocks(path) as store:
        store.put(*map(block, range(100)))
    assert intact(path) == (100, [])


def test_an_empty_file_is_an_empty_store(tmp_path):
    (tmp_path / "blocks.db").touch()
    assert intact(tmp_path / "blocks.db") == (0, [])


def test_a_newer_format_and_another_program_are_refused(path, tmp_path):
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 2")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match=r"format 2, this varde reads 1: install a newer varde"):
        Blocks(path)
    assert path.read_bytes() == before
    other = sqlite3.connect(tmp_path / "other.db")
    other.execute("CREATE TABLE mine (a)")
    other.close()
    with pytest.raises(StoreError, match="belongs to another program and was left unchanged"):
        Blocks(tmp_path / "other.db")


def test_a_full_disk_keeps_what_was_there(path):
    with Blocks(path) as store:
        pages = store.execute("PRAGMA page_count").fetchone()[0]
        store.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(StoreError, match="free some space and try again"):
            store.put(*map(block, range(100, 300)))
        assert len(store) == 100
    assert intact(path) == (100, [])


def test_where_it_cannot_be(tmp_path):
    with pytest.raises(StoreError, match="write --out with another folder"):
        Blocks(tmp_path / "missing" / "blocks.db")
    (tmp_path / "blocks.db").mkdir()
    with pytest.raises(StoreError, match="write --out with another folder"):
        Blocks(tmp_path / "blocks.db")


def test_reading_makes_and_mends_nothing(path, tmp_path):
    assert intact(path, read_only=True) == (100, [])
    with Blocks(path, read_only=True) as store:
        assert store.descriptions()["study"]["seconds"] == 25.0
        with pytest.raises(StoreError, match="make the file writable"):
            store.put(block(0))
    path.write_bytes(b"damaged" * 1000)
    with pytest.raises(DamagedError, match="cannot be read"):
        Blocks(path, read_only=True)
    assert path.read_bytes() == b"damaged" * 1000
    with pytest.raises(StoreError):
        Blocks(tmp_path / "nothing.db", read_only=True)
    assert not (tmp_path / "nothing.db").exists()


def test_without_shared_memory_the_rollback_journal_serves(tmp_path, monkeypatch):
    connect = sqlite3.connect
    # This way of locking has no shared memory, as some network file systems.
    monkeypatch.setattr(sqlite3, "connect", lambda where, **how: connect(where + "&vfs=unix-dotfile", **how))
    with Blocks(tmp_path / "blocks.db") as store:
        assert store.execute("PRAGMA journal_mode").fetchone()[0] == "delete"
        store.put(*map(block, range(100)))
    assert intact(tmp_path / "blocks.db") == (100, [])


def test_all_or_nothing(path):
    with Blocks(path) as store:
        with pytest.raises(ZeroDivisionError), store.alone():
            store.put(block(200))
            raise ZeroDivisionError
        assert store.get(block(200).fingerprint) is None
        with store.alone():
            store.put(block(200))
            store.describe("study", {"seconds": 1.0})
        assert len(store) == 101 and store.descriptions()["study"] == {"seconds": 1.0}


# -- the values of runs: back bit for bit, and small -----------------------------------------------------

RNG = np.random.default_rng(0)
ARRAYS = {
    "bits": RNG.integers(0, 2, (7, 5)).astype(float),
    "one": np.ones((1, 1)),
    "doubles": RNG.normal(size=(13, 3)) * 1e9,
    "odd": np.array([[0.5, -1e-300], [1e300, 1.0]]),
    "a curve": np.repeat(RNG.random((10, 4)), 25, axis=1),
}


@pytest.mark.parametrize("kind", ARRAYS)
def test_what_is_packed_comes_back(kind):
    values = ARRAYS[kind]
    found = unpacked(packed(values))
    assert found.shape == values.shape and np.array_equal(found, values) and runs_of(packed(values)) == len(values)
    assert found.dtype == (np.uint8 if kind in ("bits", "one") else float)


def test_errors_over_time_take_far_less_than_a_bit_each():
    settled = RNG.integers(0, 200, 500)[:, None] > np.arange(200)
    assert len(packed(settled.astype(float))) < 500 * 200 / 8 / 5


def test_curves_that_stay_take_little():
    assert len(packed(ARRAYS["a curve"])) < 10 * 100 * 8 / 10
