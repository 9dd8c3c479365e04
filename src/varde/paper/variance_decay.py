"""Theorem thm:variance-decay and the constant that follows it: t Var[Y_t] against C*, shares of samples against p*.

w = gradient of Y at the true means,   p*_i = |w_i| sigma_i / sum_j |w_j| sigma_j,   C* = (sum_i |w_i| sigma_i)^2
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..bandits import INSTANCES, Uniform
from ..beliefs.noise import Equal, Floor
from ..decisions import LogSumExp
from ..rule import VarDE
from ..studies.bandit_cells import describe
from ..studies.claims import FAILS, Claim, all_of
from ..studies.figure import Figure
from ..studies.rows import Rows
from ..studies.study import Cell, Study
from .bandits import FLOOR, TEMPERATURES, warm_start
from .decision_runs import Shares, decisions_and_counts
from .logarithms import logarithm
from .stylized import BANDIT, QUIET
from .three_arms import SEEN

STEPS = tuple(round(500 * 2 ** (k / 2)) for k in range(13))  # 500 to 32,000 pulls
LATE = STEPS[-7]  # an eighth of the last
TOGETHER = 20  # trajectories of which a run takes the variance
RUNS = 100
DISTANCE = "distance"
OWN, FIXED, EVEN, BLIND = "VarDE", "p* from the start", "Uniform", "Weight-Only"


class Arms(NamedTuple):
    """A bandit, the deviations of its arms, and the rule's settings that the theorem leaves open."""

    bandit: Any
    deviations: np.ndarray  # [K]
    floor: float
    warm: int


def instances() -> dict[str, Arms]:
    coins, noisy = INSTANCES["BAI.1"].bandit, INSTANCES["BAI.4"].bandit
    spread = np.sqrt(BANDIT.shares * (1.0 - BANDIT.shares)) * (BANDIT.highs - BANDIT.lows)
    return {
        "Three arms": Arms(BANDIT, spread, QUIET, SEEN),
        "BAI.1": Arms(coins, np.sqrt(coins.means * (1.0 - coins.means)), FLOOR, warm_start("BAI.1")),
        "BAI.4": Arms(noisy, noisy.stds, FLOOR, warm_start("BAI.4")),
    }


def target(arms: Arms, tau: float) -> tuple[np.ndarray, float]:
    """p* and C*."""
    weights = np.exp((arms.bandit.means - arms.bandit.means.max()) / tau)
    parts = weights / weights.sum() * arms.deviations
    return parts / parts.sum(), float(parts.sum() ** 2)


def decay(rule: Any, arms: Arms, tau: float, each: bool, key: np.ndarray, first: int, runs: int) -> np.ndarray:
    """[runs, steps x (t Var[Y] / C*, distance of the shares to p* in %, each arm's share in %)] of 20 trajectories."""
    shares, constant = target(arms, tau)
    steps = np.array(STEPS)
    many = TOGETHER * runs
    decided, counts = decisions_and_counts(rule, LogSumExp(tau), arms.bandit, STEPS, key, TOGETHER * first, many)
    spread = steps * decided.reshape(runs, TOGETHER, -1).var(axis=1, ddof=1) / constant
    found = counts / steps[:, None]
    away = 50.0 * np.abs(found - shares).sum(axis=2).reshape(runs, TOGETHER, -1).mean(axis=1)
    columns = [spread[:, :, None], away[:, :, None]]
    if each:
        columns.append(100.0 * found.reshape(runs, TOGETHER, steps.size, -1).mean(axis=1))
    return np.concatenate(columns, axis=2).reshape(runs, -1)


def label(name: str, tau: float) -> str:
    return f"{name}, tau {tau:g}"


def study() -> Study:
    cells = []
    for name, arms in instances().items():
        for tau in TEMPERATURES:
            rules: dict[str, Any] = {
                OWN: VarDE(LogSumExp(tau), Floor(arms.floor), arms.warm),
                FIXED: Shares(target(arms, tau)[0]),
                EVEN: Uniform(),
            }
            if tau == TEMPERATURES[1]:  # to see what the variances are good for, one temperature does
                rules[BLIND] = VarDE(LogSumExp(tau), Equal(), arms.warm)
            for rule_name, rule in rules.items():
                each = rule_name in (OWN, FIXED)
                quantities = ("", DISTANCE, *(f"arm {i + 1}" for i in range(len(arms.deviations)) if each))
                shown = describe(rule) if rule_name != FIXED else "Shares(p*)"
                measure = partial(decay, rule, arms, tau, each)
                cells.append(Cell(label(name, tau), rule_name, shown, STEPS, measure, quantities))
    return Study(
        "variance-decay",
        "The theorem of variance decay: t Var[Y] / C*, and the shares of the samples against p*",
        cells,
        RUNS,
        block=5,
        notes=(
            f"Var[Y] is the variance over {TOGETHER} trajectories, of which {RUNS} groups are averaged; Y = LSE of the "
            "means; distance: half the sum of |N_i/t - p*_i|, in %",
            "as printed: the rule with a floor and bounded rewards (the three arms of tab:stylized, BAI.1); BAI.4 has "
            "normal rewards, as the paper runs it, which the theorem does not cover",
            "no floor is above a variance here, so that the rule's target is p* itself: 0.0001 for the three arms, "
            "0.01 elsewhere; warm starts 40, 25 and 2 pulls of each arm; M2/(N-1)",
            f"not of the theorem: '{FIXED}' pulls by p*, known beforehand; {EVEN}; {BLIND}, the rule without variances",
        ),
        findings=findings,
        figure=Figure(
            across="pulls",
            log=True,
            wide=True,
            best=1.0,
            level="C*",
            apart={"": "t Var[Y] / C*", DISTANCE: "distance to p* (%)"},
        ),
        place="Theorem of variance decay and the remark that follows (thm:variance-decay)",
        quick=5,
    )


SLOW = (
    "an arm that looks bad after the warm start gets exp(-2 gap/tau) of the weight and waits a long time: a few such "
    "trajectories make up most of the variance, and the theorem's constants depend on exp(-(b-a)/tau)"
)
STEADY, NEAR, HALVED = 0.1, 0.15, 0.5  # how "O(1/t)", "C*" and "towards p*" are read


def findings(rows: Rows) -> list[str]:
    lines: list[str] = []
    for tau in TEMPERATURES:
        tests = {
            f"'Var[Y_t] = O(1/t)' at tau {tau:g} (t Var grows slower than t^{STEADY})": grows,
            f"'t Var[Y_t] tends to C*' at tau {tau:g} (within {NEAR:.0%} at the end)": near,
            f"'N_i/t tends to p*' at tau {tau:g} (half as far at 8 times the pulls)": nearer,
            f"'a smaller constant than uniform allocation' at tau {tau:g}": below_uniform,
        }
        for claim, test in tests.items():
            told = {name: test(rows, label(name, tau)) for name in instances()}
            parts = {f"{name}{side}": some for name, (_, sides) in told.items() for side, some in sides.items()}
            word, evidence = all_of(parts)
            numbers = ", ".join(f"{name} {text}" for name, (text, _) in told.items())
            lines.append(Claim(claim, word, f"{numbers}; {evidence}", SLOW if word == FAILS else ""))
    return lines


Told = tuple[str, dict[str, np.ndarray]]  # numbers in words; by how much each run meets what is claimed


def early_and_late(rows: Rows, problem: str, name: str) -> tuple[np.ndarray, np.ndarray]:
    """[runs] at an eighth of the pulls and at the end."""
    runs = rows.curves([(problem, name)])[problem, name]
    return runs[:, STEPS.index(LATE)], runs[:, -1]


def grows(rows: Rows, problem: str) -> Told:
    early, late = early_and_late(rows, problem, OWN)
    over = math.log(STEPS[-1] / LATE)
    power = math.log(late.mean() / early.mean()) / over
    return f"t^{power:.2f}", {"": STEADY - (logarithm(late) - logarithm(early)) / over}


def near(rows: Rows, problem: str) -> Told:
    _, late = early_and_late(rows, problem, OWN)
    return f"{late.mean():.2f}", {" from below": late - (1.0 - NEAR), " from above": (1.0 + NEAR) - late}


def nearer(rows: Rows, problem: str) -> Told:
    early, late = early_and_late(rows, problem, f"{OWN}: {DISTANCE}")
    return f"{early.mean():.2g} -> {late.mean():.2g} %", {"": HALVED * early - late}


def below_uniform(rows: Rows, problem: str) -> Told:
    runs = rows.paired([(problem, OWN), (problem, EVEN)])
    mine, other = runs[problem, OWN], runs[problem, EVEN]
    return f"{mine.mean():.2f} and {other.mean():.2f}", {"": other - mine}
