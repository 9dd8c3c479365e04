"""The store of finished blocks: one sqlite file next to the results; a block is safe as soon as it is written.

A block is stored under the fingerprint of everything its numbers depend on (``fingerprint.py``), so that a block that
is found is always right, whatever else the file holds; a checksum tells whether it is intact.  A damaged file is
renamed and a new one started with what can still be read: blocks can be measured again.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import sys
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from .._files import StoreError
from .._sqlite import Database
from .fingerprint import block_fingerprint

T = TypeVar("T")

NAME = "blocks.db"
BITS, DOUBLES = b"1", b"8"  # first byte: what follows
HEAD = 9  # bytes: that, runs and numbers
TABLES = """
CREATE TABLE blocks (
    fingerprint TEXT PRIMARY KEY, study TEXT NOT NULL, about TEXT NOT NULL, runs BLOB NOT NULL, checksum BLOB NOT NULL
);
CREATE TABLE studies (study TEXT PRIMARY KEY, about TEXT NOT NULL);
CREATE TABLE cells (
    study TEXT NOT NULL, problem TEXT NOT NULL, algorithm TEXT NOT NULL, fingerprint TEXT NOT NULL,
    seed INTEGER NOT NULL, runs INTEGER NOT NULL, block INTEGER NOT NULL, columns TEXT NOT NULL,
    PRIMARY KEY (study, problem, algorithm)
)
"""


class DamagedError(StoreError):
    """The file is not a database, or a damaged one."""


class KeptCell(NamedTuple):
    """A cell of a study's last result: its blocks follow from it."""

    study: str
    problem: str
    algorithm: str
    fingerprint: str
    seed: int
    runs: int
    block: int
    names: tuple[str, ...]  # of the rows, one for each quantity
    steps: tuple[int, ...]

    def blocks(self) -> Iterator[str]:
        for first in range(0, self.runs, self.block):
            yield block_fingerprint(self.fingerprint, first, min(self.block, self.runs - first))


class Block(NamedTuple):
    """What is kept of a finished block."""

    fingerprint: str
    study: str
    problem: str
    algorithm: str
    first: int
    values: bytes  # of its runs, packed
    seconds: float  # of computing, wherever that was
    finished: str = ""  # when, in UTC


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def row_of(block: Block) -> tuple[str, str, str, bytes, bytes]:
    about = block._asdict() | {"finished": block.finished or now(), "runs": runs_of(block.values)}
    words = json.dumps({what: about[what] for what in about if what not in ("fingerprint", "study", "values")})
    check = checksum(block.fingerprint, block.study, words, block.values)
    return block.fingerprint, block.study, words, block.values, check


def block_of(fingerprint: Any, study: Any, words: Any, values: Any, check: Any) -> Block | None:
    """A row as a block, if it is intact."""
    if check != checksum(fingerprint, study, words, values):
        return None
    about = json.loads(words)
    del about["runs"]
    return Block(fingerprint, study, values=values, **about)


def checksum(*row: Any) -> bytes:
    """A damaged table may hold anything, of any type."""
    return hashlib.sha256(repr(row).encode(errors="replace")).digest()[:16]


class Blocks(Database):
    """The store of a folder of results.

    A store of one thread; other processes may use the same file at the same time.  ``say`` reports damage.
    """

    application = 0x56617242  # "VarB"
    tables = TABLES
    check = "integrity_check"
    page = 8192
    otherwise = "write --out with another folder"

    def __init__(self, path: str | Path, say: Callable[[str], None] | None = None, read_only: bool = False):
        self.say = say or (lambda message: print(f"varde: {message}", file=sys.stderr))
        try:
            super().__init__(path, read_only)
            if not read_only:
                with self.alone():  # errors are reported before any work is done
                    pass
        except DamagedError:
            if read_only:
                raise
            self._begin_anew()

    def get(self, fingerprint: str) -> Block | None:
        """The block of that fingerprint, if it is there and intact."""
        found = self._mended(lambda: self.execute("SELECT * FROM blocks WHERE fingerprint = ?", [fingerprint]))
        try:
            row = found.fetchone()
            block = None if row is None else block_of(*row)
        except sqlite3.OperationalError:  # damaged text
            row, block = (), None
        if row is not None and block is None:
            self.say(f"a block in {self.path} is damaged: it is measured again")
        return block

    def put(self, *blocks: Block) -> None:
        """Keep blocks; when this returns, neither a crash nor a power cut loses them."""

        def write() -> None:
            with self.alone():
                for block in blocks:
                    self.execute("INSERT OR REPLACE INTO blocks VALUES (?, ?, ?, ?, ?)", row_of(block))

        self._mended(write)

    def __len__(self) -> int:
        return int(self._mended(lambda: self.execute("SELECT count(*) FROM blocks").fetchone()[0]))

    def describe(self, study: str, about: Mapping[str, Any], cells: Sequence[KeptCell] = ()) -> None:
        """Store what is known of a study's last result but not in its file, as JSON, and which blocks it has."""
        with self.alone():
            self.execute("INSERT OR REPLACE INTO studies VALUES (?, ?)", [study, json.dumps(dict(about))])
            self.execute("DELETE FROM cells WHERE study = ?", [study])
            for cell in cells:
                columns = json.dumps([cell.names, cell.steps])
                self.execute("INSERT INTO cells VALUES (?, ?, ?, ?, ?, ?, ?, ?)", [*cell[:7], columns])

    def cells(self) -> list[KeptCell]:
        """The cells of the last results of all studies."""
        found = []
        for *parts, columns in self.execute("SELECT * FROM cells"):
            names, steps = json.loads(columns)
            study, problem, algorithm, fingerprint, seed, runs, block = parts
            made = KeptCell(study, problem, algorithm, fingerprint, seed, runs, block, tuple(names), tuple(steps))
            found.append(made)
        return found

    def values(self, cell: KeptCell) -> np.ndarray | None:
        """[runs, columns] of a cell, if all its blocks are there."""
        blocks = [self.get(fingerprint) for fingerprint in cell.blocks()]
        if not blocks or any(block is None for block in blocks):
            return None
        return np.concatenate([unpacked(block.values) for block in blocks if block is not None])

    def descriptions(self) -> dict[str, dict[str, Any]]:
        """The descriptions of all studies."""
        found = {}
        for study, about in self.execute("SELECT study, about FROM studies"):
            with suppress(ValueError, TypeError):
                found[study] = dict(json.loads(about))
        return found

    @contextmanager
    def alone(self) -> Iterator[None]:
        if self.in_transaction:  # within another one
            yield
            return
        with super().alone():
            yield

    def __enter__(self) -> Blocks:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def in_words(self, error: sqlite3.Error | UnicodeDecodeError) -> Exception:
        name = getattr(error, "sqlite_errorname", None) or ""
        if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")) or type(error) is sqlite3.DatabaseError:
            return DamagedError(f"{self.path} cannot be read ({error})")
        return super().in_words(error)

    def _mended(self, act: Callable[[], T]) -> T:
        """Act on the store; if it is damaged, start a new one and repeat."""
        try:
            return act()
        except DamagedError:
            if self.read_only:
                raise
            self._begin_anew()
            return act()

    def _begin_anew(self) -> None:
        """Rename a damaged file and start a new one with the blocks that can still be read."""
        aside = self.path.with_name(f"{self.path.name}.damaged")
        self.let_go()
        self.path.replace(aside)
        for ending in ("-wal", "-journal", "-shm"):
            self.path.with_name(self.path.name + ending).unlink(missing_ok=True)
        kept: list[Block] = []
        with suppress(sqlite3.Error):  # as far as possible
            rows = sqlite3.connect(f"{aside.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
            with suppress(sqlite3.Error):
                kept += (block for row in rows.execute("SELECT * FROM blocks NOT INDEXED") if (block := block_of(*row)))
            rows.close()
        super().__init__(self.path)
        self.put(*kept)
        self.say(
            f"{self.path} is damaged: {len(kept)} of its blocks are kept, the others are measured again "
            f"(the damaged file is now {aside.name})"
        )


# -- the values of runs as bytes, and back, bit for bit ------------------------------------------------
#
# A curve usually does not change from one step to the next, so each number is stored as the difference from the one
# before it.  Values that are all 0 or 1 take one bit each.


def packed(values: np.ndarray) -> bytes:
    shape = np.array(values.shape, "<u4").tobytes()
    body: np.ndarray
    if ((values == 0.0) | (values == 1.0)).all():
        kind, bits = BITS, values.astype(np.uint8)
        bits[:, 1:] ^= bits[:, :-1].copy()
        body = np.packbits(bits)
    else:
        kind, words = DOUBLES, np.ascontiguousarray(values, "<f8").view("<u8").copy()
        words[:, 1:] ^= words[:, :-1].copy()
        body = np.ascontiguousarray(words.T).view(np.uint8).reshape(-1, 8).T  # like bytes together
    return kind + shape + zlib.compress(np.ascontiguousarray(body).tobytes(), 6)


def unpacked(data: bytes) -> np.ndarray:
    """[runs, numbers]: whole numbers of a byte where all are 0 or 1, else doubles."""
    runs, columns = np.frombuffer(data[1:HEAD], "<u4").astype(int)
    body = np.frombuffer(zlib.decompress(data[HEAD:]), np.uint8)
    if data[:1] == BITS:
        bits = np.unpackbits(body, count=runs * columns).reshape(runs, columns)
        return np.asarray(np.bitwise_xor.accumulate(bits, axis=1))
    words = np.ascontiguousarray(body.reshape(8, -1).T).view("<u8").reshape(columns, runs).T
    return np.ascontiguousarray(np.bitwise_xor.accumulate(words, axis=1)).view("<f8")


def runs_of(data: bytes) -> int:
    return int(np.frombuffer(data[1:5], "<u4")[0])


def is_bits(data: bytes) -> bool:
    """Whether all values are 0 or 1."""
    return data[:1] == BITS
