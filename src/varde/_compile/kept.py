"""Numba's files of compiled code, with a checksum: what is damaged is thrown away and compiled again.

Numba unpickles what it finds, and stops every later process with whatever that raises; machine code with a bit turned
over it would run.
"""

from __future__ import annotations

import contextlib
import hashlib
import pickle
from typing import Any

from numba.core.caching import FunctionCache, IndexDataCacheFile

SIZE = hashlib.sha256().digest_size


class Kept(FunctionCache):
    """What is kept of one function."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # what can be read and does not fit: another build of a library underneath
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        with contextlib.suppress(OSError):  # a full disk, a folder that has gone: it is compiled again next time
            super().save_overload(sig, data)


class Files(IndexDataCacheFile):
    """Its index and its code."""

    def _load_index(self) -> dict[Any, str]:
        return self._read(self._index_path, dict) or {}

    def _save_index(self, overloads: dict[Any, str]) -> None:
        self._write(self._index_path, overloads)

    def _load_data(self, name: str) -> Any:
        return self._read(self._data_path(name), tuple)

    def _save_data(self, name: str, data: Any) -> None:
        self._write(self._data_path(name), data)

    def _write(self, path: str, content: Any) -> None:
        data = self._dump((self._version, self._source_stamp, content))
        with self._open_for_write(path) as file:
            file.write(hashlib.sha256(data).digest() + data)

    def _read(self, path: str, kind: type) -> Any:
        """What was written there by this Numba for this source, or None."""
        try:
            with open(path, "rb") as file:
                digest, data = file.read(SIZE), file.read()
        except OSError:
            return None
        if hashlib.sha256(data).digest() != digest:
            return None
        version, stamp, content = pickle.loads(data)
        return content if (version, stamp) == (self._version, self._source_stamp) and type(content) is kind else None


def keep_well(dispatcher: Any) -> None:
    """Let a stored function use such files, where this Numba has the private names used above."""
    cache = getattr(dispatcher, "_cache", None)
    files = getattr(cache, "_cache_file", None)
    needed = ("_index_path", "_data_path", "_open_for_write", "_dump", "_version", "_source_stamp")
    if type(cache) is FunctionCache and all(hasattr(files, name) for name in needed):
        cache.__class__, files.__class__ = Kept, Files
