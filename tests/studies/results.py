"""Results files for the tests of what is made of them, without measuring anything."""

import json
import math
from pathlib import Path

import numpy as np

from varde.paper import STUDIES
from varde.studies.results import as_json
from varde.studies.rows import Rows
from varde.studies.statements import Answered
from varde.studies.study import Outcome, Study

DOCS = Path(__file__).parents[2] / "docs" / "results"
HOSTILE = "<script>alert(1)</script>"
IMAGE = '"><img src=x onerror=alert(2)>'


def rows_of(study, runs=50, stderr=0.01):
    """A made-up number for every column of a study, the same each time."""
    return [
        Outcome(cell.problem, name, cell.setting, step, runs, 0.2 + 0.1 * math.sin(i + step), stderr, None, None)
        for i, cell in enumerate(study.cells)
        for name, step in cell.columns
    ]


def rows_from(runs, steps, percent=False):
    """Rows of made-up runs: {(problem, algorithm): [runs, steps]}."""
    scale = 100.0 if percent else 1.0
    rows = [
        Outcome(
            *key, "", step, len(values), scale * values[:, i].mean(), scale * values[:, i].std() / len(values) ** 0.5
        )
        for key, values in runs.items()
        for i, step in enumerate(steps)
    ]
    return Rows(rows, {key: lambda values=values: values for key, values in runs.items()})


def made_runs(means, count=400, noise=0.1, seed=0):
    """Made-up runs about {(problem, algorithm): means at the steps}."""
    rng = np.random.default_rng(seed)
    return {key: np.asarray(row, float) + noise * rng.normal(size=(count, len(row))) for key, row in means.items()}


def answer(grade, words="so much", sentence="highest value throughout", number=1, kind="picture"):
    return Answered(number, sentence, kind, "Section 5", "values", "", "above all", grade, words)


def put(folder, study, rows, findings=None, seed=0, version="1.0"):
    text = as_json(study, rows, study.findings(rows) if findings is None else findings, seed, version)
    (folder / f"{study.name}.json".replace("/", "_")).write_text(text)


def numbers_in(file):
    """All of a results file but its last line, which says what it was made with: somebody may commit meanwhile."""
    *numbers, made = file.read_bytes().splitlines()
    assert made.startswith(b'"made": {')
    return numbers


def put_docs(folder, *names):
    for name in names:
        (folder / f"{name}.json").write_text((DOCS / f"{name}.json").read_text())


def put_curves(folder):
    study = STUDIES["frozen-lake"]()
    put(folder, study, rows_of(study), [answer("in part")])
    return study


def put_hostile(folder):
    """A study of one's own in which every name is an attack."""
    study = Study(f"own {HOSTILE}", "", (), 10)
    rows = [
        Outcome(problem, name, f"=cmd|' /C calc'!A0 {HOSTILE} {IMAGE}", step, 10, step / 7.0, 0.1, None, None)
        for problem in (f"|pipe| {IMAGE}", "=1+1")
        for name in (HOSTILE, "</script></style><svg onload=alert(3)>", "[x](javascript:alert(4)) `*_\\|", "\ud800\x00")
        for step in range(1, 15)
    ]
    (folder / "hostile.json").write_text(
        json.dumps({"study": study.name, "seed": 0, "version": HOSTILE, "rows": [row._asdict() for row in rows]})
    )
