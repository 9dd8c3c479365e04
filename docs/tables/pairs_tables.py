"""Write the tables of selection.md from the results files: ``python docs/tables/pairs_tables.py``.

A test checks that it was done.
"""

from __future__ import annotations

from fill import DOCS, fill, markdown, results

PAGE = DOCS / "selection.md"
WAYS = ("apart", "compared", "sampled")


def pairs() -> str:
    rows = results("pairs")["rows"]
    alone = [line(f"{row['size']}, {row['budget']}", [row]) for row in rows]
    correlations = sorted({row["correlation"] for row in rows})
    pooled = [line("all", [row for row in rows if row["correlation"] == each]) for each in correlations]
    head = ["options, budget", "correlation", "problems", "independent", "compared", "compared and sampled"]
    return markdown([*head, "against compared"], alone + pooled)


def line(name: str, rows: list[dict]) -> list[str]:
    """Of several cases together, every problem counting the same."""
    total = sum(row["problems"] for row in rows)
    shares = [(row["problems"] / total, row) for row in rows]
    cells = [name, f"{rows[0]['correlation']:g}", f"{total}"]
    for way in WAYS:
        right, stated = (sum(row[what][way] for row in rows) for what in ("sure and right", "sure"))
        cells.append(f"{sum(share * row['error'][way] for share, row in shares):.1f} ({right} of {stated})")
    gain = sum(share * row["gain"] for share, row in shares)
    error = sum((share * row["gain_stderr"]) ** 2 for share, row in shares) ** 0.5
    return [*cells, f"{0.0 - gain:+.1f} ± {error:.1f}"]


def items() -> str:
    names = {"pairs": "`items=`", "in turns": "in turns", "apart": "apart"}
    lines = [
        [
            f"{row['table']}, {row['options']} x {row['items']}",
            names[row["way"]],
            f"{row['calls']:,.0f} of {row['options'] * row['items']:,} ({row['share']:.0f} %)",
            f"{row['right']:.0f} % of {row['orders']}",
        ]
        for row in results("items")["rows"]
    ]
    return markdown(["", "", "judgements", "right"], lines)


def filled(text: str) -> str:
    return fill(text, {"pairs": pairs, "items": items})


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text()))
