"""The tables of docs/planning.md: how sure a move is."""

from __future__ import annotations

from fill import markdown, results


def levels() -> str:
    """By what was stated."""
    rows = results("planning-calibration")["bins"]
    cells = [f"{100 * row['stated']:.1f} → {100 * row['observed']:.1f} ({row['n']:,})" for row in rows]
    return markdown(["stated from", *(f"{row['low']:g}" for row in rows)], [["stated → right, % (moves)", *cells]])


TABLES = {"levels": levels}
