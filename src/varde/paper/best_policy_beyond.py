"""Best-policy identification beyond the rivers: all agents on worlds that are hard to explore.  Not of the paper."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..environments import combination_lock, deep_sea, distracted_river, four_rooms, frozen_lake, garnet
from ..environments.frozen_lake import LARGE, MAP
from ..learning import MFBPI, OBPI, PAPER, PSRL, QUCB, UCBVI, EpsilonQ, MDPNaS
from ..learning.checks import restrict
from ..learning.measure import score_runs
from ..rule import VarDE
from ..studies.bandit_cells import describe
from ..studies.figure import Figure
from ..studies.rows import Rows
from ..studies.statements import CLEARLY, compared
from ..studies.study import Cell, Study
from ..worlds.table import Table, num_actions
from .best_policy import DISCOUNT
from .best_policy_agents import MODEL, VARDE

RUNS = 30
WITHIN = 0.01  # how "the same" is read
OWN = {"all": "VarDE, all states", "start": "VarDE, start"}  # the default, for either objective
RIVALS: dict[str, Any] = {
    VARDE: PAPER,
    "UCBVI": UCBVI(),
    "eps-Q": EpsilonQ(),
    "Q-UCB": QUCB(),
    "MF-BPI": MFBPI(),
    "PSRL": PSRL(),
    "MDP-NaS": MDPNaS(),
    "PS-MDP-NaS": MDPNaS(sampling=True),
    "O-BPI": OBPI(),
}
SMALL = {"PSRL": 50, "MDP-NaS": 30, "PS-MDP-NaS": 30, "O-BPI": 30}  # states: beyond, runs take too long
CONTINUING = ("MDP-NaS", "PS-MDP-NaS", "O-BPI")  # these cannot do with episodes that end
START = "from the start"
LARGEST_CURVE = 110  # states
QUANTITIES = ("", MODEL, START, f"{START}, {MODEL}")


class World(NamedTuple):
    make: Callable[[], Table]
    budget: int


WORLDS = {
    "FrozenLake 4x4": World(lambda: lake(MAP), 10_000),
    "FrozenLake 8x8": World(lambda: lake(LARGE), 50_000),
    "DeepSea 10": World(lambda: deep_sea(10, seed=1), 3_000),
    "DeepSea 20": World(lambda: deep_sea(20, seed=2), 20_000),
    "Lock 20x5": World(lambda: combination_lock(20, 5, seed=3), 5_000),
    "Four rooms 11": World(lambda: four_rooms(11), 20_000),
    "Four rooms 21": World(lambda: four_rooms(21), 50_000),
    "River 8 + 100": World(lambda: distracted_river(8, 100), 10_000),
    "River 8 + 300": World(lambda: distracted_river(8, 300), 20_000),
    "Garnet 20x3": World(lambda: garnet(20, 3, seed=9), 3_000),
    "Garnet 50x4": World(lambda: garnet(50, 4, seed=4), 5_000),
    "Garnet 50x4, sparse": World(lambda: garnet(50, 4, paying=0.1, seed=5), 5_000),
    "Garnet 50x4, noisy": World(lambda: garnet(50, 4, deviation=1.0, seed=6), 50_000),
    "Garnet 100x20": World(lambda: garnet(100, 20, seed=7), 30_000),
    "Garnet 500x4, sparse": World(lambda: garnet(500, 4, paying=0.1, seed=8), 50_000),
}

NOTES = (
    "not of the paper: worlds that are hard to explore, each one table made from a seed; discount 0.99",
    "from all states: 1 - max|V*-V|/max|V*|; from the start: 1 less the relative loss (V*-V)/|V*|; 0 for less than 0",
    f"'{MODEL}': the best policy of the maximum-likelihood model of the same agent's data; VarDE reports that itself",
    "rivals are told the range of rewards, as their papers suppose, but where rewards have normal noise",
    "UCBVI: Bernstein's bonus, its scale of 0.001 chosen on eleven worlds, three of them among these (8x8, 11, 100)",
    "PSRL on 50 states at most, MDP-NaS and O-BPI on 30, and where nothing ends: beyond, their runs take too long",
)


def steps_of(budget: int, size: int) -> tuple[int, ...]:
    """A curve, or three points of one where a report takes long to judge."""
    parts = range(1, 11) if size <= LARGEST_CURVE else (2.5, 5, 10)
    return tuple(int(budget * part / 10) for part in parts)


def shown(steps: Sequence[int]) -> tuple[int, int]:
    """A fifth of the budget, or a quarter, and the whole."""
    return steps[1 if len(steps) > 3 else 0], steps[-1]


def lake(map: Sequence[str]) -> Table:
    """Gymnasium's."""
    return frozen_lake(map, None, intended=1 / 3, sides=True)


def both_measures(
    agent: Any, world: Table, steps: Sequence[int], objective: str, model: bool, key: np.ndarray, first: int, runs: int
) -> np.ndarray:
    """[runs, steps (from all states: own report, model report; from the start: likewise)]."""
    at, block = np.array(steps, np.int64), range(first, first + runs)
    scores = score_runs(agent, world, at, key, block, discount=DISCOUNT, model=model, objective=objective)
    kept = scores.transpose(0, 1, 3, 2) if model else scores[:, :, 0]
    return np.clip(kept, 0.0, 1.0).reshape(runs, -1)


def cells() -> Iterator[Cell]:
    for problem, (make, budget) in WORLDS.items():
        world = restrict(make())
        size = len(world.states)
        steps = steps_of(budget, size)
        ends = any(num_actions(world.model, s) == 0 for s in range(size))
        for objective, name in OWN.items():
            measure = partial(both_measures, VarDE(), world, steps, objective, False)
            yield Cell(problem, name, f"VarDE(), objective={objective}", steps, measure, ("", START))
        for name, agent in RIVALS.items():
            if size <= SMALL.get(name, size) and not (ends and name in CONTINUING):
                measure = partial(both_measures, agent, world, steps, "all", True)
                yield Cell(problem, name, f"{describe(agent)}, discount={DISCOUNT}", steps, measure, QUANTITIES)


def study() -> Study:
    return Study(
        "bpi-beyond",
        "Best-policy identification beyond the rivers",
        list(cells()),
        RUNS,
        block=3,
        span=(0.0, 1.0),
        notes=NOTES,
        findings=standing,
        figure=Figure(up="from all states, model reports", shown=(OWN["all"], *map(reported, RIVALS))),
    )


def reported(name: str) -> str:
    return f"{name}: {MODEL}"


def standing(rows: Rows) -> list[str]:
    """Where the default is ahead of every rival, the same as the best of them, or behind."""
    return [line for objective in OWN for line in against_all(rows, objective)]


def against_all(rows: Rows, objective: str) -> Iterator[str]:
    """The default against every report of every rival, at two steps of each world."""
    ending, mine = ("", OWN[objective]) if objective == "all" else (f": {START}", f"{OWN[objective]}: {START}")
    reports = {f"{name}{ending}": name for name in RIVALS}
    reports |= {f"{name}: {MODEL}" if objective == "all" else f"{name}: {START}, {MODEL}": name for name in RIVALS}
    groups: dict[str, dict[str, np.ndarray]] = {}
    for problem in dict.fromkeys(row.problem for row in rows if row.algorithm == mine):
        steps = sorted({row.step for row in rows if row.problem == problem})
        names = [name for name in reports if (problem, name) in rows.runs]
        runs = rows.curves([(problem, name) for name in (mine, *names)])
        for step in shown(steps):
            at = steps.index(step)
            lead = {name: np.asarray(runs[problem, mine][:, at] - runs[problem, name][:, at], float) for name in names}
            groups[f"{problem} at {step:,}"] = lead
    what = f"{OWN[objective]}, {'judged from all states' if objective == 'all' else 'judged from the start'}"
    level, ahead, behind = 0, 0, []
    for place, leads in groups.items():
        found = compared(leads)
        worst = int(np.argmin(found.leads))
        level += bool(abs(found.leads[worst]) <= WITHIN)
        ahead += bool(found.leads[worst] > WITHIN)
        if found.leads[worst] < -max(WITHIN, CLEARLY * found.errors[worst]):
            behind.append(f"{place} by {-found.leads[worst]:.3f} ({reports[found.names[worst]]})")
    yield (
        f"{what}, against the best report of any rival: ahead in {ahead}, level within {WITHIN:g} in {level}, clearly "
        f"behind in {len(behind)} of {len(groups)}{': ' if behind else ''}{'; '.join(behind)}"
    )
