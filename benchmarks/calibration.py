"""Is P(best) what it says?  Stated against observed on simulated selections: ``python benchmarks/calibration.py``.

Writes docs/results/confidence.json, of which ``docs/tables/how_sure_tables.py`` makes the tables in docs.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

import numpy as np

from trials import KINDS, SIZES, Trial, trial
from varde.certainty import Beliefs, Sample, assess, from_values, largest

EDGES = (0.0, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.999, 1.0)
SURE = 0.9


def textbook(sample: Sample) -> np.ndarray:
    """The chances under Student's distribution with each option's own variance, nothing else."""
    free = np.maximum(sample.counts - 1.0, 1.0)
    errors = np.sqrt(sample.squares / free / sample.counts)
    floor = 1e-6 * max(float(np.ptp(sample.means)), float(errors.max()), 1e-300)
    return largest(Beliefs.students(sample.means, np.maximum(errors, floor), free), sample.leader)[0]


def judged(one: Trial) -> dict:
    """What is said about a trial, and whether it holds; intervals of hopeless options do not count."""
    sample = from_values(one.values)
    found = assess(sample)
    best, real = found.best, one.truth.size - one.hopeless
    inside = (found.lows <= one.truth) & (one.truth <= found.highs)
    holds = one.truth.argmax()
    return {
        "kind": one.kind,
        "shape": one.shape,
        "hopeless": one.hopeless,
        "size": int(real),
        "right": bool(one.truth[best] == one.truth.max()),
        "kept": found.verdicts[holds] != "rejected" or bool(one.truth[best] == one.truth.max()),
        "regret": float(one.truth.max() - one.truth[best]),
        "varde": {
            "stated": float(found.chances[best]),
            "covered": float(inside[:real].mean()),
            "leader": bool(inside[best]),
            "regret": found.regret,
        },
        "textbook": {"stated": float(textbook(sample)[best])},
    }


def reliability(rows: list[dict], method: str) -> list[dict]:
    """Stated against observed, bin by bin."""
    stated, right = columns(rows, method)
    bins = [(low, high, (stated >= low) & ((stated < high) | (high == 1.0))) for low, high in pairwise(EDGES)]
    return [
        {"low": low, "high": high} | against(stated[inside], right[inside])
        for low, high, inside in bins
        if inside.any()
    ]


def columns(rows: list[dict], method: str) -> tuple[np.ndarray, np.ndarray]:
    return np.array([row[method]["stated"] for row in rows]), np.array([row["right"] for row in rows])


def against(stated: np.ndarray, right: np.ndarray) -> dict:
    """``z`` is how much more often right than stated, in standard errors of what was stated."""
    if not stated.size:
        return {"n": 0, "stated": None, "observed": None, "z": None}
    error = math.sqrt(max(float((stated * (1.0 - stated)).sum()), 1e-12))
    z = float((right - stated).sum()) / error
    return {"n": int(stated.size), "stated": float(stated.mean()), "observed": float(right.mean()), "z": z}


def scores(rows: list[dict], method: str) -> dict:
    """How good a method's statements are; a logarithmic and a Brier score are the better the smaller."""
    stated, right = columns(rows, method)
    clipped, sure, middle = np.clip(stated, 1e-4, 1.0 - 1e-4), stated >= SURE, (stated >= 0.5) & (stated < SURE)
    said = {
        "n": len(rows),
        "log": float(-np.log(np.where(right, clipped, 1.0 - clipped)).mean()),
        "brier": float(((stated - right) ** 2).mean()),
        "sure": float(sure.mean()),
        "above": against(stated[sure], right[sure]),
        "middle": against(stated[middle], right[middle]),
    }
    if "covered" in rows[0][method]:
        known = [row for row in rows if math.isfinite(row[method]["regret"])]
        true = float(np.mean([row["regret"] for row in known]))
        said |= {
            "covered": float(np.mean([row[method]["covered"] for row in rows])),
            "leader": float(np.mean([row[method]["leader"] for row in rows])),
            "regret": float(np.mean([row[method]["regret"] for row in known])) / true if true > 0.0 else None,
        }
    return said


def summary(rows: list[dict], settings: dict) -> dict:
    methods = ("varde", "textbook")

    def by(name: str) -> dict:
        return {
            str(key): tell([row for row in rows if row[name] == key]) for key in dict.fromkeys(r[name] for r in rows)
        }

    def tell(some: list[dict]) -> dict:
        return {method: scores(some, method) for method in methods}

    return {
        "settings": settings,
        "problems": len(rows),
        "reliability": {method: reliability(rows, method) for method in methods},
        "all": tell(rows),
        **{f"{name}s": by(name) for name in ("kind", "size", "shape")},
        "kept": float(np.mean([row["kept"] for row in rows])),
    }


def study(count: int, seed: int, kinds: Iterable[str] = tuple(KINDS), sizes=SIZES, **more) -> list[dict]:
    """``count`` trials of each kind."""
    return [judged(trial(kind, seed, number, sizes, **more)) for number in range(count) for kind in kinds]


if __name__ == "__main__":
    count, seed = (int(argument) for argument in (sys.argv[1:] + ["200", "777"][len(sys.argv) - 1 :]))
    found = summary(study(count, seed), {"count": count, "seed": seed})
    path = Path(__file__).parent.parent / "docs" / "results" / "confidence.json"
    path.write_text(json.dumps(found, indent=1) + "\n")
    for line in found["reliability"]["varde"]:
        print("{low:5} {high:5} {n:6} {stated:.3f} {observed:.3f} {z:5.1f}".format(**line))
