"""Theorem thm:variance-decay and the constant that follows it: t Var[Y_t] against C*, shares of samples against p*.

w = gradient of Y at the true means,   p*_i = |w_i| sigma_i / sum_j |w_j| sigma_j,   C* = (sum_i |w_i| sigma_i)^2
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from .._compile import kernel
from ..bandits import INSTANCES
from ..bandits.loop import advance, begin, prepare
from ..bandits.problems import true_means
from ..beliefs.noise import Floor
from ..decisions import LogSumExp, value
from ..moments import clear, make_moments
from ..random import start
from ..rule import VarDE
from ..studies.bandit_cells import describe
from ..studies.figure import Figure
from ..studies.study import Cell, Study, find
from .answers import Answer, Rows, of_parts
from .bandits import FLOOR, TEMPERATURES, warm_start
from .stylized import BANDIT, QUIET, SEEN


@kernel
def trace(rule, decision, bandit, memory, arms, order, steps, work, key, rng, first, decided, counts):
    """Fill ``decided [R, C]``, the decision of the means after each of C numbers of pulls, and ``counts [R, C, K]``."""
    for run in range(decided.shape[0]):
        start(rng, key, first + run)
        clear(arms)
        begin(rule, memory, order.size, steps[-1])
        t = 0
        for c in range(steps.size):
            advance(rule, bandit, memory, arms, order, t, steps[c], rng)
            t = steps[c]
            decided[run, c] = value(decision, arms.means, work)
            for i in range(order.size):
                counts[run, c, i] = arms.counts[i]


def decisions_and_counts(
    rule: Any, decision: Any, bandit: Any, steps: tuple[int, ...], key: np.ndarray, first: int, runs: int
) -> tuple[np.ndarray, np.ndarray]:
    """[runs, steps] Y and [runs, steps, arms] N."""
    size = np.size(true_means(bandit))
    decided, counts = np.empty((runs, len(steps))), np.empty((runs, len(steps), size))
    memory, arms, order = prepare(rule, size), make_moments(size), np.arange(size)
    rng, work = np.empty(4, np.uint64), np.empty(size)
    trace(rule, decision, bandit, memory, arms, order, np.array(steps), work, key, rng, first, decided, counts)
    return decided, counts


STEPS = tuple(round(500 * 2 ** (k / 2)) for k in range(13))  # 500 to 32,000 pulls
LATE = STEPS[-7]  # an eighth of the last
TOGETHER = 20  # trajectories of which a run takes the variance
RUNS = 100
DISTANCE, FIRST_ORDER, MISSED = "distance", "first order", "missed"
OWN = "VarDE"


class Arms(NamedTuple):
    """A bandit, the deviations of its arms, and the rule's settings that the theorem leaves open."""

    bandit: Any
    deviations: np.ndarray  # [K]
    floor: float
    warm: int


def instances() -> dict[str, Arms]:
    coins = {name: INSTANCES[name].bandit for name in ("BAI.1", "BAI.2")}
    spread = np.sqrt(BANDIT.shares * (1.0 - BANDIT.shares)) * (BANDIT.highs - BANDIT.lows)
    return {
        "Three arms": Arms(BANDIT, spread, QUIET, SEEN),
        **{
            name: Arms(some, np.sqrt(some.means * (1.0 - some.means)), FLOOR, warm_start(name))
            for name, some in coins.items()
        },
    }


def target(arms: Arms, tau: float) -> tuple[np.ndarray, float]:
    """p* and C*."""
    weights = np.exp((arms.bandit.means - arms.bandit.means.max()) / tau)
    parts = weights / weights.sum() * arms.deviations
    return parts / parts.sum(), float(parts.sum() ** 2)


def decay(rule: Any, arms: Arms, tau: float, key: np.ndarray, first: int, runs: int) -> np.ndarray:
    """[runs, steps x quantities] of 20 trajectories.

    t Var[Y] / C*, the distance of the shares to p* in %, t / C* times the mean of sum_i w_i^2 sigma_i^2 / N_i, and each
    arm's share in %.
    """
    shares, constant = target(arms, tau)
    steps, groups = np.array(STEPS), (runs, TOGETHER, len(STEPS))
    decided, counts = decisions_and_counts(
        rule, LogSumExp(tau), arms.bandit, STEPS, key, TOGETHER * first, TOGETHER * runs
    )
    spread = steps * decided.reshape(groups).var(axis=1, ddof=1) / constant
    found = counts / steps[:, None]
    away = 50.0 * np.abs(found - shares).sum(axis=2).reshape(groups).mean(axis=1)
    first_order = (steps * (shares**2 / counts).sum(axis=2)).reshape(groups).mean(axis=1)
    each = 100.0 * found.reshape(*groups, -1).mean(axis=1)
    found_of_all = [spread, away, first_order, spread - first_order]
    return np.concatenate([np.stack(found_of_all, axis=2), each], axis=2).reshape(runs, -1)


def label(name: str, tau: float) -> str:
    return f"{name}, tau {tau:g}"


def study() -> Study:
    cells = []
    for name, arms in instances().items():
        quantities = ("", DISTANCE, FIRST_ORDER, MISSED, *(f"arm {i + 1}" for i in range(len(arms.deviations))))
        for tau in TEMPERATURES:
            rule = VarDE(LogSumExp(tau), Floor(arms.floor), arms.warm)
            cells.append(
                Cell(label(name, tau), OWN, describe(rule), STEPS, partial(decay, rule, arms, tau), quantities)
            )
    return Study(
        "variance-decay",
        "The theorem of variance decay: t Var[Y] / C*, and the shares of the samples against p*",
        cells,
        RUNS,
        block=5,
        notes=(
            f"Var[Y] is the variance over {TOGETHER} trajectories, of which {RUNS} groups are averaged; Y = LSE of the "
            "means; distance: half the sum of |N_i/t - p*_i|, in %",
            "instances with bounded rewards, as the theorem supposes: the three arms of tab:stylized, BAI.1, BAI.2",
            f"{FIRST_ORDER}: t / C* times the mean of sum w^2 sigma^2 / N, the right side of the decomposition; "
            f"{MISSED}: what it misses of t Var[Y] / C*",
            "no floor is above a variance here, so that the rule's target is p* itself: 0.0001 for the three arms, "
            "0.01 elsewhere; warm starts 40, 25 and 25 pulls of each arm; M2/(N-1)",
        ),
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


STEADY, NEAR, HALVED = 0.1, 0.15, 0.5  # how "O(1/t)", "C*" and "towards p*" are read
Found = tuple[bool, str]  # whether the runs show it, and the number


def early_and_late(rows: Rows, problem: str, quantity: str = "") -> tuple[float, float]:
    """Means at an eighth of the pulls and at the end."""
    name = f"{OWN}: {quantity}" if quantity else OWN
    return find(rows, problem, name, LATE).value, find(rows, problem, name).value


def power(early: float, late: float) -> float:
    """Of t, by which it grows."""
    return math.log(late / early) / math.log(STEPS[-1] / LATE) if min(early, late) > 0.0 else math.inf


def shown(rows: Rows, what: str, test: Callable[[Rows, str], Found]) -> Answer:
    """A limit at every temperature, on the instances that its assumptions cover."""
    told, met = [], []
    for tau in TEMPERATURES:
        found = {name: test(rows, label(name, tau)) for name in instances()}
        met += [yes for yes, _ in found.values()]
        told.append(f"tau {tau:g}: {', '.join(f'{name} {number}' for name, (_, number) in found.items())}")
    return Answer(
        of_parts("limit", met), f"{what}, in {sum(met)} of {len(met)} up to t = {STEPS[-1]:,}; {'; '.join(told)}"
    )


def decomposes(rows: Rows) -> Answer:
    """Lemma 3.4: t^2 (Var[Y] - mean of sum w^2 sigma^2 / N) stays bounded."""

    def bounded(rows: Rows, problem: str) -> Found:
        early, late = early_and_late(rows, problem, MISSED)  # times t, as shares of C*
        error = find(rows, problem, f"{OWN}: {MISSED}").stderr
        grows = power(LATE * abs(early), STEPS[-1] * abs(late))
        chance = ", within chance" * bool(abs(late) <= 2.0 * error)
        return (
            grows < STEADY,
            f"t^{grows:.1f} ({100.0 * early:.0f} to {100.0 * late:.0f} ± {100.0 * error:.0f} %{chance})",
        )

    return shown(rows, f"t^2 times what the first order misses of Var[Y] grows slower than t^{STEADY}", bounded)


def decays(rows: Rows) -> Answer:
    """Theorem 3.7: N_i grows as t does, and t Var[Y] is bounded."""

    def steady(rows: Rows, problem: str) -> Found:
        names = dict.fromkeys(row.algorithm for row in rows if row.problem == problem)
        arms = [name.partition(": ")[2] for name in names if name.startswith(f"{OWN}: arm")]
        least = [min(early_and_late(rows, problem, arm)[i] for arm in arms) for i in (0, 1)]
        spread, share = power(*early_and_late(rows, problem)), power(*least)
        return spread < STEADY and share > -STEADY, f"t^{spread:.2f}, rarest arm {least[1]:.2g} % as t^{share:.2f}"

    return shown(
        rows, f"t Var[Y] grows slower than t^{STEADY}, and no arm's share falls faster than t^-{STEADY}", steady
    )


def tends_to_constant(rows: Rows) -> Answer:
    """Remark 3.8: t Var[Y] / C* near 1, and the distance of the shares to p* halved."""

    def near(rows: Rows, problem: str) -> Found:
        _, late = early_and_late(rows, problem)
        before, after = early_and_late(rows, problem, DISTANCE)
        return abs(late - 1.0) <= NEAR and after <= HALVED * before, f"{late:.2f} ({before:.2g} to {after:.2g} %)"

    return shown(rows, f"t Var[Y] within {NEAR:.0%} of C* and the distance to p* halved at 8 times the pulls", near)
