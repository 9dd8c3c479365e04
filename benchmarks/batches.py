"""What does planning many samples at once lose?  The default rule, one by one and in batches, K = 10, 50 and 200.

python benchmarks/batches.py [--runs 400] [--seed 1] [--out docs/results/batches.json]

Three ways to wait for results:

once      a batch is asked for at once, and a pending sample counts once in N: the rule as it is
twice     the same, but counted twice
late      as ``once``, but there are always B pending: one is asked for whenever a result comes, B steps late

In ``late`` every choice knows all results but the last B; in a batch it knows more, on average half a batch more.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from families import Problem, bandit_of, gaps
from selection import wrong
from varde import VarDE
from varde.arrays import first_largest
from varde.bandits.loop import begin, prepare, select, update
from varde.bandits.varde import SQUARES
from varde.moments import Moments, clear, make_moments, observe
from varde.rule import decrement

SIZES = (10, 50, 200)
BATCHES = (1, 2, 4, 8, 16, 32, 64, 128)
WAYS = ("once", "twice", "late")


class Batched(NamedTuple):
    """The gap rule that learns results a batch at a time, or each of them ``batch`` steps late."""

    rule: VarDE
    batch: int
    weight: int = 1  # how much a pending sample counts
    late: bool = False


class Waiting(NamedTuple):
    memory: Any  # of the rule, which sees ``known``
    known: Moments
    pending: np.ndarray  # [K]
    scores: np.ndarray  # [K] decrements, pending samples counted
    arms: np.ndarray  # [B] a ring of what is under way
    rewards: np.ndarray  # [B]
    at: np.ndarray  # [2] asked for; known


ASKED, KNOWN = 0, 1


@prepare.of(Batched)
def make_memory(algorithm, num_arms):
    room = max(algorithm.batch, 1)
    known, pending = make_moments(num_arms), np.zeros(num_arms, np.int64)
    ring = np.zeros(room, np.int64), np.zeros(room), np.zeros(2, np.int64)
    return Waiting(prepare(algorithm.rule, num_arms), known, pending, np.zeros(num_arms), *ring)


@begin.of(Batched)
def start_run(algorithm, waiting, num_arms, budget):
    begin(algorithm.rule, waiting.memory, num_arms, budget)
    clear(waiting.known)
    waiting.pending.fill(0)
    waiting.at.fill(0)


@update.of(Batched)
def take_notice(algorithm, waiting, arms, arm, reward):
    at, room = waiting.at, waiting.arms.size
    waiting.arms[at[ASKED] % room], waiting.rewards[at[ASKED] % room] = arm, reward
    waiting.pending[arm] += 1
    at[ASKED] += 1
    full = at[ASKED] - at[KNOWN] >= room
    while full and at[KNOWN] < at[ASKED]:
        place = at[KNOWN] % room
        i = waiting.arms[place]
        observe(waiting.known, i, waiting.rewards[place])
        update(algorithm.rule, waiting.memory, waiting.known, i, waiting.rewards[place])
        waiting.pending[i] -= 1
        at[KNOWN] += 1
        full = not algorithm.late


@select.of(Batched)
def planned_arm(algorithm, waiting, arms, t, rng):
    memory, known, many = waiting.memory, waiting.known, arms.counts.size
    seen = waiting.at[KNOWN]
    unknown = False
    for i in range(many):
        unknown = unknown or known.counts[i] == 0
    if t < memory.warm[0] * many or unknown or memory.sums[SQUARES] <= 0.0:
        return t % many
    first = select(algorithm.rule, memory, known, max(seen, memory.warm[0] * many), rng)  # weighs the arms
    if seen == t:
        return first
    for i in range(many):
        samples = known.counts[i] + algorithm.weight * waiting.pending[i]
        waiting.scores[i] = decrement(memory.square[i], memory.noise[i], samples)
    return first_largest(waiting.scores)


def ways(batch: int) -> dict[str, Batched]:
    return {
        "once": Batched(VarDE(), batch),
        "twice": Batched(VarDE(), batch, 2),
        "late": Batched(VarDE(), batch, 1, True),
    }


def problems_of(size: int, pulls: int = 10) -> list[Problem]:
    """One winner, a linear order and a duel with Gaussian noise; success or not; rare purchases."""
    made, budget, noise = [], pulls * size, np.full(size, 0.3)
    for shape in ("flat", "linear", "duel"):
        distance = np.r_[0.0, gaps(shape, size, np.random.default_rng(0))]
        scale = np.sqrt(2.0 / budget * (2.0 * noise[1:] ** 2 / distance[1:] ** 2).sum())
        made.append(Problem("Gaussian", shape, bandit_of("Gaussian", 0.8 - scale * distance, noise), budget))
    coins = np.full(size, 0.25)
    coins[0] = 0.6
    made.append(Problem("Bernoulli", "flat", bandit_of("Bernoulli", coins, noise), budget))
    worth = np.full(size, 0.35)
    worth[0] = 1.0
    made.append(Problem("ZeroInflated", "flat", bandit_of("ZeroInflated", worth, noise), budget))
    return made


def measure(runs: int, seed: int, say: Any = print) -> list[dict[str, Any]]:
    """Wrong answers in percent, per problem and batch."""
    told = []
    for size in SIZES:
        for problem in problems_of(size):
            many = max(runs * 50 // size, 50)
            for batch in BATCHES:
                row: dict[str, Any] = {"size": size, "family": problem.family, "shape": problem.shape, "batch": batch}
                row["runs"] = many
                for name, rule in ways(batch).items():  # one by one they are the same
                    same = batch == 1 and name != "once"
                    row[name] = row["once"] if same else round(100.0 * wrong(rule, problem, many, seed) / many, 3)
                told.append(row)
                say(size, problem.family, problem.shape, batch, *(f"{row[name]:7.2f}" for name in WAYS), flush=True)
    return told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, help="a results file")
    asked = parser.parse_args()
    rows = measure(asked.runs, asked.seed)
    if asked.out:
        lines = ",\n".join("  " + json.dumps(row) for row in rows)
        asked.out.write_text(f'{{"settings": {json.dumps(vars(asked) | {"out": ""})}, "rows": [\n{lines}\n]}}\n')


if __name__ == "__main__":
    main()
