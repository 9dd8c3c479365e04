"""Write the tables of learning.md from docs/results/bpi-beyond.json: ``python docs/learning_tables.py``.

``python docs/learning_tables.py results/bpi-beyond.json`` keeps what the tables need of a results file first: that of
``varde reproduce bpi-beyond``.  A test checks that the page was written.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from fill import DOCS, fill, markdown, results

KEPT = ("problem", "algorithm", "step", "value", "stderr")
OURS = ("VarDE, all states", "VarDE, start")
RIVALS = ("UCBVI", "VarDE-Q", "eps-Q", "Q-UCB", "MF-BPI", "PSRL", "MDP-NaS", "PS-MDP-NaS", "O-BPI")
MODEL, START = "model report", "from the start"


def keep(path: Path) -> None:
    found = json.loads(path.read_text())
    rows = [[row[name] for name in KEPT] for row in found["rows"]]
    kept = {"runs": found["runs"], "seed": found["seed"], "rows": rows}
    (DOCS / "results" / "bpi-beyond.json").write_text(json.dumps(kept).replace("], [", "],\n["))


def table(ending: str) -> str:
    """``ending``: "" for all states, or START; own report / model report, then the standard error of the latter."""
    cells = {(p, name, step): (value, error) for p, name, step, value, error in results("bpi-beyond")["rows"]}

    def cell(problem: str, name: str, step: int) -> str:
        what = (ending, f"{ending}, {MODEL}".removeprefix(", "))
        own, model = (cells.get((problem, f"{name}: {kind}" if kind else name, step)) for kind in what)
        if own is None:
            return ""
        said = model or own
        return (f"{own[0]:.3f} / " if model else "") + f"{said[0]:.3f} ± {said[1]:.3f}"

    steps: dict[str, list[int]] = {}
    for problem, _, step in cells:
        steps[problem] = sorted({*steps.get(problem, []), step})
    places = [(problem, at) for problem, some in steps.items() for at in (some[1 if len(some) > 3 else 0], some[-1])]
    lines = [[f"{p}, {step:,}", *(cell(p, name, step) for name in (*OURS, *RIVALS))] for p, step in places]
    return markdown(["world, steps", *OURS, *RIVALS], lines)


def filled(text: str) -> str:
    return fill(text, {"bpi-beyond": lambda: table(""), "bpi-beyond-start": lambda: table(START)})


if __name__ == "__main__":
    for given in sys.argv[1:]:
        keep(Path(given))
    page = DOCS / "learning.md"
    page.write_text(filled(page.read_text()))
