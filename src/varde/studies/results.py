"""Results files: the rows of a study, and everything needed to report them without the study's code."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from .figure import Figure
from .judging.verdict import VERDICTS
from .papers import Outline
from .provenance import made_from
from .statements import FIELDS, Answered
from .study import Outcome, Study

PACKED = ".xz"  # ends the name of a compressed results file
MAY_LACK = ("reason", "unit", "low", "high")
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
    found = Outline(**given) if shaped(given, OUTLINE) and {"title", "parts"} <= given.keys() else None
    if found is None or study not in (*found.studies, *found.further):
        raise ValueError(f"paper is {given!r:.60}, which is no outline of a paper")
    return found


def figure_from(given: Any) -> Figure | None:
    """A figure from a results file; ValueError if it is none."""
    if given is not None and not shaped(given, FIGURE):
        raise ValueError(f"figure is {given!r:.60}, which is no figure")
    return None if given is None else Figure(**given)


def findings_from(words: Mapping[str, Any]) -> list[str]:
    """The lines of a results file: answers to statements, and other text."""
    found: list[str] = []
    for line in words.get("findings", ()):
        if not isinstance(line, str) and not (shaped(line, ANSWER) and set(line) == set(FIELDS)):
            raise ValueError(f"findings has {line!r:.60}, which is neither an answer nor a text")
        found.append(line if isinstance(line, str) else Answered(**line))
    return found


class Fields(dict[str, Any]):
    """The shape of a record: of each field that it may have."""


TEXTS = [str]
REAL, MAYBE = (int, float), (int, float, type(None))
OUTLINE = Fields(title=str, parts={str: TEXTS}, further=TEXTS, first=TEXTS, fitted=[TEXTS])
FIGURE = Fields(
    **dict.fromkeys(("across", "up", "level", "size"), str),
    **dict.fromkeys(("log", "wide", "rose"), bool),
    **dict.fromkeys(("shown", "heat"), TEXTS),
    best=MAYBE,
    sizes={str: int},
    ends={str: str},
    apart={str: str},
)
ANSWER = Fields(dict.fromkeys(FIELDS, str), number=int)
ROW = Fields(
    **dict.fromkeys(("problem", "algorithm", "setting", "reason"), str),
    **dict.fromkeys(("step", "runs"), int),
    **dict.fromkeys(("value", "stderr"), REAL),
    **dict.fromkeys(("published", "unit", "low", "high"), MAYBE),
    verdict=(str, type(None)),
)


def shaped(value: Any, shape: Any) -> bool:
    """Whether what a file says has a shape: a type or several, [of each item], {of keys: of values}, ``Fields``."""
    if isinstance(shape, Fields):
        return isinstance(value, dict) and all(name in shape and shaped(value[name], shape[name]) for name in value)
    if isinstance(shape, list):
        return isinstance(value, list) and all(shaped(item, shape[0]) for item in value)
    if isinstance(shape, dict):
        [(key, item)] = shape.items()
        return isinstance(value, dict) and all(shaped(k, key) and shaped(v, item) for k, v in value.items())
    return isinstance(value, shape) and (shape is bool or not isinstance(value, bool))


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
    if not (isinstance(data["study"], str) and data["study"] and shaped(data["seed"], int)):
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
    if not isinstance(row, dict) or not set(NEEDED) <= row.keys():
        raise ValueError(f"row {number} lacks one of {', '.join(NEEDED)}")
    if not shaped(row, ROW) or row["step"] < 0 or row["runs"] < 1:
        raise ValueError(f"row {number} has a field of another kind than a results file has")
    if row["verdict"] not in (None, *VERDICTS) or (row["verdict"] is None) != (row["published"] is None):
        raise ValueError(f"row {number}: the verdict is {row['verdict']!r}")
    return Outcome(**row)
