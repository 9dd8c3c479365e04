"""Which action a trial takes: by the rule, by hope, or by novelty."""

from __future__ import annotations

import math

import numpy as np

from ..._compile import helper
from ...random import below, uniform
from ...rule import decrement
from ..loop import select
from ..tree import (
    COUNT,
    EDGES,
    PENDING,
    TRIED,
    VALUE,
    VISITS,
    WIDTH,
    fewest_under_way,
    has_prior,
    most_thought_of,
    untried,
)
from .levels import is_settled, known_steps, unseen
from .records import HOPE, NODE, NOVELTY, WORTH, GapTree
from .weighing import first_actions


@select.of(GapTree)
def follow_the_mood(algorithm, memory, problem, tree, lane, node, depth, rng):
    width, tried = tree.node[node, WIDTH], tree.node[node, TRIED]
    if depth == 0:
        memory.moods[lane] = mood_of_trial(algorithm, memory, problem, tree, rng)
    mood = memory.moods[lane]
    if tried == 0:
        return untried(problem, tree, node, rng)
    idle, soon = width - tried, tree.node[node, VISITS]  # untried and not pending; N(n) with pending trials
    if tree.lanes > 1:
        least, alike = fewest_under_way(tree, node)
        idle = alike if least == 0 else 0
        for edge in range(tree.node[node, EDGES], tree.node[node, EDGES] + width):
            soon += tree.edge[edge, PENDING]
    if mood == WORTH and uniform(rng) * math.log(soon + 2.0) < algorithm.exploration:
        return below(width, rng)
    weight = 1.0  # of the untried action with the highest prior
    if idle > 0 and has_prior(problem, tree, node):
        weight = most_thought_of(problem, tree, node, 0, rng)[1]
    if idle > 0 and (tried < first_actions(problem) or mood == NOVELTY):
        return untried(problem, tree, node, rng)
    chosen, promise = most_promising(tree, node, mood, rng)
    if idle > 0 and promise <= (
        tree.values[node, NODE.untried] * weight if mood == WORTH else unseen(algorithm, memory, depth)
    ):
        return untried(problem, tree, node, rng)
    return chosen


@helper
def mood_of_trial(algorithm, memory, problem, tree, rng):
    """What a trial follows to its end: the rule, hope or novelty."""
    trials, draw = tree.node[0, VISITS], uniform(rng) / known_steps(memory, tree)
    hope, both = algorithm.optimism, algorithm.optimism + algorithm.novelty
    if trials < memory.due[0]:  # the same number in total, but first
        hope, both = hope / both, 1.0
    elif trials < memory.due[1]:
        both = 0.0
    if draw >= both:
        return WORTH
    # If nothing better than what is known can be hoped for, hope would lead there over and over.
    lost = tree.values[0, NODE.hope] <= tree.values[0, VALUE] and is_settled(algorithm, memory, problem, tree)
    return HOPE if draw < hope and not lost else NOVELTY


@helper
def most_promising(tree, node, mood, rng):
    """The best tried action and how good it is; of equal hopes the more novel; ties at random.

    Pending samples count in N of the rule and of the novelty; ties go to the action with the fewest.
    """
    first = tree.node[node, EDGES]
    best, fewest, newest, chosen, ties = -np.inf, 0, 0.0, -1, 1
    for action in range(tree.node[node, WIDTH]):
        edge = first + action
        count = tree.edge[edge, COUNT]
        if count == 0:
            continue
        score, under_way, novelty = tree.scores[edge, mood], tree.edge[edge, PENDING], 0.0
        if mood == WORTH:
            score, under_way = decrement(score, 1.0, count + under_way), 0
        elif mood == HOPE:
            novelty = tree.scores[edge, NOVELTY]
        else:
            score /= 1.0 + under_way
        level = score == best and under_way == fewest
        if level and novelty == newest:
            ties += 1
            chosen = action if below(ties, rng) == 0 else chosen
        elif score > best or (score == best and under_way < fewest) or (level and novelty > newest):
            best, fewest, newest, chosen, ties = score, under_way, novelty, action, 1
    return chosen, best
