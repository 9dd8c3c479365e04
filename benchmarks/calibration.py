"""Is P(best) what it says?  Stated against observed on simulated problems: ``python benchmarks/calibration.py``.

The gap rule collects the samples.  Writes docs/results/confidence.json, from which ``docs/confidence_tables.py`` makes
the tables of docs/confidence.md.
"""

from __future__ import annotations

import json
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np

from simulated import KINDS, SHAPES, simulate
from varde.certainty import Beliefs, Sample, assess, from_values, largest
from varde.noise import Pooled, own_variance

SIZES, PER_OPTION = (2, 3, 5, 10, 20, 50), (6, 20, 80)
EDGES = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.999, 1.0)
METHODS = ("varde", "plain")


def plain(evidence: Sample) -> np.ndarray:
    """The chances under Gaussian posteriors with the rule's shrunk variances, nothing else."""
    counts, pooled = evidence.counts, evidence.squares.sum() / (evidence.counts - 1.0).sum()
    scales = np.sqrt(own_variance(Pooled(), pooled, evidence.squares, counts) / counts)
    beliefs = Beliefs.students(evidence.means, scales, np.full(counts.size, np.inf))
    return largest(beliefs, int(np.argmax(evidence.means)))[0]


def study(batch: int, seed: int, kinds=KINDS, sizes=SIZES, per_option=PER_OPTION) -> list[dict]:
    """One row per problem."""
    rows = []
    for kind in kinds:
        for shape in SHAPES:
            for size in sizes:
                for per in per_option:
                    runs = simulate(kind, shape, batch, size, size * per, seed)
                    rows += [judged(runs.truth[b], runs.problem(b), kind) for b in range(batch)]
    return rows


def judged(truth: np.ndarray, values: list[np.ndarray], kind: str) -> dict:
    evidence = from_values(values)
    found = assess(evidence)
    best = int(np.argmax(truth))
    return {
        "kind": kind,
        "right": bool(truth[found.best] == truth.max()),
        "varde": float(found.chances[found.best]),
        "plain": float(plain(evidence)[found.best]),
        "covered": float(np.mean((found.lows <= truth) & (truth <= found.highs))),
        "kept": found.verdicts[best] != "rejected" or bool(truth[best] == truth[found.best]),
        "regret": float(truth.max() - truth[found.best]),
        "expected": found.regret,
    }


def reliability(rows: list[dict], method: str) -> list[dict]:
    """Stated against observed, bin by bin; ``z`` is the difference in standard errors of what was stated."""
    stated, right = np.array([row[method] for row in rows]), np.array([row["right"] for row in rows])
    table = []
    for low, high in pairwise(EDGES):
        inside = (stated >= low) & ((stated < high) | (high == 1.0))
        n = int(inside.sum())
        if n:
            said, seen = float(stated[inside].mean()), float(right[inside].mean())
            error = max(said * (1.0 - said) / n, 1e-300) ** 0.5
            table.append(
                {"low": low, "high": high, "n": n, "stated": said, "observed": seen, "z": (seen - said) / error}
            )
    return table


def sharpness(rows: list[dict], method: str) -> dict:
    """How much a method dares to say, and its logarithmic and Brier scores (smaller is better)."""
    stated, right = np.array([row[method] for row in rows]), np.array([row["right"] for row in rows], dtype=float)
    clipped = np.clip(stated, 1e-4, 1.0 - 1e-4)
    log = -(right * np.log(clipped) + (1.0 - right) * np.log(1.0 - clipped)).mean()
    above = stated >= 0.9
    return {
        "stated": float(stated.mean()),
        "right": float(right.mean()),
        "log": float(log),
        "brier": float(((stated - right) ** 2).mean()),
        "above": float(above.mean()),
        "stated above": float(stated[above].mean()) if above.any() else None,
        "observed above": float(right[above].mean()) if above.any() else None,
        "n above": int(above.sum()),
    }


def summary(rows: list[dict], settings: dict) -> dict:
    groups = {"all": rows} | {kind: [row for row in rows if row["kind"] == kind] for kind in KINDS}
    return {
        "settings": settings,
        "problems": len(rows),
        "reliability": {
            method: {name: reliability(group, method) for name, group in groups.items()} for method in METHODS
        },
        "sharpness": {method: {name: sharpness(group, method) for name, group in groups.items()} for method in METHODS},
        "others": {
            name: {
                "coverage": float(np.mean([row["covered"] for row in group])),
                "best kept": float(np.mean([row["kept"] for row in group])),
                "regret": float(np.mean([row["regret"] for row in group])),
                "expected regret": float(np.mean([row["expected"] for row in group])),
            }
            for name, group in groups.items()
        },
    }


if __name__ == "__main__":
    batch, seed = (int(argument) for argument in (sys.argv[1:] + ["30", "20263"][len(sys.argv) - 1 :]))
    found = summary(study(batch, seed), {"batch": batch, "seed": seed})
    path = Path(__file__).parent.parent / "docs" / "results" / "confidence.json"
    path.write_text(json.dumps(found, indent=1) + "\n")
    for line in found["reliability"]["varde"]["all"]:
        print("{low:5} {high:5} {n:6} {stated:.3f} {observed:.3f} {z:5.1f}".format(**line))
