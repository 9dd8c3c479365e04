"""Where the variance term pays: error with estimated variances and without, against the spread of the noise.

Ten arms with BAI.4's means; deviations proportional to exp(h g), g normal, rms 0.25; the same warm start for both
rules, each at its best of three temperatures on every instance.  Not of the paper, whose
instances stand below for comparison.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from ..bandits import INSTANCES, Gaussian
from ..beliefs.noise import Equal, Floor
from ..decisions import LogSumExp
from ..rule import VarDE
from ..studies.bandit_cells import bandit_cell, describe, errors
from ..studies.figure import Figure
from ..studies.rows import Rows
from ..studies.statements import UNGRADED, Answer
from ..studies.study import Cell, Study
from .bandits import FLOOR, TEMPERATURES

SPREADS = (0.0, 0.5, 1.0, 1.5)
INSTANCES_EACH, TOGETHER = 12, 100  # instances of a spread; runs of one before the next
PULLS, WARM, RMS = 400, 5, 0.25
RUNS = 12_000
OWN, BLIND = "VarDE", "Weight-Only"
PAPERS = {"BAI.1": 25, "BAI.2": 25, "BAI.3": 2, "BAI.4": 2, "BAI.5": 2, "BAI.6": 2}


def problem_of(spread: float) -> str:
    return f"spread {spread:g}"


def arms(spread: float, number: int) -> Gaussian:
    means = np.sort(INSTANCES["BAI.4"].bandit.means)[::-1][:10].copy()
    deviations = np.exp(spread * np.random.default_rng([int(10 * spread), number]).normal(size=means.size))
    return Gaussian(means, RMS * deviations / np.sqrt((deviations**2).mean()))


def rules(warm: int) -> dict[str, VarDE]:
    return {
        f"{name} {tau:g}": VarDE(LogSumExp(tau), noise, warm)
        for name, noise in ((OWN, Floor(FLOOR)), (BLIND, Equal()))
        for tau in TEMPERATURES
    }


def wrong(rule: VarDE, spread: float, key: np.ndarray, first: int, runs: int) -> np.ndarray:
    """[runs, 1] 1 where the arm is not the best; runs of an instance lie together."""
    out = np.empty((runs, 1), np.int64)
    for row in range(0, runs, TOGETHER):
        number = (first + row) // TOGETHER % INSTANCES_EACH
        several = min(TOGETHER, runs - row)
        out[row : row + several] = errors(rule, arms(spread, number), (PULLS,), True, key, first + row, several)
    return out


def study() -> Study:
    cells = [
        Cell(problem_of(spread), name, f"{describe(rule)}, shuffle=True", (PULLS,), partial(wrong, rule, spread))
        for spread in SPREADS
        for name, rule in rules(WARM).items()
    ]
    cells += [
        bandit_cell(problem, name, rule, shuffle=True)
        for problem, warm in PAPERS.items()
        for name, rule in rules(warm).items()
    ]
    return Study(
        "noise-spread",
        "Where the variance term pays: error probability (%) with equal warm starts",
        cells,
        RUNS,
        block=TOGETHER,
        percent=True,
        notes=(
            f"spread h: ten arms with BAI.4's means, deviations proportional to exp(h g), rms {RMS}, {PULLS} pulls, "
            f"warm start {WARM}; {INSTANCES_EACH} instances of each, drawn from a seed",
            f"{BLIND} takes every variance for 1; both at the best of three temperatures, arms re-indexed at random",
            "BAI.1-6: the paper's instances with the same warm start for both rules (25 on BAI.1-2, 2 on the others)",
        ),
        findings=pays,
        quick=1_200,
        figure=Figure(across="spread of ln sigma", up="error probability (%)"),
    )


def at_best(rows: Rows, problem: str, name: str) -> tuple[float, float]:
    """Error in % at the best temperature, and its standard error."""
    found = [row for row in rows if row.problem == problem and row.algorithm.rpartition(" ")[0] == name]
    best = min(found, key=lambda row: row.value)
    return best.value, best.stderr


def by_instance(rows: Rows, spread: float) -> tuple[float, float, int]:
    """The mean over instances of either rule's error at its best temperature there, and on how many VarDE is ahead."""
    problem = problem_of(spread)
    keys = [(problem, f"{name} {tau:g}") for name in (OWN, BLIND) for tau in TEMPERATURES]
    runs = rows.paired(keys)
    number = np.arange(len(next(iter(runs.values())))) // TOGETHER % INSTANCES_EACH
    seen = sorted(set(number.tolist()))
    best = {
        name: [min(100.0 * runs[problem, f"{name} {tau:g}"][number == n].mean() for tau in TEMPERATURES) for n in seen]
        for name in (OWN, BLIND)
    }
    won = sum(mine < other for mine, other in zip(best[OWN], best[BLIND], strict=True))
    return float(np.mean(best[OWN])), float(np.mean(best[BLIND])), won


def pays(rows: Rows) -> list[str]:
    at = {spread: by_instance(rows, spread) for spread in SPREADS}
    mine = {problem: (at_best(rows, problem, OWN), at_best(rows, problem, BLIND)) for problem in PAPERS}
    worst = max(mine, key=lambda problem: mine[problem][0][0] - mine[problem][1][0])
    cost = mine[worst][0][0] - mine[worst][1][0]
    wide = SPREADS[-1]
    spreads = ", ".join(f"{own:.1f} against {blind:.1f} % at spread {s:g}" for s, (own, blind, _) in at.items())
    papers = ", ".join(f"{problem} {own:.1f} against {blind:.1f} %" for problem, ((own, _), (blind, _)) in mine.items())
    return [
        f"with equal warm starts, estimating variances costs up to {max(cost, at[0.0][0] - at[0.0][1]):.1f} points "
        f"where noise is equal or the paper's, and takes the error from {at[wide][1]:.1f} to {at[wide][0]:.1f} % where "
        "it is strongly unequal",
        f"VarDE against Weight-Only, each at its best temperature: {spreads}; ahead on "
        f"{', '.join(str(won) for *_, won in at.values())} of {INSTANCES_EACH} instances",
        f"the same on the paper's instances: {papers}",
    ]


def beneficial(rows: Rows) -> Answer:
    """Statement 39."""
    own, plain = pays(rows)[1:]
    return Answer(UNGRADED, f"{own}; {plain}")
