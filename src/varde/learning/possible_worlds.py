"""Worlds that the data leave possible, and the best policy of each.

The model of the data is the likeliest world, in which actions never tried are not taken.  Another world differs from it
by an error e of the mean backup r + gamma V(s') of every pair:

noise      normal, of the variance s2/n of what was seen; s2 is shrunk, by the weight of one sample, towards that of
           all backups of the state, since an action may yet lead where the others led, and that, by the weight of
           five, towards the average of all noisy pairs.
unseen     x (Y - Q): an outcome Y that was never seen has the share x.  As many pairs have one as have outcomes that
           were seen exactly once (Good and Turing), and x is Beta(1, n): 1 if the pair was never tried.  Y is any of
           the outcomes of the state, or by the weight of one more any of the world.  The chance rho is judged by the
           family of a pair, the states that the same pair leads to; in the world each family counts once, and rho is at
           least .03: however many rooms behind one door are deterministic, three equal outcomes are not certain to be
           followed by a fourth.
hidden     a reward that the world is known to have, and that was not seen yet, is somewhere.

A derivative at the present policy cannot tell that another policy becomes better as a whole.  So policy iteration goes
on from the present policy in each world: with D = V_k - V, D(s) = Q(s, pi_k s) - V(s) + e(s, pi_k s) + gamma P D.

The random numbers are fixed, a function of the number of the pair and of the draw, and normal ones are mirrored in
every second draw: the same data always give the same result.  Without BLAS, whose sums depend on the number of threads.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..rows import Rows, added
from .plan import PRIOR
from .world_solver import Worlds, best_policies, policy_values

OWN = 1.0  # samples that the noise of the state counts for; in it the average of the world counts for ``PRIOR``
ELSEWHERE = 1.0  # outcomes of the state that any outcome of the world counts for, when a new one is drawn
LEAST = 0.03  # the least rho, in a world in which everything seems to be deterministic
LONGEST = 0.999  # the discount of staying in an unknown state
ENDLESS = 1.0 - 1e-7  # discount 1, which needs episodes that end
MEMORY = 20.0  # errors propagate for so many episode lengths, if the discount is 1
MOST, FEWEST, ROOM = 64, 16, 100_000  # draws, and of states times draws
TIGHT, CLOSE = 1e-12, 1e-7  # residuals, relative to the right side: of the model, and of draws
WEYL, GOLDEN = 0x9E3779B97F4A7C15, 0.6180339887498949


# -- the model of the data -------------------------------------------------------------------------


class Model(NamedTuple):
    """The data by rows (``seen``); a pair never tried has one outcome, the end, with the value assumed of it."""

    discount: float
    first: np.ndarray  # [S + 1] the pairs of a state
    owners: np.ndarray  # [P] and the other way round
    tried: np.ndarray  # [P] samples
    untried: np.ndarray  # [S] how many actions were never tried
    allowed: np.ndarray  # [P] tried, or nothing in the state was
    rows: np.ndarray  # [P + 1] the outcomes of a pair
    to: np.ndarray  # [E] S is the end
    shares: np.ndarray  # [E] how likely an outcome of its pair is
    rewards: np.ndarray  # [P] mean

    @property
    def size(self) -> int:
        return self.first.size - 1


def model_of(seen: Rows, discount: float) -> Model:
    """Of states that all have actions.  One without trials is worth the lowest mean reward for ever."""
    tried, owners, size = seen.tried, seen.owners, seen.first.size - 1
    never = tried == 0
    untried = np.bincount(owners, never, size).astype(np.int64)
    means = added(seen.counts * seen.means, seen.rows) / np.maximum(tried, 1)
    lowest, discount = float(means[~never].min(initial=np.inf)), min(discount, ENDLESS)
    means[never] = lowest / (1.0 - min(discount, LONGEST)) if lowest < np.inf else 0.0
    places = seen.rows[:-1][never]
    return Model(
        discount,
        seen.first,
        owners,
        tried,
        untried,
        ~never | (untried == np.diff(seen.first))[owners],
        seen.rows + np.append(0, np.cumsum(never)),
        np.insert(np.where(seen.to < 0, size, seen.to), places, size),
        np.insert(seen.counts / tried[seen.pairs], places, 1.0),
        means,
    )


def expected(model: Model, shares: np.ndarray, to: np.ndarray, x: np.ndarray) -> np.ndarray:
    """[P, K] gamma P x, if with ``shares [P, K]`` a pair leads to another successor ``to [P, K]``."""
    extended = np.concatenate([x, np.zeros((1, x.shape[1]))])
    usual = np.add.reduceat(model.shares[:, None] * extended[model.to], model.rows[:-1], axis=0)
    return model.discount * ((1.0 - shares) * usual + shares * np.take_along_axis(extended, to, 0))


def worlds_of(model: Model, shares: np.ndarray, to: np.ndarray) -> Worlds:
    """The same as columns that are solved one after the other."""
    columns = (np.array(given.T, order="C") for given in (shares, to))
    return Worlds(model.discount, model.first, model.rows, model.to, model.shares, *columns)


class Solved(NamedTuple):
    """A policy in the model."""

    policy: np.ndarray  # [S] a pair for each state
    values: np.ndarray  # [S]
    worth: np.ndarray  # [P] Q
    length: np.ndarray  # [S] discounted steps ahead


def solved(model: Model, choices: np.ndarray | None = None) -> Solved:
    """The best policy; or that of ``choices``, an action for each state, as far as these were tried."""
    rewards = np.where(model.allowed, model.rewards, -np.inf)[:, None]
    nothing = np.zeros(rewards.shape), np.zeros(rewards.shape, np.int64)
    world = worlds_of(model, *nothing)
    policy, values = best_policies(world, rewards, leaders(model, rewards[:, 0])[:, None], 0.0, TIGHT)
    if choices is not None:
        wanted = (model.first[:-1] + choices)[:, None]
        policy = np.where(model.allowed[wanted], wanted, policy)
        values = policy_values(world, rewards, policy, values, TIGHT)
    length = policy_values(world, np.ones(rewards.shape), policy, np.ones(values.shape), CLOSE)
    worth = model.rewards + expected(model, *nothing, values)[:, 0]
    return Solved(policy[:, 0], values[:, 0], worth, length[:, 0])


def leaders(model: Model, worth: np.ndarray) -> np.ndarray:
    """[S] the best pair, the first on ties."""
    top = np.repeat(np.maximum.reduceat(worth, model.first[:-1]), np.diff(model.first))
    found = np.where(worth == top, np.arange(worth.size), worth.size)
    return np.minimum.reduceat(found, model.first[:-1])


# -- errors ----------------------------------------------------------------------------------------


def noise_of(seen: Rows, model: Model, present: Solved) -> tuple[np.ndarray, np.ndarray]:
    """[E] the backup of each outcome seen, and [P] the variance of their mean; 0 where all were the same."""
    n, owners, known, worth = model.tried.astype(float), model.owners, model.tried > 0, present.worth
    backups = seen.means + model.discount * np.append(present.values, 0.0)[np.where(seen.to < 0, model.size, seen.to)]
    squares = seen.squares + added(seen.counts * (backups - worth[seen.pairs]) ** 2, seen.rows)
    spread, top = np.ptp(worth[known]), np.abs(worth[known]).max()
    noisy, free = known & (squares > (1e-14 * spread**2 + (1e-11 * top) ** 2) * n), np.maximum(n - 1.0, 0.0)
    average = float(squares[noisy].sum() / max(free[noisy].sum(), 1.0))
    average = max(average, float(worth[known].var()) / (n.sum() + 1.0))  # one outcome not seen yet
    visits = np.bincount(owners, n, model.size)
    center = (np.bincount(owners, n * worth, model.size) / np.maximum(visits, 1.0))[owners]
    about = np.bincount(owners, squares + n * (worth - center) ** 2, model.size)
    local = ((PRIOR * average + about) / (PRIOR + np.maximum(visits - 1.0, 0.0)))[owners]
    varied = known & ((np.diff(seen.rows) > 1) | noisy)
    return backups, np.where(varied, (OWN * local + squares) / (OWN + free) / np.maximum(n, 1.0), 0.0)


def unseen_of(seen: Rows, model: Model) -> np.ndarray:
    """[P] rho: how many outcomes of a pair were never seen."""
    family = families(seen, model)[model.owners]
    judged = model.tried > 1
    once = np.where(judged, added((seen.counts == 1).astype(float), seen.rows), 0.0)
    pairs, found = (np.bincount(family, x, family.max() + 1) for x in (judged, once))
    rates = found[pairs > 0] / pairs[pairs > 0]
    world = max((0.5 + rates.sum()) / (1.0 + rates.size), LEAST)
    return np.maximum((1.0 + found) / (1.0 / world + pairs), LEAST)[family]


def families(seen: Rows, model: Model) -> np.ndarray:
    """[S] a number for the pair that leads to a state most often; a state that none leads to is its own family."""
    parents, pairs = np.arange(model.size) + model.tried.size, seen.pairs
    inner = np.flatnonzero((seen.to >= 0) & (seen.to != model.owners[pairs]))
    order = inner[np.lexsort((seen.counts[inner], seen.to[inner]))]  # the most frequent last
    parents[seen.to[order]] = pairs[order]
    return np.unique(parents, return_inverse=True)[1]


# -- draws -----------------------------------------------------------------------------------------


class Limits(NamedTuple):
    """What values can be, and the ends of them that no reward seen leads to, if rewards are known."""

    low: float = -np.inf
    high: float = np.inf
    hidden: tuple[float, ...] = ()


class Draws(NamedTuple):
    noise: np.ndarray  # [P] the variance of the mean backup, by the outcomes seen
    unseen: np.ndarray  # [P, K] by how much outcomes never seen change it
    best: np.ndarray  # [S, K] by how much the best values differ from those of the model
    luck: np.ndarray  # [S, K] how much of the value of that policy is due to noise
    own: np.ndarray  # [S, K] by how much the values of the present policy differ
    after: np.ndarray  # [P, K] by how much what comes after a pair differs


def uniforms(shape: tuple[int, ...], stream: int) -> np.ndarray:
    """Fixed for ever (splitmix64)."""
    x = (np.arange(np.prod(shape), dtype=np.uint64).reshape(shape) + np.uint64(1 + (stream << 40))) * np.uint64(WEYL)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        x = (x ^ (x >> np.uint64(shift))) * np.uint64(factor)
    return ((x ^ (x >> np.uint64(31))) >> np.uint64(11)).astype(float) * 2.0**-53


def deviates(pairs: int, draws: int) -> np.ndarray:
    """[P, K] standard normal (Box and Muller), every second column the mirror image of the one before."""
    u, v = uniforms((2, pairs, (draws + 1) // 2), 0)
    half = np.sqrt(-2.0 * np.log1p(-u)) * np.cos(2.0 * np.pi * v)
    return np.stack([half, -half], axis=-1).reshape(pairs, -1)[:, :draws]


def unseen_outcomes(seen: Rows, model: Model, draws: int) -> tuple[np.ndarray, np.ndarray]:
    """[P, K] the shares x of outcomes never seen, and which of those seen they are like."""
    n, rho = model.tried, unseen_of(seen, model)
    shape = n.size, draws
    there = (uniforms((n.size, 1), 1) + GOLDEN * np.arange(draws)) % 1.0 < np.where(n > 0, rho, 1.0)[:, None]
    with np.errstate(divide="ignore"):
        shares = 1.0 - uniforms(shape, 2) ** (np.maximum(rho, 1.0) / n)[:, None]
    starts = seen.rows[seen.first]
    some = np.diff(starts)[model.owners][:, None]
    chosen = (uniforms(shape, 3) * (some + ELSEWHERE)).astype(np.int64)
    anywhere = (uniforms(shape, 4) * seen.to.size).astype(np.int64)
    return np.where(there, shares, 0.0), np.where(chosen < some, starts[:-1][model.owners][:, None] + chosen, anywhere)


def hiding(seen: Rows, model: Model, draws: int, stream: int) -> np.ndarray:
    """[K] in each draw a pair: as likely as its next sample is to show something new."""
    n = model.tried
    chances = np.cumsum(np.where(n > 0, unseen_of(seen, model), 1.0) / (n + 1.0))
    return np.searchsorted(chances, uniforms((draws,), stream) * chances[-1], side="right").clip(max=n.size - 1)


def draw(seen: Rows, model: Model, present: Solved, starts: np.ndarray, limits: Limits) -> Draws:
    """K worlds, and what the best policy and the present one are worth in each."""
    size, values, worth = model.size, present.values[:, None], present.worth[:, None]
    draws, n = int(np.clip(ROOM // size, FEWEST, MOST)), model.tried
    backups, noise = noise_of(seen, model, present)
    shares, places = unseen_outcomes(seen, model, draws)
    outcomes, to = backups[places], np.where(seen.to[places] < 0, size, seen.to[places])
    for stream, value in enumerate(limits.hidden):
        place = hiding(seen, model, draws, 5 + stream), np.arange(draws)
        shares[place], outcomes[place], to[place] = 1.0 / (n[place[0]] + 1.0), value, size
    memory = 1.0 - 1.0 / (MEMORY * max(float(starts @ present.length), 1.0))
    shorter = model._replace(discount=min(model.discount, memory))
    worlds = worlds_of(shorter, shares, to)
    noisy, unseen = (1.0 - shares) * deviates(n.size, draws) * np.sqrt(noise)[:, None], shares * (outcomes - worth)
    rewards = worth - values[model.owners] + noisy + unseen
    mine = np.repeat(present.policy[:, None], draws, axis=1)
    policies, best = best_policies(worlds, rewards, mine, float(np.abs(values).max()), CLOSE)
    luck = policy_values(worlds, noisy, policies, best, CLOSE)
    own = policy_values(worlds, rewards, mine, np.zeros(mine.shape), CLOSE)
    best, own = (np.clip(x, limits.low - values, limits.high - values) for x in (best, own))
    return Draws(noise, unseen, best, luck, own, expected(shorter, shares, to, best))
