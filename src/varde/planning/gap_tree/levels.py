"""What is known of a depth, and what somebody said a state is worth."""

from __future__ import annotations

import math

import numpy as np

from ..._compile import helper
from ...moments import include_row
from ...noise import own_variance
from ...worlds.table import ends_noisily, is_listed, side, worth
from ..tree import STATE, VISITS, never_repeats, ways_part
from .records import (
    AGAIN,
    AHEAD,
    ALL,
    CHECKED,
    DRAWN,
    DRAWN_WHERE_NEW,
    ERRORS,
    LARGEST,
    NEWS,
    NODE,
    OTHER,
    SETTLED,
    SWAYED,
    TRUSTED,
    WIDEST,
)


@helper
def level_variance(memory, depth):
    """S_t: the variance of the return to go over all trials at a depth."""
    return memory.returns[depth, 2] / max(memory.returns[depth, 0] - 1.0, 1.0)


@helper
def unseen(algorithm, memory, depth):
    """What may be hoped for where nobody has been: strictly more than was seen, whatever the unit.

    In a game as much as anybody ever won: who is sure of that need not look for more.
    """
    if algorithm.players == 2:
        return memory.marks[LARGEST] if memory.marks[LARGEST] > 0.0 else 1.0
    deviation = math.sqrt(level_variance(memory, depth))
    if deviation == 0.0:
        deviation = memory.marks[WIDEST]
    if deviation == 0.0:
        deviation = memory.marks[LARGEST] if memory.marks[LARGEST] > 0.0 else 1.0
    return memory.best[depth] + AHEAD * deviation


@helper
def enter_return(memory, problem, tree, node, depth, gain):
    """Enter a return at its depth, where it is the first player's, and at its node."""
    memory.returns[depth, 0] += 1.0
    count, before = memory.returns[depth, 0], memory.returns[depth, 2]
    memory.best[depth] = gain if count == 1.0 else max(memory.best[depth], gain)
    memory.marks[LARGEST] = max(memory.marks[LARGEST], abs(gain))
    include_row(memory.returns, depth, 1, count, side(problem, tree.node[node, STATE]) * gain)
    if before == 0.0 and memory.returns[depth, 2] > 0.0:
        memory.steps[NEWS] = 1  # what was hoped for at this depth was borrowed
    include_row(tree.values, node, NODE.mean, tree.node[node, VISITS], gain)


@helper
def node_variance(algorithm, memory, tree, node, depth):
    """The variance of the returns of a node."""
    squares, visits = tree.values[node, NODE.squares], tree.node[node, VISITS]
    return own_variance(algorithm.rule.noise, level_variance(memory, depth), squares, visits)


@helper
def known_steps(memory, tree):
    """f: of the steps so far the share that came to a node that was there, more than 0."""
    if never_repeats(tree):
        return 1e-9  # all such steps followed an outcome again
    return max(1.0 - tree.used[0] / (memory.steps[ALL] + 1.0), 1e-9)


@helper
def is_settled(algorithm, memory, problem, tree):
    """Whether nothing is left to chance in a tree, as far as was seen: what came once can be had again.

    A world whose states never repeat is a tree even if nodes may be shared.
    """
    alone = algorithm.players == 1 and not (algorithm.report or ends_noisily(problem))
    certain = alone and memory.steps[OTHER] == 0 and memory.steps[AGAIN] >= SETTLED
    return certain and (tree.table.shape[0] == 1 or ways_part(tree))


# -- what somebody said a state is worth -------------------------------------------------------------


@helper
def said_of(problem, tree, node):
    """What the node was said to be worth, to whoever moves there; nan if nothing was."""
    state = np.int64(tree.node[node, STATE])
    return side(problem, state) * worth(problem, state)


@helper
def error_of_sayings(memory, depth):
    """T: the mean square of U(n) - what was said, over visits as of the last sweep, and S_t once.

    Only nodes count all of whose actions, or many, were tried.
    """
    return (level_variance(memory, depth) + memory.marks[ERRORS]) / (1.0 + memory.marks[CHECKED])


@helper
def expected_at(memory, problem, tree, node, depth):
    """What a value is drawn towards, the variance around that, how strongly, and standard errors down at most.

    Without transpositions a discovery comes up a long way: drawn freely at every level it would be lost.
    """
    mean = side(problem, tree.node[node, STATE]) * memory.returns[depth, 1]
    variance, said = level_variance(memory, depth), said_of(problem, tree, node)
    if math.isnan(said) or variance == 0.0:
        if not is_listed(problem) and never_repeats(tree):
            return mean, variance, DRAWN_WHERE_NEW, np.inf
        return mean, variance, DRAWN, np.inf if tree.table.shape[0] > 1 else SWAYED
    error = error_of_sayings(memory, depth)
    return mean + variance / (variance + error) * (said - mean), variance * error / (variance + error), TRUSTED, np.inf


@helper
def hope_for_unseen(algorithm, memory, problem, tree, node, depth):
    """What may be hoped for at a node with an untried action."""
    said = said_of(problem, tree, node)
    if math.isnan(said) or level_variance(memory, depth) == 0.0:
        return unseen(algorithm, memory, depth)
    return min(unseen(algorithm, memory, depth), said + AHEAD * math.sqrt(error_of_sayings(memory, depth)))
