"""Write the tables about certainty into planning.md: ``python docs/tables/move_tables.py``.

A test checks that it was done.
"""

from __future__ import annotations

from fill import DOCS, fill, markdown, results

PAGE = DOCS / "planning.md"


def found() -> dict:
    return results("planning-calibration")


def reached(low: float, high: float) -> str:
    return f"{low:,} to {high:,}"


def reliability() -> str:
    """By how much was searched."""
    lines = []
    for row in found()["reliability"]:
        said = f"{100 * row['stated']:.1f} → {100 * row['observed']:.1f} ({row['n']:,})"
        loss = f"{row['loss']:.3f} / {row['lost']:.3f}"
        held = [f"{100 * row[name]:.1f}" for name in ("action", "state")]
        lines.append([reached(row["low"], row["high"]), row["which"], said, loss, *held])
    heads = ["simulations", "which", "stated → right, %", "loss stated / true", "interval holds the action's value, %"]
    return markdown([*heads, "the state's, %"], lines)


def bins() -> str:
    """By what was stated."""
    rows = found()["bins"]
    heads = ["stated from"] + [f"{row['low']:g}" for row in rows]
    return markdown(heads, [["stated → right, % (looks)"] + [cell(row) for row in rows]])


def cell(row: dict) -> str:
    return f"{100 * row['stated']:.1f} → {100 * row['observed']:.1f} ({row['n']:,})"


def forecasts() -> str:
    lines = []
    for row in found()["forecasts"]:
        of = f"{row['reached']:,} of {row['within']:,}"
        lines.append([f"{row['spent']:,}", of, f"{row['ratio']:.1f}", f"{100 * row['near']:.0f}"])
    heads = ["after simulations", "95 % forecast within 6,400, and reached", "reached / forecast, median"]
    return markdown([*heads, "within a factor of 4, %"], lines)


def episodes() -> str:
    lines = []
    for row in found()["episodes"]:
        share = f"{row['clear']:,} of {row['moves']:,}"
        wrong = f"{row['wrong']:,}" if row["clear"] else ""
        spent = f"{row['spent'] / row['moves']:,.0f}"
        lines.append([row["world"], row["stop"], f"{row['return']:.2f} ± {row['error']:.2f}", spent, share, wrong])
    heads = ["world", "stop", "return", "simulations a move", "moves that were clear", "of these not the best"]
    return markdown(heads, lines)


def filled(text: str) -> str:
    tables = {"move reliability": reliability, "move bins": bins, "move forecasts": forecasts, "move stops": episodes}
    return fill(text, tables)


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text()))
