"""Which studies a command line means."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from .app import refuse
from .tracebacks import show_own

if TYPE_CHECKING:
    from ..studies.study import Study
    from ..studies.study_files import Source

Chosen = list[tuple["Study", "Source | None"]]


def choose(names: list[str]) -> Chosen:
    """The studies named, each once, with the file of those that are the user's own."""
    from ..paper import GROUPS, PLACES, STUDIES

    files = [name for name in names if is_file(name)]
    places = {name.casefold(): studies for name, studies in PLACES.items()}
    rest = [name.casefold() if name.casefold() in places else name for name in names if name not in files]
    known = resolve(rest, list(STUDIES), {**GROUPS, **places})
    chosen: Chosen = [(STUDIES[name](), None) for name in known]
    return chosen + own_studies(files, list(STUDIES))


def is_file(name: str) -> bool:
    """FILE.py, or FILE.py:NAME for one of its studies."""
    return name.endswith(".py") or ".py:" in name


def resolve(
    names: list[str], known: Sequence[str], groups: Mapping[str, Sequence[str]], place: str = ", or a file.py"
) -> list[str]:
    """Names of studies, groups opened, each once."""
    chosen: list[str] = []
    for name in names:
        if name not in known and name not in groups:
            near = difflib.get_close_matches(name, [*known, *groups], 1)
            hint = f"did you mean {near[0]}?" if near else f"write one of {', '.join([*known, *groups])}{place}"
            refuse(f"there is no study {name!r}: {hint}")
        chosen += groups.get(name, (name,))
    return list(dict.fromkeys(chosen))


def own_studies(files: list[str], taken: list[str]) -> Chosen:
    """The studies in files of the user's: all of a file, or those named after a colon, ``mine.py:queues``."""
    wanted: dict[str, list[str]] = {}
    for word in files:
        file, _, name = word.rpartition(":") if not word.endswith(".py") else (word, "", "")
        wanted.setdefault(file, []).append(name)
    chosen: Chosen = []
    of: dict[str, str] = {}
    for file, names in wanted.items():
        source, studies = read_own(file)
        for name in studies:
            if name in taken:
                refuse(f"{file} calls a study {name!r}, which is one of ours: give it another name")
            if name in of:
                refuse(f"{of[name]} and {file} both call a study {name!r}: give it another name in one of them")
            of[name] = file
        picked = list(studies) if "" in names else resolve(names, list(studies), {}, f" after {file}:")
        chosen += [(studies[name], source) for name in picked]
    return chosen


def read_own(file: str) -> tuple[Source, dict[str, Study]]:
    """The studies in a file of the user's by name; a usage error where there is something wrong with it."""
    from ..studies import study_files

    try:
        source = study_files.read(file)
        return source, study_files.load(source)
    except study_files.OwnStudyError as error:
        if error.__cause__ is not None:
            show_own(error.__cause__)
        refuse(str(error))
