"""The tables of docs/quality.md: how often an answer is wrong, rule by rule."""

from __future__ import annotations

from fill import markdown, results


def batches() -> str:
    """How many more errors than one by one."""
    rows = results("selection")["batches"]
    lines = [
        [f"{row['options']}", f"{row['error']:.1f}", *(f"{more:+.1f} ± {error:.1f}" for more, error in row["more"][1:])]
        for row in rows
    ]
    return markdown(["options", "one by one, %", "4 at once", "16 at once", "64 at once"], lines)


def leave_one_out() -> str:
    """What the default would lose without each of its parts."""
    found = results("leave-one-out")
    head = [f"{run['problems']} problems, {run['default']:.1f} % errors" for run in found["runs"]]
    lines = [[row["without"], *(f"{more:+.2f} ± {error:.2f}" for more, error in row["more"])] for row in found["rows"]]
    return markdown(["without", *head], lines)


def moves() -> str:
    """The same for the default of planning, where paths meet and in plain trees."""
    lines = []
    for each in results("leave-one-out-moves")["searches"]:
        lines.append([f"**{each['in']}: {each['worlds']} worlds, {each['default']:.1f} % regret**", "", ""])
        lines += [[row["without"], "{:+.2f} ± {:.2f}".format(*row["more"]), row["most"]] for row in each["rows"]]
    return markdown(["without", "more regret", "where it matters most"], lines)


TABLES = {
    "leave-one-out": leave_one_out,
    "moves": moves,
    "batches": batches,
}
