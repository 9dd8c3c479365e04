"""The store of finished blocks: what is put stays, what is damaged is noticed."""

import os
import sqlite3

import numpy as np
import pytest

from varde._files import StoreError
from varde.studies.store import Block, Blocks, packed, unpacked


def block(i, columns=20):
    return Block(f"{i:064x}", packed(np.random.default_rng(i).random((5, columns))), 0.25)


@pytest.fixture
def path(tmp_path):
    """A store of 100 blocks, closed."""
    with Blocks(tmp_path / "blocks.db") as store:
        store.put(*map(block, range(100)))
    return tmp_path / "blocks.db"


def intact(path):
    """How many of the hundred blocks a store still has, each as it was put."""
    with Blocks(path) as store:
        found = [store.get(block(i).fingerprint) for i in range(100)]
        assert all(f == block(i) for i, f in enumerate(found) if f is not None)
        return sum(f is not None for f in found)


def test_what_is_put_is_found_again(path):
    assert intact(path) == 100
    with Blocks(path) as store:
        assert store.get("0" * 63 + "z") is None and len(store) == 100
        store.put(block(5, columns=3))
        assert unpacked(store.get(block(5).fingerprint).values).shape == (5, 3) and len(store) == 100
    assert [p.name for p in path.parent.iterdir()] == ["blocks.db"]  # nothing else when it is closed


@pytest.mark.parametrize("seed", range(12))
def test_a_flipped_bit_is_never_believed(path, seed, capsys):
    """Anywhere in the file: each block is as it was put, or missing, and that is said; or the file is refused."""
    data, rng = bytearray(path.read_bytes()), np.random.default_rng(seed)
    data[rng.integers(len(data))] ^= 1 << rng.integers(8)
    path.write_bytes(data)
    try:
        assert intact(path) == 100 or "measured again" in capsys.readouterr().err
    except StoreError as error:
        assert "unchanged" in str(error) and path.read_bytes() == bytes(data)


def test_a_flipped_bit_in_a_block_costs_that_block(path, capsys):
    data = path.read_bytes()
    at = data.index(block(7).values) + 20
    path.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
    assert intact(path) == 99 and capsys.readouterr().err.count("measured again") == 1
    with Blocks(path) as store:
        store.put(block(7))
    assert intact(path) == 100


DAMAGES = {
    "cut within a page": lambda data: data[:-5000],
    "a hole": lambda data: data[:40_000] + os.urandom(10_000) + data[50_000:],
    "no header": lambda data: os.urandom(100) + data[100:],
    "text": lambda data: b"not a database\n" * 100,
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_refused_and_left_as_it_is(path, damage):
    spoiled = DAMAGES[damage](path.read_bytes())
    path.write_bytes(spoiled)
    with pytest.raises(StoreError, match=r"move it away, and its blocks are measured again|write --out with another"):
        intact(path)
    assert path.read_bytes() == spoiled


def test_an_empty_file_is_an_empty_store(tmp_path):
    (tmp_path / "blocks.db").touch()
    assert intact(tmp_path / "blocks.db") == 0


def test_a_full_disk_keeps_what_was_there(path):
    with Blocks(path) as store:
        pages = store.execute("PRAGMA page_count").fetchone()[0]
        store.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(StoreError, match="free some space and try again"):
            store.put(*map(block, range(100, 300)))
        assert len(store) == 100
    assert intact(path) == 100


def test_where_it_cannot_be(tmp_path):
    with pytest.raises(StoreError, match="write --out with another folder"):
        Blocks(tmp_path / "missing" / "blocks.db")
    (tmp_path / "blocks.db").mkdir()
    with pytest.raises(StoreError, match="write --out with another folder"):
        Blocks(tmp_path / "blocks.db")


def test_without_shared_memory_the_rollback_journal_serves(tmp_path, monkeypatch):
    connect = sqlite3.connect
    # This way of locking has no shared memory, as some network file systems.
    monkeypatch.setattr(sqlite3, "connect", lambda where, **how: connect(where + "&vfs=unix-dotfile", **how))
    with Blocks(tmp_path / "blocks.db") as store:
        assert store.execute("PRAGMA journal_mode").fetchone()[0] == "delete"
        store.put(*map(block, range(100)))
    assert intact(tmp_path / "blocks.db") == 100


RNG = np.random.default_rng(0)
ARRAYS = {
    "bits": RNG.integers(0, 2, (7, 5)).astype(float),
    "doubles": RNG.normal(size=(13, 3)) * 1e9,
    "odd": np.array([[0.5, -1e-300], [1e300, 1.0]]),
}


@pytest.mark.parametrize("kind", ARRAYS)
def test_what_is_packed_comes_back_bit_for_bit(kind):
    values = ARRAYS[kind]
    found = unpacked(packed(values))
    assert found.shape == values.shape and np.array_equal(found, values)
    assert found.dtype == (np.uint8 if kind == "bits" else float)
