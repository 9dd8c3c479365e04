"""The table of docs/which-tool.md: other libraries on the same problems."""

from __future__ import annotations

from fill import markdown, results


def peers() -> str:
    rows = results("peers-selection")["rows"]
    tasks = list(dict.fromkeys(row["task"] for row in rows))
    lines = []
    for way in dict.fromkeys(row["way"] for row in rows):
        found = {row["task"]: row for row in rows if row["way"] == way}
        one = found[tasks[0]]
        cells = [f"{100 * found[task]['right']:.0f} ± {100 * found[task]['stderr']:.0f}" for task in tasks]
        stated = [found[task]["stated"] for task in tasks]
        says = "no" if stated[0] is None else ", ".join(f"{100 * each:.0f}" for each in stated) + " % on average"
        version = f" ({one['version']})" if one["version"] else ""
        runs = " or ".join(str(many) for many in sorted({row["runs"] for row in found.values()}))
        lines.append([way + version, *cells, says, runs])
    return markdown(["", *(f"right, {task} (%)" for task in tasks), "says how sure it is", "runs"], lines)


TABLES = {"peers": peers}
