"""Nanoseconds per pull, everything included: draw, update, choice.  Ratios are of one run.

make bench            (or: python benchmarks/bandits.py [--quick])
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from typing import Any, NamedTuple

import numpy as np

import varde
from varde import VarDE
from varde.bandits import INSTANCES, Gaussian
from varde.bandits.loop import prepare, select
from varde.bandits.measure import run_block
from varde.beliefs import Floor
from varde.beliefs.belief import Belief
from varde.beliefs.noise import own_variance
from varde.decisions import LogSumExp
from varde.paper.bandits import warm_start
from varde.random import key
from varde.rule import next_sample


class Direct(NamedTuple):
    """The rule by its formula, all K weights on every pull: the yardstick."""

    rule: VarDE


class Weighed(NamedTuple):
    square: np.ndarray
    variances: np.ndarray


@prepare.of(Direct)
def make_room(algorithm, num_arms):
    return Weighed(np.zeros(num_arms), np.zeros(num_arms))


@select.of(Direct)
def by_the_formula(algorithm, memory, arms, t, rng):
    rule, size = algorithm.rule, arms.counts.size
    if t < rule.warm_start * size:
        return t % size
    for i in range(size):
        memory.variances[i] = own_variance(rule.noise, 0.0, arms.squares[i], arms.counts[i])
    belief = Belief(arms.counts, arms.means, arms.means, memory.variances, memory.variances)
    return next_sample(rule.decision, belief, memory.square)


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
    rows: dict[str, Any] = {
        "VarDE direct softmax": Direct(VarDE(LogSumExp(0.05), Floor(0.01), warm)),
        "VarDE": VarDE(LogSumExp(0.05), Floor(0.01), warm),
        "VarDE, warm start 2": VarDE(LogSumExp(0.05), Floor(0.01), 2),
        "VarDE auto": VarDE(),
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
    return rows


def per_algorithm(quick: bool) -> None:
    print("one thread, ns per pull        BAI.1 (Bernoulli, K = 20)      BAI.3 (Gaussian, K = 14)")
    yardstick = {}
    for name in algorithms():
        line = f"{name:28}"
        for problem in ("BAI.1", "BAI.3"):
            instance, algorithm = INSTANCES[problem], algorithms(warm_start(problem))[name]
            runs = (200_000 if quick else 1_000_000) // instance.budget
            ns = nanoseconds(algorithm, instance.bandit, instance.budget, runs, 3 if quick else 7)
            yardstick.setdefault(problem, ns)
            line += f"{ns:12.1f}  {yardstick[problem] / ns:6.1f} x direct"
        print(line, flush=True)


def per_size(quick: bool) -> None:
    print("\nGaussian arms, VarDE, ns per pull      cached index    direct softmax    ratio")
    for size in (20, 100, 1_000, 10_000, 100_000):
        means = np.random.default_rng(0).uniform(0.0, 1.0, size)
        bandit = Gaussian(means, np.full(size, 0.3))
        rule = VarDE(LogSumExp(0.05), Floor(0.01), 2)
        budget = max(40 * size, 100_000) if size < 100_000 else 20 * size
        repeats = 1 if quick else 3
        # A whole run less its warm start, which costs the same whatever the rule.
        warm = nanoseconds(rule, bandit, 2 * size, 1, repeats) * 2 * size
        fast = (nanoseconds(rule, bandit, budget, 1, repeats) * budget - warm) / (budget - 2 * size)
        short = 2 * size + max(2_000_000 // size, 20)
        slow = (nanoseconds(Direct(rule), bandit, short, 1, 1) * short - warm) / (short - 2 * size)
        print(f"K = {size:7,} {fast:38.1f} {max(slow, 0.0):17.0f} {slow / fast:8.0f}", flush=True)


def threads() -> None:
    instance = INSTANCES["BAI.1"]
    rule = VarDE(LogSumExp(0.05), Floor(0.01), 25)
    seconds = {}
    for count in (1, os.cpu_count() or 1):
        best = np.inf
        for _ in range(3):
            began = time.perf_counter()
            varde.bandits.measure(rule, instance.bandit, instance.budget, runs=20_000, workers=count)
            best = min(best, time.perf_counter() - began)
        seconds[count] = best
    one, many = seconds[1], seconds[max(seconds)]
    print(f"\nthreads: {max(seconds)} are {one / many:.2f} times as fast as 1 (VarDE, BAI.1, 20,000 runs)")


def imports() -> None:
    code = "import time; t = time.perf_counter(); import varde; print(time.perf_counter() - t)"
    times = [float(subprocess.check_output([sys.executable, "-c", code])) for _ in range(5)]
    print(f"import varde: {min(times):.3f} s")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer repetitions")
    asked = parser.parse_args()
    per_algorithm(asked.quick)
    per_size(asked.quick)
    threads()
    imports()
