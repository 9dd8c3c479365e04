"""The default rule run on a whole batch of problems at once: K options each, noise of one kind, gaps of their own."""

from __future__ import annotations

import numpy as np

from varde.decisions.pairs import STEEP
from varde.rule import automatic_warm_start


class Noise:
    """Draws of one kind; ``center`` is the true mean of every option, the noise having deviation about 1."""

    def __init__(self, kind: str, gaps: np.ndarray, rng: np.random.Generator):
        self.kind, self.rng = kind, rng
        batch = len(gaps)
        self.truth = gaps
        self.spread = np.ones_like(gaps)
        if kind == "Gaussian, unequal noise":
            self.spread = np.exp(0.7 * rng.normal(size=gaps.shape))
        elif kind in ("Bernoulli", "rare successes"):
            top = rng.uniform(0.3, 0.95, (batch, 1)) if kind == "Bernoulli" else rng.uniform(0.02, 0.15, (batch, 1))
            scale = np.sqrt(top * (1.0 - top))
            self.truth = np.clip(top + scale * gaps, 0.2 * top, 1.0)
        elif kind.startswith("zero-inflated"):
            # A spike of mean 1 comes with a small chance; options differ in the chance.  As costs, the rarest is best.
            sign = -1.0 if kind.endswith("costs") else 1.0
            top = rng.uniform(0.01, 0.2, (batch, 1))
            scale = np.sqrt(2.0 * top)
            self.truth = sign * np.clip(top + sign * scale * gaps, 0.2 * top, 1.0)

    def draw(self, chosen: np.ndarray) -> np.ndarray:
        """One sample of option ``chosen[b]`` of every problem."""
        rows = np.arange(chosen.size)
        mean, spread, rng = self.truth[rows, chosen], self.spread[rows, chosen], self.rng
        if self.kind in ("Bernoulli", "rare successes"):
            return (rng.random(chosen.size) < mean).astype(float)
        if self.kind.startswith("zero-inflated"):
            hit = rng.random(chosen.size) < np.abs(mean)
            return np.sign(mean) * hit * rng.exponential(size=chosen.size)
        if self.kind == "Student, 3 degrees":
            return mean + rng.standard_t(3, chosen.size) / np.sqrt(3.0)
        if self.kind.startswith("lognormal"):
            sign = -1.0 if self.kind.endswith("costs") else 1.0
            return mean + sign * (np.exp(rng.normal(size=chosen.size)) - np.exp(0.5)) / 2.161
        return mean + spread * rng.normal(size=chosen.size)


class Runs:
    """The gap rule on a batch of problems, one sample of each at a time."""

    def __init__(self, noise: Noise, budget: int):
        self.noise, self.lows = noise, np.full(noise.truth.shape[0], np.inf)
        self.counts, self.means, self.squares = (np.zeros(noise.truth.shape) for _ in range(3))
        self.taken, self.eager = 0, automatic_warm_start(budget, noise.truth.shape[1]) * noise.truth.shape[1]
        self.rows = np.arange(noise.truth.shape[0])

    def step(self) -> tuple[np.ndarray, np.ndarray]:
        """The options sampled, and what they gave."""
        size = self.means.shape[1]
        if self.taken < self.eager:
            chosen = np.full(self.rows.size, self.taken % size)
        else:
            chosen = np.argmax(gap_scores(self.counts, self.means, self.squares, self.lows), axis=1)
        at, reward = (self.rows, chosen), self.noise.draw(chosen)
        self.lows = np.minimum(self.lows, reward)
        self.counts[at] += 1.0
        before = reward - self.means[at]
        self.means[at] += before / self.counts[at]
        self.squares[at] += before * (reward - self.means[at])
        self.taken += 1
        return chosen, reward


def gap_scores(counts: np.ndarray, means: np.ndarray, squares: np.ndarray, lows: np.ndarray) -> np.ndarray:
    """The gap rule on every row at once; ``rule.decrements`` has it for one problem, a test compares the two."""
    rows, leader, samples = np.arange(means.shape[0]), np.argmax(means, axis=1), counts.sum(axis=1)
    pooled = (squares.sum(axis=1) / (samples - means.shape[1]))[:, None]
    common = ((counts * means).sum(axis=1) / samples)[:, None]
    above = common - lows[:, None]
    extra = 2.0 * np.maximum(np.divide(pooled, above**2, out=np.zeros_like(above), where=above > 0.0) - 1.0, 0.0)
    squares, more = squares + extra * pooled, counts + extra
    noise, errors = (5.0 * pooled + squares) / (4.0 + counts), (5.0 * pooled + squares) / (4.0 + more) / more
    expected = means + (common - means) * extra / more
    lead = expected[rows, leader][:, None] - expected
    error = np.sqrt(errors[rows, leader][:, None] + errors)
    x = STEEP * np.divide(lead, error, out=np.zeros_like(lead), where=error > 0.0)
    openness = -np.logaddexp(0.0, x)
    openness[rows, leader] = -np.inf
    weights = np.exp(2.0 * (openness - openness.max(axis=1, keepdims=True)))
    weights[rows, leader] = weights.sum(axis=1)
    drop = np.where(pooled > 0.0, noise, 1.0) / (counts * (counts + 1.0))
    return np.where(pooled > 0.0, weights, 1.0) * drop
