"""Synthetic trees: k actions, depth d, noise at the leaves and in the moves (MCTS.4).

Implicit, since a table of k = 200, d = 2 would have eight million rows: only the means of the nodes are stored.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..check import problem_with, refuse_problem, seed_number, whole
from ..random import integer, key, normal, stream, uniform
from ..worlds.record import credited, expected_reward, final_reward, num_actions, step

MOST_LEAVES = 10**8


class SyntheticTree(NamedTuple):
    """A k-ary tree: node n has the children k n + 1 .. k n + k; the last level holds the leaves.

    Action a leads to child a with probability ``intended``, otherwise to one of the others, equally likely.  A leaf
    pays its mean plus normal noise.  With ``credit_landing`` a transition is credited to the action of the child that
    was reached, not to the one chosen: the as-run reading.
    """

    means: np.ndarray  # [leaves] in [0, 1]
    branching: int
    inner: int  # nodes that are not leaves: 0 .. inner - 1
    deviation: float = 0.5
    intended: float = 0.5
    credit_landing: bool = False


def synthetic_tree(branching: int, depth: int, seed: int = 0, deviation: float = 0.5) -> SyntheticTree:
    """A synthetic tree: edge weights uniform in [0, 1); a leaf's mean is the sum along its path, rescaled to [0, 1]."""
    branching = whole("branching", branching, "how many actions a node has, 2 or more", 2)
    depth = whole("depth", depth, "how many moves a game has, 1 or more")
    if depth * math.log(branching) > math.log(MOST_LEAVES):
        raise ValueError(f"branching is {branching} and depth {depth}: write a tree of {MOST_LEAVES:,} leaves at most")
    rng = stream(key(seed_number(seed), "synthetic-tree", branching, depth))
    sums = np.zeros(1)
    for level in range(1, depth + 1):
        weights = np.array([uniform(rng) for _ in range(branching**level)])
        sums = np.repeat(sums, branching) + weights
    means = (sums - sums.min()) / (sums.max() - sums.min())
    inner = sum(branching**level for level in range(depth))
    tree = SyntheticTree(means, branching, inner, deviation)
    refuse_problem(tree)
    return tree


@num_actions.of(SyntheticTree)
def num_children(tree):
    return np.repeat([tree.branching, 0], [tree.inner, tree.means.size])


@step.of(SyntheticTree)
def descend(tree, state, action, rng):
    other = integer(tree.branching - 1, rng)
    astray = other + 1 if other >= action else other
    child = action if uniform(rng) < tree.intended else astray
    return tree.branching * state + 1 + child, 0.0


@expected_reward.of(SyntheticTree)
def no_reward_on_the_way(tree, state, action):
    return 0.0


@final_reward.of(SyntheticTree)
def leaf_reward(tree, state, rng):
    return tree.means[state - tree.inner] + tree.deviation * normal(rng)


@credited.of(SyntheticTree)
def chosen_or_landed(tree, state, action, successor):
    return successor - tree.branching * state - 1 if tree.credit_landing else action


@problem_with.of(SyntheticTree)
def tree_problem(tree):
    if not 0.0 < tree.intended <= 1.0:
        return f"intended is {tree.intended}: write a probability above 0"
    return (
        "" if 0.0 <= tree.deviation < np.inf else f"deviation is {tree.deviation}: write a finite number, zero or more"
    )


def root_values(tree: SyntheticTree) -> np.ndarray:
    """[k] Q* of the root: Q(n, a) = p V_a + (1 - p) mean of the others, V = max_a Q, from the leaves upwards."""
    values = np.asarray(tree.means)
    k = tree.branching
    while True:
        rows = values.reshape(-1, k)
        others = (rows.sum(axis=1, keepdims=True) - rows) / (k - 1)
        pairs = tree.intended * rows + (1.0 - tree.intended) * others
        if len(pairs) == 1:
            return pairs[0]
        values = pairs.max(axis=1)


def root_value(tree: SyntheticTree) -> float:
    """V* of the root."""
    return float(root_values(tree).max())
