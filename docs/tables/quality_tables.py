"""The tables of docs/quality.md: how often an answer is wrong, rule by rule."""

from __future__ import annotations

from statistics import mean

from fill import markdown, results


def by_rule(rows: list[dict]) -> dict[str, dict[str, dict]]:
    """rule -> family -> row, the lowest mean log error first."""
    found: dict[str, dict[str, dict]] = {}
    for row in rows:
        found.setdefault(row["rule"], {})[row["family"]] = row
    return dict(sorted(found.items(), key=lambda item: item[1]["all"]["log_error"]))


def excess(row: dict) -> str:
    return "" if row["rule"] == "VarDE auto" else f"{row['excess']:+.2f} ± {row['excess_stderr']:.2f}"


RULES = ("VarDE auto", "EB-TCI", "TTTS", "KG", "VarDE 0.05", "OCBA", "UCBE 2", "SR", "UGapE 2", "SH", "CR-A", "Uniform")
FAR = ("UCBE 8", "UGapE 2", "TTTS", "EB-TCI", "VarDE auto", "Uniform", "SR", "OCBA")


def random_problems() -> str:
    found = by_rule(results("selection")["random"])
    families = [family for family in found["VarDE auto"] if family != "all"]
    lines = [
        [rule, excess(rows["all"]), *(f"{rows[family]['error']:.1f}" for family in families)]
        for rule, rows in found.items()
        if rule in RULES
    ]
    return markdown(["", "log error above `VarDE()`", *(f"{family}, %" for family in families)], lines)


def far() -> str:
    rows = [found["all"] for rule, found in by_rule(results("selection")["far"]).items() if rule in FAR]
    lines = [[row["rule"], excess(row), f"{row['error']:.1f} ± {row['stderr']:.1f}"] for row in rows]
    return markdown(["", "log error above `VarDE()`", "error, %"], lines)


def batches() -> str:
    """How many more errors than one by one, averaged over the problems."""
    rows = results("batches")["rows"]
    sizes, sets = (sorted({row[name] for row in rows}) for name in ("size", "batch"))
    lines = []
    for size in sizes:
        errors = {b: mean(r["twice"] for r in rows if (r["size"], r["batch"]) == (size, b)) for b in sets}
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
    "random": random_problems,
    "far": far,
    "batches": batches,
}
