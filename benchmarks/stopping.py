"""Does stopping keep its promise, and what does it cost?  ``python benchmarks/stopping.py``

The gap rule runs and a stopping rule looks after every sample: near-ties, where a wrong answer is likeliest; a clear
winner, for the cost; exact ties with a margin.  Writes docs/results/stopping.json.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

from simulated import Noise, Runs
from varde.certainty.student import log_phi
from varde.noise import Pooled, own_variance
from varde.selection.stopping import Stop, careful, evidence, threshold

Rule = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]
SETTINGS = (
    ("Gaussian", None),
    ("Gaussian, unequal noise", None),
    ("Student, 3 degrees", None),
    ("lognormal", None),
    ("lognormal costs", None),
    ("zero-inflated", None),
    ("zero-inflated costs", None),
    ("rare successes", None),
    ("rare successes", (0.0, 1.0)),
    ("Bernoulli", (0.0, 1.0)),
)
# name, options, gap of all others to the best in units of the noise, margin in the same units
CASES = (("near-tie, 2 options", 2, 0.02, 0.0), ("clear, 5 options", 5, 0.5, 0.0))
MARGIN = ("tie, margin 0.3", 5, 0.0, 0.3)


def promised(stop: Stop) -> Rule:
    """``stop.satisfied`` for a whole batch."""

    def rule(counts: np.ndarray, means: np.ndarray, squares: np.ndarray) -> np.ndarray:
        moments, best = (counts, means, careful(counts, squares)), means.argmax(axis=1)
        needed, z = threshold(stop, means.shape[1]), standard_gaps(counts, means, squares)

        def least(rows: np.ndarray, rivals: np.ndarray) -> np.ndarray:
            pairs = ((x[rows, best[rows]][:, None], x[rows[:, None], rivals]) for x in moments)
            found = evidence(stop, *pairs)
            return np.where(rivals == best[rows][:, None], np.inf, found).min(axis=1) >= needed

        stopping = least(np.arange(len(means)), z.argmin(axis=1)[:, None])  # the nearest rival says no, mostly
        some = np.flatnonzero(stopping)
        stopping[some] = least(some, np.broadcast_to(np.arange(means.shape[1]), (some.size, means.shape[1])))
        return stopping

    return rule


def standard_gaps(counts: np.ndarray, means: np.ndarray, squares: np.ndarray) -> np.ndarray:
    """[B, K] the lead over every option in standard errors, infinite for the leader."""
    rows, best = np.arange(len(means)), means.argmax(axis=1)
    pooled = squares.sum(axis=1, keepdims=True) / (counts - 1.0).sum(axis=1, keepdims=True)
    error = own_variance(Pooled(), pooled, squares, counts) / counts
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.nan_to_num(
            (means[rows, best][:, None] - means) / np.sqrt(error + error[rows, best][:, None]), posinf=np.inf
        )
    z[rows, best] = np.inf
    return z


def naive(delta: float) -> Rule:
    """Posterior chance of the leader at least 1 - delta."""
    return lambda *moments: np.exp(log_phi(standard_gaps(*moments)).sum(axis=1)) >= 1.0 - delta


def ratio(delta: float) -> Rule:
    """A likelihood ratio with the threshold log((K - 1)(1 + log t)/delta) and estimated variances: no proof."""

    def rule(counts: np.ndarray, means: np.ndarray, squares: np.ndarray) -> np.ndarray:
        z, t = standard_gaps(counts, means, squares).min(axis=1), counts.sum(axis=1)
        return z**2 / 2.0 >= np.log((means.shape[1] - 1) * (1.0 + np.log(t)) / delta)

    return rule


def watch(rule: Rule, kind: str, gap: float, size: int, runs: int, budget: int, seed: int, margin: float = 0.0) -> dict:
    """Look after every sample; what stopped, and how much of it was wrong."""
    rng = np.random.default_rng([seed, size])
    gaps = np.full((runs, size), -gap)
    gaps[np.arange(runs), rng.integers(size, size=runs)] = 0.0
    going = Runs(Noise(kind, gaps, rng), 0)
    truth, who = going.noise.truth.copy(), np.arange(runs)
    taken, stopped, wrong = np.full(runs, budget), np.zeros(runs, bool), np.zeros(runs, bool)
    for t in range(budget):
        going.step()
        if t + 1 < going.eager:
            continue
        now = rule(going.counts, going.means, going.squares)
        if now.any():
            at = who[now]
            answer = going.means[now].argmax(axis=1)
            taken[at], stopped[at] = t + 1, True
            wrong[at] = truth[at].max(axis=1) - truth[at, answer] > margin
            going.keep(~now)
            who = who[~now]
        if not who.size:
            break
    return {
        "runs": runs,
        "stopped": float(stopped.mean()),
        "wrong": float(wrong.mean()),
        "median": float(np.median(taken)),
    }


def study(runs: int, budget: int, seed: int) -> list[dict]:
    rows = []
    for kind, bounds in SETTINGS:
        for name, size, gap, margin in CASES:
            rules = {"promised": promised(Stop(0.05, margin, bounds)), "ratio": ratio(0.05), "naive": naive(0.05)}
            found = {label: watch(rule, kind, gap, size, runs, budget, seed) for label, rule in rules.items()}
            rows.append({"kind": kind, "bounds": bounds, "case": name, **found})
            print(rows[-1], flush=True)
    for kind in ("Gaussian", "Student, 3 degrees"):
        name, size, gap, margin = MARGIN
        found = {"promised": watch(promised(Stop(0.05, margin)), kind, gap, size, runs, budget, seed, margin)}
        rows.append({"kind": kind, "bounds": None, "case": name, **found})
        print(rows[-1], flush=True)
    return rows


if __name__ == "__main__":
    runs, budget, seed = (int(x) for x in (sys.argv[1:] + ["400", "2000", "20262"][len(sys.argv) - 1 :]))
    rows = study(runs, budget, seed)
    path = Path(__file__).parent.parent / "docs" / "results" / "stopping.json"
    path.write_text(json.dumps({"runs": runs, "budget": budget, "seed": seed, "rows": rows}, indent=1) + "\n")
