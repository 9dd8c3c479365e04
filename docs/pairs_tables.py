"""Write the tables of selection.md from the results files: ``python docs/pairs_tables.py``.

A test checks that it was done.
"""

from __future__ import annotations

from fill import DOCS, fill, markdown, results

PAGE = DOCS / "selection.md"


def pairs() -> str:
    lines = []
    for row in results("pairs")["rows"]:
        cells = [f"{row['size']}, {row['budget']}", f"{row['correlation']:g}", f"{row['problems']}"]
        for way in ("apart", "compared", "sampled"):
            right, stated = row["sure and right"][way], row["sure"][way]
            cells.append(f"{row['error'][way]:.1f} ({right} of {stated})")
        lines.append([*cells, f"{-row['gain']:+.1f} ± {row['gain_stderr']:.1f}"])
    head = ["options, budget", "correlation", "problems", "independent", "compared", "compared and sampled"]
    return markdown([*head, "against compared"], lines)


def items() -> str:
    names = {"pairs": "`items=`", "in turns": "in turns", "apart": "apart"}
    lines = [
        [
            f"{row['table']}, {row['options']} x {row['items']}",
            names[row["way"]],
            f"{row['calls']:,.0f} of {row['options'] * row['items']:,} ({row['share']:.0f} %)",
            f"{row['right']:.0f} %",
        ]
        for row in results("items")["rows"]
    ]
    return markdown(["", "", "judgements", "right"], lines)


def filled(text: str) -> str:
    return fill(text, {"pairs": pairs, "items": items})


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text()))
