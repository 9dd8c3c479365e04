"""Adjusting the memory when the tree is pruned: after a move, or for lack of memory."""

from __future__ import annotations

import numpy as np

from ..loop import left_for, resume, resumes, sparse, tidy
from ..tree import COUNT, EDGES, LINK, NEW, NOWHERE, STATE, VALUE, VISITS, WIDTH
from .levels import level_variance
from .records import ALL, EDGE, NEWS, NODE, GapTree


@sparse.of(GapTree)
def one_edge_will_do(algorithm):
    return True


@resumes.of(GapTree)
def gap_tree_resumes(algorithm):
    return True


@resume.of(GapTree)
def same_estimates(algorithm, problem, tree, node, edge, child, discount):
    state, action = int(tree.node[node, STATE]), edge - tree.node[node, EDGES]
    hope, variance = tree.values[node, NODE.hope], tree.values[node, NODE.variance]
    tree.scores[edge, EDGE.mean] = tree.values[node, NODE.mean]
    tree.scores[edge, EDGE.squares] = tree.values[node, NODE.squares]
    tree.scores[edge, EDGE.variance], tree.values[child, NODE.variance] = variance, variance / (discount * discount)
    tree.scores[edge, EDGE.hope] = hope
    tree.values[child, NODE.hope] = left_for(problem, state, action, hope, discount)
    tree.values[child, NODE.novelty] = tree.values[node, NODE.novelty]
    if algorithm.players == 2:
        sure, high = tree.values[node, NODE.sure], tree.values[child, NODE.hope]
        low = left_for(problem, state, action, sure, discount)
        tree.scores[edge, EDGE.sure] = sure
        tree.values[child, NODE.hope], tree.values[child, NODE.sure] = max(high, low), min(high, low)
    if algorithm.report:
        report = tree.values[node, NODE.report]
        tree.scores[edge, EDGE.report] = report
        tree.values[child, NODE.report] = left_for(problem, state, action, report, discount)


@tidy.of(GapTree)
def levels_of_what_is_left(algorithm, memory, tree, depths, moved, discount):
    if moved:
        look_one_step_further(memory, tree, depths, discount)
        # Steps that led elsewhere do not count: with fewer nodes left, everything would seem known.
        memory.steps[ALL] = tree.edge[: tree.used[1], COUNT].sum()
    memory.first[:] = NOWHERE
    growing = np.flatnonzero(tree.node[: len(depths), WIDTH] > 0)
    growing = growing[np.argsort(depths[growing], kind="stable")]
    if len(growing):
        level, last = depths[growing], np.append(np.diff(depths[growing]) > 0, True)
        tree.node[growing, LINK] = np.where(last, NOWHERE, np.append(growing[1:], NOWHERE))
        starts = np.append(True, last[:-1])
        memory.first[level[starts]] = growing[starts]


def look_one_step_further(memory, tree, depths, discount):
    """Every return so far ended one step before the horizon as it is now.

    Without that step old returns would look worse than new ones where rewards are positive, and better where they are
    negative.  It pays what the last step paid on average, for episodes that were not over by then; beyond an old
    horizon where no trial has been yet, the return to go is that of the same depth elsewhere.
    """
    last = memory.returns.shape[0] - 2  # the depth of the last step
    alive = memory.returns[last, 0] / np.maximum(memory.returns[1 : last + 1, 0], 1.0)
    more = memory.returns[last, 1] * alive * discount ** np.arange(last - 1, -1, -1.0)
    for levels in (memory.returns, memory.best):
        levels[:last] = levels[1 : last + 1]
        levels[last + 1] = 0.0
    memory.returns[:last, 1] += more
    memory.best[:last] += more
    ahead = np.flatnonzero((tree.node[: len(depths), EDGES] == NEW) & (tree.node[: len(depths), VISITS] == 0))
    mean = memory.returns[depths[ahead], 1]
    tree.values[ahead, VALUE] = tree.values[ahead, NODE.hope] = mean
    tree.values[ahead, NODE.variance] = [level_variance(memory, depth) for depth in depths[ahead]]
    tree.values[ahead, NODE.novelty] = 1.0
    memory.steps[NEWS] = 1
