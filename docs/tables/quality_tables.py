"""Write the tables of quality.md from the results files: ``python docs/tables/quality_tables.py``.

A test checks that it was done.
"""

from __future__ import annotations

from statistics import mean

from fill import DOCS, fill, markdown, results

PAGE = DOCS / "quality.md"


def by_rule(rows: list[dict]) -> dict[str, dict[str, dict]]:
    """rule -> family -> row, the lowest mean log error first."""
    found: dict[str, dict[str, dict]] = {}
    for row in rows:
        found.setdefault(row["rule"], {})[row["family"]] = row
    return dict(sorted(found.items(), key=lambda item: item[1]["all"]["log_error"]))


def excess(row: dict) -> str:
    return "" if row["rule"] == "VarDE auto" else f"{row['excess']:+.2f} ± {row['excess_stderr']:.2f}"


def random_problems() -> str:
    found = by_rule(results("selection")["random"])
    families = [family for family in found["VarDE auto"] if family != "all"]
    lines = [
        [rule, f"{rows['all']['log_error']:.2f}", excess(rows["all"])]
        + [f"{rows[family]['error']:.1f} ± {rows[family]['stderr']:.1f}" for family in families]
        for rule, rows in found.items()
    ]
    return markdown(["", "mean log error", "above VarDE auto", *(f"{family}, %" for family in families)], lines)


def random_excess() -> str:
    found = by_rule(results("selection")["random"])
    families = [family for family in found["VarDE auto"] if family != "all"]
    lines = [[rule, *(excess(rows[family]) for family in families)] for rule, rows in found.items()]
    return markdown(["", *families], [line for line in lines if line[0] != "VarDE auto"])


def far() -> str:
    rows = [found["all"] for found in by_rule(results("selection")["far"]).values()]
    lines = [[r["rule"], f"{r['log_error']:.2f}", excess(r), f"{r['error']:.1f} ± {r['stderr']:.1f}"] for r in rows]
    return markdown(["", "mean log error", "above VarDE auto", "error, %"], lines)


def instances() -> str:
    found = by_rule(results("selection")["instances"])
    names = [name for name in found["VarDE auto"] if name != "all"]
    lines = [
        [
            rule,
            f"{rows['all']['log_error']:.2f}",
            *(f"{rows[name]['error']:.2f} ± {rows[name]['stderr']:.2f}" for name in names),
        ]
        for rule, rows in found.items()
    ]
    return markdown(["", "mean log error", *(f"{name}, %" for name in names)], lines)


def batches() -> str:
    """Errors per size and batch, averaged over the problems, and how many more they are than one by one."""
    rows = results("batches")["rows"]
    lines = []
    for size in dict.fromkeys(row["size"] for row in rows):
        mine = [row for row in rows if row["size"] == size]
        alone = mean(row["twice"] for row in mine if row["batch"] == 1)
        for batch in dict.fromkeys(row["batch"] for row in mine):
            these = [row for row in mine if row["batch"] == batch]
            line = [f"{size}", f"{batch}"]
            for way in ("once", "twice", "late"):
                error = mean(row[way] for row in these)
                line.append(f"{error:.1f}" if batch == 1 else f"{error - alone:+.1f}")
            spread = sum(row["twice"] * (100.0 - row["twice"]) / row["runs"] for row in these) ** 0.5 / len(these)
            lines.append([*line, f"{spread:.1f}" if batch == 1 else f"{spread * 2**0.5:.1f}"])
    return markdown(["K", "B", "counted once", "counted twice", "always B under way", "±"], lines)


def batches_by_problem() -> str:
    """Counted twice, by problem."""
    rows = results("batches")["rows"]
    problems = list(dict.fromkeys((row["family"], row["shape"]) for row in rows))
    found = {(row["size"], row["batch"], row["family"], row["shape"]): row["twice"] for row in rows}
    lines = [
        [f"{size}", f"{batch}", *(f"{found[size, batch, *problem]:.1f}" for problem in problems)]
        for size, batch in dict.fromkeys((row["size"], row["batch"]) for row in rows)
    ]
    return markdown(["K", "B", *(f"{family}, {shape}" for family, shape in problems)], lines)


TABLES = {
    "random": random_problems,
    "excess": random_excess,
    "far": far,
    "instances": instances,
    "batches": batches,
    "batches by problem": batches_by_problem,
}


def filled(text: str) -> str:
    return fill(text, TABLES)


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text()))
