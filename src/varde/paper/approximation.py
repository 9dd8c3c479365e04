"""The first-order variance against the full one, three temperatures (tab:approx-tau005 to -tau015)."""

from __future__ import annotations

import math
from functools import partial
from itertools import pairwise

import numpy as np

from .._compile import helper, kernel
from ..bandits import INSTANCES
from ..bandits.loop import advance, begin, prepare
from ..beliefs.noise import Floor, own_variance
from ..decisions import LogSumExp, influence, value
from ..moments import clear, joined, make_moments
from ..random import normal, start
from ..rule import VarDE
from ..studies.bandit_cells import describe
from ..studies.study import Cell, Study, find
from .answers import IN_PART, STATED, Answer, Rows, of_parts

PROBLEM = "BAI.4"
DRAWS = 2_000
PULLS = {20: 40, 400: 420, 600: 620, 900: 1000}  # by printed step: total pulls that its numbers fit
COLUMNS = ("V_full", "V_1st", "|V_full - V_1st|", "shortfall %")


@helper
def first_order(rule, arms, weights):
    """sum_i w_i^2 sigma_i^2 / N_i."""
    influence(rule.decision, arms.means, weights)
    total = 0.0
    for i in range(weights.size):
        total += weights[i] ** 2 * own_variance(rule.noise, 0.0, arms.squares[i], arms.counts[i]) / arms.counts[i]
    return total


@helper
def full(rule, arms, draws, means, errors, weights, rng):
    """The variance of the decision when the means are drawn from N(mean_i, sigma_i^2 / N_i)."""
    for i in range(means.size):
        errors[i] = math.sqrt(own_variance(rule.noise, 0.0, arms.squares[i], arms.counts[i]) / arms.counts[i])
    mean, squares = 0.0, 0.0
    for n in range(draws):
        for i in range(means.size):
            means[i] = arms.means[i] + errors[i] * normal(rng)
        y = value(rule.decision, means, weights)
        mean, squares = joined(mean, squares, y, n + 1)
    return squares / (draws - 1)


@kernel
def compare(rule, bandit, memory, arms, order, checkpoints, draws, work, key, rng, first, out):
    """Fill ``out [R, C, 4]`` with the four columns of the table at each of C checkpoints."""
    for run in range(out.shape[0]):
        start(rng, key, first + run)
        clear(arms)
        begin(rule, memory, order.size, checkpoints[-1])
        t = 0
        for c in range(checkpoints.size):
            advance(rule, bandit, memory, arms, order, t, checkpoints[c], rng)
            t = checkpoints[c]
            linear = first_order(rule, arms, work[0])
            whole = full(rule, arms, draws, work[1], work[2], work[0], rng)
            out[run, c, 0], out[run, c, 1] = whole, linear
            out[run, c, 2], out[run, c, 3] = abs(whole - linear), 100.0 * abs(whole - linear) / whole


def measure(rule: VarDE, key: np.ndarray, first: int, runs: int) -> np.ndarray:
    """[runs, steps x columns], the last column in percent."""
    bandit, size = INSTANCES[PROBLEM].bandit, INSTANCES[PROBLEM].num_arms
    out = np.empty((runs, len(PULLS), len(COLUMNS)))
    pulls = np.array(list(PULLS.values()))
    rng, order, work = np.empty(4, np.uint64), np.arange(size), np.empty((3, size))
    memory, arms = prepare(rule, size), make_moments(size)
    compare(rule, bandit, memory, arms, order, pulls, DRAWS, work, key, rng, first, out)
    return out.reshape(runs, -1)


# tab:approx-tau005, -tau010 and -tau015: by temperature, then by printed step,
# V_full, V_1st, their difference, and the mean of difference / V_full in percent.
APPROXIMATION = {
    0.05: {
        20: (1.227e-2, 3.838e-3, 8.510e-3, 66.4),
        400: (3.659e-3, 2.530e-4, 3.406e-3, 88.7),
        600: (2.790e-3, 1.687e-4, 2.622e-3, 88.0),
        900: (1.916e-3, 1.027e-4, 1.813e-3, 84.9),
    },
    0.10: {
        20: (7.112e-3, 2.911e-3, 4.201e-3, 56.1),
        400: (3.609e-4, 2.398e-4, 1.211e-4, 21.6),
        600: (2.157e-4, 1.621e-4, 5.369e-5, 14.4),
        900: (1.198e-4, 1.003e-4, 1.963e-5, 8.4),
    },
    0.15: {
        20: (4.644e-3, 2.712e-3, 1.933e-3, 39.5),
        400: (2.540e-4, 2.390e-4, 1.534e-5, 5.3),
        600: (1.682e-4, 1.617e-4, 7.276e-6, 3.8),
        900: (1.026e-4, 1.003e-4, 3.339e-6, 3.0),
    },
}

RUNS = 5_000


def study() -> Study:
    cells, published = [], {}
    for tau, table in APPROXIMATION.items():
        rule = VarDE(LogSumExp(tau), Floor(0.1), 2)
        name = f"VarDE {tau:g}"
        setting = f"{describe(rule)}, measured after {', '.join(map(str, PULLS.values()))} pulls, {DRAWS} draws"
        cells.append(Cell(PROBLEM, name, setting, tuple(PULLS), partial(measure, rule), COLUMNS))
        for step, numbers in table.items():
            for column, number in zip(COLUMNS, numbers, strict=True):
                shown = f"{number:.1f}" if column == COLUMNS[3] else f"{number:.3e}"  # digits as printed
                published[PROBLEM, f"{name}: {column}", step] = shown
    return Study(
        "approximation",
        "First-order against full variance of the decision, on BAI.4's arms",
        cells,
        RUNS,
        published=published,
        notes=(
            "arms, warm start, floor and number of runs are not stated: BAI.4's arms, 2, 0.1 and 5,000 used",
            "the printed steps 20, 400, 600, 900 fit 40, 420, 620, 1000 pulls in all",
            "V_full from 2,000 draws per state, with the floored variances; means of |V_full - V_1st| and of its ratio "
            "to V_full, as the printed columns fit",
        ),
        place="Three tables in the appendix (tab:approx-tau005 to -tau015)",
        quick=1_000,
    )


def shortfalls(rows: Rows, tau: float) -> list[float]:
    """By how much the first order misses the full variance, in %, at each step."""
    return [find(rows, PROBLEM, f"VarDE {tau:g}: {COLUMNS[3]}", step).value for step in PULLS]


def listed(numbers: list[float]) -> str:
    return ", ".join(f"{number:.1f}" for number in numbers)


def underestimates(rows: Rows) -> Answer:
    short = shortfalls(rows, 0.05)
    return Answer(
        of_parts("table", [each >= 50.0 for each in short]),
        f"by {listed(short)} % after {', '.join(map(str, PULLS.values()))} pulls",
    )


def tighter(rows: Rows) -> Answer:
    found = {tau: shortfalls(rows, tau) for tau in (0.1, 0.15)}
    met = [3.0 * short[-1] <= short[0] for short in found.values()]
    words = "; ".join(f"tau {tau:g}: {listed(short)} %" for tau, short in found.items())
    return Answer(of_parts("table", met), words)


def trade_off(rows: Rows) -> Answer:
    found = {tau: shortfalls(rows, tau) for tau in APPROXIMATION}
    falls = [all(a > b for a, b in pairwise(column)) for column in zip(*found.values(), strict=True)]
    ends = ", ".join(f"{short[-1]:.1f} % at tau {tau:g}" for tau, short in found.items())
    return Answer(STATED if all(falls) else IN_PART, f"falls with tau at {sum(falls)} of {len(falls)} steps; {ends}")
