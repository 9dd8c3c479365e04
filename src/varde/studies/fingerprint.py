"""Fingerprints: everything the numbers of a block depend on, as text, and its digest.

The words name the study, the cell, its measure with every argument down to the bits of its arrays, the seed, the
runs, and the code: this package's version, the interpreter, the libraries that compute, and each file that a record or
a function comes from.  In this package those are the files that they can reach: what they import, and what serves the
verbs they use for the types they have, without comments and documentation.  Of the files of studies, which are mostly
text, only the code of a measure counts and what that uses.  So a comment changes nothing, nor does an edit of a planner
what bandits did.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import marshal
import platform
import sys
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from pathlib import Path
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from .. import __version__
from .._compile import PACKAGE
from .._compile.cache import COMPILED, ROOT, code_digest, module_file, reached
from .._compile.reach import code_names, code_words
from .study import Cell

# Modules of which the text counts in another way: those of a user's study file, whose digest is handed in.
covered: set[str] = set()

STUDIES = (f"{PACKAGE}.studies.", f"{PACKAGE}.paper.")  # mostly words: what counts is the code that measures

PLAIN = (type(None), bool, int, float, complex, str, bytes, np.generic)


@functools.cache
def environment() -> dict[str, str]:
    """The code that computes: equal on two machines if they give the same bits."""
    from importlib.metadata import version

    return {
        "varde": __version__,
        "measuring": code_digest(Path(__file__).with_name("measuring.py")),
        "numpy": np.__version__,
        "numba": version("numba"),
        "Python": platform.python_version().rsplit(".", 1)[0],
        "processor": platform.machine(),
    }


def cell_fingerprint(study: str, cell: Cell, seed: int, source: str = "") -> str:
    """Of all that the blocks of a cell share; ``source`` is the digest of a user's study file."""
    used: set[str] = set()
    token = _used.set(used)
    try:
        words = identity((environment(), source, study, seed, cell))
    finally:
        _used.reset(token)
    return digest(f"{words} {package_digest(frozenset(used))}")


# Modules and types of the package that the words of a fingerprint speak of: "varde.rule VarDE".
_used: ContextVar[set[str] | None] = ContextVar("used", default=None)


@functools.lru_cache(maxsize=1024)
def package_digest(used: frozenset[str]) -> str:
    """Of all files that these modules and types can reach."""
    modules, types = zip(*(word.split(" ", 1) for word in used), strict=True) if used else ((), ())
    files = [path for path in reached([*map(module_file, modules)], set(types)) if not skipped(path)]
    return digest(" ".join(f"{path.relative_to(ROOT).as_posix()} {code_digest(path)}" for path in sorted(files)))


def skipped(path: Path) -> bool:
    """Files of studies: of those the measure counts, by its own code."""
    name = f"{PACKAGE}.{path.relative_to(ROOT).with_suffix('').as_posix().replace('/', '.')}"
    return name.startswith(STUDIES) and not COMPILED.search(path.read_text(encoding="utf-8"))


def block_fingerprint(cell: str, first: int, runs: int) -> str:
    return digest(f"{cell} {first} {runs}")


def digest(words: str) -> str:
    return hashlib.sha256(words.encode(errors="surrogatepass")).hexdigest()


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
    """Module and name, and the digest of the text where it is not ours."""
    module = getattr(thing, "__module__", None) or "builtins"
    name = f"{module}.{getattr(thing, '__qualname__', getattr(thing, '__name__', '?'))}"
    if module in covered:
        return name
    studies, used = module.startswith(STUDIES), _used.get()
    if module.split(".", maxsplit=1)[0] == PACKAGE and used is not None and not (studies and is_words(module)):
        used.add(f"{module} {getattr(thing, '__name__', '')}")
    if studies:  # where records have no code
        return f"{name} {function_digest(thing)}" if isinstance(thing, FunctionType) else name
    if module.split(".", maxsplit=1)[0] == PACKAGE:
        return name
    text = file_digest(Path(getattr(sys.modules.get(module), "__file__", None) or ""))
    if not text and isinstance(thing, FunctionType):  # typed in by hand
        text = hashlib.sha256(marshal.dumps(thing.__code__)).hexdigest()
    return f"{name} {text}"


def function_digest(function: FunctionType) -> str:
    """Of what a function does: its code, not its comments, and the functions and constants of studies that it uses."""
    found, uses = _function_digest(function)
    if (used := _used.get()) is not None:
        used |= uses
    return found


@functools.cache
def _function_digest(function: FunctionType) -> tuple[str, frozenset[str]]:
    words: list[str] = []
    waiting, seen = [function], {function}
    uses: set[str] = set()
    token = _used.set(uses)
    try:
        while waiting:
            here = waiting.pop()
            words.append(code_words(here.__code__, here.__doc__))
            for name, value in used_by(here):
                module = getattr(value, "__module__", None) or ""
                if isinstance(value, (*PLAIN, tuple, dict)):
                    words.append(f"{name} {identity(value)}")
                elif not module.startswith(STUDIES):
                    words.append(origin(value) if module.startswith(f"{PACKAGE}.") else name)
                else:
                    parts = vars(value).values() if isinstance(value, type) else (value,)
                    found = [part for part in map(without_cache, parts) if isinstance(part, FunctionType)]
                    waiting += [part for part in found if part not in seen]
                    seen.update(found)
    finally:
        _used.reset(token)
    return digest("\n".join(words)), frozenset(uses)


def used_by(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """What a function of a study refers to: its globals, those it reads from other modules, closure and defaults."""
    names, here = sorted(code_names(function.__code__)), function.__globals__
    scopes = [here, *(vars(here[name]) for name in names if is_study(here.get(name)))]
    for name in names:
        yield from ((name, without_cache(scope[name])) for scope in scopes if name in scope)
    for value in closure(function):
        yield "closure", without_cache(value)
    yield "defaults", function.__defaults__
    yield "defaults", function.__kwdefaults__


def is_study(value: Any) -> bool:
    return inspect.ismodule(value) and f"{value.__name__}.".startswith(STUDIES)


def without_cache(value: Any) -> Any:
    """The function that a kernel, a static method or ``functools.cache`` calls."""
    if isinstance(value, functools._lru_cache_wrapper | staticmethod | classmethod):
        return without_cache(value.__wrapped__)
    return getattr(value, "python", value)


@functools.cache
def is_words(module: str) -> bool:
    """Whether a file of studies holds nothing to compile."""
    return not COMPILED.search(module_file(module).read_text(encoding="utf-8"))


def file_digest(path: Path) -> str:
    """Of a Python file; of another, or none, nothing."""
    if path.suffix != ".py" or not path.is_file():
        return ""
    found = path.stat()
    return _file_digest(path, found.st_mtime_ns, found.st_size)


@functools.cache
def _file_digest(path: Path, changed: int, size: int) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
