"""Write the tables of planning.md from the results file: ``python docs/tables/planning_tables.py``.

A test checks that it was done.
"""

from __future__ import annotations

from statistics import NormalDist

from fill import DOCS, fill, markdown, results

PAGE = DOCS / "planning.md"
AT = ("1,000", "5,000", "20,000")
OURS = "VarDE"


def verdict(ours: list[float], other: list[float], comparisons: int) -> str:
    """Open within the 95 % interval of the difference, corrected for all comparisons of the table (Bonferroni)."""
    difference, error = ours[0] - other[0], (ours[1] ** 2 + other[1] ** 2) ** 0.5
    far = NormalDist().inv_cdf(1.0 - 0.025 / comparisons)
    return "open" if abs(difference) <= max(far * error, 0.001) else "**loses**" if difference > 0 else "wins"


def best_rival(rows: dict, column: int) -> str:
    return min((name for name in rows if name != OURS), key=lambda name: rows[name][column][0])


def short(cell: list[float]) -> str:
    return f"{cell[0]:.3f} ({cell[1]:.3f})".replace("-0.000", "0.000").replace("0.", ".")


def quality(mode: str) -> str:
    found, lines, verdicts = results("planning-quality")[mode], [], ([], [], [])
    comparisons = len(AT) * sum(len(rows) - 1 for rows in found.values())
    for world, rows in found.items():
        cells = [world]
        for column, ours in enumerate(rows[OURS]):
            name = best_rival(rows, column)
            verdicts[column].append(verdict(ours, rows[name][column], comparisons))
            cells.append(f"{short(ours)}; {name} {short(rows[name][column])}: {verdicts[column][-1]}")
        lines.append(cells)
    everyone = [name for name in next(iter(found.values())) if all(name in rows for rows in found.values())]
    last = [f"mean of {len(found)}"]
    for column, said in enumerate(verdicts):
        means = {name: sum(rows[name][column][0] for rows in found.values()) / len(found) for name in everyone}
        name = min((name for name in means if name != OURS), key=means.__getitem__)
        counts = ", ".join(f"{word.strip('*')} {said.count(word)}" for word in ("wins", "open", "**loses**"))
        last.append(f"{means[OURS]:.3f}; {name} {means[name]:.3f}: {counts}".replace("0.", "."))
    return markdown([mode, *AT], [*lines, last])


def filled(text: str) -> str:
    return fill(text, {f"quality {mode}": lambda mode=mode: quality(mode) for mode in ("graph", "tree")})


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text()))
