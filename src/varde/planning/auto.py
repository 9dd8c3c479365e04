"""VarDE for trees with nothing to tune: the temperature of the rule is the standard error of the gap.

At a node, for its tried edges e with successors k seen N(e, k) times, p_k = N(e, k) / N(e):

    Q(e) = R(e) + discount * sum_k p_k V(k)
    v(e) = discount^2 (sum_k p_k^2 v(k) + [sum_k p_k V(k)^2 - (sum_k p_k V(k))^2] / N(e))    variance of Q(e)
    z(e) = (Q(b) - Q(e)) / sqrt(v(b) + v(e)),   b = argmax Q                       gap in standard errors
    V(n) = sum_e h(e) Q(e),   v(n) = sum_e h(e)^2 v(e),   h(e) ~ exp(-focus z(e))
    score(e) = exp(-focus z(e)) s2(e) / (N(e) (N(e) + 1))                                  the rule

s2(e) is the variance of the returns through e, shrunk towards that of the node, which is shrunk towards that of the
depth; a node seen once has v(n) = that.

The rule spends samples on what is known to matter.  What nobody has seen needs optimism: a share of the trials follow,
from the root to the end, the highest hope,

    hope(e) = R(e) + discount * sum_k p_k hope(k),   hope(n) = max_e hope(e)

where a node with an untried action hopes for no less than one standard deviation above the best return to go ever
seen at its depth.  Every quantity is a ratio of returns or in their unit, so the same problem in other units is
searched alike.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .._compile import helper
from ..check import problem_with
from ..moments import joined
from ..random import below, uniform
from ..rule import shrinkage
from ..worlds.table import expected_reward, reward_variance
from .loop import back_up, begin, columns, prepare, reported_value, select, settle, value_variance
from .tree import (
    CHILD,
    COUNT,
    EDGES,
    NEXT,
    NONE,
    OUTCOMES,
    STATE,
    TIMES,
    TRIED,
    VALUE,
    VISITS,
    WIDTH,
    Q,
    best_action,
    samples_soon,
    untried,
)

PRIOR = 5.0  # samples that the wider variance counts for
REFRESHED = 8  # edges of a node that a visit brings up to date, in turn, besides its own
CERTAIN = 1e300  # a gap between values that are known exactly, in standard errors


class Node(NamedTuple):
    """Columns of a node."""

    value: int = VALUE
    variance: int = 1  # v(n)
    mean: int = 2  # of the returns
    squares: int = 3  # M2 of the returns
    hope: int = 4
    report: int = 5  # the milder value, if it is asked for


class Edge(NamedTuple):
    """Columns of an edge."""

    q: int = Q
    variance: int = 1  # v(e)
    mean: int = 2  # of the returns
    squares: int = 3  # M2 of the returns
    worth: int = 4  # w^2 s2: the score but for N
    hope: int = 5
    report: int = 6  # the milder value, if it is asked for


NODE, EDGE = Node(), Edge()


class Levels(NamedTuple):
    """What is remembered besides the tree."""

    returns: np.ndarray  # [H + 1, 3] count, mean and M2 of the return to go, by depth
    best: np.ndarray  # [H + 1] the best return to go
    hopeful: np.ndarray  # [B] whether the trial follows the highest hope


class AutoTree(NamedTuple):
    """The default: VarDE with the standard error as its temperature, some optimism, a little forced exploration.

    A share ``optimism`` of the trials takes untried actions and follows the highest hope.  The others take, with
    probability min(1, ``exploration`` / ln(N + 1)), any action; else an untried one; else the highest score.
    ``report`` backs up a second value with the milder weights exp(-z) (exp(-2z) at the root), which is a less biased
    estimate of the root's value.
    """

    focus: float = 3.0  # exponent of the score; 2 with softness 1 is the paper's rule
    softness: float = 3.0  # exponent of the backed-up value
    exploration: float = 0.5
    optimism: float = 0.25  # share of trials that go where the most could still be found
    report: bool = False


@columns.of(AutoTree)
def auto_columns(algorithm):
    return (NODE, EDGE) if algorithm.report else (NODE[:5], EDGE[:6])


@prepare.of(AutoTree)
def make_levels(algorithm, settings):
    steps = settings.horizon + 1
    return Levels(np.zeros((steps, 3)), np.zeros(steps), np.zeros(settings.lanes, np.bool_))


@begin.of(AutoTree)
def forget_levels(algorithm, memory):
    for depth in range(memory.returns.shape[0]):
        for i in range(3):
            memory.returns[depth, i] = 0.0


@select.of(AutoTree)
def explore_or_sample(algorithm, memory, problem, tree, lane, node, depth, rng):
    width = tree.node[node, WIDTH]
    if tree.node[node, TRIED] == 0:
        return untried(tree, node, rng)
    if depth == 0:
        memory.hopeful[lane] = uniform(rng) < algorithm.optimism
    hopeful = memory.hopeful[lane]
    if not hopeful and uniform(rng) * math.log(tree.node[node, VISITS] + 2.0) < algorithm.exploration:
        return below(width, rng)
    if tree.node[node, TRIED] < width:
        return untried(tree, node, rng)
    return best_action(tree, node, EDGE.hope, rng) if hopeful else most_urgent(tree, node, rng)


@helper
def most_urgent(tree, node, rng):
    """The action of the largest decrement, samples under way counted in N; ties at random."""
    first = tree.node[node, EDGES]
    best, chosen, ties = -np.inf, 0, 1
    for action in range(tree.node[node, WIDTH]):
        score = tree.scores[first + action, EDGE.worth] * shrinkage(samples_soon(tree, first + action))
        if score > best:
            best, chosen, ties = score, action, 1
        elif score == best:
            ties += 1
            chosen = action if below(ties, rng) == 0 else chosen
    return chosen


@helper
def welford(table, row, column, count, sample):
    """Enter a sample into the mean and M2 at ``column`` and ``column + 1``."""
    table[row, column], table[row, column + 1] = joined(table[row, column], table[row, column + 1], sample, count)


@helper
def shrunk(wide, squares, count):
    """A variance from ``count`` samples, drawn towards ``wide``."""
    return (PRIOR * wide + squares) / (PRIOR + count - 1.0)


@helper
def level_variance(memory, depth):
    """The variance of the return to go over all trials at a depth."""
    return memory.returns[depth, 2] / max(memory.returns[depth, 0] - 1.0, 1.0)


@helper
def spread_at(memory, tree, node, depth, gain):
    """Enter ``gain`` at the depth and at the node; the variance of the returns of the node."""
    memory.returns[depth, 0] += 1.0
    count = memory.returns[depth, 0]
    memory.best[depth] = gain if count == 1.0 else max(memory.best[depth], gain)
    welford(memory.returns, depth, 1, count, gain)
    visits = tree.node[node, VISITS]
    welford(tree.values, node, NODE.mean, visits, gain)
    return shrunk(level_variance(memory, depth), tree.values[node, NODE.squares], visits)


@helper
def estimate(algorithm, problem, tree, node, edge, discount):
    """Q(e), its variance, and the reported Q, from the successors seen."""
    count = tree.edge[edge, COUNT]
    mean, squares, variance, hope, report = 0.0, 0.0, 0.0, 0.0, 0.0
    outcome = tree.edge[edge, OUTCOMES]
    while outcome != NONE:
        child, share = tree.outcome[outcome, CHILD], tree.outcome[outcome, TIMES] / count
        value = tree.values[child, VALUE]
        mean += share * value
        squares += share * value * value
        variance += share * share * tree.values[child, NODE.variance]
        hope += share * tree.values[child, NODE.hope]
        if algorithm.report:
            report += share * tree.values[child, NODE.report]
        outcome = tree.outcome[outcome, NEXT]
    state, action = int(tree.node[node, STATE]), edge - tree.node[node, EDGES]
    reward = expected_reward(problem, state, action)
    spread = discount * discount * max(squares - mean * mean, 0.0) + reward_variance(problem, state, action)
    tree.scores[edge, Q] = reward + discount * mean
    tree.scores[edge, EDGE.variance] = discount * discount * variance + spread / count
    tree.scores[edge, EDGE.hope] = reward + discount * hope
    if algorithm.report:
        tree.scores[edge, EDGE.report] = reward + discount * report


@back_up.of(AutoTree)
def propagate(algorithm, memory, problem, tree, lane, node, edge, depth, gain, discount):
    wide = spread_at(memory, tree, node, depth, gain)
    welford(tree.scores, edge, EDGE.mean, tree.edge[edge, COUNT], gain)
    estimate(algorithm, problem, tree, node, edge, discount)
    first, stop = tree.node[node, EDGES], tree.node[node, EDGES] + tree.node[node, WIDTH]
    if tree.table.shape[0] > 1:
        # In a graph the successors of the other edges improve through other parents.
        width = stop - first
        turn = REFRESHED * tree.node[node, VISITS]
        for i in range(min(width, REFRESHED)):
            other = first + (turn + i) % width
            if other != edge and tree.edge[other, COUNT] > 0:
                estimate(algorithm, problem, tree, node, other, discount)
    leader, hope = -1, -np.inf
    for other in range(first, stop):
        if tree.edge[other, COUNT] > 0:
            hope = max(hope, tree.scores[other, EDGE.hope])
            leader = other if leader < 0 or tree.scores[other, Q] > tree.scores[leader, Q] else leader
    if tree.node[node, TRIED] < tree.node[node, WIDTH]:
        hope = max(hope, memory.best[depth] + math.sqrt(level_variance(memory, depth)))
    tree.values[node, NODE.hope] = hope
    weigh(algorithm, tree, node, first, stop, leader, wide)
    if tree.node[node, VISITS] == 1:
        tree.values[node, NODE.variance] = wide


@helper
def standard_errors(tree, leader, edge):
    """z(e): how far an edge is behind the leader."""
    gap = tree.scores[leader, Q] - tree.scores[edge, Q]
    both = tree.scores[leader, EDGE.variance] + tree.scores[edge, EDGE.variance]
    return 0.0 if gap == 0.0 else gap / math.sqrt(both) if both > 0.0 else CERTAIN


@helper
def weigh(algorithm, tree, node, first, stop, leader, wide):
    """Scores of the tried edges, and V(n) and v(n) from the weights of their gaps."""
    top = tree.scores[leader, Q]
    same = algorithm.focus == algorithm.softness
    total, gaps, variance, mild, report = 0.0, 0.0, 0.0, 0.0, 0.0
    for edge in range(first, stop):
        count = tree.edge[edge, COUNT]
        if count == 0:
            continue
        gap, own = top - tree.scores[edge, Q], tree.scores[edge, EDGE.variance]
        errors = standard_errors(tree, leader, edge)
        influence = math.exp(-0.5 * algorithm.focus * errors)
        square = influence * influence
        weight = square if same else math.exp(-algorithm.softness * errors)
        total += weight
        gaps += weight * gap
        variance += weight * weight * own
        tree.scores[edge, EDGE.worth] = square * shrunk(wide, tree.scores[edge, EDGE.squares], count)
        if algorithm.report:
            chance = math.exp(-errors)
            mild += chance
            report += chance * tree.scores[edge, EDGE.report]
    tree.values[node, VALUE] = top - gaps / total
    tree.values[node, NODE.variance] = variance / (total * total)
    if algorithm.report:
        tree.values[node, NODE.report] = report / mild


@settle.of(AutoTree)
def noisy_end(algorithm, memory, tree, node, depth, gain):
    visits = tree.node[node, VISITS]
    wide = spread_at(memory, tree, node, depth, gain)
    tree.values[node, VALUE] = tree.values[node, NODE.mean]
    tree.values[node, NODE.hope] = tree.values[node, NODE.mean]
    tree.values[node, NODE.variance] = wide / visits
    if algorithm.report:
        tree.values[node, NODE.report] = tree.values[node, NODE.mean]


@value_variance.of(AutoTree)
def propagated_variance(algorithm, tree, edge):
    return tree.scores[edge, EDGE.variance]


@reported_value.of(AutoTree)
def mild_value(algorithm, tree):
    """The root has samples enough for sharper weights than the nodes below it: exp(-2 z)."""
    if not algorithm.report:
        return tree.values[0, VALUE]
    first, stop = tree.node[0, EDGES], tree.node[0, EDGES] + tree.node[0, WIDTH]
    leader = -1
    for edge in range(first, stop):
        if tree.edge[edge, COUNT] > 0:
            leader = edge if leader < 0 or tree.scores[edge, Q] > tree.scores[leader, Q] else leader
    total, report = 0.0, 0.0
    for edge in range(first, stop):
        if tree.edge[edge, COUNT] > 0:
            weight = math.exp(-2.0 * standard_errors(tree, leader, edge))
            total += weight
            report += weight * tree.scores[edge, EDGE.report]
    return report / total


@problem_with.of(AutoTree)
def auto_problem(algorithm):
    for name in ("focus", "softness", "exploration", "optimism"):
        given = getattr(algorithm, name)
        if not 0.0 <= given < np.inf:
            return f"{name} is {given}: write a finite number, zero or more; the default is a good one"
    return ""
