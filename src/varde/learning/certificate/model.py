"""The best policy of the model of the data, and its value.

Maximum likelihood on the pairs tried; the others may not be taken.  A state without any trial is modelled as staying
where it is at the lowest mean reward seen, so that no plan leads there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...rows import Rows, added, selected
from .chain import Chain

MARGIN = 1e-10  # of the largest value: an action is changed for one that is better by more
LONGEST = 0.999  # the discount of staying in an unknown state
ENDLESS = 1.0 - 1e-7  # discount 1, which needs episodes that end


class Model(NamedTuple):
    """States that have actions, S of them, and the pairs tried; where there are none, one pair that stays."""

    discount: float
    states: np.ndarray  # [S] their numbers in what was seen
    pairs: np.ndarray  # [P] likewise; -1 for a pair that stays
    first: np.ndarray  # [S + 1] the pairs of a state
    owners: np.ndarray  # [P] and the other way round
    rows: np.ndarray  # [P + 1] the outcomes of a pair
    to: np.ndarray  # [E] S is the end
    counts: np.ndarray  # [E]
    chances: np.ndarray  # [E] how likely an outcome of its pair is
    rewards: np.ndarray  # [E] mean
    squares: np.ndarray  # [P] within outcomes
    tried: np.ndarray  # [P] samples, 0 for a pair that stays
    untried: np.ndarray  # [S] how many actions were never tried

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
    stuck = np.flatnonzero(used == 0)
    starts, entries = selected(seen.rows, known)
    means = added(seen.counts * seen.means, seen.rows)[known] / tried[known]
    low = float(means.min()) if known.size else 0.0
    everyone = np.concatenate([owners, stuck])
    order = np.argsort(everyone, kind="stable")
    sizes = np.concatenate([np.diff(starts), np.ones(stuck.size, np.int64)])
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    rows, moved = selected(offsets, order)
    total = tried[known]
    discount = min(discount, ENDLESS)
    stay = min(discount, LONGEST) / discount

    def both(some: np.ndarray, others: np.ndarray) -> np.ndarray:
        return np.concatenate([some, others])

    many = stuck.size
    return Model(
        discount,
        states,
        both(known, np.full(many, -1))[order],
        np.concatenate([[0], np.cumsum(np.maximum(used, 1))]),
        everyone[order],
        rows,
        both(number[seen.to[entries]], stuck)[moved],
        both(seen.counts[entries], np.zeros(many))[moved],
        both(seen.counts[entries] / np.repeat(total, np.diff(starts)), np.full(many, stay))[moved],
        both(seen.means[entries], np.full(many, low))[moved],
        both(seen.squares[known], np.zeros(many))[order],
        both(total, np.zeros(many, np.int64))[order],
        np.diff(seen.first)[states] - used,
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
