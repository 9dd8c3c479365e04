"""Write the tables of learning.md from docs/results/bpi-beyond.json: ``python docs/tables/learning_tables.py``.

``python docs/tables/learning_tables.py results/bpi-beyond.json`` first keeps what the tables need of the results files
of ``varde reproduce bpi-beyond``.  A test checks that the page was written.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from fill import DOCS, fill, markdown, results

from varde.studies.claims import Claim

KEPT = ("problem", "algorithm", "step", "runs", "value", "stderr")
OURS = ("VarDE, all states", "VarDE, start")
RIVALS = ("UCBVI", "VarDE-Q", "eps-Q", "Q-UCB", "MF-BPI", "PSRL", "MDP-NaS", "PS-MDP-NaS", "O-BPI")
MODEL, START = "model report", "from the start"


def keep(paths: Sequence[Path]) -> None:
    """The rows at two of the steps, and what is said of the runs in the last of the files."""
    rows: dict[tuple, list] = {}
    for path in paths:
        data = json.loads(path.read_text())
        found = data["rows"]
        said = [line if isinstance(line, str) else Claim(**line) for line in data["about"]["findings"]]
        for problem in dict.fromkeys(row["problem"] for row in found):
            steps = sorted({row["step"] for row in found if row["problem"] == problem})
            shown = steps[1 if len(steps) > 3 else 0], steps[-1]  # a fifth of the budget, or a quarter, and the whole
            some = [row for row in found if row["problem"] == problem and row["step"] in shown]
            rows |= {tuple(row[name] for name in KEPT[:3]): [row[name] for name in KEPT] for row in some}
    lines = ",\n".join(json.dumps(row) for row in rows.values())
    text = f'{{"said": {json.dumps(said, indent=1)}, "rows": [\n{lines}\n]}}\n'
    (DOCS / "results" / "bpi-beyond.json").write_text(text)


def table(ending: str) -> str:
    """``ending``: "" for all states, or START; own report / model report, then the standard error of the latter."""
    cells = {(p, name, step): numbers for p, name, step, _, *numbers in results("bpi-beyond")["rows"]}

    def cell(problem: str, name: str, step: int) -> str:
        what = (ending, f"{ending}, {MODEL}".removeprefix(", "))
        own, model = (cells.get((problem, f"{name}: {kind}" if kind else name, step)) for kind in what)
        if own is None:
            return ""
        said = model or own
        return (f"{own[0]:.3f} / " if model else "") + f"{said[0]:.3f} ± {said[1]:.3f}"

    places = dict.fromkeys((problem, step) for problem, _, step in cells)
    lines = [[f"{p}, {step:,}", *(cell(p, name, step) for name in (*OURS, *RIVALS))] for p, step in places]
    return markdown(["world, steps", *OURS, *RIVALS], lines)


def said() -> str:
    found = results("bpi-beyond")
    runs = sorted({row[KEPT.index("runs")] for row in found["rows"]})
    count = f"{runs[0]} runs each" if len(runs) == 1 else f"{runs[0]} runs or more of each"
    return "\n".join(f"- {line}." for line in (f"{count}, seed 0", *found["said"]))


def filled(text: str) -> str:
    tables = {"bpi-beyond": lambda: table(""), "bpi-beyond-start": lambda: table(START), "bpi-beyond-said": said}
    return fill(text, tables)


if __name__ == "__main__":
    if sys.argv[1:]:
        keep([Path(given) for given in sys.argv[1:]])
    page = DOCS / "learning.md"
    page.write_text(filled(page.read_text()))
