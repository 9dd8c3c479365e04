"""What does planning many samples at once lose?  The gap rule with batches, pending samples counted in N.

python benchmarks/batches.py [--runs 4000] [--seed 1] [--out docs/results/batches.json]
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from selection import paper, wrong
from varde import VarDE
from varde.bandits.loop import begin, prepare, select, update
from varde.bandits.varde import Arms
from varde.rule import largest_decrement


class Batched(NamedTuple):
    """The gap rule that looks at results once per batch: within it only the counts go on."""

    rule: VarDE
    batch: int


@prepare.of(Batched)
def make_memory(algorithm, num_arms):
    return prepare(algorithm.rule, num_arms)


@begin.of(Batched)
def start_run(algorithm, memory, num_arms, budget):
    begin(algorithm.rule, memory, num_arms, budget)


@update.of(Batched)
def take_notice(algorithm, memory, arms, arm, reward):
    update(algorithm.rule, memory, arms, arm, reward)


@select.of(Batched)
def planned_arm(algorithm, memory, arms, t, rng):
    size = arms.counts.size
    since = t - memory.warm[0] * size
    if since < 0 or memory.total[0] <= 0.0:
        return t % size
    if since % algorithm.batch == 0:
        select(algorithm.rule, memory, arms, t, rng)  # weighs the arms
    parts = Arms(arms.means, arms.counts, memory.variances, algorithm.rule.noise, 0.0)
    return largest_decrement(parts, memory.square)


def measure(runs: int, seed: int) -> list[dict[str, Any]]:
    """Wrong answers in percent on BAI.1-6, one by one, in eights, and in fifths of the budget."""
    told = []
    for problem in paper():
        row: dict[str, Any] = {"problem": problem.family, "runs": runs}
        for name, batch in (("1", 1), ("8", 8), ("a fifth", problem.budget // 5)):
            row[name] = round(100.0 * wrong(Batched(VarDE(), batch), problem, runs, seed) / runs, 3)
        told.append(row)
    return told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, help="a results file")
    asked = parser.parse_args()
    rows = measure(asked.runs, asked.seed)
    for row in rows:
        share = row["1"] / 100.0
        error = 100.0 * np.sqrt(share * (1.0 - share) / asked.runs)
        print(row["problem"], *(f"{row[name]:7.2f}" for name in ("1", "8", "a fifth")), f"+- {error:.2f}")
    if asked.out:
        asked.out.write_text(json.dumps({"runs": asked.runs, "seed": asked.seed, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
