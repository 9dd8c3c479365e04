"""The tables of docs/paper.md, and results of the paper small enough for the repository.

    python docs/tables/paper_tables.py results        # keep a full run, of this folder, and write the page
    python docs/tables/paper_tables.py results 1a2b   # which was made at this commit, if its files do not say

Curves are thinned to 25 points and numbers rounded to six digits; what is printed in the paper stays in.  The site
makes its page from these files (``docs/_ext/pages.py``), and so does ``varde report docs/results/paper``.
"""

from __future__ import annotations

import json
import lzma
import re
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from fill import DOCS, filled, markdown, page_of, results

from varde.studies.provenance import machine
from varde.studies.report.heat import won
from varde.studies.report.load import Result, load
from varde.studies.report.words import cautions, headlines, kinds, mark, mark_of, papers, parts, sentence, statements

POINTS = 25
FOLDER = DOCS / "results" / "paper"


# -- the files -----------------------------------------------------------------------------------


def keep(folder: Path, commit: str = "") -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for path in sorted(folder.glob("*.json")):
        data = json.loads(path.read_text(encoding="utf-8"))
        if not data.get("made"):
            data["made"] = {"commit": commit, **machine()} if commit else {}
        packed = lzma.compress(small(data).encode(), preset=9)
        (FOLDER / f"{path.name}.xz").write_bytes(packed)
        print(f"{path.name}.xz {len(packed):,} bytes")


def small(data: dict[str, Any]) -> str:
    """A results file with fewer points and digits."""
    curves: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in data["rows"]:
        curves.setdefault((row["problem"], row["algorithm"]), []).append(row)
    kept = [rounded(row) for curve in curves.values() for row in thin(sorted(curve, key=lambda row: row["step"]))]
    lines = ",\n".join(map(json.dumps, kept))
    head = json.dumps({name: value for name, value in data.items() if name not in ("rows", "made")})
    return f'{head[:-1]}, "rows": [\n{lines}\n],\n"made": {json.dumps(data["made"])}}}\n'


def thin(curve: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Both ends, some points between them, and all that are printed in the paper."""
    last = len(curve) - 1
    at = {round(i * last / (POINTS - 1)) for i in range(POINTS)}
    return [row for i, row in enumerate(curve) if i in at or row["published"] is not None]


def rounded(row: dict[str, Any]) -> dict[str, Any]:
    return {
        name: float(f"{value:.6g}") if isinstance(value, float) and name != "published" else value
        for name, value in row.items()
    }


# -- the page ------------------------------------------------------------------------------------


@cache
def paper() -> list[Result]:
    return load(FOLDER)[0]


def answers() -> str:
    return "\n".join(f"- {mark_of(part.results).sign} **{part.name}.** {sentence(part)}" for part in parts(paper()))


def counts() -> str:
    """Statements by kind and grade, and what comes first; readings of the tree search have a table of their own."""
    first = headlines([result for result in paper() if not (result.study.figure and result.study.figure.heat)])
    return "\n".join([kinds(statements(paper())), "", *(f"- {line}" for line in first)])


def cell(text: str) -> str:
    return text.replace("|", "\\|").replace("*", "\\*").replace("_", "\\_")


def statement_table() -> str:
    """How many statements of each kind got which grade, and where they stand; the report has them one by one."""
    found: dict[tuple[str, str, str], list[str]] = {}
    for line in statements(paper()):
        where = re.sub(r" \([^)]*\)|, (tab|fig):.*", "", line.place)
        found.setdefault((line.kind, mark(line).sign, line.grade), []).append(cell(f"{where} ({line.number})"))
    lines = [[kind, f"{sign} **{grade}**", ", ".join(places)] for (kind, sign, grade), places in found.items()]
    return markdown(["kind", "grade", "where it stands (number in the report)"], sorted(lines))


READINGS = (
    "w, mean, kept, N-1",
    "w, mean, rollout, N",
    "w^2, mean, kept, N-1",
    "w, max, kept, N-1",
    "w^2, max, rollout, N",
    "w^2, max, rollout, N, literal counts",
)


def factor_table() -> str:
    """Some readings on every world: comparisons won, from where on it leads, the value at the end."""
    columns = {
        result.rows[0].problem: won(result) for result in paper() if result.study.figure and result.study.figure.heat
    }
    lines = []
    for name in READINGS:
        shown = [column[name] for column in columns.values()]
        lines.append([
            cell(name),
            *(f"{n} of {of}{f', first from {first:,}' if first else ''}; {value:.3g}" for n, of, first, value in shown),
        ])  # fmt: skip
    return markdown(["weight, value, expansion, divisor", *columns], lines)


def fitted() -> str:
    return "\n".join(f"- {what}: {chosen}" for one in papers(paper()).values() for what, chosen, _ in one.fitted)


# -- Table 1 -------------------------------------------------------------------------------------

PROBLEMS = ("BAI.1", "BAI.2", "BAI.3", "BAI.4")
MARKS = {"same": "✓", "cannot tell": "?", "different": "✗"}
SHOWN = ("Uniform", "SR", "CR-A", "UCBE 2", "VarDE 0.05", "VarDE 0.1")
FAIR = ("SR", "CR-A", "UCBE textbook", "TTTS", "Weight-Only 0.05", "VarDE 0.05", "VarDE 0.1")


def rows(name: str) -> dict[tuple[str, str], dict]:
    return {(row["algorithm"], row["problem"]): row for row in results(name)["rows"]}


def by_problem(names: tuple[str, ...], cell: Callable[[str, str], str]) -> str:
    return markdown(["", *PROBLEMS], [[name, *(cell(name, problem) for problem in PROBLEMS)] for name in names])


def published_and_measured() -> str:
    found = rows("table-1")

    def cell(name: str, problem: str) -> str:
        row = found[name, problem]
        return f"{row['published']:.2f} → {row['value']:.2f} {MARKS[row['verdict']]}"

    return by_problem(SHOWN, cell)


def fair() -> str:
    found = rows("table-1-fair")
    return by_problem(FAIR, lambda name, problem: f"{found[name, problem]['value']:.2f}")


TABLES = {
    "answers": answers,
    "counts": counts,
    "cautions": lambda: " ".join(cautions(paper())),
    "statements": statement_table,
    "factors": factor_table,
    "fitted": fitted,
    "table-1": published_and_measured,
    "fair": fair,
}

if __name__ == "__main__":
    if sys.argv[1:]:
        keep(Path(sys.argv[1]), *sys.argv[2:3])
    page_of("paper_tables").write_text(filled("paper_tables"))
