"""A small tree whose leaves pay 0 or 1, as the theorems about the tree search suppose: rewards in [0, 1]."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..environments.synthetic_tree import (
    descend,
    leaves_are_noisy,
    no_reward_on_the_way,
    num_children,
    num_nodes,
    root_values,
    same_everywhere,
    synthetic_tree,
)
from ..random import uniform
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
    tree = synthetic_tree(branching, depth)
    return CoinTree(tree.means, tree.branching, tree.inner, tree.intended), root_values(tree)


# A move is that of a synthetic tree; only what a leaf pays differs.
num_actions.of(CoinTree)(num_children)
num_states.of(CoinTree)(num_nodes)
most_actions.of(CoinTree)(same_everywhere)
step.of(CoinTree)(descend)
expected_reward.of(CoinTree)(no_reward_on_the_way)
ends_noisily.of(CoinTree)(leaves_are_noisy)


@final_reward.of(CoinTree)
def toss(tree, state, rng):
    return 1.0 if uniform(rng) < tree.means[state - tree.inner] else 0.0
