"""Results files: the rows of a study, and what a report needs of a study whose code is not at hand."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from .figure import Figure
from .study import Outcome, Study

PACKED = ".xz"  # ends the name of a compressed results file
MAY_LACK = ("unit", "low", "high")
WORDS = ("title", "place", "method", "runs", "percent", "unit", "digits", "published_runs", "relative", "absolute")


class NoResultsError(ValueError):
    """There are no results; the message says what to do."""


@dataclass(frozen=True)
class Result:
    """One study from a results file."""

    study: Study
    rows: list[Outcome]
    seed: int
    version: str
    findings: list[str]
    made: dict[str, str]  # versions, machine and commit

    @property
    def name(self) -> str:
        return self.study.name

    @property
    def runs(self) -> int:
        """The fewest of any row."""
        return min(row.runs for row in self.rows)


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
    return {name: value for name, value in row._asdict().items() if name not in MAY_LACK or value is not None}


def about(study: Study, findings: Sequence[str]) -> dict[str, Any]:
    """What a report wants to know of a study."""
    return {
        **{what: getattr(study, what) for what in WORDS},
        "span": study.span,
        "figure": None if study.figure is None else asdict(study.figure),
        "notes": list(study.notes),
        "findings": list(findings),
    }


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


def read(path: Path, known: Mapping[str, Callable[[], Study]]) -> Result:
    """A results file, or a compressed one, ``.json.xz``; ValueError if it is none.

    The words of a study that is ``known`` are its own, those of any other are in the file.
    """
    try:
        data = json.loads(unpacked(path.read_bytes()) if path.suffix == PACKED else path.read_text(encoding="utf-8"))
        rows = [Outcome(**row) for row in data["rows"]]
        name, words = data["study"], data.get("about", {})
        study = known[name]() if name in known else study_from(name, words, rows)
        findings = list(map(str, words.get("findings", ())))
        return Result(study, rows, data["seed"], str(data["version"]), findings, dict(data.get("made") or {}))
    except OSError as error:
        raise ValueError(f"cannot be read ({error.strerror})") from None
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ValueError(f"not a results file, or damaged ({type(error).__name__}: {error})") from None


def study_from(name: str, words: Mapping[str, Any], rows: Sequence[Outcome]) -> Study:
    given = {what: words[what] for what in (*WORDS, "span", "notes") if what in words}
    figure = Figure(**words["figure"]) if words.get("figure") else None
    return Study(name, cells=(), figure=figure, **{"title": name, "runs": max(row.runs for row in rows), **given})


def unpacked(data: bytes) -> bytes:
    import lzma  # which some builds of Python lack

    try:
        return lzma.decompress(data)
    except lzma.LZMAError:
        raise ValueError("it cannot be unpacked") from None


def files_in(folder: Path) -> list[Path]:
    """What may be results files."""
    return sorted([*folder.glob("*.json"), *folder.glob(f"*.json{PACKED}")])
