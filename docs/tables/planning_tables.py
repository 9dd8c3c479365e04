"""The tables of docs/planning.md: regret beside tuned rivals, and how sure a move is."""

from __future__ import annotations

from statistics import NormalDist

from fill import markdown, results

AT = ("1,000", "5,000", "20,000")
OURS = "VarDE"


def verdict(ours: list[float], other: list[float], comparisons: int) -> str:
    """Open within the 95 % interval of the difference, corrected for all comparisons of the table (Bonferroni)."""
    difference, error = ours[0] - other[0], (ours[1] ** 2 + other[1] ** 2) ** 0.5
    far = NormalDist().inv_cdf(1.0 - 0.025 / comparisons)
    return "open" if abs(difference) <= max(far * error, 0.001) else "loses" if difference > 0 else "wins"


def short(value: float) -> str:
    return f"{value:.3f}".replace("-0.000", "0.000").replace("0.", ".", 1)


def quality(mode: str) -> str:
    """Ours / the best rival of that cell; bold where one of the two is clearly better."""
    found, lines, verdicts = results("planning-quality")[mode], [], ([], [], [])
    comparisons = len(AT) * sum(len(rows) - 1 for rows in found.values())
    for world, rows in found.items():
        cells = [world]
        for column, ours in enumerate(rows[OURS]):
            rival = min((rows[name][column] for name in rows if name != OURS), key=lambda cell: cell[0])
            verdicts[column].append(word := verdict(ours, rival, comparisons))
            mine, theirs = short(ours[0]), short(rival[0])
            cells.append(
                f"**{mine}** / {theirs}"
                if word == "wins"
                else f"{mine} / **{theirs}**"
                if word == "loses"
                else f"{mine} / {theirs}"
            )
        lines.append(cells)
    everyone = [name for name in next(iter(found.values())) if all(name in rows for rows in found.values())]
    mean, count = ["mean; best single setting"], ["ahead, open, behind"]
    for column, words in enumerate(verdicts):
        means = {name: sum(rows[name][column][0] for rows in found.values()) / len(found) for name in everyone}
        name = min((name for name in means if name != OURS), key=means.__getitem__)
        mean.append(f"{short(means[OURS])} / {short(means[name])} ({name})")
        count.append(", ".join(str(words.count(word)) for word in ("wins", "open", "loses")))
    return markdown([mode, *AT], [*lines, mean, count])


def moves() -> str:
    """By how much was searched."""
    lines = []
    for row in results("planning-calibration")["reliability"]:
        if row["which"] not in ("tree", "graph"):
            continue
        stated = f"{100 * row['stated']:.0f} → {100 * row['observed']:.0f} ({row['n']:,})"
        held = [f"{100 * row[name]:.0f}" for name in ("action", "state")]
        lines.append([f"{row['low']:,} to {row['high']:,}", row["which"], stated, *held])
    head = ["simulations", "", "stated → right, %", "interval of the action holds, %", "of the state, %"]
    return markdown(head, lines)


def levels() -> str:
    """By what was stated."""
    rows = results("planning-calibration")["bins"]
    cells = [f"{100 * row['stated']:.1f} → {100 * row['observed']:.1f} ({row['n']:,})" for row in rows]
    return markdown(["stated from", *(f"{row['low']:g}" for row in rows)], [["stated → right, % (moves)", *cells]])


TABLES = {
    "quality graph": lambda: quality("graph"),
    "quality tree": lambda: quality("tree"),
    "moves": moves,
    "levels": levels,
}
