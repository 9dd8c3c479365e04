"""The tables of docs/paper.md and README, from results of the paper small enough for the repository.

    python docs/tables/paper_tables.py results     # keep the results of this folder, and write the page
    python docs/tables/paper_tables.py             # write the page

Only results of one clean commit are kept; numbers are rounded to six digits.  The site makes its report from these
files (``docs/_ext/pages.py``), and so does ``varde report docs/results/paper``.
"""

from __future__ import annotations

import json
import lzma
import re
import sys
from functools import cache
from math import sqrt
from pathlib import Path
from typing import Any

from fill import DOCS, filled, markdown, page_of, results

from varde.paper import FITTED, PARTS, PLACES
from varde.paper.summary import (
    Results,
    by_part,
    commits,
    counts,
    headlines,
    numbers,
    order,
    planning,
    readings,
    short_of,
)
from varde.studies.report import load

FOLDER = DOCS / "results" / "paper"
README = DOCS.parent / "README.md"


def keep(folder: Path) -> None:
    """Compress the results of a folder, if all were made at the same commit and with no changes to it."""
    found = {path: json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))}
    made = {data.get("made", {}).get("commit", "unknown") for data in found.values()}
    if len(made) != 1 or any("changes" in commit or commit == "unknown" for commit in made):
        raise SystemExit(f"results of {', '.join(sorted(made))}: measure all of them at one clean commit")
    FOLDER.mkdir(parents=True, exist_ok=True)
    for path in FOLDER.glob("*.xz"):
        path.unlink()
    for path, data in found.items():
        (FOLDER / f"{path.name}.xz").write_bytes(lzma.compress(small(data).encode(), preset=9))


def small(data: dict[str, Any]) -> str:
    """A results file with fewer digits, and without what the package says better by now."""
    lines = ",\n".join(json.dumps(rounded(row)) for row in data["rows"])
    head = json.dumps({name: data[name] for name in ("study", "seed", "version")})
    return f'{head[:-1]}, "rows": [\n{lines}\n],\n"made": {json.dumps(data["made"])}}}\n'


def rounded(row: dict[str, Any]) -> dict[str, Any]:
    return {
        name: float(f"{value:.6g}") if isinstance(value, float) and name != "published" else value
        for name, value in row.items()
    }


# -- the page ------------------------------------------------------------------------------------


@cache
def paper() -> Results:
    return {result.name: result for result in load(FOLDER)[0]}


def first() -> str:
    """What a reader learns in half a minute."""
    lines = [f"**{title}.** {told}" for title, told in headlines(paper())]
    lines.append(f"**{len(FITTED)} choices** that the paper does not state were fitted to it")
    return "\n".join(f"- {line}." for line in lines)


def short() -> str:
    found = short_of(paper())
    return f"**Not at full size:** {'; '.join(found)}." if found else "Every study has at least the paper's runs."


def answers() -> str:
    return "\n".join(f"- **{part}.** {counts(lines)}." for part, lines in by_part(paper()).items())


def cell(text: str) -> str:
    return text.replace("|", "\\|").replace("*", "\\*").replace("_", "\\_")


def statement_table() -> str:
    """Every statement with its grade; the report has the words and the numbers."""
    lines = []
    for some in by_part(paper()).values():
        for number, one, answer in some:
            where = re.sub(r" \([^)]*\)", "", one.place)
            lines.append([str(number), cell(where), one.kind, answer.grade, answer.fitted])
    return markdown(["", "where it stands", "kind", "grade", "under the leading reading"], lines)


def reading_table() -> str:
    found = readings(paper())
    names = list(next(iter(found.values()), {}))
    lines = [
        [
            cell(name),
            *(
                f"{won} of {of}{f', first from {since:,}' if since else ''}; {value:.3g}"
                for won, of, since, value in (world[name] for world in found.values())
            ),
        ]
        for name in names
    ]
    told = order(paper())
    return (
        markdown(["weight, value, expansion, divisor", *found], lines) + (f"\n\n{told}" if told else "")
        if found
        else ""
    )


def fitted() -> str:
    return markdown(["choice", "chosen", "fitted on"], [[cell(text) for text in line] for line in FITTED])


def places() -> str:
    lines = []
    for place, names in PLACES.items():
        runs = ", ".join(f"{paper()[name].runs:,}" if name in paper() else "not measured" for name in names)
        lines.append([place, ", ".join(f"`{name}`" for name in names), runs])
    return markdown(["in the paper", "study", "runs"], lines)


def further() -> str:
    found = [paper()[name] for name in PARTS["Not of the paper"] if name in paper()]
    return "\n".join(f"- {line}" for result in found for line in result.study.findings(result.rows))


# -- Table 1 -------------------------------------------------------------------------------------

PROBLEMS = ("BAI.1", "BAI.2", "BAI.3", "BAI.4")
MARKS = {"same": "✓", "cannot tell": "?", "different": "✗"}
SHOWN = ("Uniform", "SR", "CR-A", "UCBE 2", "VarDE 0.05", "VarDE 0.1")


def published_and_measured() -> str:
    found = {(row.algorithm, row.problem): row for row in paper()["table-1"].rows if row.published is not None}

    def shown(name: str, problem: str) -> str:
        row = found[name, problem]
        return f"{row.published:.2f} → {row.value:.2f} {MARKS[row.verdict or '']}"

    return markdown(["", *PROBLEMS], [[name, *(shown(name, problem) for problem in PROBLEMS)] for name in SHOWN])


# -- README, and the paper's future work ---------------------------------------------------------


def for_readme() -> str:
    told = [["Numbers", numbers(paper())]]
    tree = ". ".join(planning(paper()))
    told += [["Planning", tree]] if tree else []
    told += [["Runs", short().replace("**", "")]]
    return markdown(["the paper", "measured again"], told)


def adaptive() -> str:
    """Error of the rule without a temperature, beside the temperatures of the paper, everything else equal."""
    error = results("adaptive-temperature")["error"]
    problems = list(error["regret"])
    fixed = [name for name in error if name.startswith("LSE") and "floor" not in name]
    lines = [
        [name, *(f"{error[rule][problem]:.1f}" for problem in problems)]
        for name, rule in (("`VarDE()`", "regret"), *((rule, rule) for rule in fixed))
    ]
    best = {problem: min(error[rule][problem] for rule in fixed) for problem in problems}
    lines.append(["the best of them, chosen for each instance", *(f"{best[problem]:.1f}" for problem in problems)])
    return markdown(["error, %", *problems], lines)


def second_order() -> str:
    """How many errors differ between the orders by more than chance, and the average difference."""
    found = results("second-order")
    first, second = (
        [e for some in found["error"][name].values() for e in some.values()] for name in ("first", "second")
    )
    spread = [sqrt((a * (100.0 - a) + b * (100.0 - b)) / found["runs"]) for a, b in zip(first, second, strict=True)]
    gains = [a - b for a, b in zip(first, second, strict=True)]
    better, worse = (sum(sign * gain > 2.0 * e for gain, e in zip(gains, spread, strict=True)) for sign in (1.0, -1.0))
    mean, error = sum(gains) / len(gains), sqrt(sum(e * e for e in spread)) / len(gains)
    return (
        f"on BAI.1 to 6 at three temperatures ({found['runs']:,} runs each) the error falls by {mean:.2f} ± "
        f"{error:.2f} points on average; by more than two standard errors it is lower in {better} of {len(gains)} "
        f"cases, higher in {worse}."
    )


def correlated() -> str:
    found = results("alike")
    ahead = sum(row["lead"][0] > 2.0 * row["lead"][1] for row in found.values())
    behind = sum(row["lead"][0] < -2.0 * row["lead"][1] for row in found.values())
    return (
        f"ahead of independent options by more than two standard errors in {ahead} of {len(found)} kinds of worlds, "
        f"behind in {behind}"
    )


TABLES = {
    "first": first,
    "short": short,
    "answers": answers,
    "statements": statement_table,
    "readings": reading_table,
    "fitted": fitted,
    "table-1": published_and_measured,
    "further": further,
    "places": places,
    "adaptive": adaptive,
    "correlated": correlated,
    "second-order": second_order,
    "commit": lambda: f"Recorded at commit {', '.join(commits(paper()))}.",
}


def readme() -> str:
    """README with its part about the paper as it is now."""
    text = README.read_text(encoding="utf-8")
    block = f"<!-- the paper -->\n{for_readme()}\n<!-- end of the paper -->"
    return re.sub(r"<!-- the paper -->.*?<!-- end of the paper -->", lambda _: block, text, flags=re.DOTALL)


if __name__ == "__main__":
    if sys.argv[1:]:
        keep(Path(sys.argv[1]))
    page_of("paper_tables").write_text(filled("paper_tables"), encoding="utf-8")
    README.write_text(readme(), encoding="utf-8")
