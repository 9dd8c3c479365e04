"""The best policy of the model of the data, and its value.

Maximum likelihood on the pairs tried; the others may not be taken.  A state without any trial is modelled as staying
where it is at the lowest mean reward seen, so that no plan leads there.  Where some actions were tried and others not,
one more pair stands for the others: in the model it is the worst that there is, in the draws (``draws.py``) what it may
turn out to be.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...rows import Rows, added, selected
from .chain import Chain

MARGIN = 1e-10  # of the largest value: an action is changed for one that is better by more
LONGEST = 0.999  # the discount of staying in an unknown state
ENDLESS = 1.0 - 1e-7  # discount 1, which needs episodes that end


class Model(NamedTuple):
    """States that have actions, S of them, the pairs tried, and one that stands for those never tried."""

    discount: float
    states: np.ndarray  # [S] their numbers in what was seen
    pairs: np.ndarray  # [P] likewise; -1 for one never tried
    first: np.ndarray  # [S + 1] the pairs of a state
    owners: np.ndarray  # [P] and the other way round
    rows: np.ndarray  # [P + 1] the outcomes of a pair
    to: np.ndarray  # [E] S is the end
    counts: np.ndarray  # [E]
    chances: np.ndarray  # [E] how likely an outcome of its pair is
    rewards: np.ndarray  # [E] mean
    squares: np.ndarray  # [P] within outcomes
    tried: np.ndarray  # [P] samples, 0 for one never tried
    untried: np.ndarray  # [S] how many actions were never tried
    open: np.ndarray  # [P] whether it stands for those of a state in which others were tried

    def backups(self, values: np.ndarray) -> np.ndarray:
        """[E] reward and discounted value of each outcome."""
        return self.rewards + self.discount * np.append(values, 0.0)[self.to]

    def chain(self, policy: np.ndarray) -> Chain:
        """``policy`` has a pair for each state."""
        starts, entries = selected(self.rows, policy)
        return Chain(starts, self.to[entries], self.chances[entries], self.discount)


def model_of(seen: Rows, discount: float) -> Model:
    tried = seen.tried
    states = np.flatnonzero(np.diff(seen.first) > 0)
    size, known = states.size, np.flatnonzero(tried > 0)
    number = np.full(seen.first.size, size)  # also of the last, END
    number[states] = np.arange(size)
    owners, used = number[seen.owners[known]], np.zeros(size, np.int64)
    np.add.at(used, owners, 1)
    untried = np.diff(seen.first)[states] - used
    stuck, half = np.flatnonzero(used == 0), np.flatnonzero((used > 0) & (untried > 0))
    starts, entries = selected(seen.rows, known)
    means = added(seen.counts * seen.means, seen.rows)[known] / tried[known]
    low, range_ = (float(means.min()), float(np.ptp(means))) if known.size else (0.0, 0.0)
    discount = min(discount, ENDLESS)
    stay = min(discount, LONGEST) / discount
    worst = min(low, 0.0) / (1.0 - discount) - max(range_, abs(low), 1e-300)
    many, never = stuck.size, stuck.size + half.size
    everyone = np.concatenate([owners, stuck, half])
    order = np.argsort(everyone, kind="stable")
    sizes = np.concatenate([np.diff(starts), np.ones(never, np.int64)])
    rows, moved = selected(np.concatenate([[0], np.cumsum(sizes)]), order)
    total = tried[known]
    used[stuck] = 1
    used[half] += 1

    def all_of(some: np.ndarray, stuck: Any, half: Any) -> np.ndarray:
        return np.concatenate([some, np.broadcast_to(stuck, many), np.broadcast_to(half, never - many)])

    return Model(
        discount,
        states,
        all_of(known, -1, -1)[order],
        np.concatenate([[0], np.cumsum(used)]),
        everyone[order],
        rows,
        all_of(number[seen.to[entries]], stuck, size)[moved],
        all_of(seen.counts[entries], 0, 0)[moved],
        all_of(seen.counts[entries] / np.repeat(total, np.diff(starts)), stay, 1.0)[moved],
        all_of(seen.means[entries], low, worst)[moved],
        all_of(seen.squares[known], 0.0, 0.0)[order],
        all_of(total, 0, 0)[order],
        untried,
        all_of(np.zeros(known.size, bool), False, True)[order],
    )


class Solved(NamedTuple):
    model: Model
    policy: np.ndarray  # [S] a pair for each state
    values: np.ndarray  # [S]
    backups: np.ndarray  # [E]
    worth: np.ndarray  # [P] Q
    chain: Chain


def solve(model: Model, policy: np.ndarray | None = None) -> Solved:
    """The best policy, by policy iteration; or the values of a given one."""
    heads, chances = model.first[:-1], model.chances
    sure = np.repeat(model.tried == 0, np.diff(model.rows))  # stay and get the reward, with a shorter future
    rewards = np.add.reduceat(np.where(sure, 1.0, chances) * model.rewards, model.rows[:-1])
    fixed = policy is not None
    found = policy if policy is not None else leaders(rewards, model)
    for _ in range(1000):
        chain = model.chain(found)
        values = chain.solve(rewards[found])
        backups = model.backups(values)
        worth = rewards + model.discount * np.add.reduceat(chances * np.append(values, 0.0)[model.to], model.rows[:-1])
        margin = MARGIN * max(np.abs(values).max(), 1e-300)
        better = np.maximum.reduceat(worth, heads) > worth[found] + margin
        if fixed or not better.any():
            break
        found = np.where(better, leaders(worth, model), found)
    return Solved(model, found, values, backups, worth, chain)


def leaders(worth: np.ndarray, model: Model) -> np.ndarray:
    """The best pair of every state, the first on ties."""
    top = np.repeat(np.maximum.reduceat(worth, model.first[:-1]), np.diff(model.first))
    places = np.flatnonzero(worth == top)
    return places[np.unique(model.owners[places], return_index=True)[1]]
