"""The value of a node from its edges, and the value of more samples."""

from __future__ import annotations

import math

import numpy as np

from ..._compile import helper
from ...beliefs.parts import error, estimate, noise, samples
from ...decisions.decision import weigh
from ...decisions.gaps import CERTAIN
from ...rule import decrement
from ...worlds.table import is_listed
from ..tree import EDGES, TRIED, VALUE, WIDTH
from .edges import Edges
from .records import EDGE, FIRST, FIRST_OF_OTHERS, NODE


@helper
def in_turn(algorithm, problem):
    """Whether two players move."""
    return algorithm.players == 2 and not is_listed(problem)


@helper
def first_actions(problem):
    """How many actions of a node are tried before one is repeated."""
    return FIRST if is_listed(problem) else FIRST_OF_OTHERS


@helper
def weigh_node(algorithm, memory, problem, tree, node, wide, settled):
    """U(n) and u(n) from the weights of the gaps, the highest hope and novelty, and the value of more samples."""
    rule, square = algorithm.rule, memory.square
    first, width = int(tree.node[node, EDGES]), int(tree.node[node, WIDTH])
    parts = Edges(tree, first, width, rule.noise, wide)
    top = estimate(parts, weigh(rule.decision, parts, square))
    softer = algorithm.softness / rule.decision.focus
    total, gaps, variance, mild, report = 0.0, 0.0, 0.0, 0.0, 0.0
    behind, squares, hope, sure, novelty = 0.0, 0.0, -np.inf, -np.inf, 0.0
    for i in range(width):
        if samples(parts, i) == 0:
            continue
        weight, gap = square[i] if softer == 1.0 else square[i] ** softer, top - estimate(parts, i)
        total += weight
        gaps += weight * gap
        variance += weight * weight * error(parts, i)
        behind += gap
        squares += gap * gap
        tree.scores[first + i, EDGE.worth] = square[i] * noise(parts, i)
        hope = max(hope, tree.scores[first + i, EDGE.hope])
        novelty = max(novelty, tree.scores[first + i, EDGE.novelty])
        if in_turn(algorithm, problem):
            sure = max(sure, tree.scores[first + i, EDGE.sure])
            if tree.scores[first + i, EDGE.novelty] == 0.0:
                tree.scores[first + i, EDGE.worth] = 0.0  # no sample can add information
        if settled and tree.scores[first + i, EDGE.novelty] == 0.0:
            tree.scores[first + i, EDGE.worth] = 0.0  # everything below was seen
        if algorithm.report:
            chance = square[i] ** (1.0 / rule.decision.focus)
            mild += chance
            report += chance * tree.scores[first + i, EDGE.report]
    tree.values[node, VALUE] = top if settled else top - gaps / total
    tree.values[node, NODE.variance] = variance / (total * total)
    tree.values[node, NODE.hope], tree.values[node, NODE.novelty] = hope, novelty
    if in_turn(algorithm, problem):
        tree.values[node, NODE.sure] = sure
    tried = tree.node[node, TRIED]
    if first_actions(problem) <= tried < width:
        chance = chance_of_untried(rule.decision, behind, squares, tried)
        tree.values[node, NODE.untried] = decrement(chance, wide, 1)
    if algorithm.report:
        tree.values[node, NODE.report] = report / mild


@helper
def chance_of_untried(decision, gaps, squares, tried):
    """w^2 of an untried action, taken as another draw like the tried ones, whose gaps and squares are summed here."""
    behind = gaps / tried
    between = max(squares - tried * behind * behind, 0.0) / (tried - 1.0)
    errors = min(behind / math.sqrt(between), CERTAIN) if between > 0.0 else CERTAIN
    return math.exp(-decision.focus * errors) if behind > 0.0 else 1.0
