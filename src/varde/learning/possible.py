"""The worlds that the data of a learner leave possible: the model of the data, its errors, and K draws around it.

Maximum likelihood on the pairs tried; a state without any trial is worth the lowest mean reward for ever.  Then, in
each draw, the best policy is computed again:

noise     a pair whose backups r + gamma V(s') differed has a normal error of variance (2 local + SS)/(2 + n - 1)/n;
          local is the variance of all backups of the state, shrunk towards that of all noisy pairs with weight 5
unseen    n equal outcomes of a pair leave room for another: with chance c = h/(h + 1 - rho), h = 2 rho/(n + 1), it has
          one, of probability x ~ Beta(1, n) and of a value Y between the lowest and ``top``, and Q becomes
          (1 - x) Q + x Y.  rho, the share of random pairs, is that of its family, the states to which the same pair
          leads: what is true of many rooms says little about the corridor
untried   with chance (actions untried)/(actions) one of them is better, by anything up to ``top``

``top`` is the best value of all plus the range of the rewards: those of the table if there is one, else those seen.
The random numbers are fixed, a function of the pair and of the draw: the same data always give the same result.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..beliefs.noise import shrunk_variance
from ..rows import EXACT, Chain, eliminate_many, iterate, row_sums, some_rows
from .seen import Seen

MARGIN = 1e-10  # of the largest value: an action is changed for one that is better by more
LONGEST = 0.999  # the discount of staying in an unknown state
ENDLESS = 1.0 - 1e-7  # discount 1, which needs episodes that end
OWN, SHARED = 2.0, 5.0  # the samples that the local noise counts for, and in it the average of the world
MOST, FEWEST, ROOM = 64, 16, 100_000  # draws, and of states times draws
ROUNDS = 20  # of policy iteration in the draws
SMALL = 64  # states up to which elimination takes no longer than iterations, and never gets stuck
CLOSE, ROUGH = 1e-7, 1e-3  # residual, relative to the right side: where the inverse is known, and elsewhere
MEMORY = 20.0  # errors propagate for so many episode lengths, if the discount is 1
NORMAL, COSINE, UNSEEN, SHARE, VALUE, HOPE, GAIN = range(7)  # streams of uniform numbers


def uniform(stream: int, rows: int, draws: int) -> np.ndarray:
    """[rows, draws] fixed for ever: a hash (splitmix64) of stream, row and draw."""
    numbers = np.arange(rows, dtype=np.uint64)[:, None] * np.uint64(64) + np.arange(draws, dtype=np.uint64)
    x: Any = (numbers + np.uint64(1 + (stream << 40))) * np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        x = (x ^ (x >> np.uint64(shift))) * np.uint64(factor)
    return np.asarray(((x ^ (x >> np.uint64(31))) >> np.uint64(11)).astype(float) * 2.0**-53)


def deviates(rows: int, draws: int) -> np.ndarray:
    """[rows, draws] standard normal (Box and Muller), every second draw the mirror image of the one before."""
    half = (draws + 1) // 2
    z = np.sqrt(-2.0 * np.log1p(-uniform(NORMAL, rows, half))) * np.cos(2.0 * np.pi * uniform(COSINE, rows, half))
    return np.stack([z, -z], axis=-1).reshape(rows, 2 * half)[:, :draws]


# -- the model of the data -------------------------------------------------------------------------


class Model(NamedTuple):
    """All pairs of ``seen``, P of them, of S states which all have actions."""

    seen: Seen
    discount: float
    tried: np.ndarray  # [P] samples
    owners: np.ndarray  # [P] the state of a pair
    pairs: np.ndarray  # [E] the pair of an outcome
    to: np.ndarray  # [E] S is the end
    chances: np.ndarray  # [E]
    rewards: np.ndarray  # [P] mean
    untried: np.ndarray  # [S] how many actions were never tried
    visited: np.ndarray  # [S] whether any was

    def expected(self, values: np.ndarray, discount: float) -> np.ndarray:
        """[P, ...] discounted values of what comes after, for one or several columns."""
        extended = np.concatenate([values, np.zeros((1, *values.shape[1:]))])
        weights = (discount * self.chances).reshape(-1, *[1] * (values.ndim - 1))
        return row_sums(weights * extended[self.to], self.seen.rows)

    def chain(self, policy: np.ndarray) -> Chain:
        """``policy`` has a pair for each state."""
        heads, entries = some_rows(self.seen.rows, policy)
        return Chain(heads, self.to[entries], self.chances[entries], self.discount)


def model_of(seen: Seen, discount: float) -> Model:
    tried, owners, pairs, size = seen.tried, seen.owners, seen.pairs, seen.first.size - 1
    chances = seen.counts / tried[pairs]
    untried = np.bincount(owners, tried == 0, size).astype(np.int64)
    rewards, visited = row_sums(chances * seen.means, seen.rows), untried < np.diff(seen.first)
    lowest = float(rewards[tried > 0].min()) if visited.any() else 0.0
    discount = min(discount, ENDLESS)
    rewards[seen.first[:-1][~visited]] = lowest / (1.0 - min(discount, LONGEST))  # once and for all
    to = np.where(seen.to < 0, size, seen.to)
    return Model(seen, discount, tried, owners, pairs, to, chances, rewards, untried, visited)


class Solved(NamedTuple):
    model: Model
    policy: np.ndarray  # [S] a pair for each state
    values: np.ndarray  # [S]
    worth: np.ndarray  # [P] Q; -inf where never tried
    chain: Chain


def solve(model: Model, policy: np.ndarray | None = None) -> Solved:
    """The best policy, by policy iteration; or the values of a given one."""
    first = model.seen.first[:-1]
    allowed = model.tried > 0
    allowed[first[~model.visited]] = True
    fixed = policy is not None
    found = policy if policy is not None else leaders(np.where(allowed, model.rewards, -np.inf), model)
    for _ in range(1000):
        chain = model.chain(found)
        values = chain.solve(model.rewards[found])
        worth = np.where(allowed, model.rewards + model.expected(values, model.discount), -np.inf)
        margin = MARGIN * max(np.abs(values).max(), 1e-300)
        better = np.maximum.reduceat(worth, first) > worth[found] + margin
        if fixed or not better.any():
            break
        found = np.where(better, leaders(worth, model), found)
    return Solved(model, found, values, worth, chain)


def leaders(worth: np.ndarray, model: Model) -> np.ndarray:
    """[S, ...] the best pair of every state, the first on ties."""
    first = model.seen.first
    top = np.repeat(np.maximum.reduceat(worth, first[:-1], axis=0), np.diff(first), axis=0)
    numbers = np.arange(worth.shape[0]).reshape(-1, *[1] * (worth.ndim - 1))
    return np.minimum.reduceat(np.where(worth == top, numbers, worth.shape[0]), first[:-1], axis=0)


# -- what the data leave open ----------------------------------------------------------------------


class Errors(NamedTuple):
    variances: np.ndarray  # [P] of the mean backup
    unseen: np.ndarray  # [P] the chance of an outcome that did not come
    low: float  # of the values that such an outcome may have
    top: float


def errors_of(solved: Solved, rewards: tuple[float, float] | None) -> Errors:
    """``rewards``: the lowest and the highest that there are, if that is known."""
    model, seen = solved.model, solved.model.seen
    n, owners, size = model.tried.astype(float), model.owners, solved.values.size
    known = n > 0
    if not known.any():
        return Errors(np.zeros(n.size), np.zeros(n.size), 0.0, 0.0)
    worth = np.where(known, solved.worth, 0.0)
    backups = seen.means + model.discount * np.append(solved.values, 0.0)[model.to]
    squares = seen.squares + row_sums(seen.counts * (backups - worth[model.pairs]) ** 2, seen.rows)
    rounding = 1e-14 * np.ptp(worth[known]) ** 2 + (1e-11 * np.abs(worth).max()) ** 2
    noisy, free = known & (squares > rounding * n), np.maximum(n - 1.0, 0.0)
    squares = np.where(noisy, squares, 0.0)
    average = float(squares.sum() / max(free[noisy].sum(), 1.0))
    visits = np.bincount(owners, n, size)
    center = (np.bincount(owners, n * worth, size) / np.maximum(visits, 1.0))[owners]
    about = np.bincount(owners, squares + np.where(known, n * (worth - center) ** 2, 0.0), size)
    local = shrunk_variance(SHARED, average, about, np.maximum(visits, 1.0))[owners]
    some = np.maximum(n, 1.0)
    variances = np.where(noisy, shrunk_variance(OWN, local, squares, some) / some, 0.0)
    random = (np.diff(seen.rows) > 1) | (seen.squares > rounding * n)
    rho = shares_of_random(model, n >= 2.0, random)
    h = 2.0 * rho / (n + 1.0)
    unseen = np.where(random, 0.0, h / (h + 1.0 - rho))
    least, most = (float(seen.means.min()), float(seen.means.max())) if rewards is None else rewards
    own = solved.values[model.visited]
    return Errors(variances, np.where(known, unseen, 0.0), float(own.min()), float(own.max()) + most - least)


def shares_of_random(model: Model, judged: np.ndarray, random: np.ndarray) -> np.ndarray:
    """[P] rho: the share of random pairs among the others of the family, with the world's share as one more pair.

    The family of a state is that of the pair which led there most often.  In the share of the world every family
    counts once: many deterministic rooms behind one door say no more than a single one.
    """
    size, many = model.visited.size, model.tried.size
    came = np.where((model.to < size) & (model.to != model.owners[model.pairs]), model.seen.counts, 0)
    order = np.lexsort((came, model.to))
    last = np.flatnonzero(np.append(np.diff(model.to[order]) != 0, True))  # of each successor: its most frequent pair
    found = order[last][(came[order[last]] > 0) & (model.to[order[last]] < size)]
    parents = np.full(size, many)
    parents[model.to[found]] = model.pairs[found]
    family, random = parents[model.owners], random & judged
    tried, hits = np.bincount(family, judged, many + 1), np.bincount(family, random, many + 1)
    world = (1.0 + (hits[tried > 0] / tried[tried > 0]).sum()) / (1.0 + (tried > 0).sum())
    return np.minimum((world + hits[family] - random) / (1.0 + tried[family] - judged), 1.0)


class Draws(NamedTuple):
    policies: np.ndarray  # [S, K] the best pair of each state
    best: np.ndarray  # [S, K] by how much the best values differ from those of the model
    luck: np.ndarray  # [S, K] how much of the value of that policy is due to normal errors
    own: np.ndarray  # [S, K] by how much the values of the present policy differ
    shifts: np.ndarray  # [P, K] by how much Q differs, without the normal error of the pair itself


def draw(solved: Solved, errors: Errors, visits: float, draws: int = 0, factor: float = 1.0) -> Draws:
    """K worlds: with D = V_k - V, D = Q(s, pi_k s) - V(s) + e + (1 - x) gamma P_pi_k D.

    ``visits``: how long an episode is; ``factor``: as if there were so many times the samples.
    """
    model, values = solved.model, solved.values[:, None]
    size, many = solved.values.size, model.tried.size
    draws = draws or int(np.clip(ROOM // size, FEWEST, MOST))
    discount = min(model.discount, 1.0 - 1.0 / (MEMORY * max(visits, 1.0)))
    room = errors.top - errors.low
    normal = deviates(many, draws) * np.sqrt(errors.variances / factor)[:, None]
    n = np.maximum(factor * model.tried, 1.0)[:, None]
    jumps = uniform(UNSEEN, many, draws) < (errors.unseen / factor)[:, None]
    x = np.where(jumps, 1.0 - uniform(SHARE, many, draws) ** (1.0 / n), 0.0)
    worth = np.where(np.isfinite(solved.worth), solved.worth, 0.0)[:, None]
    shifts = x * (errors.low + room * uniform(VALUE, many, draws) - worth)
    worth = np.repeat(solved.worth[:, None], draws, axis=1)
    hopeful = np.flatnonzero(model.untried > 0)  # its first untried pair stands for all of them
    never = np.flatnonzero(model.tried == 0)
    carriers = never[np.searchsorted(never, model.seen.first[hopeful])]
    share = model.untried[hopeful] / np.diff(model.seen.first)[hopeful] / np.where(model.visited[hopeful], factor, 1.0)
    gain = np.maximum(errors.top - values[hopeful], 0.0) * uniform(GAIN, size, draws)[hopeful]
    taken = uniform(HOPE, size, draws)[hopeful] < share[:, None]
    worth[carriers] = np.where(taken, values[hopeful] + gain, worth[carriers])
    margin = MARGIN * max(np.abs(solved.values).max(), 1e-300)
    policies = np.repeat(solved.policy[:, None], draws, axis=1)
    system, best = Equations(solved, discount, 1.0 - x), np.zeros((size, draws))
    for _ in range(ROUNDS):
        right = at(worth, policies) - values + at(normal + shifts, policies)
        best = system.solve(policies, right, best)
        after = (1.0 - x) * model.expected(best, discount)
        q = worth + normal + shifts + after
        better = np.maximum.reduceat(q, model.seen.first[:-1], axis=0) > at(q, policies) + margin
        if not better.any():
            break
        policies = np.where(better, leaders(q, model), policies)
    luck = system.solve(policies, at(normal, policies), best)
    mine = np.repeat(solved.policy[:, None], draws, axis=1)
    right = at(worth, mine) - solved.worth[solved.policy, None] + at(normal + shifts, mine)
    own = system.solve(mine, right, np.zeros((size, draws)))
    return Draws(policies, best, luck, own, shifts + after)


def at(columns: np.ndarray, policies: np.ndarray) -> np.ndarray:
    return np.take_along_axis(columns, policies, 0)


class Equations(NamedTuple):
    """D = b + (1 - x) gamma P D in K draws at once; columns may follow different policies."""

    solved: Solved
    discount: float
    left: np.ndarray  # [P, K] 1 - x

    def solve(self, policies: np.ndarray, right: np.ndarray, guess: np.ndarray) -> np.ndarray:
        model, size = self.solved.model, right.shape[0]
        pairs = np.unique(policies)
        heads, entries = some_rows(model.seen.rows, pairs)
        places, left = np.searchsorted(pairs, policies), np.take_along_axis(self.left, policies, 0)
        weights, to = (self.discount * model.chances[entries])[:, None], model.to[entries]
        if size <= SMALL:
            cells = np.repeat(np.arange(pairs.size), np.diff(heads)) * (size + 1) + to
            matrix = np.bincount(cells, weights[:, 0], pairs.size * (size + 1)).reshape(-1, size + 1)[:, :-1]
            return eliminate_many(np.eye(size) - matrix[places.T] * left.T[:, :, None], right.T.copy()).T

        def apply(x: np.ndarray) -> np.ndarray:
            extended = np.concatenate([x, np.zeros((1, x.shape[1]))])
            return x - left * np.take_along_axis(row_sums(weights * extended[to], heads), places, 0)

        tolerance = CLOSE if size <= EXACT else ROUGH
        return iterate(apply, right, self.solved.chain.about, tolerance, guess)
