"""The folder of compiled kernels, and which files of the package a kernel depends on."""

from __future__ import annotations

import ast
import functools
import hashlib
import os
import re
import warnings
from collections.abc import Iterable
from pathlib import Path

from .._files import make_writable
from .engine import PACKAGE

ROOT = Path(__file__).parent.parent
FACE = ROOT / "__init__.py"  # imports everything, for users; our own modules import from where a thing is
SHOWING = ("_page", "_table.py")  # they show numbers and compute none: no fingerprint covers them
COMPILED = re.compile(r"^@(helper|kernel|verb)\b|^@?\w+\.of\(", re.MULTILINE)
CASE = re.compile(r"^@?(\w+)\.of\(([\w, ]*)\)", re.MULTILINE)  # a verb, and the types it is defined for
IMPORT = re.compile(r"^[ \t]*from (\.+)([\w.]*) import (\([^)]*\)|.*)", re.MULTILINE)


@functools.cache
def source_digest() -> str:
    """Stands for every file that kernels can reach: for a kernel of which one cannot tell what it depends on."""
    digest = hashlib.sha256()
    for path in sorted(reachable(kernel_files())):
        digest.update(path.relative_to(ROOT).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:16]


@functools.cache
def kernel_files() -> tuple[Path, ...]:
    """The files that hold code to compile."""
    return tuple(path for path in ROOT.rglob("*.py") if COMPILED.search(_text(path)))


def reachable(files: Iterable[Path]) -> set[Path]:
    """These files and all of the package that they import, directly or not."""
    found: set[Path] = set()
    waiting = list(files)
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting.extend(_imports(path))
    return found


def reached(files: Iterable[Path], types: set[str] | None = None) -> set[Path]:
    """The same, with the files that serve verbs among them: those with a case for one of these types, or for any.

    ``rule.py`` has the record VarDE, ``bandits/varde.py`` what a bandit does with it, ``learning/varde.py`` what a
    learner does: of a bandit's runs the first two count.
    """
    found, others = reachable(files), kernel_files()
    while more := [path for path in others if path not in found and _serves(path, found, types)]:
        found |= reachable(more)
    return found


def _serves(path: Path, found: set[Path], types: set[str] | None) -> bool:
    homes = _homes(path)
    for verb, classes in CASE.findall(_text(path)):
        if (types is None or types & set(re.findall(r"\w+", classes))) and found & homes.get(verb, set()):
            return True
    return False


@functools.cache
def _homes(path: Path) -> dict[str, set[Path]]:
    """Where the names come from that a file imports."""
    homes: dict[str, set[Path]] = {}
    for dots, module, names in IMPORT.findall(_text(path)):
        folder = path.parents[len(dots) - 1].joinpath(*filter(None, module.split(".")))
        for name in re.findall(r"\w+", names):
            homes.setdefault(name, set()).update((folder.with_suffix(".py"), folder / "__init__.py"))
    return homes


@functools.cache
def code_digest(path: Path) -> str:
    """Of what a file does: its code without comments and documentation."""
    tree = ast.parse(_text(path))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node, clean=False):
            node.body = node.body[1:] or [ast.Pass()]
    return hashlib.sha256(ast.dump(tree).encode()).hexdigest()


@functools.cache
def _imports(path: Path) -> list[Path]:
    found = []
    for dots, module, names in IMPORT.findall(_text(path)):
        folder = path.parents[len(dots) - 1].joinpath(*filter(None, module.split(".")))
        inside = [folder / name for name in re.findall(r"\w+", names)]  # a name may be a module of the folder
        found += [file for place in (folder, *inside) for file in (place.with_suffix(".py"), place / "__init__.py")]
    return [file for file in found if file.is_file() and file != FACE and not shows(file)]


def shows(file: Path) -> bool:
    return file.is_relative_to(ROOT) and file.relative_to(ROOT).parts[0] in SHOWING


@functools.cache
def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def module_file(module: str) -> Path:
    place = ROOT.joinpath(*module.split(".")[1:])
    return place / "__init__.py" if place.is_dir() else place.with_suffix(".py")


def cache_home() -> Path:
    """VARDE_CACHE_DIR, or a folder where the system keeps such things; RuntimeError if there is no home either."""
    own, system = os.environ.get("VARDE_CACHE_DIR"), os.environ.get("XDG_CACHE_HOME", "")
    if own:
        return Path(own)
    return (Path(system) if os.path.isabs(system) else Path.home() / ".cache") / PACKAGE


@functools.cache
def cache_folder() -> str | None:
    """The folder of compiled kernels, which may be one that can only be read; None where there is none."""
    folder = None
    try:
        folder = cache_home() / "kernels"
        make_writable(folder)
    except (OSError, RuntimeError) as error:  # RuntimeError: there is no home folder
        if folder is None or not folder.is_dir():
            cannot_keep(folder, error)
            return None
    return str(folder)


def cannot_keep(folder: Path | None, error: Exception) -> None:
    where = "" if folder is None else f" in {folder}"
    warnings.warn(
        f"compiled kernels cannot be kept{where} ({getattr(error, 'strerror', None) or error}); every process will "
        "compile again. Set VARDE_CACHE_DIR to a writable folder.",
        stacklevel=2,
    )
