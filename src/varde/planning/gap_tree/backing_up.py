"""Backing up a trial, and the sweep over all nodes."""

from __future__ import annotations

import math

import numpy as np

from ..._compile import helper
from ...moments import include_row
from ...worlds.table import expected_reward, is_listed, reward_variance, side
from ..loop import back_up, settle
from ..tree import (
    CHILD,
    COUNT,
    EDGES,
    LINK,
    NEXT,
    NONE,
    NOWHERE,
    OUTCOMES,
    STATE,
    SUCCESSOR,
    TIMES,
    TRIED,
    VALUE,
    VISITS,
    WIDTH,
    Q,
    draws,
    first_action,
    has_untried,
)
from .levels import (
    enter_return,
    expected_at,
    hope_for_unseen,
    is_settled,
    level_variance,
    node_variance,
    said_of,
    unseen,
)
from .records import (
    AGAIN,
    ALL,
    CHECKED,
    DRAWN_IN_GAMES,
    EDGE,
    ERRORS,
    NEWER,
    NEWS,
    NODE,
    ONCE,
    OTHER,
    REFRESHED,
    SINCE,
    WIDEST,
    GapTree,
)
from .weighing import first_actions, in_turn, weigh_node


@helper
def refresh(algorithm, memory, problem, tree, node, edge, discount):
    """Q(e), its variance, hope and novelty, and the reported Q, from the successors seen."""
    again = tree.wide and not is_listed(problem)  # outcomes may be followed again
    count = draws(tree, edge) if again else tree.edge[edge, COUNT]
    state, action = int(tree.node[node, STATE]), edge - tree.node[node, EDGES] + first_action(tree, node)
    reward = expected_reward(problem, state, action)
    mean, squares, variance, together, hope, fear, novelty, report = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    outcome = tree.edge[edge, OUTCOMES]
    while outcome != NONE:
        child, share = tree.outcome[outcome, CHILD], tree.outcome[outcome, TIMES] / count
        sign = side(problem, max(tree.outcome[outcome, SUCCESSOR], 0))  # below 0: dropped nodes
        value = sign * tree.values[child, VALUE]
        mean += share * value
        squares += share * value * value
        variance += share * share * tree.values[child, NODE.variance]
        if again:  # rewards may go with successors
            together += share * (tree.paid[outcome, 0] - reward) * value
        if in_turn(algorithm, problem):  # what the other player hopes for is feared here
            high, low = tree.values[child, NODE.hope], tree.values[child, NODE.sure]
            hope += share * (high if sign > 0.0 else -low)
            fear += share * (low if sign > 0.0 else -high)
        else:
            hope += share * tree.values[child, NODE.hope]
        novelty += share * tree.values[child, NODE.novelty]
        if algorithm.report:
            report += share * sign * tree.values[child, NODE.report]
        outcome = tree.outcome[outcome, NEXT]
    sign = side(problem, state)
    spread = discount * discount * max(squares - mean * mean, 0.0) + reward_variance(problem, state, action)
    if again:
        spread = max(spread + 2.0 * discount * together, 0.0)
        count -= 1 if 1 < count < tree.edge[edge, COUNT] else 0  # few draws, many trials: the spread is uncertain too
    tree.scores[edge, Q] = sign * (reward + discount * mean)
    tree.scores[edge, EDGE.variance] = discount * discount * variance + spread / count
    tree.scores[edge, EDGE.hope] = reward + discount * hope
    tree.scores[edge, EDGE.novelty] = max(1.0 / (tree.edge[edge, COUNT] + 1.0), novelty)
    if novelty == 0.0 and is_settled(algorithm, memory, problem, tree):
        tree.scores[edge, EDGE.novelty] = 0.0
    if in_turn(algorithm, problem):
        high, low = reward + discount * hope, reward + discount * fear
        tree.scores[edge, EDGE.hope], tree.scores[edge, EDGE.sure] = (high, low) if sign > 0.0 else (-low, -high)
        if high <= low and tree.scores[edge, EDGE.variance] == 0.0:
            tree.scores[edge, EDGE.novelty] = 0.0  # all is known
    if algorithm.report:
        tree.scores[edge, EDGE.report] = sign * (reward + discount * report)


@back_up.of(GapTree)
def propagate(algorithm, memory, problem, tree, lane, node, edge, depth, gain, discount):
    enter_return(memory, problem, tree, node, depth, gain)
    count_again(algorithm, memory, problem, tree, node, edge)
    include_row(tree.scores, edge, EDGE.mean, tree.edge[edge, COUNT], gain)
    refresh(algorithm, memory, problem, tree, node, edge, discount)
    if tree.table.shape[0] > 1:
        # In a graph the successors of the other edges improve through other parents.
        first, width = tree.node[node, EDGES], tree.node[node, WIDTH]
        other = first + REFRESHED * tree.node[node, VISITS] % width
        for _ in range(min(width, REFRESHED)):
            if other != edge and tree.edge[other, COUNT] > 0:
                refresh(algorithm, memory, problem, tree, node, other, discount)
            other = other + 1 if other + 1 < first + width else first
    conclude(algorithm, memory, problem, tree, node, depth)
    memory.steps[ALL] += 1
    memory.steps[SINCE] += 1
    due = max(tree.used[0], memory.steps[ALL] // NEWER)
    if depth == 0 and (memory.steps[SINCE] >= due or memory.steps[NEWS] == 1):
        sweep(algorithm, memory, problem, tree, discount)


@helper
def count_again(algorithm, memory, problem, tree, node, edge):
    """Record whether an action taken before led to the same state and reward every time."""
    if tree.edge[edge, COUNT] > 1:
        state, action = int(tree.node[node, STATE]), edge - tree.node[node, EDGES] + first_action(tree, node)
        memory.steps[AGAIN] += 1
        if (
            tree.outcome[tree.edge[edge, OUTCOMES], NEXT] != NONE
            or reward_variance(problem, state, action) > 0.0
            or not math.isnan(said_of(problem, tree, node))
        ):
            if is_settled(algorithm, memory, problem, tree):
                memory.steps[NEWS] = 1  # it is not deterministic after all
            memory.steps[OTHER] += 1


@helper
def sweep(algorithm, memory, problem, tree, discount):
    """Bring every node up to date, the deepest first.

    Given values of states are compared with what they turned out to be.
    """
    memory.steps[SINCE], memory.steps[NEWS] = 0, 0
    depths, widest = memory.returns.shape[0], 0.0
    for depth in range(depths):
        widest = max(widest, level_variance(memory, depth))
    memory.marks[WIDEST] = math.sqrt(widest)
    errors, checked = 0.0, 0.0
    for depth in range(depths - 1, -1, -1):
        node = memory.first[depth]
        while node != NOWHERE:
            if tree.node[node, TRIED] > 0:
                first = tree.node[node, EDGES]
                for edge in range(first, first + tree.node[node, WIDTH]):
                    if tree.edge[edge, COUNT] > 0:
                        refresh(algorithm, memory, problem, tree, node, edge, discount)
                own = conclude(algorithm, memory, problem, tree, node, depth)
                said, visits = said_of(problem, tree, node), tree.node[node, VISITS]
                tried = min(tree.node[node, WIDTH], first_actions(problem))
                if not math.isnan(said) and tree.node[node, TRIED] >= tried and visits > tried:
                    checked += visits
                    errors += visits * (own - said) ** 2
            node = np.int64(tree.node[node, LINK])
    memory.marks[ERRORS], memory.marks[CHECKED] = errors, checked


@helper
def conclude(algorithm, memory, problem, tree, node, depth):
    """Everything about a node that follows from its edges; U(n)."""
    wide = node_variance(algorithm, memory, tree, node, depth)
    settled = is_settled(algorithm, memory, problem, tree)
    weigh_node(algorithm, memory, problem, tree, node, wide, settled)
    if tree.node[node, VISITS] == 1:
        tree.values[node, NODE.variance] = wide
    if has_untried(tree, node):
        hope = hope_for_unseen(algorithm, memory, problem, tree, node, depth)
        tree.values[node, NODE.hope], tree.values[node, NODE.novelty] = max(tree.values[node, NODE.hope], hope), 1.0
    mean, variance, strength, most = expected_at(memory, problem, tree, node, depth)
    value, own = tree.values[node, VALUE], tree.values[node, NODE.variance]
    if in_turn(algorithm, problem):
        draw_to_returns(tree, node, mean, variance, wide)
    elif depth > 0 and variance > 0.0 and not (algorithm.report or settled):
        share = variance / (variance + strength * own)
        if (1.0 - share) * (value - mean) > most * math.sqrt(own):
            share = 1.0 - most * math.sqrt(own) / (value - mean)
        tree.values[node, VALUE] = mean + share * (value - mean)
        tree.values[node, NODE.variance] = share * own
    return value


@helper
def draw_to_returns(tree, node, mean, variance, wide):
    """V(n) and v(n) in a game, from U(n) and u(n).

    The highest of a few uncertain values is too optimistic, at every other depth for the other player.  The mean return
    of a node is too pessimistic for the player who moves there, since some trials took other actions; it gets more
    weight the fewer trials there were.
    """
    sure, first = tree.values[node, NODE.sure], tree.node[node, EDGES]
    if sure >= tree.values[node, NODE.hope]:  # no action can be better
        tree.values[node, VALUE], tree.values[node, NODE.novelty] = sure, 0.0
        for edge in range(first, first + tree.node[node, WIDTH]):
            if tree.edge[edge, COUNT] > 0 and tree.scores[edge, EDGE.sure] == sure:
                tree.values[node, NODE.variance] = tree.scores[edge, EDGE.variance]
        return
    visits, own = tree.node[node, VISITS], tree.values[node, NODE.variance]
    share = variance / (variance + DRAWN_IN_GAMES * own) if variance > 0.0 else 1.0
    mean = (ONCE * mean + visits * tree.values[node, NODE.mean]) / (ONCE + visits)
    deviation = share * math.sqrt(own) + (1.0 - share) * math.sqrt(visits * wide) / (ONCE + visits)
    tree.values[node, VALUE] = mean + share * (tree.values[node, VALUE] - mean)
    tree.values[node, NODE.variance] = deviation * deviation


@settle.of(GapTree)
def enter_at_leaf(algorithm, memory, problem, tree, node, depth, gain):
    enter_return(memory, problem, tree, node, depth, gain)
    mean, variance = tree.values[node, NODE.mean], node_variance(algorithm, memory, tree, node, depth)
    variance /= tree.node[node, VISITS]
    tree.values[node, NODE.hope] = mean
    if tree.node[node, WIDTH] > 0:  # where random play began, or the value was given
        tree.values[node, NODE.hope] = max(mean, hope_for_unseen(algorithm, memory, problem, tree, node, depth))
        tree.values[node, NODE.novelty] = 1.0
    if in_turn(algorithm, problem):
        tree.values[node, NODE.sure] = mean if tree.node[node, WIDTH] == 0 else -unseen(algorithm, memory, depth)
    if not math.isnan(said_of(problem, tree, node)):
        expected, error, _, _ = expected_at(memory, problem, tree, node, depth)
        mean, variance = (expected, error) if error > 0.0 else (mean, variance)
    tree.values[node, VALUE], tree.values[node, NODE.variance] = mean, variance
    if algorithm.report:
        tree.values[node, NODE.report] = mean
