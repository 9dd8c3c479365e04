"""RENTS (Dam et al. 2021): relative entropy, so that a node prefers what its parent preferred."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .._compile import helper
from ..check import problem_with
from ..random import uniform
from ..worlds.table import label
from .boltzmann import EDGE, NODE, boltzmann_columns, boltzmann_problem, enter_value, equal_start, mixing, reweigh
from .loop import back_up, columns, prepare, select, welcome
from .tree import EDGES, STATE, VALUE, VISITS, WIDTH, Q

LEAST = 1e-16  # a total below this, measured from the largest q, tells nothing


class RENTS(NamedTuple):
    """Relative entropy: MENTS with exp(q(a) / tau) times the parent's probability of the same action in this trial.

    The factor is 0 for an action that the parent did not offer and 1 at the root, or everywhere with
    ``prior=False``, for problems in which the actions of a parent and its children are unrelated.
    """

    temperature: float = 1.0
    epsilon: float = 0.5
    default: float = 0.0
    per_action: bool = False
    prior: bool = True


columns.of(RENTS)(boltzmann_columns)
welcome.of(RENTS)(equal_start)
problem_with.of(RENTS)(boltzmann_problem)


class Offers(NamedTuple):
    """The memory of RENTS for pending trials."""

    policies: np.ndarray  # [B, H + 1, labels] the probability with which each action was on offer


@prepare.of(RENTS)
def make_offers(algorithm, settings):
    return Offers(np.zeros((settings.lanes, settings.horizon + 1, settings.labels)))


@helper
def prior_weight(algorithm, memory, problem, tree, lane, state, edge, action, depth):
    """pi_parent(a) exp((q(a) - top) / tau)."""
    weight = tree.scores[edge, EDGE.weight]
    if depth > 0 and algorithm.prior:
        weight *= memory.policies[lane, depth - 1, label(problem, state, action)]
    return weight


@helper
def prior_total(algorithm, memory, problem, tree, lane, node, depth):
    """The sum of the weights, and how much smaller it is when measured from the largest q."""
    first, width, state = tree.node[node, EDGES], tree.node[node, WIDTH], np.int64(tree.node[node, STATE])
    total, highest = 0.0, -np.inf
    for action in range(width):
        total += prior_weight(algorithm, memory, problem, tree, lane, state, first + action, action, depth)
        highest = max(highest, tree.scores[first + action, Q])
    return total, highest


@helper
def tells_nothing(algorithm, tree, node, total, highest):
    return total * math.exp((tree.values[node, NODE.top] - highest) / algorithm.temperature) < LEAST


@select.of(RENTS)
def relative_choice(algorithm, memory, problem, tree, lane, node, depth, rng):
    first, width, state = tree.node[node, EDGES], tree.node[node, WIDTH], np.int64(tree.node[node, STATE])
    share = mixing(algorithm, tree, node, tree.node[node, VISITS] + 1)
    total, highest = prior_total(algorithm, memory, problem, tree, lane, node, depth)
    if tells_nothing(algorithm, tree, node, total, highest):
        share, total = 1.0, 1.0
    for i in range(memory.policies.shape[2]):
        memory.policies[lane, depth, i] = 0.0
    rest, chosen = uniform(rng), -1
    for action in range(width):
        weight = prior_weight(algorithm, memory, problem, tree, lane, state, first + action, action, depth)
        probability = (1.0 - share) * weight / total + share / width
        memory.policies[lane, depth, label(problem, state, action)] = probability
        rest -= probability
        chosen = action if (rest < 0.0) & (chosen < 0) else chosen
    return chosen if chosen >= 0 else width - 1


@back_up.of(RENTS)
def relative_value(algorithm, memory, problem, tree, lane, node, edge, depth, gain, discount):
    enter_value(problem, tree, node, edge, discount)
    reweigh(algorithm, tree, node, edge)
    total, highest = prior_total(algorithm, memory, problem, tree, lane, node, depth)
    if tells_nothing(algorithm, tree, node, total, highest):
        tree.values[node, VALUE] = highest
    else:
        tree.values[node, VALUE] = tree.values[node, NODE.top] + algorithm.temperature * math.log(total)
