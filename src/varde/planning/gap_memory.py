"""What the default search remembers by depth: returns to go, what the unseen may hold, errors of given values."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .._compile import helper, verb
from ..moments import include
from ..worlds.table import worth
from ..worlds.visited import Visited
from .tree import NEW, NOWHERE, kinds

BORROWED, MOVED = 1, 2  # news: what was borrowed from other depths changed; the root moved on


class Memory(NamedTuple):
    """Statistics kept besides the tree."""

    # [H + 1] by depth: how many returns to go, their mean and M2, the best; one-step variances, their sum and number; a
    # node of the depth, whose ``link`` leads to the others
    level: np.ndarray
    # [1] steps; those since the last sweep; whether what was borrowed changed since; repeated actions, those that did
    # not repeat, whether the world is deterministic so far; from when to when no trial hopes, in simulations; the
    # widest deviation of a depth as of the last sweep; the largest |return to go|; squared errors of given
    # values, how many
    whole: np.ndarray
    hopeful: np.ndarray  # [B] whether each trial follows hope


LEVEL = kinds(("node",), ("count", "returns", "squares", "best", "noise", "noises"), np.int64)
WHOLE = kinds(
    ("steps", "since", "news", "repeats", "others", "settled", "calm", "due"),
    ("widest", "largest", "errors", "checked"),
    np.int64,
)


def make_memory(algorithm, settings):
    level, whole = np.zeros(settings.horizon + 1, LEVEL), np.zeros(1, WHOLE)
    return Memory(level, whole, np.zeros(settings.lanes, np.bool_))


@helper
def forget(algorithm, memory):
    level, whole = memory.level, memory.whole
    for t in range(level.node.shape[0]):
        level.node[t] = NOWHERE
        level.count[t] = level.returns[t] = level.squares[t] = level.noise[t] = level.noises[t] = 0.0
    whole.steps[0] = whole.since[0] = whole.news[0] = whole.repeats[0] = whole.others[0] = whole.settled[0] = 0
    whole.widest[0] = whole.largest[0] = whole.errors[0] = whole.checked[0] = 0.0


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


def look_one_step_further(algorithm, memory, tree, depths, discount):
    """Every return so far ended one step before the horizon as it is now.

    Without that step old returns would look worse than new ones where rewards are positive, and better where they are
    negative.  It pays what the last step paid on average, for episodes that were not over by then, at every depth, node
    and edge; beyond an old horizon where no trial has been yet, the return to go is that of the same depth elsewhere.
    """
    level, used = memory.level, len(depths)
    nodes = tree.nodes[:used]
    last = len(level) - 2  # the depth of the last step
    alive = level["count"][last] / np.maximum(level["count"][1 : last + 1], 1.0)
    more = level["returns"][last] * alive * discount ** np.arange(last - 1, -1, -1.0)
    level[:last] = level[1 : last + 1]
    level[last + 1] = np.zeros((), LEVEL)
    level["returns"][:last] += more
    level["best"][:last] += more
    seen = np.flatnonzero(nodes["visits"] > 0)
    seen = seen[depths[seen] < last]
    nodes["returns"][seen] += more[depths[seen]]
    made = seen[nodes["first"][seen] != NEW]
    wide = nodes["width"][made].astype(np.int64)
    ends = np.cumsum(wide)
    rows = np.arange(wide.sum()) + np.repeat(nodes["first"][made] - ends + wide, wide)
    tree.edges["returns"][rows] += np.repeat(more[depths[made]], wide) * (tree.edges["count"][rows] > 0)
    ahead = np.flatnonzero((nodes["first"] == NEW) & (nodes["visits"] == 0) & (nodes["width"] == 0))
    for name, value in (("value", level["returns"]), ("hope", level["returns"])):
        nodes[name][ahead] = value[depths[ahead]]
    nodes["variance"][ahead] = (level["squares"] / np.maximum(level["count"] - 1.0, 1.0))[depths[ahead]]
    # Steps that led elsewhere do not count: with fewer nodes left, everything would seem known.
    memory.whole["steps"], memory.whole["news"] = tree.edges["count"][: tree.used[1]].sum(), MOVED
    level["node"] = NOWHERE
    growing = np.flatnonzero(nodes["width"] > 0)
    growing = growing[np.argsort(depths[growing], kind="stable")]
    if len(growing):
        at, final = depths[growing], np.append(np.diff(depths[growing]) > 0, True)
        nodes["link"][growing] = np.where(final, NOWHERE, np.append(growing[1:], NOWHERE))
        starts = np.append(True, final[:-1])
        level["node"][at[starts]] = growing[starts]


# -- given values of states --------------------------------------------------------------------------


@verb(fallback=True)
def hope_at(problem, algorithm, memory, tree, node, depth):
    """The optimistic value of a node with an untried action."""
    return unseen(algorithm, memory, depth)


@verb(fallback=True)
def with_given(problem, memory, tree, node, depth):
    """V(n) and v(n) with a given value as a third estimate, where there is one."""


@helper
def error_of_given(memory, depth):
    """T: the mean square of U(n) minus the given value, and S_t once."""
    return (level_variance(memory, depth) + memory.whole.errors[0]) / (1.0 + memory.whole.checked[0])


@hope_at.of(Visited)
def hope_near_given(problem, algorithm, memory, tree, node, depth):
    given = worth(problem, tree.nodes.state[node])
    if math.isnan(given) or level_variance(memory, depth) == 0.0:
        return unseen(algorithm, memory, depth)
    return min(unseen(algorithm, memory, depth), given + algorithm.ahead * math.sqrt(error_of_given(memory, depth)))


@with_given.of(Visited)
def weigh_given(problem, memory, tree, node, depth):
    nodes, given = tree.nodes, worth(problem, tree.nodes.state[node])
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
