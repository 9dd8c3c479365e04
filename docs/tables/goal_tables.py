"""Write the tables about other questions into selection.md: ``python docs/tables/goal_tables.py``.

A test checks that it was done.
"""

from __future__ import annotations

from fill import DOCS, fill, markdown, results

PAGE = DOCS / "selection.md"


def errors() -> str:
    """Per goal, every rule and how often it is wrong."""
    rows: dict[str, list[str]] = {}
    for row in results("goals")["rows"]:
        more = "" if row["rule"] == "VarDE" else f" ({row['points']:+.1f} ± {row['points_stderr']:.1f})"
        rows.setdefault(row["goal"], []).append(f"{row['rule']} {row['error']:.1f}{more}")
    heads = ["goal", "the rule", "equal shares", "rivals", ""]
    return markdown(heads, [[goal, *line] for goal, line in rows.items()])


def cell(row: dict) -> str:
    decimals = 1 if row["low"] >= 0.95 else 0
    return f"{100 * row['stated']:.{decimals}f} → {100 * row['observed']:.{decimals}f} ({row['count']:,})"


def calibration() -> str:
    """Stated against observed, by level."""
    found = results("goal-calibration")["rows"]
    levels = sorted({row["low"] for each in found for row in each["answer"]})
    names = [f"{low:g}" if low else "below .5" for low in levels]

    def line(rows: list[dict]) -> list[str]:
        by_level = {row["low"]: row for row in rows}
        return [cell(by_level[low]) if low in by_level else "" for low in levels]

    lines = []
    for each in found:
        lines.append([f"{each['goal']}: the answer", *line(each["answer"]), f"{100 * each['coverage']:.1f}"])
        lines.append([f"{each['goal']}: each option", *line(each["option"]), ""])
    return markdown(["stated from: stated → true, %", *names, "intervals hold, %"], lines)


def filled(text: str) -> str:
    return fill(text, {"goals": errors, "goal calibration": calibration})


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text()))
