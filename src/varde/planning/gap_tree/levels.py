"""Statistics of a depth, and given values of states."""

from __future__ import annotations

import math

import numpy as np

from ..._compile import helper
from ...beliefs.noise import own_variance
from ...moments import include_row
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
    """The optimistic value of the unseen: strictly more than was seen, whatever the unit.

    In a game as much as was ever won: a player sure of that need not look for more.
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
        memory.steps[NEWS] = 1  # the optimistic value at this depth came from elsewhere
    include_row(tree.values, node, NODE.mean, tree.node[node, VISITS], gain)


@helper
def node_variance(algorithm, memory, tree, node, depth):
    """The variance of the returns of a node."""
    squares, visits = tree.values[node, NODE.squares], tree.node[node, VISITS]
    return own_variance(algorithm.rule.noise, level_variance(memory, depth), squares, visits)


@helper
def known_steps(memory, tree):
    """f: the share of steps so far that led to an existing node, above 0."""
    if never_repeats(tree):
        return 1e-9  # all such steps followed an outcome again
    return max(1.0 - tree.used[0] / (memory.steps[ALL] + 1.0), 1e-9)


@helper
def is_settled(algorithm, memory, problem, tree):
    """Whether the tree is deterministic, as far as was seen: every path can be repeated.

    A world whose states never repeat is a tree even if nodes may be shared.
    """
    alone = algorithm.players == 1 and not (algorithm.report or ends_noisily(problem))
    certain = alone and memory.steps[OTHER] == 0 and memory.steps[AGAIN] >= SETTLED
    return certain and (tree.table.shape[0] == 1 or ways_part(tree))


# -- given values of states --------------------------------------------------------------------------


@helper
def said_of(problem, tree, node):
    """The given value of a node, for the player who moves there; nan if there is none."""
    state = np.int64(tree.node[node, STATE])
    return side(problem, state) * worth(problem, state)


@helper
def error_of_sayings(memory, depth):
    """T: the mean square of U(n) minus the given value, over visits as of the last sweep, and S_t once.

    Only nodes with all, or many, actions tried count.
    """
    return (level_variance(memory, depth) + memory.marks[ERRORS]) / (1.0 + memory.marks[CHECKED])


@helper
def expected_at(memory, problem, tree, node, depth):
    """What a value is shrunk towards, the variance around that, how strongly, and the most standard errors down.

    Without transpositions a discovery has a long way up: shrunk freely at every level it would be lost.
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
    """The optimistic value of a node with an untried action."""
    said = said_of(problem, tree, node)
    if math.isnan(said) or level_variance(memory, depth) == 0.0:
        return unseen(algorithm, memory, depth)
    return min(unseen(algorithm, memory, depth), said + AHEAD * math.sqrt(error_of_sayings(memory, depth)))
