"""Write the tables of README.md from the results files: ``python docs/tables.py``.  A test checks that it was done."""

from __future__ import annotations

import json
import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
PROBLEMS = ("BAI.1", "BAI.2", "BAI.3", "BAI.4")
MARKS = {"reproduced": "✓", "close": "≈", "not reproduced": "✗"}
FAIR = ("SR", "CR-A", "UCBE 2", "UCBE textbook", "OCBA", "TTTS", "Weight-Only 0.05", "VarDE 0.05", "VarDE 0.1")
FAIR_LAST = ("VarDE 0.05, warm start 2", "VarDE auto")


def rows(name: str) -> dict[tuple[str, str], dict]:
    data = json.loads((ROOT / "docs" / "results" / f"{name}.json").read_text())
    return {(row["algorithm"], row["problem"]): row for row in data["rows"]}


def markdown(names: tuple[str, ...], cell) -> str:
    lines = ["| | " + " | ".join(PROBLEMS) + " |", "|---" * (len(PROBLEMS) + 1) + "|"]
    lines += [f"| {name} | " + " | ".join(cell(name, problem) for problem in PROBLEMS) + " |" for name in names]
    return "\n".join(lines)


def published_and_measured() -> str:
    found = rows("table-1")
    names = tuple(dict.fromkeys(name for name, _ in found))

    def cell(name: str, problem: str) -> str:
        row = found[name, problem]
        return f"{row['published']:.2f} → {row['value']:.2f} {MARKS[row['verdict']]}"

    return markdown(names, cell)


def fair() -> str:
    found = rows("table-1-fair")
    return markdown(FAIR + FAIR_LAST, lambda name, problem: f"{found[name, problem]['value']:.2f}")


def filled(text: str) -> str:
    for name, table in (("table-1", published_and_measured()), ("fair", fair())):
        block = f"<!-- {name} -->\n{table}\n<!-- end of {name} -->"
        text = re.sub(
            rf"<!-- {name} -->(.*?<!-- end of {name} -->)?", lambda _, b=block: b, text, count=1, flags=re.DOTALL
        )
    return text


if __name__ == "__main__":
    readme = ROOT / "README.md"
    readme.write_text(filled(readme.read_text()))
