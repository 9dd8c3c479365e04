"""What the default search keeps besides the tree, by depth: returns to go, what the unseen may hold, given values."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .._compile import helper
from ..moments import include

LAST = 0  # ends the list of the nodes of a depth: the root is alone at its depth, and comes last
BORROWED, MOVED = 1, 2  # news: what was borrowed from other depths changed; values are others everywhere


class Memory(NamedTuple):
    """What is kept besides the tree."""

    # [H + 1] by depth: a node, whose ``link`` leads to the others; how many returns to go, their mean and M2, the best;
    # one-step variances, their sum and number
    level: np.ndarray
    # [1] steps; those since the last sweep; whether what was borrowed changed since; repeated actions, those that did
    # not repeat, whether the world is deterministic so far; from when to when no trial is optimistic, in simulations;
    # the widest deviation of a depth as of the last sweep; the largest |return to go|; squared errors of given values,
    # how many
    whole: np.ndarray
    given: np.ndarray  # [N] values of states that somebody gave, or nan; of size 1 if nobody did
    lower: np.ndarray  # [N] lower bounds, where two players move; of size 1 elsewhere


LEVEL = np.dtype(
    [("node", np.int64)] + [(n, float) for n in ("count", "returns", "squares", "best", "noise", "noises")]
)
WHOLE = np.dtype(
    [(n, np.int64) for n in ("steps", "since", "news", "repeats", "others", "settled", "calm", "due")]
    + [(n, float) for n in ("widest", "largest", "errors", "checked")]
)


def make_memory(algorithm, settings, nodes):
    level, whole = np.zeros(settings.horizon + 1, LEVEL), np.zeros(1, WHOLE)
    given = np.full(nodes if settings.informed else 1, np.nan)
    return Memory(level, whole, given, np.zeros(nodes if settings.players == 2 else 1))


# -- what is borrowed from the depth -----------------------------------------------------------------


@helper
def level_variance(memory, depth):
    """S_t: the variance of the return to go over all trials at a depth."""
    return memory.level.squares[depth] / max(memory.level.count[depth] - 1.0, 1.0)


@helper
def unseen(algorithm, memory, depth):
    """The optimistic value of the unseen: strictly more than was seen, whatever the unit."""
    whole, deviation = memory.whole, math.sqrt(level_variance(memory, depth))
    if deviation == 0.0:
        deviation = whole.widest[0]
    if deviation == 0.0:
        deviation = whole.largest[0] if whole.largest[0] > 0.0 else 1.0
    return memory.level.best[depth] + algorithm.ahead * deviation


@helper
def most_won(memory):
    """As much as was ever won or lost: a player sure of that need not look for more."""
    return memory.whole.largest[0] if memory.whole.largest[0] > 0.0 else 1.0


@helper
def usual_noise(algorithm, memory, depth):
    """C_t: the variance between the outcomes of an edge, on average at a depth."""
    level = memory.level
    return algorithm.usual * level.noise[depth] / level.noises[depth] if level.noises[depth] > 0.0 else 0.0


@helper
def enter_return(memory, tree, node, depth, gain):
    """Enter a return at its depth and at its node."""
    level, whole = memory.level, memory.whole
    level.count[depth] += 1.0
    before = level.squares[depth]
    level.best[depth] = gain if level.count[depth] == 1.0 else max(level.best[depth], gain)
    whole.largest[0] = max(whole.largest[0], abs(gain))
    include(level.returns, level.squares, depth, level.count[depth], gain)
    if before == 0.0 and level.squares[depth] > 0.0:
        whole.news[0] = max(whole.news[0], BORROWED)  # the optimistic value at this depth came from elsewhere
    include(tree.nodes.returns, tree.nodes.squares, node, tree.nodes.visits[node], gain)


# -- given values of states --------------------------------------------------------------------------


@helper
def given_at(memory, node):
    return memory.given[node] if memory.given.size > 1 else np.nan


@helper
def error_of_given(memory, depth):
    """T: the mean square of U(n) minus the given value, and S_t once."""
    return (level_variance(memory, depth) + memory.whole.errors[0]) / (1.0 + memory.whole.checked[0])


@helper
def optimistic_at(algorithm, memory, node, depth):
    """The optimistic value of a node with an untried action."""
    given = given_at(memory, node)
    if math.isnan(given) or level_variance(memory, depth) == 0.0:
        return unseen(algorithm, memory, depth)
    return min(unseen(algorithm, memory, depth), given + algorithm.ahead * math.sqrt(error_of_given(memory, depth)))


@helper
def weigh_given(memory, tree, node, depth):
    """V(n) and v(n) with a given value as a third estimate, where there is one."""
    nodes, given = tree.nodes, given_at(memory, node)
    if math.isnan(given):
        return
    if nodes.visits[node] > nodes.width[node] == nodes.tried[node]:
        memory.whole.checked[0] += 1.0
        memory.whole.errors[0] += (nodes.value[node] - given) ** 2
    error = error_of_given(memory, depth)
    if error > 0.0:
        share = error / (error + nodes.variance[node])
        nodes.value[node] = given + share * (nodes.value[node] - given)
        nodes.variance[node] *= share


# -- moving on ---------------------------------------------------------------------------------------


def look_one_step_further(algorithm, memory, tree, settings):
    """Every return so far ended one step before the horizon as it is now.

    Without that step old returns would look worse than new ones where rewards are positive, and better where they are
    negative.  It pays what the last step paid on average, for episodes that were not over by then, at every depth, node
    and edge; beyond an old horizon where no trial has been yet, the return to go is that of the same depth elsewhere.
    """
    level, nodes = memory.level, tree.nodes[: tree.used[0]]
    depths, last = nodes["depth"], len(level) - 2  # the depth of the last step
    alive = level["count"][last] / np.maximum(level["count"][1 : last + 1], 1.0)
    more = level["returns"][last] * alive * settings.discount ** np.arange(last - 1, -1, -1.0)
    level[:last] = level[1 : last + 1]
    level[last + 1] = np.zeros((), LEVEL)
    level["returns"][:last] += more
    level["best"][:last] += more
    seen = np.flatnonzero((nodes["visits"] > 0) & (depths < last))
    nodes["returns"][seen] += more[depths[seen]]
    tried = nodes["tried"][seen].astype(np.int64)
    ends = np.cumsum(tried)
    rows = np.arange(tried.sum()) + np.repeat(nodes["first"][seen] - ends + tried, tried)
    tree.edges["returns"][rows] += np.repeat(more[depths[seen]], tried) * (tree.edges["count"][rows] > 0)
    ahead = np.flatnonzero((nodes["visits"] == 0) & (nodes["width"] > 0))
    for name, value in (("value", level["returns"]), ("optimistic", level["returns"])):
        nodes[name][ahead] = value[depths[ahead]]
    nodes["variance"][ahead] = (level["squares"] / np.maximum(level["count"] - 1.0, 1.0))[depths[ahead]]
    # Steps that led elsewhere do not count: with fewer nodes left, everything would seem known.
    memory.whole["steps"], memory.whole["news"] = tree.edges["count"][: tree.used[1]].sum(), MOVED
    level["node"] = LAST
    for node in np.flatnonzero(nodes["width"] > 0)[1:].tolist():
        nodes["link"][node], level["node"][depths[node]] = level["node"][depths[node]], node
