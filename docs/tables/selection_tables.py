"""The tables of docs/selection.md: other goals, common random numbers, a fixed test set."""

from __future__ import annotations

from fill import markdown, results

WAYS = ("apart", "compared", "sampled")


def goals() -> str:
    """Per goal, every rule and how often it is wrong."""
    rows: dict[str, list[str]] = {}
    for row in results("goals")["rows"]:
        more = "" if row["rule"] == "VarDE" else f" ({row['points']:+.1f} ± {row['points_stderr']:.1f})"
        rows.setdefault(row["goal"], []).append(f"{row['rule']} {row['error']:.1f}{more}")
    return markdown(["goal", "the rule", "equal shares", "rivals", ""], [[goal, *line] for goal, line in rows.items()])


def pairs() -> str:
    """Common random numbers, by correlation, every problem counting the same."""
    rows = results("pairs")["rows"]
    lines = []
    for correlation in sorted({row["correlation"] for row in rows}):
        some = [row for row in rows if row["correlation"] == correlation]
        total = sum(row["problems"] for row in some)
        cells = [f"{correlation:g}", f"{total}"]
        for way in WAYS:
            right, stated = (sum(row[what][way] for row in some) for what in ("sure and right", "sure"))
            error = sum(row["problems"] * row["error"][way] for row in some) / total
            cells.append(f"{error:.1f} ({right} of {stated})")
        lines.append(cells)
    return markdown(["correlation", "problems", "independent", "compared in pairs", "`crn=True`"], lines)


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


TABLES = {"goals": goals, "pairs": pairs, "items": items}
