"""Does stopping keep its promise, and what does it cost?  ``python benchmarks/stopping.py``

The gap rule samples as with ``stop=``, and a stopping rule looks after every sample, from the 80th on whenever there
are 1.25 % more.
Samples at a clear winner, over the lower bound T* kl(delta, 1 - delta) that no rule with such a promise can beat on
average for small delta; near-ties, where a wrong answer is likeliest; exact ties with a margin; common random numbers.
Writes docs/results/stopping.json.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

import varde
from simulated import Noise, Runs
from varde.beliefs.student import log_phi
from varde.certainty.stopping import Results, Stop

DELTA = 0.05
Rule = Callable[[Results], bool]

# -- problems ----------------------------------------------------------------------------------------


class Case:
    """Options with known means: Gaussian with ``spreads``, or 0/1 where there are none."""

    def __init__(self, name: str, means, spreads=None, bounds: tuple[float, float] | None = None):
        self.name, self.bounds = name, bounds
        self.means = np.asarray(means, float)
        self.spreads = None if spreads is None else np.broadcast_to(np.asarray(spreads, float), self.means.shape)

    def noise(self, runs: int, rng: np.random.Generator) -> Case:
        self.truth, self.rng = np.tile(self.means, (runs, 1)), rng
        return self

    def draw(self, chosen: np.ndarray) -> np.ndarray:
        if self.spreads is None:
            return (self.rng.random(chosen.size) < self.means[chosen]).astype(float)
        drawn = self.means[chosen] + self.spreads[chosen] * self.rng.normal(size=chosen.size)
        return drawn if self.bounds is None else np.clip(drawn, *self.bounds)

    def lower_bound(self) -> float:
        """T* kl(delta, 1 - delta): with the best option's share 1, the others' such that all pairs say the same."""
        best = int(self.means.argmax())
        rivals = np.delete(np.arange(self.means.size), best)

        def says(shares: np.ndarray) -> np.ndarray:
            if self.spreads is not None:
                gaps = self.means[best] - self.means[rivals]
                return 0.5 * gaps**2 / (self.spreads[best] ** 2 + self.spreads[rivals] ** 2 / shares)
            p, q = self.means[best], self.means[rivals]
            middle = (p + shares * q) / (1.0 + shares)
            return kl(p, middle) + shares * kl(q, middle)

        def samples(level: float) -> float:
            low, high = np.full(rivals.size, -20.0), np.full(rivals.size, 20.0)
            for _ in range(80):
                middle = (low + high) / 2.0
                enough = says(np.exp(middle)) >= level
                low, high = np.where(enough, low, middle), np.where(enough, middle, high)
            return (1.0 + np.exp(high).sum()) / level

        most = float(says(np.full(rivals.size, 1e8)).min())
        return min(samples(most * part) for part in np.linspace(0.02, 0.98, 97)) * kl(DELTA, 1.0 - DELTA)


def kl(p, q):
    return p * np.log(p / q) + (1.0 - p) * np.log((1.0 - p) / (1.0 - q))


CASES = (
    Case("Gaussian, 2 options, 0.5 sd", [0.5, 0.0], 1.0),
    Case("Gaussian, 5 options, 0.5 sd", [0.5, 0.0, 0.0, 0.0, 0.0], 1.0),
    Case("Gaussian, 10 in a line, 0.2 sd", -0.2 * np.arange(10), 1.0),
    Case("Gaussian, one of 50, 1 sd", [1.0] + [0.0] * 49, 1.0),
    Case("unequal noise, 10 options", [0, -0.4, -0.8, *[-1.2] * 7], [0.5, 1.7, 0.4, 2.7, 1.1, 0.5, 2.2, 0.4, 1.4, 0.9]),
    Case("0/1: .5 .4 .3 .3 .3", [0.5, 0.4, 0.3, 0.3, 0.3], None, (0, 1)),
    Case("0/1: .9, 9 times .8", [0.9] + [0.8] * 9, None, (0, 1)),
    Case("0/1: .05, 4 times .02", [0.05] + [0.02] * 4, None, (0, 1)),
    Case("0 to 1: sd .05, gap .02, 5 options", [0.52] + [0.5] * 4, 0.05, (0, 1)),
    # made after the last change of a constant
    Case("fresh: Gaussian, 3 options, 0.2 and 0.6 sd", [0.0, -0.2, -0.6], 1.0),
    Case("fresh: unequal noise, 20 options", -0.15 * np.arange(20), 0.5 + np.arange(20) * 7 % 20 / 10.0),
    Case("fresh: 0/1: .35 to .1, 6 options", [0.35, 0.25, 0.2, 0.2, 0.15, 0.1], None, (0, 1)),
)

KINDS = (
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

# -- rules besides Stop --------------------------------------------------------------------------------


def standard_gaps(results: Results) -> np.ndarray:
    """The lead over every rival in standard errors, variances drawn towards the pooled one."""
    counts, means, squares, best = results.counts, results.means, results.squares, results.best
    pooled = squares.sum() / (counts - 1.0).sum()
    error = (5.0 * pooled + squares) / (4.0 + counts) / counts
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.delete(np.nan_to_num((means[best] - means) / np.sqrt(error + error[best]), posinf=np.inf), best)


def ratio(results: Results) -> bool:
    """A likelihood ratio with the threshold log((K - 1)(1 + log t)/delta): no proof."""
    least = math.log((results.means.size - 1) * (1.0 + math.log(results.counts.sum())) / DELTA)
    return bool(standard_gaps(results).min() ** 2 / 2.0 >= least)


def naive(results: Results) -> bool:
    """The posterior chance of the leader is 1 - delta or more."""
    return bool(np.exp(log_phi(standard_gaps(results)).sum()) >= 1.0 - DELTA)


# -- runs ------------------------------------------------------------------------------------------------


def sampled(noise, budget: int) -> Iterator[list[tuple[np.ndarray, np.ndarray]]]:
    """The gap rule on a batch of problems: when the samples of every option came, and what they gave."""
    going = Runs(noise, 0)
    steps = [going.step() for _ in range(budget)]
    arms, values = (np.stack(column, axis=1) for column in zip(*steps, strict=True))
    for mine, gave in zip(arms, values, strict=True):
        yield [(np.flatnonzero(mine == i), gave[mine == i]) for i in range(noise.truth.shape[1])]


def looks(first: int, budget: int) -> list[int]:
    found = [first]
    while found[-1] < budget:
        found.append(max(found[-1] + 1, int(found[-1] * 1.0125)))
    return [t for t in found if t <= budget]


def first_stop(rule: Rule, run: list[tuple[np.ndarray, np.ndarray]], budget: int) -> tuple[int, int]:
    """When it stops and at which option; later than the ``budget`` and -1 if it does not."""
    memory: dict = {}
    times = looks(max(int(when[1]) for when, _ in run) + 1, budget)
    columns = [moments(gave, np.searchsorted(when, times)) for when, gave in run]
    counts, means, squares = (np.stack(column, axis=1) for column in zip(*columns, strict=True))
    for k, t in enumerate(times):
        results = Results(counts[k], means[k], squares[k], lambda i, k=k: run[i][1][: counts[k, i]], memory=memory)
        if rule(results):
            return t, results.best
    return budget + 1, -1


def moments(values: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of the first so many values."""
    centre = values.mean()
    sums, squares = (np.concatenate([[0.0], np.cumsum((values - centre) ** p)])[counts] for p in (1, 2))
    return counts, centre + sums / counts, np.maximum(squares - sums * sums / counts, 0.0)


def cost(case: Case, rules: dict[str, Rule], runs: int, seed: list[int], most: float = 12.0) -> dict:
    """Samples over the lower bound, and how many runs were wrong or did not end."""
    bound = case.lower_bound()
    budget = int(most * bound) + 200
    taken: dict[str, list[tuple[int, int]]] = {name: [] for name in rules}
    for run in sampled(case.noise(runs, np.random.default_rng(seed)), budget):
        for name, rule in rules.items():
            taken[name].append(first_stop(rule, run, budget))
    right = int(case.means.argmax())
    return {"case": case.name, "bound": bound} | {
        name: {
            "over": float(np.mean([t for t, _ in found]) / bound),
            "wrong": sum(who not in (right, -1) for _, who in found),
            "capped": sum(who < 0 for _, who in found),
        }
        for name, found in taken.items()
    }


def watch(rule: Rule, kind: str, gap: float, size: int, runs: int, budget: int, seed: int, margin: float = 0.0) -> dict:
    """The best option is ahead of all others by ``gap``: what stopped, and how much of it was wrong."""
    rng = np.random.default_rng([seed, size])
    gaps = np.full((runs, size), -gap)
    gaps[np.arange(runs), rng.integers(size, size=runs)] = 0.0
    noise = Noise(kind, gaps, rng)
    found = [first_stop(rule, run, budget) for run in sampled(noise, budget)]
    wrong = [who >= 0 and truth.max() - truth[who] > margin for (_, who), truth in zip(found, noise.truth, strict=True)]
    return {
        "runs": runs,
        "stopped": float(np.mean([who >= 0 for _, who in found])),
        "wrong": float(np.mean(wrong)),
        "median": float(np.median([min(t, budget) for t, _ in found])),
    }


def matched(correlation: float, size: int, runs: int, budget: int, seed: int, gap: float = 0.5) -> dict:
    """A ``Selector`` with common random numbers and without: results spent, and how often it stopped at a wrong option.

    Without them results are as noisy, and independent.
    """
    found: dict[str, list] = {"crn": [], "independent": []}
    for run in range(runs):
        for name, spent in found.items():
            selector = varde.Selector(range(size), budget, seed=seed + run, stop=DELTA, crn=name == "crn")
            while (draw := selector.ask()) is not None:
                shared, own = (np.random.default_rng([draw.seed, k]).normal() for k in (size, draw.option))
                noise = math.sqrt(correlation) * shared + math.sqrt(1.0 - correlation) * own
                selector.tell(draw, gap * (draw.option == 0) + noise)
            answer = selector.recommend()
            spent.append((selector.spent, answer.stopped == "sure" and answer.best != 0))
    return {"correlation": correlation, "options": size} | {
        name: {"spent": float(np.mean([t for t, _ in spent])), "wrong": sum(wrong for _, wrong in spent)}
        for name, spent in found.items()
    }


def study(runs: int, ties: int, seed: int) -> dict:
    found: dict[str, list] = {"costs": [], "ties": [], "matched": []}

    def add(part: str, row: dict) -> None:
        found[part].append(row)
        print(row, flush=True)

    for k, case in enumerate(CASES):
        rules = {"stop": Stop(DELTA, bounds=case.bounds).satisfied, "ratio": ratio}
        add("costs", cost(case, rules, runs, [seed, k]))
    for kind, bounds in KINDS:
        for size in (2, 5):
            rules = {"stop": Stop(DELTA, bounds=bounds).satisfied, "ratio": ratio, "naive": naive}
            row = {name: watch(rule, kind, 0.02, size, ties, 2000, seed) for name, rule in rules.items()}
            add("ties", {"kind": kind, "bounds": bounds, "options": size, "gap": 0.02, "margin": 0.0, **row})
    for kind in ("Gaussian", "Student, 3 degrees"):
        row = {"stop": watch(Stop(DELTA, 0.3).satisfied, kind, 0.0, 5, ties, 2000, seed, 0.3)}
        add("ties", {"kind": kind, "bounds": None, "options": 5, "gap": 0.0, "margin": 0.3, **row})
    for size in (3, 8):
        for correlation in (0.0, 0.5, 0.9):
            add("matched", matched(correlation, size, runs, 6_000, seed))
    return {"runs": runs, "ties_runs": ties, "seed": seed, **found}


if __name__ == "__main__":
    runs, ties, seed = (int(x) for x in (sys.argv[1:] + ["16", "200", "20263"][len(sys.argv) - 1 :]))
    path = Path(__file__).parent.parent / "docs" / "results" / "stopping.json"
    path.write_text(json.dumps(study(runs, ties, seed), indent=1) + "\n")
