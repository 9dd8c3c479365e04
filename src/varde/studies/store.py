"""The store of finished blocks: one sqlite file next to the results; a block is safe as soon as it is written.

A block is stored under the fingerprint of everything its numbers depend on (``fingerprint.py``), so that a block that
is found is always right, whatever else the file holds; a checksum tells whether it is intact.
"""

from __future__ import annotations

import hashlib
import io
import sys
import zlib
from pathlib import Path
from typing import NamedTuple

import numpy as np

from .._files import StoreError
from .._sqlite import Database

NAME = "blocks.db"


class Block(NamedTuple):
    """What is kept of a finished block."""

    fingerprint: str
    values: bytes  # of its runs, packed
    seconds: float  # of computing, wherever that was

    @property
    def checksum(self) -> bytes:
        return hashlib.sha256(repr(tuple(self)).encode()).digest()[:16]


class Blocks(Database):
    """The store of a folder of results, for one thread; other processes may use the same file at the same time."""

    application = 0x56617242  # "VarB"
    tables = """
        CREATE TABLE blocks (
            fingerprint TEXT PRIMARY KEY, runs BLOB NOT NULL, seconds REAL NOT NULL, checksum BLOB NOT NULL
        )
    """
    check = "integrity_check"
    page = 8192
    otherwise = "write --out with another folder"

    def __init__(self, path: str | Path):
        super().__init__(path)
        with self.alone():  # errors are reported before any work is done
            pass

    def get(self, fingerprint: str) -> Block | None:
        """The block of that fingerprint, if it is there and intact."""
        for *parts, checksum in self.fetch("SELECT * FROM blocks WHERE fingerprint = ?", [fingerprint]):
            if (block := Block(*parts)).checksum == checksum:
                return block
            print(f"varde: a block in {self.name} is damaged: it is measured again", file=sys.stderr)
        return None

    def put(self, *blocks: Block) -> None:
        """Keep blocks; when this returns, neither a crash nor a power cut loses them."""
        with self.alone():
            rows = [(*block, block.checksum) for block in blocks]
            self.execute("INSERT OR REPLACE INTO blocks VALUES (?, ?, ?, ?)", rows, many=True)

    def __len__(self) -> int:
        return int(self.fetch("SELECT count(*) FROM blocks")[0][0])

    def __enter__(self) -> Blocks:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def damaged(self, how: str) -> StoreError:
        return StoreError(
            f"{self.name} is damaged ({how}), and was left unchanged: move it away, and its blocks are measured again; "
            f"sqlite3 {self.name} .recover | sqlite3 NEW saves those that can still be read"
        )


def packed(values: np.ndarray) -> bytes:
    """Values [runs, numbers], each a byte where all are 0 or 1."""
    file, bits = io.BytesIO(), ((values == 0.0) | (values == 1.0)).all()
    np.save(file, values.astype(np.uint8) if bits else values, allow_pickle=False)
    return zlib.compress(file.getvalue())


def unpacked(data: bytes) -> np.ndarray:
    """[runs, numbers], bit for bit: whole numbers of a byte where all are 0 or 1, else doubles."""
    return np.asarray(np.load(io.BytesIO(zlib.decompress(data)), allow_pickle=False))
