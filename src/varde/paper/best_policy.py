"""Best-policy identification (fig:bpi): normalised value proximity on RiverSwim and ForkedRiverSwim."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from ..environments import forked_river_swim, river_swim
from ..learning.loop import ALL
from ..learning.measure import score_runs
from ..studies.bandit_cells import describe
from ..studies.figure import Figure
from ..studies.study import Cell, Study
from ..worlds.table import Table
from .best_policy_agents import AGENTS, BASELINES, MODEL, NAV, VARDE, VARIANTS
from .best_policy_claims import bpi_findings

DISCOUNT = 0.99
RUNS = 10
POINTS = 100  # of a curve, all of them multiples of the paper's 200 steps

RIVER_BUDGETS = {5: 10_000, 10: 20_000, 20: 40_000, 30: 50_000, 50: 80_000}
FORKED_BUDGETS = {3: 20_000, 5: 20_000, 10: 100_000, 15: 200_000, 25: 300_000}

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


ENDS = {
    "At the end, policies as the agents report them": "",
    "At the end, best policies of the models of the same data": f": {MODEL}",
}


def bpi_steps(budget: int) -> tuple[int, ...]:
    """At most POINTS multiples of 200, a tenth of the budget and the whole."""
    apart = 200 * -(-budget // (200 * POINTS))
    return tuple(sorted({*range(apart, budget, apart), budget // 10, budget}))


def proximities(
    agent: Any, world: Table, steps: Sequence[int], both: bool, key: np.ndarray, first: int, runs: int
) -> np.ndarray:
    """[runs, steps (own report, model report)]."""
    at, block = np.array(steps, np.int64), range(first, first + runs)
    scores = score_runs(agent, world, at, key, block, discount=DISCOUNT, model=both)[..., ALL]
    return scores.reshape(runs, -1) if both else np.ascontiguousarray(scores[:, :, 0])


def bpi_cell(problem: str, world: Table, budget: int, name: str) -> Cell:
    agent, steps = AGENTS[name], bpi_steps(budget)
    both = name not in (NAV, *VARIANTS)  # VarDE-Nav reports the model's policy anyway
    measure = partial(proximities, agent, world, steps, both)
    return Cell(problem, name, f"{describe(agent)}, discount={DISCOUNT}", steps, measure, ("", MODEL) if both else ())


def bpi_study(
    name: str,
    title: str,
    label: str,
    make: Callable[[int], Table],
    budgets: dict[int, int],
    place: str = "",
) -> Study:
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
        span=(0.0, 1.0),
        notes=NOTES,
        findings=partial(
            bpi_findings, budgets={f"{label}({n})": b for n, b in budgets.items()}, forked=make is forked_river_swim
        ),
        figure=Figure(
            up="value proximity",
            shown=(VARDE, NAV, *BASELINES),
            size="states",
            sizes=sizes,
            ends=ENDS,
        ),
        place=place,
        quick=1,  # it takes half a minute
    )


def river_swim_study() -> Study:
    place = "Figure, left (fig:bpi)"
    return bpi_study("river-swim", "RiverSwim", "RiverSwim", river_swim, RIVER_BUDGETS, place)


def forked_river_swim_study() -> Study:
    place = "Figure, right (fig:bpi)"
    return bpi_study("forked-river-swim", "ForkedRiverSwim", "Forked", forked_river_swim, FORKED_BUDGETS, place)


def forked_shortcut_study() -> Study:
    return bpi_study(
        "forked-river-swim-shortcut",
        "ForkedRiverSwim with the shortcut of the baselines' program",
        "Forked",
        partial(forked_river_swim, shortcut=True),
        FORKED_BUDGETS,
    )
