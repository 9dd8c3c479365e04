"""The table of docs/learning.md: every agent in worlds that are hard to explore.

``python docs/tables/learning_tables.py results/bpi-beyond.json`` first keeps what the table needs of the results of
``varde reproduce bpi-beyond``.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from fill import DOCS, filled, markdown, page_of, results

KEPT = ("problem", "algorithm", "step", "runs", "value", "stderr")
OURS = ("VarDE, all states", "VarDE, start")
MODEL, START = "model report", "from the start"


def keep(path: Path) -> None:
    """The rows at two of the steps."""
    found, rows = json.loads(path.read_text())["rows"], []
    for problem in dict.fromkeys(row["problem"] for row in found):
        steps = sorted({row["step"] for row in found if row["problem"] == problem})
        shown = steps[1 if len(steps) > 3 else 0], steps[-1]  # a fifth of the budget, or a quarter, and the whole
        rows += [row for row in found if row["problem"] == problem and row["step"] in shown]
    lines = ",\n".join(json.dumps([row[name] for name in KEPT]) for row in rows)
    (DOCS / "results" / "bpi-beyond.json").write_text(f'{{"rows": [\n{lines}\n]}}\n')


def beyond() -> str:
    """Each objective beside the best rival: the best policy of the model of its data, judged in the same way."""
    rows = results("bpi-beyond")["rows"]
    found = {(problem, name, step): (value, error) for problem, name, step, _, value, error in rows}

    def cells(ours: str, ending: str, problem: str, step: int) -> list[str]:
        mine = found[problem, f"{ours}: {ending}" if ending else ours, step]
        last = f"{ending}, {MODEL}".removeprefix(", ")
        rivals = {
            name.removesuffix(f": {last}"): numbers
            for (world, name, when), numbers in found.items()
            if (world, when) == (problem, step) and name.endswith(f": {last}") and not name.startswith(OURS)
        }
        best = max(rivals, key=lambda name: rivals[name][0])
        return [f"{mine[0]:.3f} ± {mine[1]:.3f}", f"{best} {rivals[best][0]:.3f} ± {rivals[best][1]:.3f}"]

    ends = {problem: step for problem, _, step in sorted(found, key=lambda key: key[2])}
    places = [(problem, ends[problem]) for problem in dict.fromkeys(problem for problem, *_ in found)]
    lines = [[f"{p}, {t:,}", *cells(OURS[0], "", p, t), *cells(OURS[1], START, p, t)] for p, t in places]
    return markdown(["world, steps", '`objective="all"`', "best rival", '`objective="start"`', "best rival"], lines)


TABLES = {"beyond": beyond}

if __name__ == "__main__":
    if sys.argv[1:]:
        keep(Path(sys.argv[1]))
    page_of("learning_tables").write_text(filled("learning_tables"))
