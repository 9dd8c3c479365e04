"""Write Table 1, as published and on equal terms, into docs/paper.md: ``python docs/tables/table_1.py``.

A test checks that it was done.
"""

from __future__ import annotations

from collections.abc import Callable

from fill import DOCS, fill, markdown, results

PROBLEMS = ("BAI.1", "BAI.2", "BAI.3", "BAI.4")
MARKS = {"same": "✓", "cannot tell": "?", "different": "✗"}
FAIR = ("SR", "CR-A", "UCBE 2", "UCBE textbook", "OCBA", "TTTS", "Weight-Only 0.05", "VarDE 0.05", "VarDE 0.1")
FAIR_LAST = ("VarDE 0.05, warm start 2", "VarDE auto")


def rows(name: str) -> dict[tuple[str, str], dict]:
    return {(row["algorithm"], row["problem"]): row for row in results(name)["rows"]}


def by_problem(names: tuple[str, ...], cell: Callable[[str, str], str]) -> str:
    return markdown(["", *PROBLEMS], [[name, *(cell(name, problem) for problem in PROBLEMS)] for name in names])


def published_and_measured() -> str:
    found = rows("table-1")
    names = tuple(dict.fromkeys(name for name, _ in found))

    def cell(name: str, problem: str) -> str:
        row = found[name, problem]
        return f"{row['published']:.2f} → {row['value']:.2f} {MARKS[row['verdict']]}"

    return by_problem(names, cell)


def fair() -> str:
    found = rows("table-1-fair")
    return by_problem(FAIR + FAIR_LAST, lambda name, problem: f"{found[name, problem]['value']:.2f}")


def filled(text: str) -> str:
    return fill(text, {"table-1": published_and_measured, "fair": fair})


if __name__ == "__main__":
    page = DOCS / "paper.md"
    page.write_text(filled(page.read_text()))
