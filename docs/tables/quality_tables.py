"""The tables of docs/quality.md: how often an answer is wrong, rule by rule."""

from __future__ import annotations

from statistics import mean

from fill import markdown, results


def batches() -> str:
    """How many more errors than one by one, averaged over the problems."""
    rows = results("batches")["rows"]
    sizes, sets = (sorted({row[name] for row in rows}) for name in ("size", "batch"))
    lines = []
    for size in sizes:
        errors = {b: mean(r["error"] for r in rows if (r["size"], r["batch"]) == (size, b)) for b in sets}
        lines.append([f"{size}", f"{errors[1]:.1f}", *(f"{errors[b] - errors[1]:+.1f}" for b in sets[1:])])
    return markdown(["options", "one by one, %", *(f"{b} at once" for b in sets[1:])], lines)


def leave_one_out() -> str:
    """What the default would lose without each of its parts."""
    found = results("leave-one-out")
    head = [f"{run['problems']} problems, {run['default']:.1f} % errors" for run in found["runs"]]
    lines = [[row["without"], *(f"{more:+.2f} ± {error:.2f}" for more, error in row["more"])] for row in found["rows"]]
    return markdown(["without", *head], lines)


def policies() -> str:
    """The same for the default of learning, and what was removed from it."""
    found = results("leave-one-out-policies")
    head = ["without", f"{found['worlds']} worlds, {found['default']:.1f} % lost", "where it is worth most"]
    rows = [*found["rows"], *({**row, "without": f"removed: {row['without']}"} for row in found["gone"])]
    return markdown(head, [[row["without"], f"{row['more']:+.2f} ± {row['error']:.2f}", row["most"]] for row in rows])


TABLES = {
    "leave-one-out": leave_one_out,
    "policies": policies,
    "batches": batches,
}
