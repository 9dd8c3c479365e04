"""Fingerprints: everything the numbers of a block depend on, as text, and its digest.

These are the text of the study file with what it imports from its folder, the text of this package, the versions of
what computes, and the settings: study, cell, its measure with every argument down to the bits of its arrays, seed and
runs.  Texts count whole, a comment as much as a number: what cannot matter is nobody's guess.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import platform
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from .. import __version__
from .._files import ROOT, package_digest
from .study import Cell

PACKAGE = ROOT.name
PLAIN = (type(None), bool, int, float, complex, str, bytes, np.generic)

covered: set[str] = set()  # modules of study files, whose text is handed in


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
    return digest(identity((environment(), source, study, seed, cell)))


def block_fingerprint(cell: str, first: int, runs: int) -> str:
    return digest(f"{cell} {first} {runs}")


def digest(words: str) -> str:
    return hashlib.sha256(words.encode(errors="surrogatepass")).hexdigest()


@functools.cache
def file_digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def identity(value: Any, within: tuple[int, ...] = ()) -> str:
    """The value as text that no other value shares; TypeError if there is none."""
    if isinstance(value, PLAIN):
        return f"{type(value).__name__} {value!r}"
    if id(value) in within:  # a function that refers to itself
        return f"outer {within.index(id(value))}"
    within = (*within, id(value))
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        bits = hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
        return f"array {value.dtype.str} {value.shape} {bits}"
    name, parts = parts_of(value)
    return f"{name}({', '.join(identity(part, within) for part in parts)})"


def parts_of(value: Any) -> tuple[str, Iterator[Any]]:
    """A name, and what else the value consists of."""
    kind = type(value)
    if isinstance(value, FunctionType):
        return f"function {origin(value)}", iter((value.__defaults__, value.__kwdefaults__, *closure(value)))
    if isinstance(value, MethodType):
        return f"method {value.__name__}", iter((value.__func__, value.__self__))
    if isinstance(value, functools.partial):
        return "partial", iter((value.func, value.args, value.keywords))
    if inspect.isbuiltin(value) and not inspect.ismodule(value.__self__):
        return f"method {value.__name__}", iter((value.__self__,))
    if isinstance(value, type) or inspect.isbuiltin(value) or isinstance(value, np.ufunc):
        return f"{kind.__name__} {origin(value)}", iter(())
    if isinstance(value, np.ndarray):
        return f"array {value.shape}", iter(value.ravel().tolist())
    if isinstance(value, Mapping):
        return origin(kind), iter(value.items())
    if isinstance(value, set | frozenset):
        return origin(kind), iter(sorted(map(identity, value)))
    if isinstance(value, tuple | list | range):
        return f"{origin(kind)} {' '.join(getattr(value, '_fields', ()))}", iter(value)
    if hasattr(value, "__dict__"):
        return origin(kind), iter(vars(value).items())
    raise TypeError(
        f"a study cannot depend on {value!r}: it is a {kind.__name__}, and there is no way to tell whether it "
        "has changed; write a number, a string, an array, a NamedTuple or a dataclass"
    )


def closure(function: FunctionType) -> Iterator[Any]:
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # not yet set
            yield None


def origin(thing: Any) -> str:
    """Module and name, with the digest of a file that is neither this package's nor the study's."""
    module = getattr(thing, "__module__", None) or "builtins"
    name = f"{module}.{getattr(thing, '__qualname__', getattr(thing, '__name__', '?'))}"
    file = Path(getattr(sys.modules.get(module), "__file__", None) or "")
    if module in covered or module.split(".", maxsplit=1)[0] == PACKAGE or file.suffix != ".py":
        return name
    return f"{name} {file_digest(file)}"
