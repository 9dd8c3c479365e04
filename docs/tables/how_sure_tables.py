"""Write the tables of docs/how-sure.md from the results files: ``python docs/tables/how_sure_tables.py``."""

from __future__ import annotations

from fill import DOCS, fill, markdown, results


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


def quality(told: dict) -> list[str]:
    return [f"{told['varde']['log']:.3f}", f"{100 * told['varde']['sure']:.0f}"]


def hold(told: dict) -> list[str]:
    """Intervals of all options and of the leader, and the regret stated over the true one."""
    one = told["varde"]
    regret = "" if one["regret"] is None else f"{one['regret']:.1f}"
    return [f"{100 * one['covered']:.1f}", f"{100 * one['leader']:.1f}", regret]


def kinds() -> str:
    lines = []
    for name, told in results("confidence")["kinds"].items():
        cells = [name, *quality(told["without"]), *quality(told["with"])]
        lines.append([*cells, against(told["both"]["varde"]["above"]), *hold(told["both"])])
    both = results("confidence")
    cells = ["**all**", *quality(both["hopeless"]["without"]), *quality(both["hopeless"]["with"])]
    lines.append([*cells, against(both["all"]["varde"]["above"]), *hold(both["all"])])
    head = ["results", "log score", "says 90 %", "with a hopeless option: log score", "says 90 %"]
    return markdown([*head, "90 and more", "intervals hold", "the leader's", "regret, stated / true"], lines)


def sizes() -> str:
    lines = []
    for name, told in results("confidence")["sizes"].items():
        cells = [name, *quality(told), against(told["varde"]["above"]), against(told["varde"]["middle"])]
        lines.append([*cells, *hold(told)])
    head = ["options", "log score", "says 90 %", "90 and more", "50 to 90"]
    return markdown([*head, "intervals hold", "the leader's", "regret, stated / true"], lines)


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
        text,
        {
            "reliability": reliability,
            "kinds": kinds,
            "sizes": sizes,
            "stopping": stopping,
            "ties": ties,
            "matched": matched,
        },
    )


if __name__ == "__main__":
    page = DOCS / "how-sure.md"
    page.write_text(filled(page.read_text()))
