"""What the Hessian term of the decision's variance is worth: ``python benchmarks/second_order.py [runs]``.

With s_i = sigma_i^2 / N_i, w the weights of LSE and H its Hessian, Var[Y] is sum w_i^2 s_i at first order and
sum w_i^2 s_i + 1/2 sum H_ij^2 s_i s_j at second.  Both rules sample where their own expression falls most, on the
paper's instances with the same warm start and temperature.  Writes docs/results/second-order.json.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np

from varde import VarDE
from varde.bandits import INSTANCES, measure
from varde.bandits.loop import select
from varde.beliefs import Floor
from varde.decisions import LogSumExp
from varde.paper.bandits import FLOOR, TEMPERATURES
from varde.paper.noise_spread import PAPERS


class SecondOrder(NamedTuple):
    """VarDE-BAI with the second-order decrement of LSE's variance."""

    temperature: float
    floor: float
    warm_start: int


@select.of(SecondOrder)
def largest_fall(rule, memory, arms, t, rng):
    """With H_ij = w_i ([i = j] - w_j) / tau, by the fall from s_i to s_i N_i / (N_i + 1), divided by w_i^2."""
    size = arms.counts.size
    if t < rule.warm_start * size:
        return t % size
    top, total, spread = arms.means.max(), 0.0, 0.0
    for i in range(size):
        total += np.exp((arms.means[i] - top) / rule.temperature)
    for _ in range(2):  # the second time ``spread`` is complete
        best, highest, summed = 0, -1.0, 0.0
        for i in range(size):
            n = arms.counts[i]
            w = np.exp((arms.means[i] - top) / rule.temperature) / total
            s = max(arms.squares[i] / max(n - 1, 1), rule.floor) / n
            own = 0.5 * (1.0 - w) * (1.0 - w) * s * (2 * n + 1) / (n + 1)
            more = (spread - w * w * s + own) / (rule.temperature * rule.temperature)
            fall = w * w * s / (n + 1) * (1.0 + more)
            best, highest = (i, fall) if fall > highest else (best, highest)
            summed += w * w * s
        spread = summed
    return best


def error(algorithm: object, problem: str, runs: int) -> float:
    instance = INSTANCES[problem]
    found = measure(algorithm, instance.bandit, instance.budget, runs=runs, seed=1)
    return 100.0 * float((found.answers[:, -1] != np.argmax(instance.bandit.means)).mean())


def main(runs: int) -> None:
    rules = {
        "first": lambda tau, warm: VarDE(LogSumExp(tau), Floor(FLOOR), warm),
        "second": lambda tau, warm: SecondOrder(tau, FLOOR, warm),
    }
    errors = {
        order: {f"{tau:g}": {p: error(make(tau, warm), p, runs) for p, warm in PAPERS.items()} for tau in TEMPERATURES}
        for order, make in rules.items()
    }
    path = Path(__file__).parents[1] / "docs" / "results" / "second-order.json"
    path.write_text(json.dumps({"runs": runs, "error": errors}, indent=1) + "\n", encoding="utf-8")
    for tau in errors["first"]:
        print(tau, {p: (round(errors["first"][tau][p], 2), round(errors["second"][tau][p], 2)) for p in PAPERS})


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 4_000)
