"""Nanoseconds per pull, everything included: draw, update, choice.

make bench            (or: python benchmarks/bandits.py [--quick])
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

import varde
from varde import VarDE
from varde.bandits import INSTANCES, Gaussian
from varde.bandits.measure import run_block
from varde.beliefs import Floor
from varde.decisions import LogSumExp
from varde.paper.bandits import warm_start
from varde.random import key


def nanoseconds(algorithm: Any, bandit: Any, budget: int, runs: int, repeats: int) -> float:
    """Per pull, the best of some repetitions: the machine's noise only ever adds."""
    steps, cell = np.array([budget]), key(0, "bench")
    chosen = np.empty((runs, 1), np.int32)
    run_block(algorithm, bandit, steps, False, cell, 0, chosen[:1])
    best = np.inf
    for _ in range(repeats):
        began = time.process_time()
        run_block(algorithm, bandit, steps, False, cell, 0, chosen)
        best = min(best, time.process_time() - began)
    return best / runs / budget * 1e9


def algorithms(warm: int = 2) -> dict[str, Any]:
    """Every row of the table, with Table 1's warm start where a rule has one."""
    return {
        "VarDE": VarDE(LogSumExp(0.05), Floor(0.01), warm),
        "VarDE, warm start 2": VarDE(LogSumExp(0.05), Floor(0.01), 2),
        "VarDE()": VarDE(),
        "VarDE Nesterov": VarDE(varde.decisions.Nesterov(0.5)),
        "VarDE EntMax": VarDE(varde.decisions.EntMax(2.0, 0.1)),
        "VarDE Pairwise Softplus": VarDE(varde.decisions.PairwiseSoftplus(0.1)),
        "VarDE Power Mean": VarDE(varde.decisions.PowerMean(5.0)),
        "Uniform": varde.bandits.Uniform(),
        "SH": varde.bandits.SequentialHalving(),
        "SR": varde.bandits.SuccessiveRejects(),
        "CR-A": varde.bandits.ContinuousRejects(),
        "CR-C": varde.bandits.ContinuousRejects(conservative=True),
        "UCBE 2": varde.bandits.UCBE(2.0),
        "UGapE 2": varde.bandits.UGapE(2.0),
        "OCBA": varde.bandits.OCBA(0.01, warm),
        "EB-TCI": varde.bandits.EBTCI(warm_start=warm),
        "KG": varde.bandits.KG(warm_start=warm),
        "TTTS": varde.bandits.TopTwoThompson(warm_start=warm),
    }


def per_algorithm(quick: bool) -> None:
    print("one thread, ns per pull   BAI.1 (Bernoulli, K = 20)   BAI.3 (Gaussian, K = 14)")
    for name in algorithms():
        line = f"{name:28}"
        for problem in ("BAI.1", "BAI.3"):
            instance, algorithm = INSTANCES[problem], algorithms(warm_start(problem))[name]
            runs = (200_000 if quick else 1_000_000) // instance.budget
            ns = nanoseconds(algorithm, instance.bandit, instance.budget, runs, 3 if quick else 7)
            line += f"{ns:22.1f}"
        print(line, flush=True)


def per_size(quick: bool) -> None:
    print("\nGaussian arms, VarDE, ns per pull after the warm start")
    for size in (20, 100, 1_000, 10_000, 100_000):
        bandit = Gaussian(np.random.default_rng(0).uniform(0.0, 1.0, size), np.full(size, 0.3))
        rule = VarDE(LogSumExp(0.05), Floor(0.01), 2)
        budget = max(40 * size, 100_000) if size < 100_000 else 20 * size
        repeats = 1 if quick else 3
        # A whole run less its warm start, which costs the same whatever the rule.
        warm = nanoseconds(rule, bandit, 2 * size, 1, repeats) * 2 * size
        ns = (nanoseconds(rule, bandit, budget, 1, repeats) * budget - warm) / (budget - 2 * size)
        print(f"K = {size:7,} {ns:12.1f}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer repetitions")
    quick = parser.parse_args().quick
    per_algorithm(quick)
    per_size(quick)
