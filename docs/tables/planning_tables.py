"""The tables of docs/planning.md: how sure a move is, and how good, beside the search before this one."""

from __future__ import annotations

from fill import markdown, results

MODES = {"graph": "in graphs", "tree": "in plain trees"}


def levels() -> str:
    """By what was stated."""
    found = results("planning-calibration")
    lows = sorted({row["low"] for mode in MODES for row in found[mode]["bins"]})
    lines = []
    for mode, name in MODES.items():
        rows = {row["low"]: row for row in found[mode]["bins"]}
        cells = [stated(rows.get(low)) for low in lows]
        lines.append([f"stated → right, % (moves), {name}", *cells])
    return markdown(["stated from", *(f"{low:g}" for low in lows)], lines)


def stated(row: dict | None) -> str:
    return "" if row is None else f"{100 * row['stated']:.0f} → {100 * row['observed']:.0f} ({row['n']:,})"


def before() -> str:
    """By simulations: the difference over all worlds, and in how many kinds it is more than two standard errors."""
    rows = results("planning-before")["rows"]
    lines = [
        [
            f"{row['budget']:,}",
            f"{row['now']:.1f}",
            f"{row['change']:+.1f} ± {row['error']:.1f}",
            f"{row['ahead']} of {row['kinds']}",
            ", ".join(f"{one['kind']} ({one['change']:+.1f} ± {one['error']:.1f})" for one in row["behind"]) or "none",
        ]
        for row in rows
    ]
    return markdown(["simulations", "regret now", "change", "kinds ahead by two errors", "kinds behind by two"], lines)


TABLES = {"levels": levels, "before": before}
