"""Reads the results files of a folder; other files are listed and skipped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from ..judging.verdict import judged, verdict
from ..papers import Outline, shipped
from ..provenance import Made
from ..results import NoResultsError, files_in, findings_from, read, study_from
from ..statements import Answered
from ..study import Outcome, Study


@dataclass(frozen=True)
class Result:
    """One study from a results file."""

    study: Study
    rows: list[Outcome]
    seed: int
    version: str
    findings: list[str]  # lines; those about statements of the paper are ``Answered``
    made: Made  # what it was made with

    @property
    def name(self) -> str:
        return self.study.name

    @property
    def paper(self) -> Outline | None:
        return self.study.paper

    @property
    def further(self) -> bool:
        """Whether it goes beyond its paper, and is not counted."""
        return self.paper is not None and self.name in self.paper.further

    @cached_property
    def published(self) -> list[Outcome]:
        """The rows with a published number, and so a verdict."""
        return [row for row in self.rows if row.published is not None]

    @property
    def counts(self) -> bool:
        """Whether it is in a paper, or has published numbers of its own."""
        return not self.further and bool(self.published or self.study.in_a_paper)

    @cached_property
    def answers(self) -> list[Answered]:
        """What it answers to statements of its paper."""
        return [line for line in self.findings if isinstance(line, Answered) and line.number > 0]

    @property
    def texts(self) -> list[str]:
        return [line for line in self.findings if not isinstance(line, Answered) or line.number == 0]

    @cached_property
    def runs(self) -> int:
        return max(row.runs for row in self.rows)


class Skipped(NamedTuple):
    """A file that is not part of the report, and why."""

    file: str
    why: str


def load(folder: Path) -> tuple[list[Result], list[Skipped]]:
    """Every results file of ``folder``: a paper's studies in its order, what goes beyond it, then others by name."""
    if not folder.is_dir():
        raise NoResultsError(f"{folder} is not a folder: write the one that varde reproduce --out wrote to")
    results: dict[str, Result] = {}
    skipped: list[Skipped] = []
    for path in files_in(folder):
        try:
            data = read(path)
            name = data["study"]
            if name in results:
                skipped.append(Skipped(path.name, f"the study {name} is in another file too"))
            else:
                results[name] = result_of(data)
        except ValueError as error:
            skipped.append(Skipped(path.name, str(error)))
    if not results:
        found = "; ".join(f"{file}: {why}" for file, why in skipped)
        raise NoResultsError(
            f"there are no results in {folder}{f' ({found})' if found else ''}: "
            f"write varde reproduce table-1 --out {folder} first"
        )
    return sorted(results.values(), key=rank), skipped


def rank(result: Result) -> tuple[bool, str, int, str]:
    """Papers by title, then the rest; what is tested first."""
    if result.paper is None:
        return True, "", int(not result.counts), result.name
    names = [*result.paper.studies, *result.paper.further]
    return False, result.paper.title, names.index(result.name), result.name


def result_of(data: Mapping[str, Any]) -> Result:
    """The result with the study's texts, from the package or else from the file."""
    name, rows, about = data["study"], data["rows"], data["about"]
    if name in shipped():
        study = shipped()[name]()
        if notes := about.get("notes"):  # of these rows: Table 1 comes with and without a row of ours
            study = replace(study, notes=notes)
        rows = [again(study, row) for row in rows]
    else:
        study = study_from(name, about, rows)
        rows = [row if row.published is None else row._replace(verdict=verdict(study, row).word) for row in rows]
    return Result(study, rows, data["seed"], str(data["version"]), findings_from(about), data["made"])


def again(study: Study, row: Outcome) -> Outcome:
    """Judged by today's margin, with today's reasons."""
    if row.published is None:
        return row
    unit = study.printed(row.problem, row.algorithm, row.step)[1]
    return judged(study, row._replace(unit=row.unit or unit, reason=""))
