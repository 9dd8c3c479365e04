"""What common random numbers are worth: ``python benchmarks/pairs.py [problems] [first seed]``.

Three ways on the same problems: the gap rule and the highest mean, as if results were independent; the gap rule, and
options compared on the replicates they share; the rule that knows the variance of differences as well.
Writes docs/results/pairs.json, from which ``docs/tables/pairs_tables.py`` makes the table of docs/selection.md.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import numpy as np

from simulated import SHAPES, offsets
from varde import VarDE
from varde.certainty import assess, from_values, pair
from varde.rule import automatic_warm_start
from varde.selection.by_pairs import PairChooser
from varde.selection.by_rule import RuleChooser
from varde.selection.chooser import Chooser
from varde.selection.goals import Mean

CASES = ((2, 40), (8, 240), (20, 300), (50, 500))  # options, budget
CORRELATIONS = (0.0, 0.5, 0.8, 0.95)
WAYS = ("apart", "compared", "sampled")


def problem(size: int, budget: int, correlation: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """True means, and [K, R] results of deviation 1; how hard it is is log-uniform, shapes take turns."""
    rng = np.random.default_rng([seed, size, budget, round(1000 * correlation)])
    hardness = np.exp(rng.uniform(np.log(0.3), np.log(15.0)) + rng.uniform(0.5 * np.log1p(-correlation), 0.0))
    means = offsets(SHAPES[seed % len(SHAPES)], 1, size, rng)[0][rng.permutation(size)] * hardness
    means /= np.sqrt(budget / size)
    common = np.sqrt(correlation) * rng.normal(size=budget)
    return means, means[:, None] + common + np.sqrt(1.0 - correlation) * rng.normal(size=(size, budget))


def spend(chooser: Chooser, results: np.ndarray, budget: int) -> list[int]:
    """How often each option was drawn."""
    drawn = [0] * len(results)
    for _ in range(budget):
        i = chooser.next_cold(None)
        warm = i is not None
        i = i if i is not None else chooser.choose(None)
        chooser.add_pending(i, warm)
        chooser.add_result(i, float(results[i, drawn[i]]), True, drawn[i])
        drawn[i] += 1
    return drawn


def judged(results: np.ndarray, drawn: list[int], paired: bool) -> tuple[int, float]:
    values = [x[:n] for x, n in zip(results, drawn, strict=True)]
    sample = from_values(values)
    found = assess(sample, pairs=pair(sample, values, [np.arange(n) for n in drawn]) if paired else None)
    return found.best, float(found.chances[found.best])


def study(problems: int, first: int) -> list[dict]:
    rows = []
    for size, budget in CASES:
        for correlation in CORRELATIONS:
            right, stated, spent = np.zeros((problems, 3), bool), np.zeros((problems, 3)), np.zeros(2)
            for place in range(problems):
                means, results = problem(size, budget, correlation, first + place)
                drawn, warm = [], automatic_warm_start(budget, size)
                for which, maker in enumerate((RuleChooser, PairChooser)):
                    began = time.process_time()
                    drawn.append(spend(maker(VarDE(), size, warm, None, Mean()), results, budget))
                    spent[which] += time.process_time() - began
                for way, (kept, paired) in enumerate(((drawn[0], False), (drawn[0], True), (drawn[1], True))):
                    best, stated[place, way] = judged(results, kept, paired)
                    right[place, way] = means[best] == means.max()
            sure = stated >= 0.9
            rows.append(
                {
                    "size": size,
                    "budget": budget,
                    "correlation": correlation,
                    "problems": problems,
                    "error": dict(zip(WAYS, (100.0 * ~right).mean(axis=0).tolist(), strict=True)),
                    "sure": dict(zip(WAYS, sure.sum(axis=0).tolist(), strict=True)),
                    "sure and right": dict(zip(WAYS, (sure & right).sum(axis=0).tolist(), strict=True)),
                    "gain": 100.0 * float(np.mean(right[:, 2] * 1.0 - right[:, 1])),
                    "gain_stderr": 100.0 * float(np.std(right[:, 2] * 1.0 - right[:, 1])) / problems**0.5,
                    "microseconds": (1e6 * spent / problems / budget).tolist(),
                }
            )
            print(rows[-1], flush=True)
    return rows


if __name__ == "__main__":
    problems, first = int((sys.argv[1:] or ["400"])[0]), int((sys.argv[2:] or ["100000"])[0])
    rows = study(problems, first)
    path = Path(__file__).parents[1] / "docs" / "results" / "pairs.json"
    path.write_text(json.dumps({"problems": problems, "first seed": first, "rows": rows}, indent=1) + "\n")
