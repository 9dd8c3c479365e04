"""Your own studies: a Python file that says ``study = Study(...)`` or ``studies = [...]``.

The file, with what it imports from its own folder, is also all that another machine needs.
"""

from __future__ import annotations

import ast
import atexit
import re
import shutil
import sys
import tempfile
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from .checking import not_measured
from .fingerprint import digest, identity
from .study import Study


class OwnStudyError(ValueError):
    """There is something wrong with a study file; the cause, if it has one, is an exception in the file."""


class Source(NamedTuple):
    """A study file and what it imports from its folder, as text."""

    path: str
    files: tuple[tuple[str, str], ...]  # name within the folder, text; the study file comes first

    @property
    def digest(self) -> str:
        return digest(repr(self.files).encode())


def read(path: str | Path) -> Source:
    """The text of a study file and of every file in its folder that it imports, directly or not."""
    path = Path(path).absolute()
    texts: dict[str, str] = {}
    waiting = [path]
    while waiting:
        file = waiting.pop(0)
        name = file.relative_to(path.parent).as_posix()
        if name in texts:
            continue
        try:
            texts[name] = file.read_text(encoding="utf-8")
            tree = ast.parse(texts[name], file.name)
        except SyntaxError as error:
            raise OwnStudyError(f"{file}, line {error.lineno}: {error.msg}") from None
        except (OSError, ValueError) as error:
            raise OwnStudyError(f"cannot read {file}: {getattr(error, 'strerror', None) or error}") from None
        for module in sorted({module.split(".")[0] for module in imports_of(tree)}):
            waiting += [found for found in (path.parent / f"{module}.py",) if found.is_file()]
            waiting += sorted((path.parent / module).rglob("*.py"))
    return Source(str(path), tuple(texts.items()))


def imports_of(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module


_loaded: dict[Source, dict[str, Study]] = {}
_modules: dict[str, str] = {}  # what was imported from a folder of studies: module, text
_lock = threading.RLock()


def load(source: Source) -> dict[str, Study]:
    """The studies of a file by name; once in a process, as long as its text stays the same."""
    with _lock:
        if source not in _loaded:
            module = execute(source)
            _loaded[source] = {study.name: study for study in studies_in(module, source.path)}
        return _loaded[source]


def execute(source: Source) -> ModuleType:
    """Run the file as a module: where it was read if it is there and the same, otherwise from a copy."""
    folder, (file, text) = folder_of(source), source.files[0]
    for name, content in source.files[1:]:
        neighbour = name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        if _modules.get(neighbour, content) != content:  # a worker may outlive a text
            sys.modules.pop(neighbour, None)
        _modules[neighbour] = content
    stem = re.sub(r"\W", "_", Path(file).stem)
    module = ModuleType(f"study_{stem}_{source.digest[:8]}")
    module.__file__ = str(folder / file)
    sys.modules[module.__name__] = module
    sys.path.insert(0, str(folder))  # as for ``python FILE``; afterwards last, so that its files hide no modules
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    modules = set(sys.modules)
    try:
        exec(compile(text, module.__file__, "exec"), module.__dict__)
    except Exception as error:
        raise OwnStudyError(f"{source.path} fails: {type(error).__name__}: {error}") from error
    finally:
        sys.dont_write_bytecode = before
        sys.path.remove(str(folder))
        sys.path.append(str(folder))
    known = {name.split("/")[0].removesuffix(".py") for name, _ in source.files}
    for name in {name.split(".")[0] for name in sys.modules.keys() - modules} - known:
        if (folder / f"{name}.py").is_file() or (folder / name / "__init__.py").is_file():
            raise OwnStudyError(
                f"{source.path} imports {name} in a way that cannot be seen in its text, so that nobody would notice "
                f"if it changes: write import {name}"
            )
    return module


def folder_of(source: Source) -> Path:
    folder = Path(source.path).parent
    try:
        if all((folder / name).read_text(encoding="utf-8") == text for name, text in source.files):
            return folder
    except (OSError, ValueError):
        pass
    copy = Path(tempfile.mkdtemp(prefix="varde-study-"))
    atexit.register(shutil.rmtree, copy, ignore_errors=True)
    for name, text in source.files:
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / name).write_text(text, encoding="utf-8")
    return copy


def studies_in(module: ModuleType, path: str) -> list[Study]:
    """What the file calls ``studies``, else ``study``; a function that returns it will do."""
    found = next((found for name in ("studies", "study") if (found := getattr(module, name, None)) is not None), None)
    if found is None:
        raise OwnStudyError(f"{path} holds no study: write study = varde.studies.Study(...) in it")
    try:
        found = found() if callable(found) else found
    except Exception as error:
        raise OwnStudyError(f"{path} fails: {type(error).__name__}: {error}") from error
    studies = [found] if isinstance(found, Study) or not isinstance(found, Iterable) else list(found)
    if not studies:
        raise OwnStudyError(f"{path} holds an empty list of studies: write studies = [Study(...), ...]")
    for study in studies:
        problem = problem_with_study(study)
        if problem:
            raise OwnStudyError(f"{path}: {problem}")
    for name in (known := [study.name for study in studies]):
        if known.count(name) > 1:
            raise OwnStudyError(f"{path} holds two studies called {name!r}: give each a name of its own")
    return studies


def problem_with_study(study: Any) -> str:
    """What is wrong with a study, or nothing."""
    if not isinstance(study, Study):
        return f"{study!r} is a {type(study).__name__}, not a study: write varde.studies.Study(...)"
    if not re.fullmatch(r"\w[\w.-]*", study.name):
        return f"a study is called {study.name!r}: its files take that name, write letters, digits, - and _"
    if not study.cells:
        return f"{study.name} has no cells: there is nothing to measure"
    for cell in study.cells:
        try:
            identity(cell.measure)
        except TypeError as error:
            return f"{study.name}, {cell.algorithm} on {cell.problem}: {error}"
    return not_measured(study)
