"""Made-up rows and results files for the tests of what is made of them, without measuring anything."""

import json
from pathlib import Path

import numpy as np

from varde.studies import Outcome, Study
from varde.studies.results import as_json

DOCS = Path(__file__).parents[2] / "docs" / "results"
HOSTILE = "<script>alert(1)</script>"


def rows_from(runs, steps, percent=False):
    """Rows of made-up runs: {(problem, algorithm): [runs, steps]}."""
    scale = 100.0 if percent else 1.0
    return [
        Outcome(
            *key, "", step, len(values), scale * values[:, i].mean(), scale * values[:, i].std() / len(values) ** 0.5
        )
        for key, values in runs.items()
        for i, step in enumerate(steps)
    ]


def made_runs(means, count=400, noise=0.1, seed=0):
    """Made-up runs about {(problem, algorithm): means at the steps}."""
    rng = np.random.default_rng(seed)
    return {key: np.asarray(row, float) + noise * rng.normal(size=(count, len(row))) for key, row in means.items()}


def put(folder, study, rows, findings=(), seed=0, version="1.0"):
    (folder / f"{study.name}.json").write_text(as_json(study, rows, findings, seed, version))


def numbers_in(file):
    """All of a results file but its last line, which says what it was made with: somebody may commit meanwhile."""
    *numbers, made = file.read_bytes().splitlines()
    assert made.startswith(b'"made": {')
    return numbers


def put_docs(folder, *names):
    for name in names:
        file = f"{name}.json.xz"
        (folder / file).write_bytes((DOCS / "paper" / file).read_bytes())


def put_hostile(folder):
    """A study of one's own in which every name is an attack."""
    study = Study(f"own {HOSTILE}", "", (), 10)
    rows = [
        Outcome(problem, name, f"=cmd|' /C calc'!A0 {HOSTILE}", step, 10, step / 7.0, 0.1)
        for problem in ('|pipe| "><img src=x onerror=alert(2)>', "=1+1")
        for name in (HOSTILE, "</script></style><svg onload=alert(3)>", "[x](javascript:alert(4)) `*_\\|", "\ud800\x00")
        for step in range(1, 15)
    ]
    given = {"study": study.name, "seed": 0, "version": HOSTILE, "rows": [row._asdict() for row in rows]}
    (folder / "hostile.json").write_text(json.dumps({**given, "about": {"figure": {}, "title": HOSTILE}}))
