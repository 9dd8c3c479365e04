"""Fingerprints: everything the numbers of a block depend on, as bytes, and their digest.

These are the text of the study file with what it imports from its folder, the text of this package, the versions of
what computes, and the settings: study, cell, its measure with every argument down to the bits of its arrays, seed and
runs.  Texts count whole, a comment as much as a number: what cannot matter is nobody's guess.
"""

from __future__ import annotations

import functools
import hashlib
import io
import pickle
import platform
import sys
from pathlib import Path
from types import CellType, FunctionType
from typing import Any

import numpy as np

from .. import __version__
from .._files import package_digest
from .study import Cell


@functools.cache
def environment() -> dict[str, str]:
    """The code that computes: equal on two machines if they give the same bits."""
    from importlib.metadata import version

    return {
        "varde": __version__,
        "source": package_digest(),
        "numpy": np.__version__,
        "numba": version("numba"),
        "Python": platform.python_version().rsplit(".", 1)[0],
        "processor": platform.machine(),
    }


def cell_fingerprint(study: str, cell: Cell, seed: int, source: str = "") -> str:
    """Of all that the blocks of a cell share; ``source`` is the digest of a user's study file."""
    return digest(identity((environment(), source, study, seed, vars(cell))))


def block_fingerprint(cell: str, first: int, runs: int) -> str:
    return digest(f"{cell} {first} {runs}".encode())


def digest(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()


@functools.cache
def text_digest(path: str) -> str:
    """Of the file that a function or a class is from, if it has one."""
    file = Path(path)
    return digest(file.read_bytes()) if file.suffix == ".py" and file.is_file() else ""


class Identity(pickle.Pickler):
    """Writes a value as bytes that no other value has: equal parts alike, functions and classes by their files."""

    def __init__(self, file: io.BytesIO):
        super().__init__(file, protocol=5)
        self.fast = True  # a part is written wherever it occurs: whether two equal parts are one object does not count
        self.written: set[FunctionType] = set()

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, type) and value.__module__ != "builtins":
            file = getattr(sys.modules.get(value.__module__), "__file__", None) or ""
            return str, (f"{value.__module__}.{value.__qualname__} {text_digest(file)}",)
        if not isinstance(value, FunctionType):
            return NotImplemented
        name = f"{value.__qualname__} {text_digest(value.__code__.co_filename)}"
        if value in self.written:  # it may refer to itself
            return str, (name,)
        self.written.add(value)
        inner = [contents(cell) for cell in value.__closure__ or ()]
        return str, (name, value.__defaults__, value.__kwdefaults__, inner)


def contents(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not yet set
        return None


def identity(value: Any) -> bytes:
    """The value as bytes that no other value shares; TypeError if there are none."""
    file = io.BytesIO()
    try:
        Identity(file).dump(value)
    except Exception as error:  # whatever a foreign __reduce__ raises
        raise TypeError(
            f"there is no way to tell whether what it depends on has changed ({type(error).__name__}: {error}): write "
            "numbers, texts, arrays, and functions and classes that stand in a file by themselves"
        ) from None
    return file.getvalue()
