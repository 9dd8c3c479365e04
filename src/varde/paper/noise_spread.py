"""Where the variance term pays: error with estimated variances and without, against the spread of the noise.

Ten arms with BAI.4's means; deviations proportional to exp(h g), g normal, rms 0.25; the same warm start for both
rules, each at its best of three temperatures on every instance; and the same on the paper's instances.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import numpy as np

from ..bandits import INSTANCES, Gaussian
from ..beliefs.noise import Equal, Floor
from ..decisions import LogSumExp
from ..rule import VarDE
from ..studies.bandit_cells import bandit_cell, describe, errors
from ..studies.study import Cell, Outcome, Study, find
from .answers import UNGRADED, Answer
from .bandits import FLOOR, TEMPERATURES

SPREADS = (0.0, 0.5, 1.0, 1.5)
PULLS, WARM, RMS = 400, 5, 0.25
INSTANCES_EACH, RUNS_EACH = 24, 2_000  # instances of a spread, and runs of each rule on one
RUNS = 10_000  # on the paper's instances
OWN, BLIND, GAIN = "VarDE", "Weight-Only", "Weight-Only less VarDE"
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


def wrong(spread: float, key: np.ndarray, first: int, runs: int) -> np.ndarray:
    """[instances, 3] errors in % of either rule at its best temperature there, and by how much ours is lower."""
    out = np.empty((runs, 3))
    for row in range(runs):
        bandit, best = arms(spread, first + row), {OWN: 100.0, BLIND: 100.0}
        for name, rule in rules(WARM).items():
            share = errors(rule, bandit, (PULLS,), True, key, (first + row) * RUNS_EACH, RUNS_EACH).mean()
            kind = name.rpartition(" ")[0]
            best[kind] = min(best[kind], 100.0 * float(share))
        out[row] = best[OWN], best[BLIND], best[BLIND] - best[OWN]
    return out


def study() -> Study:
    setting = f"{'; '.join(describe(rule) for rule in rules(WARM).values())}, shuffle=True"
    return Study(
        "noise-spread",
        "Where the variance term pays, equal warm starts: error probability (%) over random instances",
        [
            Cell(problem_of(spread), "error", setting, (PULLS,), partial(wrong, spread), (OWN, BLIND, GAIN))
            for spread in SPREADS
        ],
        INSTANCES_EACH,
        block=4,
        notes=(
            f"spread h: ten arms with BAI.4's means, deviations proportional to exp(h g), rms {RMS}, {PULLS} pulls, "
            f"warm start {WARM}; a run is an instance drawn from a seed, on which each rule runs {RUNS_EACH:,} times",
            f"{BLIND} takes every variance for 1; both at the best of three temperatures, arms re-indexed at random; "
            "errors after ± are over instances",
        ),
        findings=pays,
        quick=4,
    )


def equal_study() -> Study:
    """The paper's instances with the same warm start for both rules."""
    return Study(
        "equal-warm-starts",
        "The variance term on the paper's instances, equal warm starts: error probability (%)",
        [
            bandit_cell(problem, name, rule, shuffle=True)
            for problem, warm in PAPERS.items()
            for name, rule in rules(warm).items()
        ],
        RUNS,
        percent=True,
        notes=("warm start 25 on BAI.1-2, 2 on the others, for both rules; arms re-indexed at random",),
        findings=ties,
        quick=1_000,
    )


def gains(rows: Sequence[Outcome]) -> dict[float, dict[str, Outcome]]:
    """By spread and quantity."""
    return {
        spread: {what: find(rows, problem_of(spread), f"error: {what}") for what in (OWN, BLIND, GAIN)}
        for spread in SPREADS
    }


def pays(rows: Sequence[Outcome]) -> list[str]:
    at = gains(rows)
    told = ", ".join(
        f"{some[BLIND].value:.1f} to {some[OWN].value:.1f} % (lower by {some[GAIN].value:.1f} ± "
        f"{some[GAIN].stderr:.1f}) at spread {spread:g}"
        for spread, some in at.items()
    )
    return [
        f"with equal warm starts, estimating variances takes the error of {INSTANCES_EACH} random instances from {told}"
    ]


def ties(rows: Sequence[Outcome]) -> list[str]:
    """Either rule at its best temperature, on each of the paper's instances."""

    def best(problem: str, name: str) -> Outcome:
        some = [row for row in rows if row.problem == problem and row.algorithm.rpartition(" ")[0] == name]
        return min(some, key=lambda row: row.value)

    pairs = {problem: (best(problem, OWN), best(problem, BLIND)) for problem in PAPERS}
    told = ", ".join(
        f"{problem} {own.value:.1f} against {blind.value:.1f} ± {math.hypot(own.stderr, blind.stderr):.1f}"
        for problem, (own, blind) in pairs.items()
    )
    return [f"{OWN} against {BLIND} with equal warm starts, each at its best temperature, in %: {told}"]


def beneficial(rows: Sequence[Outcome]) -> Answer:
    """Statement 39."""
    return Answer(UNGRADED, pays(rows)[0])
