"""What does planning many samples at once lose?  The default rule, one by one and in batches, K = 10, 50 and 200.

python benchmarks/batches.py [--runs 400] [--seed 1] [--out docs/results/batches.json]

A batch is asked for at once, and a pending sample counts in N like any other.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from leave_one_out_options import Drawn
from varde import VarDE
from varde.arrays import first_largest
from varde.bandits import measure
from varde.bandits.loop import begin, prepare, select, update
from varde.bandits.varde import SQUARES
from varde.moments import Moments, clear, make_moments, observe
from varde.rule import decrement

SIZES = (10, 50, 200)
BATCHES = (1, 2, 4, 8, 16, 32, 64, 128)
RESULTS = 3000  # in the table of an option


class Batched(NamedTuple):
    """The default rule, which learns results a batch at a time."""

    rule: VarDE
    batch: int


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
    while at[ASKED] % room == 0 and at[KNOWN] < at[ASKED]:
        place = at[KNOWN] % room
        i = waiting.arms[place]
        observe(waiting.known, i, waiting.rewards[place])
        update(algorithm.rule, waiting.memory, waiting.known, i, waiting.rewards[place])
        waiting.pending[i] -= 1
        at[KNOWN] += 1


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
        waiting.scores[i] = decrement(memory.square[i], memory.noise[i], known.counts[i] + waiting.pending[i])
    return first_largest(waiting.scores)


def problems_of(size: int) -> dict[str, Drawn]:
    """One winner, a linear order and a duel with Gaussian noise; success or not; rare purchases."""
    rng, budget, noise = np.random.default_rng(size), 10 * size, 0.3
    ranks = np.arange(1, size) / (size - 1)
    made = {}
    for shape, gaps in (("flat", np.ones(size - 1)), ("linear", ranks), ("duel", np.r_[0.3, np.ones(size - 2)])):
        scale = np.sqrt(4.0 * noise**2 / budget * (1.0 / gaps**2).sum())
        made[shape] = (0.8 - scale * np.r_[0.0, gaps])[:, None] + noise * rng.normal(size=(size, RESULTS))
    coins, worth = (np.r_[best, np.full(size - 1, rest)][:, None] for best, rest in ((0.6, 0.25), (1.0, 0.35)))
    made["0/1"] = (rng.random((size, RESULTS)) < coins) * 1.0
    made["purchases"] = np.where(
        rng.random((size, RESULTS)) < 0.3, worth / 0.3 * rng.exponential(size=(size, RESULTS)), 0.0
    )
    return {name: Drawn(table.mean(axis=1), table) for name, table in made.items()}


def wrong(batch: int, bandit: Drawn, budget: int, runs: int, seed: int) -> float:
    """In percent of the runs."""
    return 100.0 * float(measure(Batched(VarDE(), batch), bandit, budget, runs=runs, seed=seed).error[-1])


def rows(runs: int, seed: int) -> list[dict[str, Any]]:
    """Per problem and batch."""
    found = []
    for size in SIZES:
        many = max(runs * 50 // size, 50)
        for name, bandit in problems_of(size).items():
            for batch in BATCHES:
                row = {"size": size, "problem": name, "batch": batch, "runs": many}
                found.append({**row, "error": round(wrong(batch, bandit, 10 * size, many, seed), 3)})
                print(*found[-1].values(), flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, help="a results file")
    asked = parser.parse_args()
    found = rows(asked.runs, asked.seed)
    if asked.out:
        lines = ",\n".join(json.dumps(row) for row in found)
        asked.out.write_text(f'{{"runs": {asked.runs}, "seed": {asked.seed}, "rows": [\n{lines}\n]}}\n')


if __name__ == "__main__":
    main()
