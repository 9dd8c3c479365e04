"""A small tree whose leaves pay 0 or 1, as the theorems about the tree search suppose: rewards in [0, 1]."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..environments import synthetic_tree
from ..random import below, uniform
from ..worlds.table import (
    ends_noisily,
    expected_reward,
    final_reward,
    most_actions,
    num_actions,
    num_states,
    step,
)


class CoinTree(NamedTuple):
    """As ``SyntheticTree``, the reward of a leaf being 1 with the probability of its mean and 0 otherwise."""

    means: np.ndarray  # [leaves] in [0, 1]
    branching: int
    inner: int
    intended: float


def coin_tree(branching: int, depth: int) -> tuple[CoinTree, np.ndarray]:
    """The tree, and [k] Q* of its root."""
    from ..environments.synthetic_tree import root_values

    tree = synthetic_tree(branching, depth)
    return CoinTree(tree.means, tree.branching, tree.inner, tree.intended), root_values(tree)


@num_actions.of(CoinTree)
def children_of(tree, state):
    return tree.branching if state < tree.inner else 0


@num_states.of(CoinTree)
def nodes_of(tree):
    return tree.inner + tree.means.size


@most_actions.of(CoinTree)
def always_as_many(tree):
    return tree.branching


@step.of(CoinTree)
def go_down(tree, state, action, rng):
    other = below(tree.branching - 1, rng)
    astray = other + 1 if other >= action else other
    child = action if uniform(rng) < tree.intended else astray
    return tree.branching * state + 1 + child, 0.0


@expected_reward.of(CoinTree)
def nothing_on_the_way(tree, state, action):
    return 0.0


@final_reward.of(CoinTree)
def toss(tree, state, rng):
    return 1.0 if uniform(rng) < tree.means[state - tree.inner] else 0.0


@ends_noisily.of(CoinTree)
def leaves_pay(tree):
    return True
