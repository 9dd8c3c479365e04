"""Results files: the rows of a study, and everything needed to report them without the study's code."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeGuard

from .checking import are_texts
from .figure import Figure
from .judging.verdict import VERDICTS
from .papers import Outline
from .provenance import made_from
from .statements import FIELDS, Answered
from .study import Outcome, Study

PACKED = ".xz"  # ends the name of a compressed results file
ENDING = ("unit", "low", "high")
MAY_LACK = ("reason", *ENDING)
NEEDED = tuple(name for name in Outcome._fields if name not in MAY_LACK)


class NoResultsError(ValueError):
    """There are no results; the message says what to do."""


def as_json(
    study: Study,
    rows: Sequence[Outcome],
    findings: Sequence[str],
    seed: int,
    version: str,
    made: Mapping[str, str] | None = None,
) -> str:
    """The results file: the same rows give the same bytes, but for the last line, ``made`` (see ``provenance.py``)."""
    head = {"study": study.name, "seed": seed, "version": version, "about": about(study, findings)}
    lines = ",\n".join("  " + json.dumps(as_row(row)) for row in rows)
    return json.dumps(head)[:-1] + f', "rows": [\n{lines}\n],\n"made": {json.dumps(dict(made or {}))}}}\n'


def as_row(row: Outcome) -> dict[str, Any]:
    return {name: value for name, value in row._asdict().items() if name not in MAY_LACK or value not in (None, "")}


PLAIN = ("title", "place", "method", "runs", "percent", "unit", "digits", "published_runs", "relative", "absolute")


def about(study: Study, findings: Sequence[str]) -> dict[str, Any]:
    """What a report wants to know of a study."""
    return {
        **{what: getattr(study, what) for what in PLAIN},
        "span": study.span,
        "paper": None if study.paper is None else study.paper._asdict(),
        "figure": None if study.figure is None else asdict(study.figure),
        "notes": list(study.notes),
        "findings": [line.parts if isinstance(line, Answered) else line for line in findings],
    }


def study_from(name: str, words: Mapping[str, Any], rows: Sequence[Outcome]) -> Study:
    """A study whose code is not at hand, from the words about it; ValueError if they are not what ``about`` writes."""
    given = {what: words[what] for what in (*PLAIN, "span", "notes") if what in words}
    made = {"title": name, "runs": max(row.runs for row in rows), "paper": outline_from(words.get("paper"), name)}
    return Study(name, cells=(), figure=figure_from(words.get("figure")), **{**made, **given})


def outline_from(given: Any, study: str) -> Outline | None:
    """The paper of a study as its results file has it."""
    if given is None:
        return None
    try:
        found = Outline(**given)
        names = [found.further, found.first, *found.parts.values(), *found.fitted]
        fits = isinstance(found.title, str) and all(map(are_texts, names)) and study in (*found.studies, *found.further)
    except (TypeError, AttributeError):
        fits = False
    if not fits:
        raise ValueError(f"paper is {given!r:.60}, which is no outline of a paper")
    return found


def figure_from(given: Any) -> Figure | None:
    """A figure from a results file; ValueError if it is none."""
    if given is None:
        return None
    try:
        figure = Figure(**given)
        fits = isinstance(figure.best, int | float | None) and are_texts(figure.shown) and are_texts(figure.heat)
        fits &= all(isinstance(size, int) for size in figure.sizes.values())
        fits &= are_texts([*figure.ends, *figure.ends.values(), *figure.apart, *figure.apart.values()])
        usual = {name: value for name, value in vars(Figure()).items() if name not in ("best", "shown", "heat")}
        fits &= all(isinstance(getattr(figure, name), type(value)) for name, value in usual.items())
    except (TypeError, AttributeError):
        fits = False
    if not fits:
        raise ValueError(f"figure is {given!r:.60}, which is no figure")
    return figure


def findings_from(words: Mapping[str, Any]) -> list[str]:
    """The lines of a results file: answers to statements, and other text."""
    found: list[str] = []
    for line in words.get("findings", ()):
        texts = FIELDS[1:]
        fits = isinstance(line, str) or (
            isinstance(line, dict)
            and set(line) == set(FIELDS)
            and whole(line["number"], 0)
            and are_texts([line[part] for part in texts])
        )
        if not fits:
            raise ValueError(f"findings has {line!r:.60}, which is neither an answer nor a text")
        found.append(line if isinstance(line, str) else Answered(**line))
    return found


def write(path: Path, text: str) -> None:
    """Write the whole text or nothing: a reader never sees half a file."""
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")  # two processes may write the same file
    try:
        with partial.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())  # or a power cut may leave an empty file under the name
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def read(path: Path) -> dict[str, Any]:
    """A results file, checked, or a compressed one, ``.json.xz``; ValueError says what is wrong with it."""
    try:
        data = json.loads(unpacked(path.read_bytes()) if path.suffix == PACKED else path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        raise ValueError("not JSON, or damaged") from None
    except OSError as error:
        raise ValueError(f"cannot be read ({error.strerror})") from None
    if not isinstance(data, dict) or not {"study", "seed", "version", "rows"} <= data.keys():
        raise ValueError("not a results file (study, seed, version and rows expected)")
    if not (isinstance(data["study"], str) and data["study"] and whole(data["seed"], None)):
        raise ValueError("not a results file (study is a name, seed a whole number)")
    if not isinstance(data["rows"], list) or not data["rows"]:
        raise ValueError("no rows")
    data["rows"] = [row_of(row, number) for number, row in enumerate(data["rows"], 1)]
    if not isinstance(data.setdefault("about", {}), dict):
        raise ValueError("not a results file (about has no names)")
    data["made"] = made_from(data.get("made"))
    return data


def unpacked(data: bytes) -> bytes:
    import lzma  # which some builds of Python lack

    try:
        return lzma.decompress(data)
    except lzma.LZMAError:
        raise ValueError("damaged") from None


def files_in(folder: Path) -> list[Path]:
    """What may be results files."""
    return sorted([*folder.glob("*.json"), *folder.glob(f"*.json{PACKED}")])


def row_of(row: Any, number: int) -> Outcome:
    try:
        found = Outcome._make([*map(row.__getitem__, NEEDED), str(row.get("reason", "")), *map(row.get, ENDING)])
    except (TypeError, KeyError, AttributeError):
        raise ValueError(f"row {number} lacks one of {', '.join(NEEDED)}") from None
    problem, algorithm, setting, step, runs, value, stderr, published, *_ = found
    words = type(problem) is type(algorithm) is type(setting) is str
    numbers = real(value) and real(stderr) and (published is None or real(published))
    if not (words and numbers and whole(step, 0) and whole(runs, 1)):
        raise ValueError(f"row {number} has a field of another kind than a results file has")
    if found.verdict not in (None, *VERDICTS) or (found.verdict is None) != (found.published is None):
        raise ValueError(f"row {number}: the verdict is {found.verdict!r}")
    strange: dict[str, Any] = {
        name: None for name in ENDING if getattr(found, name) is not None and not real(getattr(found, name))
    }
    return found._replace(**strange) if strange else found


def whole(x: Any, least: int | None) -> TypeGuard[int]:
    return isinstance(x, int) and not isinstance(x, bool) and (least is None or x >= least)


def real(x: Any) -> TypeGuard[float]:
    return isinstance(x, int | float) and not isinstance(x, bool)
