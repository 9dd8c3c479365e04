"""Figures of the studies; matplotlib is imported when one is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from .study import Row

# A family shares a colour; its members differ in lightness and dash.
FAMILIES = {
    "Uniform": ["#777777"],
    "SH": ["#b07d2b"],
    "SR": ["#1b7837"],
    "CR": ["#5aae61", "#a6dba0"],
    "UCBE": ["#08519c", "#4292c6", "#9ecae1"],
    "UGapE": ["#54278f", "#807dba", "#bcbddc"],
    "VarDE auto": ["#d6006c"],
    "VarDE": ["#a50f15", "#ef3b2c", "#fc9272"],
    "UCT": ["#777777"],
    "MENTS": ["#1b7837"],
    "RENTS": ["#5aae61"],
    "TENTS": ["#b07d2b"],
    "DENTS": ["#08519c"],
    "BTS": ["#54278f"],
    "LogSumExp": ["#a50f15"],
    "Nesterov": ["#08519c"],
    "EntMax": ["#1b7837", "#74c476"],
    "Pairwise": ["#54278f", "#9e9ac8"],
    "Power": ["#b07d2b"],
}
DASHES = ["-", "--", ":"]


def line_styles(names: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Colour and dash of every name, by family and rank within it."""
    seen: dict[str, int] = {}
    styles = {}
    for name in names:
        family = next((f for f in FAMILIES if name.startswith(f)), "Uniform")
        rank = seen.get(family, 0)
        seen[family] = rank + 1
        colours = FAMILIES[family]
        styles[name] = {"color": colours[rank % len(colours)], "linestyle": DASHES[rank % len(DASHES)]}
    return styles


def curves(
    rows: Sequence[Row], title: str, *, across: str, up: str, best: float | None = None, log: bool = False
) -> Any:
    """One panel per problem, one line per algorithm over the steps, 95 % interval shaded, ``best`` as a line."""
    from matplotlib.figure import Figure

    problems = list(dict.fromkeys(row.problem for row in rows))
    styles = line_styles(list(dict.fromkeys(row.algorithm for row in rows)))
    columns = 2
    lines = -(-len(problems) // columns)
    figure = Figure(figsize=(11, 4.1 * lines + 1.3), layout="constrained")
    axes = figure.subplots(lines, columns, squeeze=False).ravel()
    for panel, problem in zip(axes, problems, strict=False):
        here = [row for row in rows if row.problem == problem]
        for name, style in styles.items():
            curve = [row for row in here if row.algorithm == name]
            steps = [row.step for row in curve]
            low = [row.value - 1.96 * row.stderr for row in curve]
            high = [row.value + 1.96 * row.stderr for row in curve]
            panel.plot(steps, [row.value for row in curve], label=name, linewidth=1.4, **style)
            panel.fill_between(steps, low, high, color=style["color"], alpha=0.15, linewidth=0)
        if best is not None:
            panel.axhline(best, color="black", linewidth=0.8, linestyle="-.", label="V*")
        if log:
            panel.set_yscale("log", nonpositive="clip")
            panel.set_ylim(bottom=0.8 * min((row.value for row in here if row.value > 0.0), default=0.1))
            panel.yaxis.set_major_formatter("{x:g}")
            panel.yaxis.set_minor_formatter("{x:g}")
            panel.tick_params(axis="y", which="both", labelsize=8)
        panel.grid(alpha=0.25, which="both", linewidth=0.5)
        panel.set_title(problem, fontsize=11)
        panel.set_xlabel(across)
        panel.set_ylabel(up)
    for panel in axes[len(problems) :]:
        panel.remove()
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=5, fontsize=9, frameon=False)
    figure.suptitle(title)
    return figure


error_curves = partial(curves, across="pulls", up="error probability (%)", log=True)
value_curves = partial(curves, across="simulations", up="value of the recommended policy")
root_error_curves = partial(curves, across="simulations", up="error of the root value", log=True)


def save(figure: Any, path: Path) -> list[Path]:
    """``path`` with .png and .svg, each complete or not there."""
    from matplotlib import rc_context

    written = []
    for ending in (".png", ".svg"):
        target, partial = path.with_suffix(ending), path.with_name(f".{path.name}.partial{ending}")
        # No date in the file, no random names in it: the same results give the same bytes.
        metadata = {"Date": None} if ending == ".svg" else {"Software": None}
        with rc_context({"svg.hashsalt": path.name}):
            figure.savefig(partial, dpi=150, metadata=metadata)
        partial.replace(target)
        written.append(target)
    return written
