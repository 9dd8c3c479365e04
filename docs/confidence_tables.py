"""Write the tables of docs/confidence.md from the results files: ``python docs/confidence_tables.py``."""

from __future__ import annotations

from fill import DOCS, fill, markdown, results


def share(value: float) -> str:
    """Percent, with as many decimals as it takes to see what is missing to 100."""
    return f"{100 * value:.1f}" if value < 0.995 else f"{100 * value:.2f}"


def reliability() -> str:
    tables = results("confidence")["reliability"]
    plain = {line["low"]: line for line in tables["plain"]["all"]}
    lines = []
    for line in tables["varde"]["all"]:
        cells = [f"{100 * line['low']:g} to {100 * line['high']:g}"]
        for one in (line, plain[line["low"]]):
            cells += [f"{one['n']:,}", share(one["stated"]), share(one["observed"]), f"{one['z']:+.1f}"]
        lines.append(cells)
    head = ["stated, %", "problems", "stated", "observed", "z", "plain: problems", "stated", "observed", "z"]
    return markdown(head, lines)


def kinds() -> str:
    found = results("confidence")
    lines = []
    for name, table in found["reliability"]["varde"].items():
        ours, plain = (found["sharpness"][method][name] for method in ("varde", "plain"))
        others = found["others"][name]
        worst = min((line["z"] for line in table if line["low"] >= 0.9), default=float("nan"))
        lines.append(
            [
                name,
                f"{ours['n above']:,}",
                f"{share(ours['stated above'])} → {share(ours['observed above'])}",
                f"{worst:+.1f}",
                f"{plain['n above']:,}",
                f"{share(plain['stated above'])} → {share(plain['observed above'])}",
                f"{ours['log']:.3f}, {plain['log']:.3f}",
                f"{ours['brier']:.3f}, {plain['brier']:.3f}",
                share(others["coverage"]),
                share(others["best kept"]),
            ]
        )
    head = ["", "stated above 90 %", "stated → observed", "worst z", "plain: above 90 %", "stated → observed"]
    return markdown([*head, "log score: ours, plain", "Brier", "interval holds", "best not rejected"], lines)


def stopping() -> str:
    lines = []
    for row in results("stopping")["costs"]:
        cells = [row["case"], f"{row['bound']:,.0f}"]
        for rule in ("stop", "ratio"):
            one = row[rule]
            cells.append(f"{one['over']:.1f}" + (f" ({one['wrong']} wrong)" if one["wrong"] else ""))
        lines.append(cells)
    return markdown(["options", "lower bound", "`Stop`: times that", "ratio, no proof: times that"], lines)


def ties() -> str:
    lines = []
    for row in results("stopping")["ties"]:
        what = "tie, margin 0.3 sd" if row["margin"] else "0.02 sd apart"
        cells = [row["kind"] + (", bounds" if row["bounds"] else ""), f"{row['options']}, {what}"]
        for rule in ("stop", "ratio", "naive"):
            one = row.get(rule)
            cells.append("" if one is None else f"{100 * one['wrong']:.1f} of {100 * one['stopped']:.0f}")
        lines.append(cells)
    head = ["results", "options", "`Stop`: wrong of stopped, %", "ratio", "posterior 95 %"]
    return markdown(head, lines)


def matched() -> str:
    lines = [
        [
            f"{row['options']}",
            f"{row['correlation']:g}",
            *(f"{row[name]['spent']:,.0f}" for name in ("crn", "independent")),
        ]
        for row in results("stopping")["matched"]
    ]
    return markdown(["options", "correlation", "results with `crn=True`", "without"], lines)


def filled(text: str) -> str:
    return fill(
        text, {"reliability": reliability, "kinds": kinds, "stopping": stopping, "ties": ties, "matched": matched}
    )


if __name__ == "__main__":
    page = DOCS / "confidence.md"
    page.write_text(filled(page.read_text()))
