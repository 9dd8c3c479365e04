"""Does tuning change who is ahead?  A grid of settings for every planner under the leading reading.  Not of the paper.

Settings are selected by the value at 10,000 simulations in the first half of the runs; their values are those of the
second half, which did not choose them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..planning import UCT
from ..studies.rows import Rows
from ..studies.study import Cell, Study
from .grid_worlds import FROZEN_LAKE, SAILING
from .reading import LEADING
from .tree_search import VALUE, Outlook, cell, first_from

STEPS = (1000, 3000, 5000, 10_000, 20_000, 30_000)
SELECTED = 3  # selected by the value there
FACTORS = (1.0, 3.0)  # times the printed temperature; for VarDE also
MORE = (0.3, 6.0)
EPSILONS = (0.25, 0.85)
BIASES = {"Sailing": (5.0, 10.0, 20.0, 40.0), "FrozenLake": (-1.0, 0.1, 0.3, 1.0)}
SQUARED = LEADING._replace(power=2.0, mean=False, ddof=0)
WORLDS = (FROZEN_LAKE, SAILING)
RUNS = 12


def grid(outlook: Outlook) -> dict[str, Any]:
    """Every setting by name, the printed ones among them."""
    found: dict[str, Any] = {}
    for bias in BIASES[outlook.name]:
        for epsilon in (0.0, 0.1):
            found[f"UCT, bias {bias:g}, epsilon {epsilon:g}"] = UCT(bias, epsilon, False)
    for factor in sorted((*FACTORS, *MORE)):
        tau = factor * outlook.temperature
        found[f"VarDE w mean, tau {tau:.3g}"] = LEADING.varde(tau, outlook.floor)
        found[f"VarDE w^2 max, tau {tau:.3g}"] = SQUARED.varde(tau, outlook.floor)
    for name, rival in outlook.rivals.items():
        if not isinstance(rival, UCT):
            for factor in FACTORS:
                for epsilon in EPSILONS:
                    tuned = rival._replace(temperature=factor * rival.temperature, epsilon=epsilon)
                    found[f"{name}, tau {tuned.temperature:.3g}, epsilon {epsilon:g}"] = LEADING.of(tuned)
    return found


def study() -> Study:
    cells: list[Cell] = [
        cell(outlook, name, rule, LEADING, STEPS) for outlook in WORLDS for name, rule in grid(outlook).items()
    ]
    return Study(
        "planner-tuning",
        "Every planner tuned under the leading reading: value of the recommended policy",
        cells,
        RUNS,
        block=2,
        notes=(
            VALUE,
            "selected by the value at 10,000 simulations in the first half of the runs, reported from the second",
            "sampled rewards, whole trajectories kept, every planner recommends the highest value",
        ),
        findings=selected,
        quick=2,
    )


def selected(rows: Rows) -> list[str]:
    """The setting that each planner would be given, and its value in runs that did not choose it."""
    lines, leads = [], []
    for outlook in WORLDS:
        told, best, curves, ends = [], {}, {}, {}
        for family in dict.fromkeys(name.split(",")[0] for where, name in rows.runs if where == outlook.name):
            names = [name for where, name in rows.runs if where == outlook.name and name.split(",")[0] == family]
            runs = {name: some for (_, name), some in rows.curves([(outlook.name, name) for name in names]).items()}
            half = len(next(iter(runs.values()))) // 2
            if half < 1:
                return ["too few runs to select and to report"]
            chosen = max(names, key=lambda name: float(runs[name][:half, SELECTED].mean()))
            fresh = runs[chosen][half:]
            error = float(fresh[:, -1].std(ddof=1) / len(fresh) ** 0.5) if len(fresh) > 1 else np.nan
            best[family] = float(fresh[:, -1].mean())
            means = " / ".join(f"{fresh[:, at].mean():.3g}" for at in (SELECTED, -1))
            told.append(f"{chosen}: {means} ± {error:.1g}")
            ends[family] = f"{best[family]:.3g} ± {error:.1g}"
            curves[family] = fresh.mean(axis=0)
        lead = max(best, key=lambda family: best[family])
        ahead = np.array([curves[lead] - curve for family, curve in curves.items() if family != lead])
        since = first_from(ahead, STEPS)
        ours = max((family for family in best if family.startswith("VarDE")), key=lambda family: best[family])
        leads.append(f"on {outlook.name} {lead} with {ends[lead]} ({ours} {ends[ours]})")
        lines.append(
            f"{outlook.name}: {lead} has the highest value at the end, and is ahead of all from {since:,} on; at "
            f"10,000 / 30,000: {'; '.join(told)}"
        )
    return [f"with every planner tuned the highest values at the end are {' and '.join(leads)}", *lines]
