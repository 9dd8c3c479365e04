"""Plausible worlds: the errors of all pairs are drawn, and the best policy is computed again in each.

A derivative at the present policy cannot tell that another policy becomes better as a whole.  So every pair's backup is
shifted by its own error, the same at every visit, and policy iteration continues from the present policy: with
D = V_k - V, (I - gamma P_pi_k) D = Q(s, pi_k s) - V(s) + e(s, pi_k s).  Errors are normal, and larger in as many draws
as it is likely that there is an outcome never seen.  No value is beyond what the rewards allow, if those are known.

The random numbers are fixed: a function of the number of the pair and of the draw, every second draw the mirror image
of the one before.  The same data always give the same result.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from ...rows import selected
from .chain import EXACT, eliminate, iterate
from .model import MARGIN, Model, Solved
from .noise import Noise

MOST, FEWEST, ROOM = 64, 16, 100_000  # draws, and of states times draws
ROUNDS = 20  # of policy iteration
SMALL = 128  # states up to which elimination takes no longer than iterations, and never gets stuck
CLOSE, ROUGH = 1e-7, 1e-3  # residual, relative to the right side: where the inverse is known, and elsewhere
WEYL, GOLDEN = 0x9E3779B97F4A7C15, 0.6180339887498949
MEMORY = 20.0  # errors propagate for so many episode lengths, if the discount is 1


class Limits(NamedTuple):
    """What values can be, if rewards are known to lie between two numbers."""

    low: float = -np.inf
    high: float = np.inf
    hidden: float | None = None  # the value of a pair that pays the highest reward, if that was not seen yet


class Draws(NamedTuple):
    errors: np.ndarray  # [P, K] of the backups
    policies: np.ndarray  # [S, K] the best pair of each state
    best: np.ndarray  # [S, K] by how much the best values differ from those of the model
    luck: np.ndarray  # [S, K] how much of the value of that policy is due to noise
    own: np.ndarray  # [S, K] by how much the values of the present policy differ
    after: np.ndarray  # [P, K] by how much what comes after a pair differs


def uniforms(shape: tuple[int, ...], stream: int = 0) -> np.ndarray:
    """Fixed for ever (splitmix64)."""
    x = (np.arange(np.prod(shape), dtype=np.uint64).reshape(shape) + np.uint64(1 + (stream << 40))) * np.uint64(WEYL)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        x = (x ^ (x >> np.uint64(shift))) * np.uint64(factor)
    return ((x ^ (x >> np.uint64(31))) >> np.uint64(11)).astype(float) * 2.0**-53


def mirrored(half: np.ndarray, sign: float, draws: int) -> np.ndarray:
    """[P, K] every second column is the one before, times ``sign``."""
    return np.stack([half, sign * half], axis=-1).reshape(len(half), -1)[:, :draws]


def deviates(pairs: int, draws: int) -> np.ndarray:
    """[P, K] standard normal, antithetic (Box and Muller)."""
    u, v = uniforms((2, pairs, (draws + 1) // 2))
    return mirrored(np.sqrt(-2.0 * np.log1p(-u)) * np.cos(2.0 * np.pi * v), -1.0, draws)


def draw(solved: Solved, noise: Noise, visits: float, limits: Limits, draws: int = 0) -> Draws:
    """``visits``: how long an episode is."""
    model, values = solved.model, solved.values[:, None]
    size, pairs = model.states.size, model.tried.size
    draws = draws or int(np.clip(ROOM // size, FEWEST, MOST))
    memory = min(model.discount, 1.0 - 1.0 / (MEMORY * max(visits, 1.0)))
    evenly = (uniforms((pairs, 1), 1) + GOLDEN * np.arange((draws + 1) // 2)) % 1.0
    more = mirrored(evenly, 1.0, draws) < noise.unseen[:, None]
    normal = deviates(pairs, draws)
    deviations = np.sqrt(noise.variances[:, None] + np.where(more, noise.jumps[:, None], 0.0))
    errors = noise.shifts[:, None] + normal * deviations
    if limits.hidden is not None:
        hide(errors, solved, noise, limits.hidden)
    least, most = limits.low - values, limits.high - values
    policies = np.repeat(solved.policy[:, None], draws, axis=1)
    margin = MARGIN * max(np.abs(solved.values).max(), 1e-300)
    best = np.zeros((size, draws))
    everywhere = Rows(solved, np.arange(pairs), memory)
    for _ in range(ROUNDS):
        rows = Rows(solved, np.unique(policies), memory)
        at = rows.at(policies)
        right = solved.worth[policies] - values + np.take_along_axis(errors, policies, 0)
        best = np.clip(rows.solve(at, right, best), least, most)
        after = everywhere.expected(best)
        worth = solved.worth[:, None] + errors + after
        top = np.maximum.reduceat(worth, model.first[:-1], axis=0)
        better = top > np.take_along_axis(worth, policies, 0) + margin
        if not better.any():
            break
        policies = np.where(better, highest(worth, top, model), policies)
    noisy = normal * np.sqrt(np.where(model.open, 0.0, noise.variances))[:, None]  # what a policy is chosen by
    luck = rows.solve(at, np.take_along_axis(noisy, policies, 0), best)
    mine = np.repeat(solved.policy[:, None], draws, axis=1)
    rows = Rows(solved, solved.policy, memory)
    own = np.clip(rows.solve(rows.at(mine), errors[solved.policy], np.zeros((size, draws))), least, most)
    return Draws(errors, policies, best, luck, own, after)


def hide(errors: np.ndarray, solved: Solved, noise: Noise, value: float) -> None:
    """The world pays more than was seen of it: in each draw, one pair leads to ``value``.

    Which one is as likely as its next sample is to show something new.
    """
    model, n = solved.model, np.maximum(solved.model.tried, 0.0)
    new = np.where(model.open, model.untried[model.owners], np.where(n > 0, noise.unseen, model.untried[model.owners]))
    chances = np.cumsum(new / (n + 1.0))
    columns = np.arange(errors.shape[1])
    pairs = np.searchsorted(chances, uniforms(columns.shape, 2) * chances[-1], side="right").clip(max=n.size - 1)
    stays = ~model.open & (n == 0)
    part = np.where(stays, 1.0 - model.discount * model.chances[model.rows[:-1]], 1.0 / (n + 1.0))
    errors[pairs, columns] = np.maximum(errors[pairs, columns], part[pairs] * (value - solved.worth[pairs]))


def highest(worth: np.ndarray, top: np.ndarray, model: Model) -> np.ndarray:
    """[S, K] the best pair, the first on ties."""
    numbers = np.arange(worth.shape[0])[:, None]
    found = np.where(worth == np.repeat(top, np.diff(model.first), axis=0), numbers, worth.shape[0])
    return np.minimum.reduceat(found, model.first[:-1], axis=0)


class Rows:
    """Some rows of gamma P, by pairs in ascending order; columns may follow different policies."""

    def __init__(self, solved: Solved, pairs: np.ndarray, discount: float):
        model, self.chain, self.pairs = solved.model, solved.chain, pairs
        starts, entries = selected(model.rows, pairs)
        self.heads, self.to = starts[:-1], model.to[entries]
        self.weights = (discount * model.chances[entries])[:, None]

    def at(self, policies: np.ndarray) -> np.ndarray:
        """The places of pairs among these."""
        return np.searchsorted(self.pairs, policies)

    @cached_property
    def matrix(self) -> np.ndarray:
        """[pairs, S] these rows of -gamma P."""
        many, size = self.pairs.size, self.chain.size
        owners = np.repeat(np.arange(many), np.diff(np.append(self.heads, self.to.size)))
        places = owners * (size + 1) + self.to
        return -np.bincount(places, self.weights[:, 0], many * (size + 1)).reshape(many, size + 1)[:, :-1]

    def expected(self, x: np.ndarray) -> np.ndarray:
        extended = np.concatenate([x, np.zeros((1, x.shape[1]))])
        return np.add.reduceat(self.weights * extended[self.to], self.heads, axis=0)

    def solve(self, at: np.ndarray, right: np.ndarray, guess: np.ndarray) -> np.ndarray:
        if self.chain.size <= SMALL:
            return eliminate(self.matrix[at.T] + np.eye(self.chain.size), right.T.copy()).T

        def apply(x: np.ndarray) -> np.ndarray:
            return x - np.take_along_axis(self.expected(x), at, 0)

        tolerance = CLOSE if self.chain.size <= EXACT else ROUGH
        return iterate(apply, right, self.chain.about, tolerance, guess)
