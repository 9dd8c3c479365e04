"""The figure of best-policy identification: over sizes on top, over steps below."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..experiments.intervals import half_width
from ..experiments.study import Row

COLOURS = {
    "VarDE-Q": "#a50f15",
    "VarDE-Nav": "#ef3b2c",
    "eps-Q": "#777777",
    "Q-UCB": "#b07d2b",
    "PSRL": "#54278f",
    "MF-BPI": "#1b7837",
    "MDP-NaS": "#08519c",
    "PS-MDP-NaS": "#4292c6",
    "O-BPI": "#74c476",
}
MODEL = ": model report"
EVERY = " every 200"


def curve(panel: Any, xs: Sequence[float], rows: Sequence[Row], name: str, dash: str = "-", mark: str = "") -> None:
    """A line of means with its interval shaded; a proximity is at most 1."""
    colour = COLOURS[name.removesuffix(MODEL).removesuffix(EVERY)]
    halves = [half_width(row) if row.runs > 1 else 0.0 for row in rows]
    low = [row.value - half for row, half in zip(rows, halves, strict=True)]
    high = [min(row.value + half, 1.0) for row, half in zip(rows, halves, strict=True)]
    wide = 2.2 if name.startswith("VarDE") else 1.2
    panel.plot(
        xs, [row.value for row in rows], dash, marker=mark, markersize=4, color=colour, label=name, linewidth=wide
    )
    panel.fill_between(xs, low, high, color=colour, alpha=0.12, linewidth=0)


def proximity_figure(rows: Sequence[Row], title: str, sizes: dict[str, int], budgets: dict[str, int]) -> Any:
    """Final scores over the number of states (own and model reports), then every problem over steps."""
    from matplotlib.figure import Figure

    problems = [p for p in sizes if any(row.problem == p for row in rows)]
    table: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        table.setdefault((row.algorithm, row.problem), []).append(row)
    figure = Figure(figsize=(13, 12.5), layout="constrained")
    grid = figure.add_gridspec(3, 6)
    reports = {"policies as the agents report them": list(COLOURS)}
    reports["best policies of the models of the same data"] = [f"{n}{MODEL}" for n in COLOURS if n != "VarDE-Nav"]
    for column, (what, names) in enumerate(reports.items()):
        panel = figure.add_subplot(grid[0, 3 * column : 3 * column + 3])
        for name in names:
            ends = [table[name, p][-1] for p in problems]
            curve(panel, [sizes[p] for p in problems], ends, name, "-" if column == 0 else "--", "o")
        panel.set_title(what, fontsize=10)
        panel.set_xlabel("states")
        panel.set_ylabel("value proximity at the end")
    for i, problem in enumerate(problems):
        line, column = divmod(i, 3)
        panel = figure.add_subplot(grid[1 + line, 2 * column : 2 * column + 2])
        for name in COLOURS:
            steps = table[name, problem]
            curve(panel, [row.step for row in steps], steps, name)
        panel.set_title(f"{problem}, {sizes[problem]} states", fontsize=10)
        panel.set_xlabel("steps")
    for panel in figure.axes:
        panel.grid(alpha=0.25, linewidth=0.5)
        panel.set_ylim(-0.02, 1.02)
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=9, fontsize=9, frameon=False)
    figure.suptitle(f"{title} (mean and 95 % interval)")
    return figure
