"""Best-policy identification (fig:bpi): normalised value proximity on RiverSwim and ForkedRiverSwim."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from ..environments import forked_river_swim, river_swim
from ..learning import MFBPI, OBPI, PAPER, PSRL, QUCB, EpsilonQ, MDPNaS, VarDENav
from ..learning.identify import run_block
from ..mdp import World
from .bandit_cells import describe, find
from .bpi_figure import half_width, proximity_figure
from .study import Cell, Row, Study

DISCOUNT = 0.99
RUNS = 10
POINTS = 100  # of a curve, all of them multiples of the paper's 200 steps

RIVER_BUDGETS = {5: 10_000, 10: 20_000, 20: 40_000, 30: 50_000, 50: 80_000}
FORKED_BUDGETS = {3: 20_000, 5: 20_000, 10: 100_000, 15: 200_000, 25: 300_000}

VARDE, NAV, MODEL = "VarDE-Q", "VarDE-Nav", "model report"
BASELINES = {
    "eps-Q": EpsilonQ(),
    "Q-UCB": QUCB(),
    "PSRL": PSRL(),
    "MF-BPI": MFBPI(),
    "MDP-NaS": MDPNaS(),
    "PS-MDP-NaS": MDPNaS(sampling=True),
    "O-BPI": OBPI(),
}
VARIANTS = {
    "MDP-NaS every 200": MDPNaS(growing=False),
    "PS-MDP-NaS every 200": MDPNaS(sampling=True, growing=False),
    "O-BPI every 200": OBPI(growing=False),
}
AGENTS: dict[str, Any] = {VARDE: PAPER, **BASELINES, **VARIANTS, NAV: VarDENav()}

NOTES = (
    "exploration of every baseline: uniform with probability max(0.001, 1/N(s)), learning rate (H+1)/(H+N), H = 100 "
    "(not stated; from the program of the baselines' authors)",
    "Q-UCB: bonus 0.001 H sqrt(log(SA(t+1)/delta)/N), that program's factor; PSRL: redraws until the policy changes "
    "and reports a sampled policy, likewise",
    "MDP-NaS, PS-MDP-NaS and O-BPI: the period of 200 grows to 4 % of the budget as in that program; the rows "
    "'every 200' keep it, as the paper states",
    "value 1 - max|V*-V|/max V* by solving the equations exactly; the paper's sweeps agree to 1e-5",
    "'model report': the best policy of the maximum-likelihood model of the same agent's data",
)


def bpi_steps(budget: int) -> tuple[int, ...]:
    """At most POINTS multiples of 200, a tenth of the budget and the whole."""
    apart = 200 * -(-budget // (200 * POINTS))
    return tuple(sorted({*range(apart, budget, apart), budget // 10, budget}))


def proximities(
    agent: Any, world: World, steps: Sequence[int], both: bool, key: np.ndarray, first: int, runs: int
) -> np.ndarray:
    """[runs, steps (own report, model report)]."""
    scores = np.empty((runs, len(steps), 2))
    run_block(agent, world, np.array(steps, np.int64), DISCOUNT, both, key, first, scores)
    return scores.reshape(runs, -1) if both else np.ascontiguousarray(scores[:, :, 0])


def bpi_cell(problem: str, world: World, budget: int, name: str) -> Cell:
    agent, steps = AGENTS[name], bpi_steps(budget)
    both = name not in (NAV, *VARIANTS)  # VarDE-Nav reports the model's policy anyway
    measure = partial(proximities, agent, world, steps, both)
    return Cell(problem, name, f"{describe(agent)}, discount={DISCOUNT}", steps, measure, ("", MODEL) if both else ())


def bpi_study(name: str, title: str, label: str, make: Callable[[int], World], budgets: dict[int, int]) -> Study:
    cells, sizes = [], {}
    for length, budget in budgets.items():
        world, problem = make(length), f"{label}({length})"
        sizes[problem] = len(world.states)
        cells += [bpi_cell(problem, world, budget, agent) for agent in AGENTS]
    return Study(
        name,
        f"{title}: normalised value proximity",
        cells,
        RUNS,
        block=1,
        percent=False,
        notes=NOTES,
        findings=partial(bpi_findings, budgets={f"{label}({length})": budget for length, budget in budgets.items()}),
        draw=partial(proximity_figure, sizes=sizes, budgets={f"{label}({n})": b for n, b in budgets.items()}),
    )


def river_swim_study() -> Study:
    return bpi_study("river-swim", "RiverSwim", "RiverSwim", river_swim, RIVER_BUDGETS)


def forked_river_swim_study() -> Study:
    return bpi_study("forked-river-swim", "ForkedRiverSwim", "Forked", forked_river_swim, FORKED_BUDGETS)


def forked_shortcut_study() -> Study:
    return bpi_study(
        "forked-river-swim-shortcut",
        "ForkedRiverSwim with the shortcut of the baselines' program",
        "Forked",
        partial(forked_river_swim, shortcut=True),
        FORKED_BUDGETS,
    )


# -- what the numbers say ------------------------------------------------------------------------

NEAR_OPTIMAL, TIGHT = 0.95, 0.05  # how "near-optimal" and "tight intervals" are read


def interval(row: Row) -> str:
    return f"{row.value:.3f} ± {half_width(row):.3f}"


def bpi_findings(rows: Sequence[Row], budgets: dict[str, int]) -> list[str]:
    """The paper's claims, tested on the measured numbers, then what it does not claim."""
    problems = [p for p in budgets if any(row.problem == p for row in rows)]
    said = []
    mine = {p: find(rows, p, VARDE, budgets[p]) for p in problems}
    short = [p for p in problems if mine[p].value < NEAR_OPTIMAL]
    said.append(
        f"'{VARDE} stays near-optimal at all sizes' (mean {NEAR_OPTIMAL} or more): "
        + (f"does not hold at {', '.join(f'{p} ({interval(mine[p])})' for p in short)}" if short else "holds")
    )
    wide = [p for p in problems if half_width(mine[p]) > TIGHT]
    said.append(
        f"'tight confidence intervals' (± {TIGHT} or less): "
        + (f"does not hold at {', '.join(f'{p} ({interval(mine[p])})' for p in wide)}" if wide else "holds")
    )
    ahead: list[str] = []
    for p in problems:
        best = max((find(rows, p, name, budgets[p]) for name in BASELINES), key=lambda row: row.value)
        margin = (half_width(mine[p]) ** 2 + half_width(best) ** 2) ** 0.5
        if best.value - mine[p].value > margin:
            ahead.append(f"{p} ({best.algorithm} {interval(best)}, {VARDE} {interval(mine[p])})")
    said.append(
        f"'{VARDE} matches or exceeds the best baseline': "
        + (f"does not hold at {', '.join(ahead)}" if ahead else "holds, up to the intervals")
    )
    last = problems[-1]
    fallen = [name for name in BASELINES if find(rows, last, name, budgets[last]).value < 0.5]
    said.append(
        f"'baselines deteriorate with size': {len(fallen)} of {len(BASELINES)} are below 0.5 on {last}"
        + (f" ({', '.join(fallen)})" if fallen else "")
    )
    better = [
        f"{name} {find(rows, last, name, budgets[last]).value:.3f} -> "
        f"{find(rows, last, f'{name}: {MODEL}', budgets[last]).value:.3f}"
        for name in (VARDE, *BASELINES)
    ]
    said.append(f"the model of the same data, on {last}: {', '.join(better)}")
    nav = [find(rows, p, NAV, budgets[p]) for p in problems]
    said.append(f"{NAV}: {', '.join(f'{row.problem} {interval(row)}' for row in nav)}")
    tenth = [find(rows, p, NAV, budgets[p] // 10) for p in problems]
    said.append(f"{NAV} at a tenth of the budget: {', '.join(f'{row.problem} {interval(row)}' for row in tenth)}")
    return said
