"""A learner in a file: what was asked and told, in order, so that it continues with the same bits when opened again.

The file is one sqlite database (``_sqlite.py``): what a call has returned survives the death of the process.

    settings   name, value (JSON)
    states     id (its number), name and actions (JSON); no name where episodes are over
    turns      id, data (zlib: rows of ``TURN``), world (JSON: the random numbers of a world that ``learn`` steps)

Names are numbers, strings, bytes, tuples, frozensets, None, written as answers are (``show/saving.py``).  Others are
refused: a file that could hold any object could also run any program when it is opened.
"""

from __future__ import annotations

import json
import os
import time
import zlib
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from .._files import StoreError
from .._sqlite import Database
from ..show.saving import decode, encode

FORMAT_1 = """
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE states (id INTEGER PRIMARY KEY, name TEXT, actions TEXT NOT NULL);
CREATE TABLE turns (id INTEGER PRIMARY KEY, data BLOB NOT NULL, world TEXT)
"""
# The number of states, the present state, the state, the action taken there or -1, the successor, whether an action was
# asked for then, the reward.
TURN = np.dtype([*((name, "<i4") for name in ("met", "at", "state", "action", "after", "go_on")), ("reward", "<f8")])
Turn = tuple[int, int, int, int, int, int, float]  # a row of ``TURN``
PAUSE = 0.1  # seconds between two writes while ``learn`` steps a world: lost steps are repeated identically


class Store(Database):
    """The file of one learner."""

    application = 0x5661724C
    tables = FORMAT_1
    otherwise = "write another name for store="

    def __init__(self, path: str | os.PathLike[str]):
        super().__init__(path)
        self.turns: list[Turn] = []  # that are not in the file yet
        self.entries = self.named = 0  # entries and states in the file, as far as known here
        self.due = 0.0

    def settings(self) -> dict[str, Any]:
        """What the file was made with; nothing in a new one."""
        if not self.made:
            return {}
        return {name: json.loads(value) for name, value in self.execute("SELECT name, value FROM settings")}

    def begin_with(self, settings: dict[str, Any]) -> None:
        with self.alone():
            self.execute(
                "INSERT OR REPLACE INTO settings VALUES (?, ?)",
                [(name, json.dumps(value)) for name, value in settings.items()],
                many=True,
            )

    def states(self) -> list[tuple[Hashable, tuple[Hashable, ...], bool]]:
        """Name, actions, and whether it stands for the end of episodes, by number."""
        rows = self.execute("SELECT id, name, actions FROM states ORDER BY id").fetchall()
        if [row[0] for row in rows] != list(range(len(rows))):
            raise StoreError(f"{self.path} is damaged (states are missing), and was left unchanged")
        self.named = len(rows)
        return [(None if name is None else read(name), read(actions), name is None) for _, name, actions in rows]

    def history(self) -> tuple[np.ndarray, Any]:
        """All turns, and the random numbers after the last of them."""
        rows = self.execute("SELECT id, data, world FROM turns ORDER BY id").fetchall()
        try:
            if [row[0] for row in rows] != list(range(1, len(rows) + 1)):
                problem = "entries are missing"
                raise ValueError(problem)
            turns = [np.frombuffer(zlib.decompress(row[1]), TURN) for row in rows]
        except (zlib.error, ValueError) as error:
            raise StoreError(f"{self.path} is damaged ({error}), and was left unchanged") from error
        self.entries = len(rows)
        world = json.loads(rows[-1][2]) if rows and rows[-1][2] else None
        return np.concatenate([np.zeros(0, TURN), *turns]), world

    def write(
        self, names: Sequence[Hashable], legal: Sequence[Sequence[Hashable]], end: int, world: Any = None
    ) -> None:
        """Enter the turns since the last time, and the states met in them; ``end`` is the number of their end."""
        if not self.turns:
            return
        with self.fork_lock:
            fresh = [
                (number, None if number == end else written(names[number]), written(tuple(legal[number])))
                for number in range(self.named, len(names))
            ]
            data = zlib.compress(np.array(self.turns, TURN).tobytes(), 1)
            self.begin(at_once=False)
            try:
                last = self.execute("SELECT max(id) FROM turns").fetchone()[0] or 0
                if last != self.entries:
                    raise StoreError(
                        f"another learner wrote to {self.path} in the meantime, so what this one did since is not "
                        "saved: give each its own store"
                    )
                self.execute("INSERT INTO states VALUES (?, ?, ?)", fresh, many=True)
                entry = None if world is None else json.dumps(world)
                self.execute("INSERT INTO turns VALUES (?, ?, ?)", (last + 1, data, entry))
                self.commit()
            except BaseException:
                self.roll_back()
                raise
        self.named, self.entries, self.turns = len(names), last + 1, []
        self.due = time.monotonic() + PAUSE


# -- names -----------------------------------------------------------------------------------------


def written(name: Any) -> str:
    """A name as text, if it can be read again."""
    try:
        text = json.dumps(encode(name))
        if read(text) == name:
            return text
    except TypeError:
        pass
    raise StoreError(
        f"{name!r:.100} is a {type(name).__name__} and cannot be kept in a file: write key=function, which makes a "
        "number, a string or a tuple of it, or leave out store="
    )


def read(text: str) -> Any:
    """What ``written`` wrote."""
    return decode(json.loads(text), {})
