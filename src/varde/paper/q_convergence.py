"""Theorem thm:bpi-convergence: the Q-values of VarDE-Q-learning converge to Q*, and every pair is visited for ever."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..beliefs.noise import Floor
from ..decisions import LogSumExp
from ..environments import forked_river_swim, river_swim
from ..learning import PAPER, EpsilonQ
from ..learning.checks import check_algorithm
from ..learning.run import Driver, task_of
from ..random import stream
from ..rule import VarDE
from ..studies.bandit_cells import describe
from ..studies.figure import Figure
from ..studies.study import Cell, Study, find
from ..worlds.solve import best_policy
from ..worlds.table import Table
from .answers import Answer, Rows, of_parts
from .best_policy import DISCOUNT

STEPS = tuple(round(10 ** (4 + k / 4)) for k in range(11))  # 10,000 to 3,162,278
EARLIER = STEPS[-5]  # a tenth of the last
RUNS = 10
OPTIMAL, VISITS = "optimal policies (%)", "visits of the rarest pair"
OWN = "VarDE-Q"
AGENTS: dict[str, Any] = {OWN: PAPER, f"{OWN}, tau 1": VarDE(LogSumExp(1.0), Floor(0.1, 0), 1), "eps-Q": EpsilonQ()}
WORLDS = {
    "RiverSwim(5)": (river_swim, 5),
    "RiverSwim(10)": (river_swim, 10),
    "RiverSwim(20)": (river_swim, 20),
    "Forked(3)": (forked_river_swim, 3),
}


def best_pairs(world: Table) -> np.ndarray:
    """[S, A] Q*."""
    model = world.model
    _, values = best_policy(world, DISCOUNT)
    future = model.outcomes["chance"] * np.asarray(values)[model.outcomes["successor"]]
    after = np.add.reduceat(future, model.pairs["first"])
    return (model.pairs["expected"] + DISCOUNT * after).reshape(len(world.states), -1)


def distances(agent: Any, world: Table, key: np.ndarray, first: int, runs: int) -> np.ndarray:
    """[runs, steps x (max |Q - Q*| in % of max Q*, greedy policy optimal, visits of the rarest pair)]."""
    best, algorithm = best_pairs(world), check_algorithm(agent)
    right = best >= best.max(axis=1, keepdims=True) - 1e-9
    out = np.empty((runs, len(STEPS), 3))
    for row in range(runs):
        task = task_of(world, DISCOUNT, STEPS[-1])
        tour = Driver(algorithm, task, stream(key, first + row), world.model)
        for c, step in enumerate(STEPS):
            tour.go(step - int(tour.run.now.step[0]))
            q = getattr(tour.run.memory, "q", tour.run.memory)
            greedy = q.argmax(axis=1)
            out[row, c, 0] = 100.0 * np.abs(q - best).max() / best.max()
            out[row, c, 1] = 100.0 * right[np.arange(len(greedy)), greedy].all()
            out[row, c, 2] = tour.run.seen.rewards.counts.min()
    return out.reshape(runs, -1)


def study() -> Study:
    cells = [
        Cell(
            problem,
            name,
            f"{describe(agent)}, discount={DISCOUNT}",
            STEPS,
            partial(distances, agent, make(length)),
            ("", OPTIMAL, VISITS),
        )
        for problem, (make, length) in WORLDS.items()
        for name, agent in AGENTS.items()
    ]
    return Study(
        "q-convergence",
        "The theorem of convergence: distance of Q to Q* (%)",
        cells,
        RUNS,
        block=1,
        notes=(
            "distance: max |Q - Q*| over all pairs, in % of max Q*; Q begins at 1/(1 - gamma) = 100",
            "as printed: temperature 0.1, floor 0.1, M2/N, learning rate (H+1)/(H+N)",
            f"up to {STEPS[-1]:,} steps, 40 to 300 times the paper's budgets; tau 1 and eps-Q are for comparison",
        ),
        figure=Figure(log=True, wide=True, apart={"": "distance of Q to Q* (%)", VISITS: VISITS}),
        place="Theorem of convergence (thm:bpi-convergence)",
        quick=2,
    )


HALF = 0.5  # of the distance, at ten times the steps


def curve(rows: Rows, problem: str, quantity: str = "") -> tuple[float, float]:
    """The mean of VarDE-Q at a tenth of the steps and at the end."""
    name = f"{OWN}: {quantity}" if quantity else OWN
    return find(rows, problem, name, EARLIER).value, find(rows, problem, name).value


def covers(rows: Rows) -> Answer:
    found = {problem: curve(rows, problem, VISITS) for problem in WORLDS}
    told = ", ".join(f"{problem} {early:.1f} to {late:.1f}" for problem, (early, late) in found.items())
    words = f"visits of the rarest pair from {EARLIER:,} to {STEPS[-1]:,} steps: {told}; they grow as ln T does"
    return Answer(of_parts("limit", [late > early for early, late in found.values()]), words)


def converges(rows: Rows) -> Answer:
    told, met = [], []
    for problem in WORLDS:
        early, late = curve(rows, problem)
        right = curve(rows, problem, OPTIMAL)[1]
        met.append(late <= HALF * early and right == 100.0)
        told.append(f"{problem} {early:.2g} to {late:.2g} %, best policy in {right:.0f} % of runs")
    return Answer(of_parts("limit", met), f"distance of Q to Q* at ten times the steps: {'; '.join(told)}")
