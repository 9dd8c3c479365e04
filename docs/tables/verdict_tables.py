"""Write the tables of docs/report.md from the results files: ``python docs/tables/verdict_tables.py``."""

from __future__ import annotations

from fill import DOCS, fill, markdown, results

RUNS = (5, 10, 25, 100)


def ties() -> str:
    rows = results("verdicts-ties")["rows"]
    found = {(row["rows"], row["runs"]): 100.0 * (row["holds"] + row["does not hold"]) / row["repeat"] for row in rows}
    names = dict.fromkeys(row["rows"] for row in rows)
    return markdown(["runs", *map(str, RUNS)], [[name, *(f"{found[name, n]:.1f}" for n in RUNS)] for name in names])


def filled(text: str) -> str:
    return fill(text, {"ties": ties})


if __name__ == "__main__":
    page = DOCS / "report.md"
    page.write_text(filled(page.read_text()))
