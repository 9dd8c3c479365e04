"""Results files, read with care: whatever else lies in the folder is named and left out."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, TypeGuard

from ..claims import Claim
from ..intervals import interval
from ..registry import of_the_paper, shipped
from ..store import NAME, Blocks, StoreError
from ..study import Row, Study

VERDICTS = ("reproduced", "close", "not reproduced")


class NoResultsError(ValueError):
    """There is nothing to report on; the message says what to do."""


class Result(NamedTuple):
    """One study as a results file has it."""

    study: Study
    rows: list[Row]
    seed: int
    version: str
    seconds: float | None  # of computing, where the store knows
    findings: list[str]  # lines; those that are claims of the paper are ``Claim``

    @property
    def name(self) -> str:
        return self.study.name

    @property
    def of_the_paper(self) -> bool:
        return self.name in of_the_paper()

    @property
    def claims(self) -> list[Claim]:
        """The paper's claims about what is in the paper."""
        tested = [line for line in self.findings if isinstance(line, Claim)]
        return [claim for claim in tested if self.of_the_paper and not claim.beyond]

    @property
    def other_findings(self) -> list[str]:
        mine = {id(claim) for claim in self.claims}
        return [line for line in self.findings if id(line) not in mine]

    @property
    def runs(self) -> int:
        return max(row.runs for row in self.rows)

    def interval(self, row: Row) -> tuple[float, float] | None:
        """The 95 % interval of a row, or None; a proximity to the best value is at most 1."""
        ends = interval(row, self.study.percent)
        if ends is None or "sizes" not in asked(self.study):
            return ends
        return ends[0], max(min(ends[1], 1.0), row.value)


def asked(study: Study) -> Mapping[str, Any]:
    """What a study's figure is told: names of the axes, a level to draw, sizes of the problems."""
    return getattr(study.draw, "keywords", {})


class Left(NamedTuple):
    """A file that is not part of the report, and why."""

    file: str
    why: str


def load(folder: Path) -> tuple[list[Result], list[Left]]:
    """Every results file of ``folder``: the paper's studies in its order, then ours, then one's own by name."""
    if not folder.is_dir():
        raise NoResultsError(f"{folder} is not a folder: write the one that varde reproduce --out wrote to")
    results: dict[str, Result] = {}
    left_out: list[Left] = []
    told: list[str] = []
    store = Blocks(folder / NAME, say=told.append, read_only=True)
    for path in sorted(folder.glob("*.json")):
        try:
            data = read(path)
        except ValueError as error:
            left_out.append(Left(path.name, str(error)))
            continue
        name = data["study"]
        if name in results:
            left_out.append(Left(path.name, f"the study {name} is in another file too"))
            continue
        results[name] = result_of(data, store, told)
    store.close()
    left_out += [Left(NAME, why) for why in dict.fromkeys(told)]
    if not results:
        found = "; ".join(f"{file}: {why}" for file, why in left_out)
        raise NoResultsError(
            f"there are no results in {folder}{f' ({found})' if found else ''}: "
            f"write varde reproduce table-1 --out {folder} first"
        )
    order = list(shipped())
    rank = {
        name: (name not in of_the_paper(), order.index(name) if name in order else len(order), name) for name in results
    }
    return sorted(results.values(), key=lambda result: rank[result.name]), left_out


def read(path: Path) -> dict[str, Any]:
    """A results file, checked; ValueError says what is wrong with it."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
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
    return data


def row_of(row: Any, number: int) -> Row:
    if not isinstance(row, dict) or not set(Row._fields) <= row.keys():
        raise ValueError(f"row {number} lacks one of {', '.join(Row._fields)}")
    found = Row(**{name: row[name] for name in Row._fields})
    words = all(isinstance(word, str) for word in (found.problem, found.algorithm, found.setting))
    numbers = all(real(x) for x in (found.value, found.stderr)) and (found.published is None or real(found.published))
    if not (words and numbers and whole(found.step, 0) and whole(found.runs, 1)):
        raise ValueError(f"row {number} has a field of another kind than a results file has")
    if found.verdict not in (None, *VERDICTS) or (found.verdict is None) != (found.published is None):
        raise ValueError(f"row {number}: the verdict is {found.verdict!r}")
    return found


def whole(x: Any, least: int | None) -> TypeGuard[int]:
    return isinstance(x, int) and not isinstance(x, bool) and (least is None or x >= least)


def real(x: Any) -> TypeGuard[float]:
    return isinstance(x, int | float) and not isinstance(x, bool)


def result_of(data: Mapping[str, Any], store: Blocks, told: list[str]) -> Result:
    """With the study's own words: from the package, else from the store, else none."""
    name, rows = data["study"], data["rows"]
    try:
        description = store.description(name) or {}
    except StoreError as error:
        told.append(str(error))
        description = {}
    made = {"seed": data["seed"], "runs": max(row.runs for row in rows)}
    if any(description.get(what, number) != number for what, number in made.items()):
        description = {**description, "seconds": None}  # of another result than this file's
    seconds = description.get("seconds")
    if name in shipped():
        study = shipped()[name]()
        if description.get("notes"):  # of these rows: Table 1 comes with and without a row of ours
            study = replace(study, notes=tuple(map(str, description["notes"])))
        findings = tested(study, rows)
    else:
        study = stand_in(name, rows, description)
        findings = [str(line) for line in description.get("findings", ())]
    seconds = float(seconds) if real(seconds) and math.isfinite(seconds) else None
    return Result(study, rows, data["seed"], str(data["version"]), seconds, findings)


def tested(study: Study, rows: list[Row]) -> list[str]:
    try:
        return study.findings(rows)
    except (IndexError, KeyError, ValueError, StopIteration, ZeroDivisionError):
        return ["its claims cannot be tested: the results file lacks some of the study's rows"]


def stand_in(name: str, rows: list[Row], description: Mapping[str, Any]) -> Study:
    """A study whose code is not at hand."""
    study = Study(name, str(description.get("title", name)), (), max(row.runs for row in rows), percent=False)
    digits, published = description.get("digits"), description.get("published_runs")
    return replace(
        study,
        percent=description.get("percent") is True,
        digits=digits if whole(digits, 0) and digits < 16 else study.digits,
        notes=tuple(str(note) for note in description.get("notes", ())),
        published_runs=published if whole(published, 1) else study.published_runs,
    )
