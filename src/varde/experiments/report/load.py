"""The results of a folder, read with care: whatever else lies in it is named and left out."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from ..claims import Claim
from ..registry import shipped
from ..results import NoResultsError, read, real, study_from
from ..store import NAME, Blocks, StoreError
from ..study import Outcome, Study


class Result(NamedTuple):
    """One study as a results file has it."""

    study: Study
    rows: list[Outcome]
    seed: int
    version: str
    seconds: float | None  # of computing, where the store knows
    findings: list[str]  # lines; those that are claims of the paper are ``Claim``

    @property
    def name(self) -> str:
        return self.study.name

    @property
    def claims(self) -> list[Claim]:
        """The paper's claims about what is in the paper."""
        tested = [line for line in self.findings if isinstance(line, Claim)]
        return [claim for claim in tested if self.study.place and not claim.beyond]

    @property
    def other_findings(self) -> list[str]:
        mine = {id(claim) for claim in self.claims}
        return [line for line in self.findings if id(line) not in mine]

    @property
    def runs(self) -> int:
        return max(row.runs for row in self.rows)


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

    def rank(result: Result) -> tuple[bool, int, str]:
        at = order.index(result.name) if result.name in order else len(order)
        return not result.study.place, at, result.name

    return sorted(results.values(), key=rank), left_out


def result_of(data: Mapping[str, Any], store: Blocks, told: list[str]) -> Result:
    """With the study's own words: from the package, else from the results file, else from the store."""
    name, rows = data["study"], data["rows"]
    try:
        kept = store.description(name) or {}
    except StoreError as error:
        told.append(str(error))
        kept = {}
    made = {"seed": data["seed"], "runs": max(row.runs for row in rows)}
    of_these = all(kept.get(what, number) == number for what, number in made.items())
    seconds = kept.get("seconds") if of_these else None
    about = {**kept, "runs": made["runs"], **data["about"]}  # before 0.2, the words were in the store
    if name in shipped():
        study = shipped()[name]()
        if about.get("notes"):  # of these rows: Table 1 comes with and without a row of ours
            study = replace(study, notes=tuple(map(str, about["notes"])))
        told_apart = (None, "reproduced")
        rows = [row if row.verdict in told_apart else row._replace(reason=study.likely(row)) for row in rows]
    else:
        study = study_from(name, about, rows)
    seconds = float(seconds) if real(seconds) and math.isfinite(seconds) else None
    return Result(study, rows, data["seed"], str(data["version"]), seconds, tested(study, rows))


def tested(study: Study, rows: list[Outcome]) -> list[str]:
    try:
        return study.findings(rows)
    except (IndexError, KeyError, ValueError, StopIteration, ZeroDivisionError):
        return ["its claims cannot be tested: the results file lacks some of the study's rows"]
