"""Every algorithm as its specification reads, scanning all arms on every pull: slow and plain.

They are records of a user's file, so they also show that such records run.
"""

import math
from typing import NamedTuple

import numpy as np

from varde import VarDE
from varde.bandits.loop import begin, prepare, select
from varde.decisions import gradient
from varde.random import uniform
from varde.rule import decrements


class NaiveVarDE(NamedTuple):
    rule: VarDE


@select.of(NaiveVarDE)
def direct_softmax(algorithm, memory, arms, t, rng):
    rule, size = algorithm.rule, arms.counts.size
    if t < rule.warm_start * size:
        return t % size
    weights = gradient(rule.decision, arms.means)
    free = np.maximum(arms.counts - rule.noise.ddof, 1)
    noise = np.maximum(arms.squares / free, rule.noise.least)
    return int(np.argmax(weights**2 * noise / (arms.counts * (arms.counts + 1.0))))


class NaiveUCBE(NamedTuple):
    alpha: float


@select.of(NaiveUCBE)
def highest_bound(algorithm, memory, arms, t, rng):
    if t < arms.counts.size:
        return t
    return int(np.argmax(arms.means + np.sqrt(algorithm.alpha / arms.counts)))


class NaiveUGapE(NamedTuple):
    alpha: float


@select.of(NaiveUGapE)
def widest(algorithm, memory, arms, t, rng):
    size = arms.counts.size
    if t < size:
        return t
    radius = np.sqrt(algorithm.alpha / arms.counts)
    upper, lower = arms.means + radius, arms.means - radius
    gaps = [max(upper[j] for j in range(size) if j != i) - lower[i] for i in range(size)]
    # Rounding of the difference can make two gaps equal whose lower bounds are not: the bounds decide there.
    top = int(np.argmax(upper))
    other = max((i for i in range(size) if i != top), key=lambda i: (lower[i], -i))
    leader = min((top, other), key=lambda i: (gaps[i], i))
    assert gaps[leader] == min(gaps)
    rival = max((j for j in range(size) if j != leader), key=lambda j: (upper[j], -j))
    return leader if radius[leader] >= radius[rival] else rival


def log_bar(size):
    return 0.5 + sum(1.0 / j for j in range(2, size + 1))


class Alive(NamedTuple):
    mask: np.ndarray
    budget: np.ndarray


def make_alive(algorithm, num_arms):
    return Alive(np.ones(num_arms, bool), np.zeros(1))


def all_alive(algorithm, memory, num_arms, budget):
    memory.mask[:] = True
    memory.budget[0] = budget


class NaiveSR(NamedTuple):
    pass


class NaiveCR(NamedTuple):
    conservative: bool
    strict: bool


for record in (NaiveSR, NaiveCR):
    prepare.of(record)(make_alive)
    begin.of(record)(all_alive)


@select.of(NaiveSR)
def reject(algorithm, memory, arms, t, rng):
    size = arms.counts.size
    alive = np.flatnonzero(memory.mask)
    if t >= size and alive.size > 2:
        quota = memory.budget[0] / (log_bar(size) * alive.size)
        if arms.counts[alive].min() >= quota:
            memory.mask[alive[np.argmin(arms.means[alive])]] = False
            alive = np.flatnonzero(memory.mask)
    return int(alive[np.argmin(arms.counts[alive])])


@select.of(NaiveCR)
def reject_continuously(algorithm, memory, arms, t, rng):
    size, counts, means = arms.counts.size, arms.counts, arms.means
    alive = np.flatnonzero(memory.mask)
    dropped = np.flatnonzero(~memory.mask)
    if t >= size and alive.size > 2:
        low = alive[np.argmin(means[alive])]
        others = [i for i in alive if i != low]
        beta = log_bar(alive.size) * counts[alive].sum() / (memory.budget[0] - counts[dropped].sum())
        most = max(counts[dropped], default=0)
        allowed = counts[low] > most if algorithm.strict else counts[low] >= most
        to = min(means[others]) if algorithm.conservative else np.mean(means[others])
        if allowed and to - means[low] > 1.0 / math.sqrt(beta) - 1.0:
            memory.mask[low] = False
            alive = np.flatnonzero(memory.mask)
    return int(alive[np.argmin(counts[alive])])


class NaiveOCBA(NamedTuple):
    floor: float
    warm_start: int


@select.of(NaiveOCBA)
def balance(algorithm, memory, arms, t, rng):
    size = arms.counts.size
    if t < algorithm.warm_start * size:
        return t % size
    variance = np.maximum(arms.squares / np.maximum(arms.counts - 1, 1), algorithm.floor)
    best = int(np.argmax(arms.means))
    others = [i for i in range(size) if i != best]
    squares = arms.counts**2 / variance
    if squares[best] < squares[others].sum():
        return best
    ratios = arms.counts * (arms.means[best] - arms.means) ** 2 / variance
    return min(others, key=lambda i: (ratios[i], i))


class NaiveGap(NamedTuple):
    warm_start: int


@select.of(NaiveGap)
def open_gaps(algorithm, memory, arms, t, rng):
    size, counts = arms.counts.size, arms.counts
    if t < algorithm.warm_start * size:
        return t % size
    return int(np.argmax(decrements(VarDE(), counts, arms.means, arms.squares)))


class NaiveKG(NamedTuple):
    warm_start: int


@select.of(NaiveKG)
def expected_gain(algorithm, memory, arms, t, rng):
    """sig f(-d / sig), by the error function."""
    size, counts = arms.counts.size, arms.counts
    if t < algorithm.warm_start * size:
        return t % size
    pooled = arms.squares.sum() / (counts - 1).sum()
    moves = np.sqrt((5.0 * pooled + arms.squares) / (4.0 + counts) / (counts * (counts + 1.0)))
    gains = []
    for i in range(size):
        x = -abs(arms.means[i] - max(arms.means[j] for j in range(size) if j != i)) / moves[i]
        density, below = math.exp(-0.5 * x * x) / math.sqrt(2.0 * math.pi), 0.5 * math.erfc(-x / math.sqrt(2.0))
        gains.append(moves[i] * (density + x * below))
    return int(np.argmax(gains))


class NaiveEBTCI(NamedTuple):
    warm_start: int


@select.of(NaiveEBTCI)
def cheapest_challenger(algorithm, memory, arms, t, rng):
    size = arms.counts.size
    if t < algorithm.warm_start * size:
        return t % size
    best = int(np.argmax(arms.means))
    if uniform(rng) < 0.5:
        return best
    errors = np.maximum(arms.squares / (arms.counts - 1), 0.01) / arms.counts
    costs = (arms.means[best] - arms.means) ** 2 / (2.0 * (errors[best] + errors)) + np.log(arms.counts)
    return min((i for i in range(size) if i != best), key=lambda i: (costs[i], i))
