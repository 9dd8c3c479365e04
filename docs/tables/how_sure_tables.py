"""The tables of docs/how-sure.md: what was stated and what was true, and when a run stops."""

from __future__ import annotations

from fill import markdown, results


def share(value: float) -> str:
    """Percent, with as many decimals as it takes to see what is missing to 100."""
    return f"{100 * value:.1f}" if value < 0.995 else f"{100 * value:.2f}"


def reliability() -> str:
    tables = results("confidence")["reliability"]
    textbook = {line["low"]: line for line in tables["textbook"]}
    lines = []
    for line in tables["varde"]:
        cells = [f"{100 * line['low']:g} to {100 * line['high']:g}", f"{line['n']:,}"]
        cells += [share(line["stated"]), share(line["observed"]), f"{line['z']:+.1f}"]
        lines.append([*cells, against(textbook.get(line["low"]))])
    return markdown(["stated, %", "trials", "stated", "observed", "z", "textbook"], lines)


def against(line: dict | None) -> str:
    return f"{share(line['stated'])} → {share(line['observed'])} ({line['n']:,})" if line and line["n"] else ""


COSTS = ("Gaussian, 2 options, 0.5 sd", "Gaussian, one of 50, 1 sd", "0/1: .9, 9 times .8", "0/1: .05, 4 times .02")
KINDS = ("Gaussian", "Student, 3 degrees", "lognormal", "zero-inflated costs", "rare successes")


def stopping() -> str:
    """Some of the cases, and all that were made after the constants were chosen."""
    lines = []
    for row in results("stopping")["costs"]:
        if row["case"] not in COSTS and not row["case"].startswith("fresh"):
            continue
        cells = [row["case"], f"{row['bound']:,.0f}"]
        for rule in ("stop", "ratio"):
            one = row[rule]
            cells.append(f"{one['over']:.1f}" + (f" ({one['wrong']} wrong)" if one["wrong"] else ""))
        lines.append(cells)
    return markdown(["options", "lower bound", "`Stop`: times that", "ratio, no proof: times that"], lines)


def ties() -> str:
    """Two options that are nearly equal."""
    lines = []
    for row in results("stopping")["ties"]:
        if row["margin"] or row["options"] != 2 or row["kind"] not in KINDS:
            continue
        cells = [row["kind"] + (", bounds" if row["bounds"] else "")]
        for rule in ("stop", "ratio", "naive"):
            one = row.get(rule)
            cells.append("" if one is None else f"{100 * one['wrong']:.1f} of {100 * one['stopped']:.0f}")
        lines.append(cells)
    return markdown(["results", "`Stop`: wrong of stopped, %", "ratio", "posterior 95 %"], lines)


TABLES = {"reliability": reliability, "stopping": stopping, "ties": ties}
