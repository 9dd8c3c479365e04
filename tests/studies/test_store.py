"""The blocks of a study that are kept: what is damaged is noticed, measured again or refused, and never believed."""

import json
import os
import sqlite3
import sys

import numpy as np
import pytest
from typer.testing import CliRunner

from varde.cli import app

from .coins import write_coins
from .results import numbers_in


@pytest.fixture
def reproduce(tmp_path, monkeypatch):
    """The coins, measured in this process, which the command must not end at once."""
    monkeypatch.setattr("varde.cli.reproduce.leave", sys.exit)
    study = str(write_coins(tmp_path / "coins.py", runs=60, cells=2))

    def run():
        return CliRunner().invoke(app, ["reproduce", study, "--workers", "1", "--json", "--out", str(tmp_path)])

    return run


def summary(done):
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


@pytest.fixture
def kept(tmp_path, reproduce):
    """The file of a study that was measured."""
    assert summary(reproduce())["reused"] == 0
    assert {path.name for path in tmp_path.iterdir()} >= {"blocks.db", "coins.json"}
    assert not list(tmp_path.glob("blocks.db-*"))
    return tmp_path / "blocks.db"


@pytest.mark.parametrize("seed", range(5))
def test_a_flipped_bit_is_never_believed(kept, reproduce, seed):
    """Anywhere in the file: each block is as it was, or measured again, and that is said; or the file is refused."""
    before, data, rng = (
        numbers_in(kept.parent / "coins.json"),
        bytearray(kept.read_bytes()),
        np.random.default_rng(seed),
    )
    data[rng.integers(len(data))] ^= 1 << rng.integers(8)
    kept.write_bytes(data)
    done = reproduce()
    if done.exit_code:
        assert "unchanged" in done.stderr and kept.read_bytes() == bytes(data)
    else:
        assert json.loads(done.stdout)["reused"] == 24 or "measured again" in done.stderr
        assert numbers_in(kept.parent / "coins.json") == before


def test_a_flipped_bit_in_a_block_costs_that_block(kept, reproduce):
    with sqlite3.connect(kept) as db:
        (block,) = db.execute("SELECT runs FROM blocks LIMIT 1").fetchone()
    data = kept.read_bytes()
    at = data.index(block) + len(block) - 1
    kept.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
    done = reproduce()
    assert summary(done)["reused"] == 23 and done.stderr.count("measured again") == 1
    assert summary(reproduce())["reused"] == 24


DAMAGES = {
    "cut within a page": lambda data: data[:-3000],
    "no header": lambda data: os.urandom(100) + data[100:],
    "text": lambda data: b"not a database\n" * 100,
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_refused_and_left_as_it_is(kept, reproduce, damage):
    spoiled = DAMAGES[damage](kept.read_bytes())
    kept.write_bytes(spoiled)
    done = reproduce()
    assert done.exit_code == 1 and kept.read_bytes() == spoiled
    assert "move it away, and its blocks are measured again" in done.stderr or "write --out with another" in done.stderr


def test_an_empty_file_is_an_empty_store(tmp_path, reproduce):
    (tmp_path / "blocks.db").touch()
    assert summary(reproduce())["reused"] == 0 and summary(reproduce())["reused"] == 24


def test_without_shared_memory_the_rollback_journal_serves(tmp_path, monkeypatch, reproduce):
    connect = sqlite3.connect
    # This way of locking has no shared memory, as some network file systems.
    with monkeypatch.context() as patch:
        patch.setattr(sqlite3, "connect", lambda where, **how: connect(where + "&vfs=unix-dotfile", **how))
        assert summary(reproduce())["reused"] == 0
    with sqlite3.connect(tmp_path / "blocks.db") as db:
        assert db.execute("PRAGMA journal_mode").fetchone()[0] == "delete"
    assert summary(reproduce())["reused"] == 24
