"""Best-policy identification (fig:bpi): normalised value proximity on RiverSwim and ForkedRiverSwim."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from ..environments import forked_river_swim, river_swim
from ..learning import MFBPI, OBPI, PAPER, PSRL, QUCB, EpsilonQ, MDPNaS
from ..learning.loop import ALL
from ..learning.measure import score_runs
from ..studies.bandit_cells import describe
from ..studies.figure import Figure
from ..studies.judging.intervals import student_quantile
from ..studies.study import Cell, Study, find
from ..worlds.table import Table
from .answers import CONTRADICTED, FEW, IN_PART, STATED, Answer, Rows, counted, lead, problems_of

DISCOUNT = 0.99
RUNS = 10
POINTS = 25  # of a curve, all of them multiples of the paper's 200 steps

VARDE, MODEL = "VarDE-Q", "model report"
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
AGENTS: dict[str, Any] = {VARDE: PAPER, **BASELINES, **VARIANTS}

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
    both = name not in VARIANTS
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
        findings=by_models,
        figure=Figure(
            up="value proximity",
            shown=(VARDE, *BASELINES),
            size="states",
            sizes=sizes,
            ends=ENDS,
        ),
        place=place,
        quick=3,
        quick_problems=tuple(sizes)[:2],  # one run of the largest takes half a minute
    )


def river_swim_study() -> Study:
    place = "Figure, left (fig:bpi)"
    return bpi_study("river-swim", "RiverSwim", "RiverSwim", river_swim, RIVER_BUDGETS, place)


def forked_river_swim_study() -> Study:
    place = "Figure, right (fig:bpi)"
    return bpi_study("forked-river-swim", "ForkedRiverSwim", "Forked", forked_river_swim, FORKED_BUDGETS, place)


# -- what the runs say -----------------------------------------------------------------------------------

NEAR_OPTIMAL, TIGHT = 0.95, 0.05  # how "near-optimal" and "tight intervals" are read
MATCHES = 0.02  # how "matches" is read


def sizes_of(rows: Rows) -> list[str]:
    """The problems by size."""
    return problems_of(rows, VARDE)


def falls(rows: Rows, problems: Sequence[str]) -> dict[str, float]:
    """By how much the score at the largest size is below that at the smallest."""
    return {
        name: find(rows, problems[0], name).value - find(rows, problems[-1], name).value for name in (VARDE, *BASELINES)
    }


def robust(rows: Rows) -> Answer:
    """Whether VarDE-Q falls less than every rival from the smallest size to the largest."""
    problems = sizes_of(rows)
    if len(problems) < 2:
        return Answer(FEW, "one size")
    fall = falls(rows, problems)
    less = [name for name in BASELINES if fall[name] < fall[VARDE]]
    told = ", ".join(f"{name} {fall[name]:.3f}" for name in (VARDE, *sorted(BASELINES, key=lambda name: fall[name])))
    words = f"from {problems[0]} to {problems[-1]} the score falls by: {told}"
    return Answer(CONTRADICTED if len(less) > len(BASELINES) / 2 else IN_PART if less else STATED, words)


def deteriorate(rows: Rows) -> Answer:
    """'Multiple', read as two or more; 'rapidly', as to half of the score or less."""
    problems = sizes_of(rows)
    if len(problems) < 2:
        return Answer(FEW, "one size")
    ends = {name: (find(rows, problems[0], name).value, find(rows, problems[-1], name).value) for name in BASELINES}
    halved = [f"{name} {first:.2f} to {last:.2f}" for name, (first, last) in ends.items() if last <= 0.5 * first]
    spread = max(find(rows, problem, name).stderr for problem in problems for name in BASELINES)
    words = (
        f"{len(halved)} of {len(ends)} halve from {problems[0]} to {problems[-1]}: {', '.join(halved)}; the largest "
        f"standard error of a mean is {spread:.2g}"
    )
    return Answer(STATED if len(halved) >= 2 else IN_PART, words)


def near_optimal(rows: Rows) -> Answer:
    """Whether score and interval, 95 % as in the figure, are so at every size."""
    ends = {problem: find(rows, problem, VARDE) for problem in sizes_of(rows)}
    if min(row.runs for row in ends.values()) < 2:
        return Answer(FEW, "one run")
    widths = {problem: student_quantile(0.975, row.runs - 1) * row.stderr for problem, row in ends.items()}
    met = [row.value >= NEAR_OPTIMAL and widths[problem] <= TIGHT for problem, row in ends.items()]
    told = ", ".join(f"{problem} {row.value:.3f} ± {widths[problem]:.3f}" for problem, row in ends.items())
    words = (
        f"{NEAR_OPTIMAL:g} or more within {TIGHT:g} on {sum(met)} of {len(met)} sizes: {told} "
        "(going right everywhere is worth 0.8835 at 50 states, and the best policy goes left in the first 14)"
    )
    return Answer(STATED if all(met) else CONTRADICTED if 2 * sum(met) < len(met) else IN_PART, words)


def matches(rows: Rows) -> Answer:
    found, told = [], []
    for problem in sizes_of(rows):
        own = find(rows, problem, VARDE)
        best = max(BASELINES, key=lambda name: find(rows, problem, name).value)
        other = find(rows, problem, best)
        found.append(lead(f"{problem}, {best}", own, other, margin=MATCHES))
        told.append(f"{problem} {own.value:.3f} against {other.value:.3f} ({best})")
    near = sum(one.mean > 0.0 for one in found)
    words = f"within {MATCHES:g} of the best rival on {near} of {len(found)} sizes: {', '.join(told)}"
    return Answer(counted(found).grade, words)


def by_models(rows: Rows) -> list[str]:
    last = sizes_of(rows)[-1]
    better = [
        f"{name} {find(rows, last, name).value:.3f} -> {find(rows, last, f'{name}: {MODEL}').value:.3f}"
        for name in (VARDE, *BASELINES)
    ]
    return [f"the model of the same data, on {last}: {', '.join(better)}"]
