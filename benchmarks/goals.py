"""Other questions than the best mean: how often is the answer wrong?  The rule, equal shares and a rival for each.

python benchmarks/goals.py [--problems 20] [--runs 100] [--seed 1] [--out docs/results/goals.json]

Result n of option i in run r is the same for every rule.  Rivals: OCBA-m and successive accepts and rejects for the
best m; APT for a line; successive rejects by quantile and the rule for means for a quantile; OCBA-CO for limits.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from varde import Best, Quantile, Top, VarDE
from varde.certainty.order_statistics import estimate
from varde.moments import make_moments, observe
from varde.rule import automatic_warm_start
from varde.selection.by_rule import RuleChooser
from varde.selection.goals import Goal, Mean

GOALS = ("Top", "Quantile", "Best")
NOISES = ("Gaussian", "unequal", "skewed", "Bernoulli")


class Problem(NamedTuple):
    goal: Goal
    noise: str
    budget: int
    draw: Callable[[np.random.Generator, int], np.ndarray]  # [1 + C, K, n] results, larger being better
    answer: frozenset[int]
    truth: np.ndarray  # [K] what is compared, as the user sees it


# -- problems ------------------------------------------------------------------------------------


def sampler(noise: str, means: np.ndarray, rng: np.random.Generator) -> Callable[[np.random.Generator, int], Any]:
    """Results [K, n] of options with these means, of a deviation of about 1."""
    size = means.size
    if noise == "Bernoulli":
        chances = 0.5 + 0.35 * means / max(np.abs(means).max(), 1e-9)
        return lambda rng, n: ((rng.random((size, n)) < chances[:, None]) - 0.5) / 0.35 * np.abs(means).max()
    scales = np.exp(rng.normal(0.0, 0.7, size)) if noise == "unequal" else np.ones(size)
    if noise == "skewed":
        return lambda rng, n: means[:, None] + rng.exponential(1.0, (size, n)) - 1.0
    return lambda rng, n: means[:, None] + scales[:, None] * rng.normal(size=(size, n))


def problem(kind: str, rng: np.random.Generator, hardness: tuple[float, float] = (2.0, 12.0)) -> Problem:
    """A random one; between two gaps there are on average so many standard errors, at equal shares."""
    size, per = int(rng.choice((5, 10, 20, 40))), int(rng.choice((10, 20, 50)))
    noise, ease = str(rng.choice(NOISES)), math.exp(rng.uniform(*np.log(hardness)))
    unit = ease / math.sqrt(per)  # the typical gap: so many standard errors at equal shares
    means = unit * np.sort(rng.normal(size=size))[::-1]
    if kind == "Top":
        m = int(rng.integers(2, max(3, size // 2)))
        means = apart(means, m, 0.3 * unit)
        return Problem(Top(m), noise, size * per, one(sampler(noise, means, rng)), frozenset(range(m)), means)
    if kind == "Quantile":
        return quantile_problem(size, 2 * per, noise, unit, rng)
    slack = unit * rng.normal(0.3, 1.0, size)
    slack = np.where(np.abs(slack) < 0.1 * unit, 0.1 * unit * np.sign(slack), slack)
    slack[int(rng.integers(size))] = 0.5 * unit
    keeps = slack > 0.0
    order = np.flatnonzero(keeps)
    if order.size > 1 and means[order[0]] - means[order[1]] < 0.15 * unit:
        means[: order[0] + 1] += 0.15 * unit
    noise = noise if noise != "Bernoulli" else "Gaussian"
    first, second = sampler(noise, means, rng), sampler(noise, slack, rng)
    goal = Best("x", "max", slack=">= 0")
    answer = frozenset([int(order[0])])
    return Problem(goal, noise, size * per, lambda r, n: np.array([first(r, n), second(r, n)]), answer, means)


def one(draw: Callable[[np.random.Generator, int], np.ndarray]) -> Callable[[np.random.Generator, int], np.ndarray]:
    return lambda rng, n: draw(rng, n)[None]


def apart(means: np.ndarray, m: int, least: float) -> np.ndarray:
    """The m-th and the next are ``least`` apart or more."""
    return np.r_[means[:m] + max(least - (means[m - 1] - means[m]), 0.0), means[m:]]


def quantile_problem(size: int, per: int, noise: str, unit: float, rng: np.random.Generator) -> Problem:
    """Latencies turned over: skewed, with different shapes, so that the order of the means is another one."""
    q = float(rng.choice((0.75, 0.9, 0.95)))
    noise = "lognormal" if noise in ("Bernoulli", "unequal") else noise
    spreads = rng.uniform(0.3, 2.0, size)

    def base(rng: np.random.Generator, n: int) -> np.ndarray:
        if noise == "lognormal":
            return np.exp(0.8 * rng.normal(size=(size, n)))
        return rng.exponential(1.0, (size, n)) if noise == "skewed" else np.abs(rng.normal(size=(size, n)))

    at = {"lognormal": math.exp(0.8 * NORMAL[q]), "skewed": -math.log(1.0 - q), "Gaussian": HALF_NORMAL[q]}[noise]
    heights = 1.5 * unit * np.sort(rng.normal(size=size))  # the lowest is the best
    heights[0] -= max(0.25 * unit - (heights[1] - heights[0]), 0.0)
    shifts = heights - spreads * at
    return Problem(
        Quantile(q, "min"),
        noise,
        size * per,
        lambda r, n: -(shifts[:, None] + spreads[:, None] * base(r, n))[None],
        frozenset([0]),
        heights,
    )


NORMAL = {0.75: 0.67449, 0.9: 1.28155, 0.95: 1.64485}
HALF_NORMAL = {0.75: 1.15035, 0.9: 1.64485, 0.95: 1.95996}


# -- rules ---------------------------------------------------------------------------------------


class Table:
    """What a rival sees: counts, means and variances of every number, and the results themselves."""

    def __init__(self, results: np.ndarray):
        self.results, self.size = results, results.shape[1]
        self.counts = np.zeros(self.size, np.int64)
        self.numbers = [make_moments(self.size) for _ in results]

    def draw(self, i: int) -> np.ndarray:
        values = self.results[:, i, self.counts[i]]
        for moments, value in zip(self.numbers, values, strict=True):
            observe(moments, i, value)
        self.counts[i] += 1
        return values

    def means(self, number: int = 0) -> np.ndarray:
        return self.numbers[number].means

    def variances(self, number: int = 0) -> np.ndarray:
        return np.maximum(self.numbers[number].squares / np.maximum(self.counts - 1, 1), 1e-12)

    def quantiles(self, q: float) -> np.ndarray:
        ordered = [sorted(self.results[0, i, :count].tolist()) for i, count in enumerate(self.counts)]
        return np.array([estimate(each, q)[0] for each in ordered])


def answer_of(goal: Goal, table: Table) -> frozenset[int]:
    """The answer of every rule: from the plain estimates."""
    means = table.means()
    if isinstance(goal, Top):
        return frozenset(np.argsort(-means, kind="stable")[: goal.m].tolist())
    if isinstance(goal, Quantile):
        return frozenset([int(table.quantiles(1.0 - goal.q).argmax())])
    keeps = table.means(1) >= 0.0
    return frozenset([int(np.where(keeps, means, -np.inf).argmax())] if keeps.any() else [])


def by_chooser(make: Callable[[int, int], Any], several: bool = True) -> Callable[[Problem, Table], None]:
    """A rule of ours: as in ask/tell, one by one."""

    def run(given: Problem, table: Table) -> None:
        warm = automatic_warm_start(given.budget, table.size)
        chooser = make(table.size, warm)
        for t in range(given.budget):
            i = t % table.size if t < warm * table.size else chooser.choose(None)
            values = table.draw(i).tolist()
            chooser.add_result(i, tuple(values) if several and len(values) > 1 else values[0], False)

    return run


def varde(given: Problem, table: Table) -> None:
    by_chooser(lambda size, warm: RuleChooser(VarDE(), size, warm, None, given.goal))(given, table)


def best_mean(given: Problem, table: Table) -> None:
    by_chooser(lambda size, warm: RuleChooser(VarDE(), size, warm, None, Mean()), False)(given, table)


def equal(given: Problem, table: Table) -> None:
    for t in range(given.budget):
        table.draw(t % table.size)


def by_shares(shares: Callable[[Problem, Table], np.ndarray]) -> Callable[[Problem, Table], None]:
    """Rules that say which shares they want: sample where most is missing, after 5 of each (or half the budget)."""

    def run(given: Problem, table: Table) -> None:
        warm = table.size * min(5, given.budget // (2 * table.size))
        for t in range(given.budget):
            table.draw(t % table.size if t < warm else int((shares(given, table) / table.counts).argmax()))

    return run


@by_shares
def ocba_m(given: Problem, table: Table) -> np.ndarray:
    """OCBA-m (Chen, He, Fu and Lee 2008): N_i ~ s2_i / (mean_i - c)^2, c between the m-th and the next."""
    means, errors = table.means(), np.sqrt(table.variances() / table.counts)
    order = np.argsort(-means, kind="stable")
    a, b = order[given.goal.m - 1], order[given.goal.m]
    c = (errors[b] * means[a] + errors[a] * means[b]) / (errors[a] + errors[b])
    return table.variances() / np.maximum(np.abs(means - c), 1e-9) ** 2


def accepts_and_rejects(given: Problem, table: Table) -> None:
    """SAR (Bubeck, Wang and Viswanathan 2013)."""
    size, m = table.size, given.goal.m
    phases = np.ceil((given.budget - size) / (0.5 + sum(1.0 / i for i in range(2, size + 1))) / np.arange(size, 1, -1))
    active, want = list(range(size)), m
    for n in phases:
        for i in active:
            while table.counts[i] < n and table.counts.sum() < given.budget:
                table.draw(i)
        means = table.means()[active]
        order = np.argsort(-means, kind="stable")
        high = means[order[0]] - means[order[want]] if want < len(active) else -np.inf
        low = means[order[want - 1]] - means[order[-1]] if want > 0 else -np.inf
        gone = active[order[0] if high >= low else order[-1]]
        want -= high >= low
        active.remove(gone)
    finish(given, table, active)


def finish(given: Problem, table: Table, active: list[int]) -> None:
    for t in range(given.budget - int(table.counts.sum())):
        table.draw(active[t % len(active)])


def quantile_rejects(given: Problem, table: Table) -> None:
    """Successive rejects (Audibert, Bubeck and Munos 2010) by sample quantiles."""
    size = table.size
    phases = np.ceil((given.budget - size) / (0.5 + sum(1.0 / i for i in range(2, size + 1))) / np.arange(size, 1, -1))
    active = list(range(size))
    for n in phases:
        for i in active:
            while table.counts[i] < n and table.counts.sum() < given.budget:
                table.draw(i)
        active.remove(active[int(table.quantiles(1.0 - given.goal.q)[active].argmin())])
    finish(given, table, active)


@by_shares
def ocba_co(given: Problem, table: Table) -> np.ndarray:
    """OCBA-CO (Lee, Pujowidianto, Li and Chen 2012): what keeps an option out, its objective or its slack."""
    means, slack, noise, noise_2 = table.means(), table.means(1), table.variances(), table.variances(1)
    keeps = slack >= 0.0
    feasibility = noise_2 / np.maximum(np.abs(slack), 1e-9) ** 2
    if not keeps.any():
        return feasibility
    b = int(np.where(keeps, means, -np.inf).argmax())
    optimality = noise / np.maximum(np.abs(means[b] - means), 1e-9) ** 2
    behind = means < means[b]
    out = ~keeps & (~behind | (feasibility < optimality))  # the easier way to see that it is not the answer
    wanted = np.where(out, feasibility, optimality)
    serves = ~out
    serves[b] = False
    wanted[b] = max(math.sqrt(noise[b] * np.sum(wanted[serves] ** 2 / noise[serves])), feasibility[b])
    return wanted


RULES: dict[str, dict[str, Callable[[Problem, Table], None]]] = {
    "Top": {"VarDE": varde, "equal shares": equal, "OCBA-m": ocba_m, "SAR": accepts_and_rejects},
    "Quantile": {"VarDE": varde, "equal shares": equal, "SR by quantile": quantile_rejects, "best mean": best_mean},
    "Best": {"VarDE": varde, "equal shares": equal, "OCBA-CO": ocba_co, "best mean": best_mean},
}


# -- measuring -----------------------------------------------------------------------------------


def wrong(rule: Callable[[Problem, Table], None], given: Problem, runs: int, seed: int) -> int:
    """In how many of the runs the answer is not exactly right."""
    count = 0
    for run in range(runs):
        results = given.draw(np.random.default_rng((seed, run)), given.budget)
        order = np.random.default_rng((seed, run, 1)).permutation(results.shape[1])
        table = Table(results[:, order])
        rule(given, table)
        count += frozenset(int(order[i]) for i in answer_of(given.goal, table)) != given.answer
    return count


def log_error(errors: np.ndarray, runs: int) -> np.ndarray:
    return np.log((errors + 0.5) / (runs + 1.0))


def measure(kind: str, problems: int, runs: int, seed: int, say: Any = print) -> list[dict[str, Any]]:
    """Per rule: error in %, and mean log error above the rule's, with standard errors over problems."""
    chosen = [problem(kind, np.random.default_rng((seed, GOALS.index(kind), p))) for p in range(problems)]
    began = time.process_time()
    errors = {
        name: np.array([wrong(rule, each, runs, seed + p) for p, each in enumerate(chosen)], float)
        for name, rule in RULES[kind].items()
    }
    rows = []
    for name, found in errors.items():
        excess = log_error(found, runs) - log_error(errors["VarDE"], runs)
        points = 100.0 * (found - errors["VarDE"]) / runs
        rows.append(
            {
                "goal": kind,
                "rule": name,
                "error": float(100.0 * found.mean() / runs),
                "points": float(points.mean()),
                "points_stderr": float(points.std(ddof=1) / math.sqrt(problems)),
                "excess": float(excess.mean()),
                "excess_stderr": float(excess.std(ddof=1) / math.sqrt(problems)),
            }
        )
        say(" ".join(f"{value:.3f}" if isinstance(value, float) else value for value in rows[-1].values()))
    say(f"{kind}: {time.process_time() - began:.0f} s")
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--problems", type=int, default=20)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--goals", nargs="*", default=GOALS)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    rows = [row for kind in given.goals for row in measure(kind, given.problems, given.runs, given.seed)]
    if given.out is not None:
        about = {"problems": given.problems, "runs": given.runs, "seed": given.seed}
        given.out.write_text(json.dumps({**about, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
