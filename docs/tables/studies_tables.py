"""The tables of docs/studies.md: how often a verdict is wrong where rows tie exactly."""

from __future__ import annotations

from fill import markdown, results


def ties() -> str:
    """How often a claim was decided wrongly, in %, by rows and number of runs."""
    rows = results("verdicts-ties")["rows"]
    runs = sorted({row["runs"] for row in rows})
    shares = {
        (row["rows"], row["runs"]): f"{100.0 * (row['holds'] + row['does not hold']) / row['repeat']:.1f}"
        for row in rows
    }
    names = dict.fromkeys(row["rows"] for row in rows)
    return markdown(["runs", *map(str, runs)], [[name, *(shares.get((name, n), "") for n in runs)] for name in names])


TABLES = {"ties": ties}
