"""VarDE() in trees: the gaps to the best action, values backed up with their variances, and some hope.

At a node, for its tried edges e with successors k seen N(e, k) times, p_k = N(e, k) / N(e):

    Q(e) = R(e) + discount * sum_k p_k V(k)
    v(e) = discount^2 (sum_k p_k^2 v(k) + [sum_k p_k V(k)^2 - (sum_k p_k V(k))^2] / N(e))    variance of Q(e)
    V(n) = sum_e h(e) Q(e),   v(n) = sum_e h(e)^2 v(e),   h(e) ~ exp(-softness z(e))
    z(e) = (Q(b) - Q(e)) / sqrt(v(b) + v(e)),   b = argmax Q                       gap in standard errors

The edges are the parts that the rule compares: w^2 = exp(-focus z) by the decision ``Gaps``, and s2(e), the variance
of the returns through e, drawn towards that of the node, which is drawn towards that of the depth.  A node seen once
has v(n) = that.

The rule spends samples on what is known to matter.  What is unknown needs optimism: a share of the trials follow,
from the root to the end, the highest hope,

    hope(e) = R(e) + discount * sum_k p_k hope(k),   hope(n) = max_e hope(e)

where a node with an untried action hopes for no less than one standard deviation above the best return to go ever
seen at its depth.  Every quantity is a ratio of returns or in their unit, so the same problem in other units is
searched alike.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from .._compile import helper
from ..check import problem_with
from ..decisions import Gaps
from ..decisions.decision import weigh
from ..moments import include_row
from ..noise import own_variance
from ..parts import error, estimate, noise, samples, size
from ..random import below, uniform
from ..rule import VarDE, decrement
from ..worlds.table import expected_reward, reward_variance
from .loop import (
    back_up,
    begin,
    columns,
    move_root,
    prepare,
    reported_value,
    resume,
    resumes,
    select,
    settle,
    value_variance,
)
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
    Tree,
    best_action,
    samples_soon,
    untried,
)

REFRESHED = 8  # edges of a node that a visit brings up to date, in turn, besides its own
ROOT_FOCUS = 2.0  # of the reported value: the root has samples enough for sharper weights than the nodes below it


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
    worth: int = 4  # w^2 s2: the decrement but for N
    hope: int = 5
    report: int = 6  # the milder value, if it is asked for


NODE, EDGE = Node(), Edge()


class GapTree(NamedTuple):
    """The default: the rule at every node, some optimism, a little forced exploration.

    A share ``optimism`` of the trials takes untried actions and follows the highest hope.  The others take, with
    probability min(1, ``exploration`` / ln(N + 1)), any action; else an untried one; else the one of the largest
    decrement.  ``report`` backs up a second value with the milder weights exp(-z) (exp(-2z) at the root), which is a
    less biased estimate of the root's value.
    """

    rule: VarDE = VarDE(Gaps(shared=False))
    exploration: float = 0.5
    optimism: float = 0.25  # share of trials that go where the most could still be found
    softness: float = 3.0  # exponent of the backed-up value
    report: bool = False


class Levels(NamedTuple):
    """What is remembered besides the tree."""

    returns: np.ndarray  # [H + 1, 3] count, mean and M2 of the return to go, by depth
    best: np.ndarray  # [H + 1] the best return to go
    hopeful: np.ndarray  # [B] whether the trial follows the highest hope
    square: np.ndarray  # [widest] w^2 of the edges of a node


@columns.of(GapTree)
def gap_columns(algorithm):
    return (NODE, EDGE) if algorithm.report else (NODE[:5], EDGE[:6])


@prepare.of(GapTree)
def make_levels(algorithm, settings):
    steps = settings.horizon + 1
    hopeful, square = np.zeros(settings.lanes, np.bool_), np.zeros(settings.widest)
    return Levels(np.zeros((steps, 3)), np.zeros(steps), hopeful, square)


@begin.of(GapTree)
def forget_levels(algorithm, memory):
    for depth in range(memory.returns.shape[0]):
        for i in range(3):
            memory.returns[depth, i] = 0.0


# -- the edges of a node, as the rule knows them --------------------------------------------------


class Edges(NamedTuple):
    """What is compared: the tried edges of a node."""

    tree: Tree
    first: int
    width: int
    model: Any  # of the noise
    wide: float  # the variance of the returns of the node


@size.of(Edges)
def number_of_edges(parts):
    return parts.width


@samples.of(Edges)
def trials_through(parts, i):
    return parts.tree.edge[parts.first + i, COUNT]


@estimate.of(Edges)
def q_of_edge(parts, i):
    return parts.tree.scores[parts.first + i, EDGE.q]


@error.of(Edges)
def variance_of_q(parts, i):
    return parts.tree.scores[parts.first + i, EDGE.variance]


@noise.of(Edges)
def variance_of_returns(parts, i):
    squares = parts.tree.scores[parts.first + i, EDGE.squares]
    return own_variance(parts.model, parts.wide, squares, samples(parts, i))


# -- a trial ---------------------------------------------------------------------------------------


@select.of(GapTree)
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
        edge = first + action
        drop = decrement(tree.scores[edge, EDGE.worth], 1.0, samples_soon(tree, edge))
        if drop > best:
            best, chosen, ties = drop, action, 1
        elif drop == best:
            ties += 1
            chosen = action if below(ties, rng) == 0 else chosen
    return chosen


@helper
def level_variance(memory, depth):
    """The variance of the return to go over all trials at a depth."""
    return memory.returns[depth, 2] / max(memory.returns[depth, 0] - 1.0, 1.0)


@helper
def spread_at(algorithm, memory, tree, node, depth, gain):
    """Enter ``gain`` at the depth and at the node; the variance of the returns of the node."""
    memory.returns[depth, 0] += 1.0
    count, visits = memory.returns[depth, 0], tree.node[node, VISITS]
    memory.best[depth] = gain if count == 1.0 else max(memory.best[depth], gain)
    include_row(memory.returns, depth, 1, count, gain)
    include_row(tree.values, node, NODE.mean, visits, gain)
    return own_variance(algorithm.rule.noise, level_variance(memory, depth), tree.values[node, NODE.squares], visits)


@helper
def refresh(algorithm, problem, tree, node, edge, discount):
    """Q(e), its variance, its hope, and the reported Q, from the successors seen."""
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


@back_up.of(GapTree)
def propagate(algorithm, memory, problem, tree, lane, node, edge, depth, gain, discount):
    wide = spread_at(algorithm, memory, tree, node, depth, gain)
    include_row(tree.scores, edge, EDGE.mean, tree.edge[edge, COUNT], gain)
    refresh(algorithm, problem, tree, node, edge, discount)
    first, width = tree.node[node, EDGES], tree.node[node, WIDTH]
    if tree.table.shape[0] > 1:
        # In a graph the successors of the other edges improve through other parents.
        turn = REFRESHED * tree.node[node, VISITS]
        for i in range(min(width, REFRESHED)):
            other = first + (turn + i) % width
            if other != edge and tree.edge[other, COUNT] > 0:
                refresh(algorithm, problem, tree, node, other, discount)
    hope = -np.inf
    if tree.node[node, TRIED] < width:
        hope = memory.best[depth] + math.sqrt(level_variance(memory, depth))
    weigh_node(algorithm, memory, tree, node, wide, hope)
    if tree.node[node, VISITS] == 1:
        tree.values[node, NODE.variance] = wide


@helper
def weigh_node(algorithm, memory, tree, node, wide, hope):
    """V(n) and v(n) from the weights of the gaps, the highest hope, and what more samples of each edge are worth."""
    rule, square = algorithm.rule, memory.square
    first, width = int(tree.node[node, EDGES]), int(tree.node[node, WIDTH])
    parts = Edges(tree, first, width, rule.noise, wide)
    top = estimate(parts, weigh(rule.decision, parts, square))
    softer = algorithm.softness / rule.decision.focus
    total, gaps, variance, mild, report = 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(width):
        if samples(parts, i) == 0:
            continue
        weight = square[i] if softer == 1.0 else square[i] ** softer
        total += weight
        gaps += weight * (top - estimate(parts, i))
        variance += weight * weight * error(parts, i)
        tree.scores[first + i, EDGE.worth] = square[i] * noise(parts, i)
        hope = max(hope, tree.scores[first + i, EDGE.hope])
        if algorithm.report:
            chance = square[i] ** (1.0 / rule.decision.focus)
            mild += chance
            report += chance * tree.scores[first + i, EDGE.report]
    tree.values[node, VALUE] = top - gaps / total
    tree.values[node, NODE.variance] = variance / (total * total)
    tree.values[node, NODE.hope] = hope
    if algorithm.report:
        tree.values[node, NODE.report] = report / mild


@settle.of(GapTree)
def noisy_end(algorithm, memory, tree, node, depth, gain):
    wide = spread_at(algorithm, memory, tree, node, depth, gain)
    tree.values[node, VALUE] = tree.values[node, NODE.mean]
    tree.values[node, NODE.hope] = tree.values[node, NODE.mean]
    tree.values[node, NODE.variance] = wide / tree.node[node, VISITS]
    if algorithm.report:
        tree.values[node, NODE.report] = tree.values[node, NODE.mean]


# -- a tree that is cut -----------------------------------------------------------------------------


@resumes.of(GapTree)
def gap_tree_resumes(algorithm):
    return True


@resume.of(GapTree)
def same_estimates(algorithm, tree, node, edge, child, reward, discount):
    hope = tree.values[node, NODE.hope]
    for column, kept in ((EDGE.mean, NODE.mean), (EDGE.squares, NODE.squares), (EDGE.variance, NODE.variance)):
        tree.scores[edge, column] = tree.values[node, kept]
    tree.scores[edge, EDGE.hope] = hope
    tree.values[child, NODE.variance] = tree.values[node, NODE.variance] / (discount * discount)
    tree.values[child, NODE.hope] = (hope - reward) / discount
    if algorithm.report:
        report = tree.values[node, NODE.report]
        tree.scores[edge, EDGE.report], tree.values[child, NODE.report] = report, (report - reward) / discount


@move_root.of(GapTree)
def levels_move_up(algorithm, memory):
    for levels in (memory.returns, memory.best):
        levels[:-1] = levels[1:]
        levels[-1] = 0.0


# -- the answer ------------------------------------------------------------------------------------


@value_variance.of(GapTree)
def propagated_variance(algorithm, tree, edge):
    return tree.scores[edge, EDGE.variance]


@reported_value.of(GapTree)
def mild_value(algorithm, tree):
    """Of the root, from the weights exp(-2 z); runs in Python."""
    if not algorithm.report:
        return tree.values[0, VALUE]
    first, width = int(tree.node[0, EDGES]), int(tree.node[0, WIDTH])
    weights = np.zeros(width)
    weigh(Gaps(ROOT_FOCUS, False), Edges(tree, first, width, algorithm.rule.noise, 0.0), weights)
    return float(weights @ tree.scores[first : first + width, EDGE.report] / weights.sum())


@problem_with.of(GapTree)
def gap_tree_problem(algorithm):
    rule = algorithm.rule
    if not isinstance(rule.decision, Gaps) or rule.decision.shared:
        return f"decision is {rule.decision}: write Gaps(shared=False), or VarDE({rule.decision}) for a tree of its own"
    if rule.warm_start != 0:
        return f"warm_start is {rule.warm_start}: leave it out, in trees untried actions come first"
    for name in ("softness", "exploration", "optimism"):
        given = getattr(algorithm, name)
        if not 0.0 <= given < np.inf:
            return f"{name} is {given}: write a finite number, zero or more; the default is a good one"
    return ""
