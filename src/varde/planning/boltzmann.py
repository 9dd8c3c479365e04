"""MENTS, RENTS, TENTS, DENTS and BTS: actions drawn from a softmax of Q.

    pi(a) = (1 - lambda) soft(q / tau)(a) + lambda / k,     lambda = min(1, epsilon / ln(N + 1))

with q(a) = Q(a) where tried and ``default`` elsewhere, Q(a) = r(a) + discount sum_k N(a, k) / N(a) V(k).  They differ
in what is soft and in how V is backed up:

    MENTS (Xiao et al. 2019)     softmax                                V = tau ln sum_a exp(q(a) / tau)
    RENTS (Dam et al. 2021)      softmax times the parent's pi(a)       V = tau ln sum_a pi_parent(a) exp(q(a) / tau)
    TENTS (Dam et al. 2021)      sparsemax, (x(a) - theta)+             V = tau [1/2 + sum_K (x(a)^2 - theta^2) / 2]
    BTS (Painter et al. 2023)    softmax                                V = max Q over tried actions
    DENTS (Painter et al. 2023)  softmax of Q + beta(N) H               V as BTS; H entropies, backed up beside V

What differs is a ``level`` or a ``factor`` of each edge in one softmax.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .._compile import helper, verb
from ..arrays import largest
from ..check import problem_with, unless_positive
from ..decisions import project
from ..random import integer, uniform
from .expected import best_or_most_visited, edge_value, keep_expected
from .tree import NONE, highest_q, open_row, raise_value
from .trial import columns, memory, on_new_edge, on_new_node, recommend, select, unselected, update

LEAST_BONUS = 1e-6


class MENTS(NamedTuple):
    """Maximum entropy: V = tau ln sum_a exp(q(a) / tau), untried actions at ``default``; pi mixed softmax of q.

    ``per_action`` multiplies epsilon by the number of actions.  The rewards in Q are the model's expected ones, or with
    ``sampled`` the mean of those sampled.  The answer is the action of highest Q, or the one taken most often.
    """

    temperature: float = 1.0
    epsilon: float = 0.5
    default: float = 0.0
    per_action: bool = False
    sampled: bool = False
    recommend_visits: bool = False


class RENTS(NamedTuple):
    """Relative entropy: MENTS with exp(q(a) / tau) times the parent's probability of the same action in this trial.

    The factor is 0 for an action that the parent did not offer and 1 at the root, or everywhere with
    ``prior=False``, for problems in which the actions of a parent and its children are unrelated.
    """

    temperature: float = 1.0
    epsilon: float = 0.5
    default: float = 0.0
    per_action: bool = False
    sampled: bool = False
    recommend_visits: bool = False
    prior: bool = True


class TENTS(NamedTuple):
    """Tsallis entropy: pi is the mixed sparsemax of x = q / tau, the nearest point of the simplex, (x(a) - theta)+.

    V = tau [1/2 + sum_K (x(a)^2 - theta^2) / 2] with K the actions of positive weight, measured from the largest x.
    """

    temperature: float = 1.0
    epsilon: float = 0.5
    default: float = 0.0
    per_action: bool = False
    sampled: bool = False
    recommend_visits: bool = False


class BTS(NamedTuple):
    """Boltzmann tree search: pi as in MENTS; V = max over tried actions of Q."""

    temperature: float = 1.0
    epsilon: float = 0.5
    default: float = 0.0
    per_action: bool = False
    sampled: bool = False
    recommend_visits: bool = False


class DENTS(NamedTuple):
    """Decaying entropy: pi is the mixed softmax of q(a) = Q(a) + beta(N) H(a), with beta(N) = bonus / sqrt(1 + N).

    Q and V are as in BTS.  H(a) is the mean entropy of the successors, H(n) = sum_a pi(a) (H(a) - ln pi(a)), ln k when
    new.
    """

    temperature: float = 1.0
    epsilon: float = 0.5
    default: float = 0.0
    per_action: bool = False
    sampled: bool = False
    recommend_visits: bool = False
    bonus: float = 1.0


recommend.of(MENTS, RENTS, TENTS, BTS, DENTS)(best_or_most_visited)


@columns.of(MENTS, TENTS, BTS)
def boltzmann_columns(algorithm):
    return ("value",), ("q", "chance", "expected")  # soft(q / tau), as of the last look; E[r] of a table


on_new_edge.of(MENTS, TENTS, BTS, DENTS)(keep_expected)


# -- which action ------------------------------------------------------------------------------------


@select.of(MENTS, TENTS)
def draw_as_backed_up(algorithm, memory, tree, trials, t, node, depth, rng):
    width, visits = tree.nodes.width[node], tree.nodes.visits[node] + 1
    share = mixing(algorithm, width, visits) if tree.nodes.tried[node] > 0 else 1.0
    return mixed_draw(tree, node, share, rng)


@select.of(BTS, DENTS)
def draw_afresh(algorithm, memory, tree, trials, t, node, depth, rng):
    """V does not need the chances, or the bonus of every action has changed with the visits."""
    width, visits, share = tree.nodes.width[node], tree.nodes.visits[node] + 1, 1.0
    if tree.nodes.tried[node] > 0:
        softmax(algorithm, tree, node, visits)
        share = mixing(algorithm, width, visits)
    return mixed_draw(tree, node, share, rng)


@helper
def mixed_draw(tree, node, share, rng):
    """An edge by the chances, or with probability ``share`` any."""
    first, width = tree.nodes.first[node], tree.nodes.width[node]
    row = first + drawn_row(tree, first, width, share, rng)
    return row if row < first + tree.nodes.tried[node] else open_row(tree, node, row)


@helper
def drawn_row(tree, first, width, share, rng):
    if uniform(rng) < share:
        return integer(width, rng)
    rest = uniform(rng)
    for i in range(width - 1):
        rest -= tree.edges.chance[first + i]
        if rest < 0.0:
            return i
    return width - 1


@helper
def mixing(algorithm, width, visits):
    """lambda: the share of uniform choices."""
    share = algorithm.epsilon * (width if algorithm.per_action else 1.0)
    return min(1.0, share / math.log(visits + 1.0))


# -- what is soft --------------------------------------------------------------------------------------


@helper
def softmax(algorithm, tree, node, visits):
    """Refresh the chances of the edges of a node after so many visits; returns its soft value, -inf if all are 0."""
    first, last, chance = tree.nodes.first[node], tree.nodes.first[node] + tree.nodes.width[node], tree.edges.chance
    top, total, rate = -np.inf, 0.0, 1.0 / algorithm.temperature
    for edge in range(first, last):
        chance[edge] = level(algorithm, tree, edge, visits)
        top = max(top, chance[edge])
    for edge in range(first, last):
        offered = factor(algorithm, tree, edge)
        chance[edge] = offered * math.exp(rate * (chance[edge] - top))
        total += chance[edge]
    share = 1.0 / total if total > 0.0 else 0.0
    for edge in range(first, last):
        chance[edge] *= share
    return top + algorithm.temperature * math.log(total) if total > 0.0 else -np.inf


@verb(fallback=True)
def level(algorithm, tree, edge, visits):
    """What the softmax is of: q(a)."""
    return tree.edges.q[edge] if tree.edges.count[edge] > 0 else algorithm.default


@verb(fallback=True)
def factor(algorithm, tree, edge):
    """What exp(q(a) / tau) is multiplied with."""
    return 1.0


@helper
def sparsemax(algorithm, tree, node, visits):
    """The same for TENTS: c = (x - theta)+, theta = -max c as the largest x is 0, V = tau [1/2 + c.c / 2 - max c]."""
    first, last = tree.nodes.first[node], tree.nodes.first[node] + tree.nodes.width[node]
    for edge in range(first, last):
        tree.edges.chance[edge] = level(algorithm, tree, edge, visits)
    chances = np.asarray(tree.edges.chance[first:last])
    top, squares = largest(chances), 0.0
    project(chances, 1.0 / algorithm.temperature, chances)
    for i in range(chances.size):
        squares += chances[i] * chances[i]
    return top + algorithm.temperature * (0.5 + 0.5 * squares - largest(chances))


# -- how V is backed up ------------------------------------------------------------------------------


@update.of(MENTS)
def soft_value(algorithm, memory, tree, node, edge, depth, gain, settings):
    tree.edges.q[edge] = edge_value(tree, node, edge, algorithm.sampled, settings.discount)
    visits = tree.nodes.visits[node]
    tree.nodes.value[node] = softmax(algorithm, tree, node, visits)


@update.of(TENTS)
def sparse_value(algorithm, memory, tree, node, edge, depth, gain, settings):
    tree.edges.q[edge] = edge_value(tree, node, edge, algorithm.sampled, settings.discount)
    tree.nodes.value[node] = sparsemax(algorithm, tree, node, tree.nodes.visits[node])


@update.of(BTS)
@helper
def highest_value(algorithm, memory, tree, node, edge, depth, gain, settings):
    before = tree.edges.q[edge]
    tree.edges.q[edge] = edge_value(tree, node, edge, algorithm.sampled, settings.discount)
    raise_value(tree, node, before, tree.edges.q[edge], tree.edges.count[edge] == 1)


# -- RENTS: a node prefers what its parent preferred ---------------------------------------------------


class Offers(NamedTuple):
    """The memory of RENTS for the trials under way."""

    policies: np.ndarray  # [labels B (H + 1)] the probability with which each action of the world was on offer
    shape: np.ndarray  # [2] H + 1, B (H + 1)


@columns.of(RENTS)
def rents_columns(algorithm):
    # the same as MENTS; which action of the whole world an edge is, and what the parent offered in the trial at hand
    return ("value",), ("q", "chance", "expected", "label", "offered")


@on_new_edge.of(RENTS)
def keep_label(algorithm, tree, edge, mean, label):
    tree.edges.expected[edge], tree.edges.label[edge] = mean, label


@memory.of(RENTS)
def make_offers(algorithm, settings, nodes):
    steps = settings.horizon + 1
    shape = np.array([steps, settings.pending * steps])
    return Offers(np.zeros(settings.labels * settings.pending * steps), shape)


@factor.of(RENTS)
def offered_by_parent(algorithm, tree, edge):
    """pi_parent(a)."""
    return tree.edges.offered[edge]


@unselected.of(RENTS)
@helper
def look_up_offers(algorithm, memory, tree, t, node, depth):
    """What the parent of a node offered of its actions, in trial ``t``."""
    first, at = tree.nodes.first[node], t * memory.shape[0] + depth - 1
    for edge in range(first, first + tree.nodes.width[node]):
        always = depth == 0 or not algorithm.prior
        tree.edges.offered[edge] = (
            1.0 if always else memory.policies[int(tree.edges.label[edge]) * memory.shape[1] + at]
        )


@select.of(RENTS)
def offer_and_draw(algorithm, memory, tree, trials, t, node, depth, rng):
    """An action from pi, which the children remember; uniform where the parent offered none of the actions."""
    first, width, edges = tree.nodes.first[node], tree.nodes.width[node], tree.edges
    share, at, steps = (
        mixing(algorithm, width, tree.nodes.visits[node] + 1),
        t * memory.shape[0] + depth,
        memory.shape[1],
    )
    look_up_offers(algorithm, memory, tree, t, node, depth)
    if softmax(algorithm, tree, node, tree.nodes.visits[node]) == -np.inf:
        share = 1.0
    for i in range(at, memory.policies.size, steps):
        memory.policies[i] = 0.0
    for edge in range(first, first + width):
        chance = (1.0 - share) * edges.chance[edge] + share / width
        memory.policies[int(edges.label[edge]) * steps + at] = chance
    return mixed_draw(tree, node, share, rng)


@update.of(RENTS)
def relative_value(algorithm, memory, tree, node, edge, depth, gain, settings):
    """As MENTS; max Q where the parent offered none of the actions."""
    tree.edges.q[edge] = edge_value(tree, node, edge, algorithm.sampled, settings.discount)
    value = softmax(algorithm, tree, node, tree.nodes.visits[node])
    tree.nodes.value[node] = value if value > -np.inf else highest_q(tree, node)


# -- DENTS: an entropy bonus that decays with the visits -----------------------------------------------


@columns.of(DENTS)
def dents_columns(algorithm):
    return ("value", "entropy"), ("q", "chance", "expected", "entropy")


@on_new_node.of(DENTS)
def entropy_of_equal_chances(algorithm, memory, tree, node, depth, given):
    width = tree.nodes.width[node]
    tree.nodes.entropy[node] = math.log(width) if width > 0 else 0.0


@level.of(DENTS)
def level_with_bonus(algorithm, tree, edge, visits):
    if tree.edges.count[edge] == 0:
        return algorithm.default
    beta = max(algorithm.bonus / math.sqrt(1.0 + visits), LEAST_BONUS)
    return tree.edges.q[edge] + beta * tree.edges.entropy[edge]


@helper
def successors_entropy(tree, edge):
    """sum_k N(e, k) / N(e) H(child k)."""
    total, outcome = 0.0, tree.edges.outcome[edge]
    while outcome != NONE:
        total += tree.outcomes.times[outcome] * tree.nodes.entropy[tree.outcomes.child[outcome]]
        outcome = tree.outcomes.next[outcome]
    return total / tree.edges.drawn[edge]


@update.of(DENTS)
def value_and_entropy(algorithm, memory, tree, node, edge, depth, gain, settings):
    highest_value(algorithm, memory, tree, node, edge, depth, gain, settings)
    nodes, edges = tree.nodes, tree.edges
    edges.entropy[edge] = successors_entropy(tree, edge)
    visits, first, width = nodes.visits[node], nodes.first[node], nodes.width[node]
    softmax(algorithm, tree, node, visits)
    share, entropy = mixing(algorithm, width, visits), 0.0
    for other in range(first, first + width):
        chance = (1.0 - share) * edges.chance[other] + share / width
        entropy += chance * (edges.entropy[other] - math.log(chance)) if chance > 0.0 else 0.0
    nodes.entropy[node] = entropy


# -- settings ----------------------------------------------------------------------------------------


@problem_with.of(MENTS, RENTS, TENTS, BTS, DENTS)
def boltzmann_problem(algorithm):
    if not 0.0 <= algorithm.epsilon < np.inf:
        return f"epsilon is {algorithm.epsilon}: write a number, zero or more, such as 0.5"
    if not np.isfinite(algorithm.default):
        return f"default is {algorithm.default}: write the finite Q of an action never tried, such as 0.0"
    if isinstance(algorithm, DENTS) and not 0.0 <= algorithm.bonus < math.inf:
        return f"bonus is {algorithm.bonus}: write a number, zero or more, such as 1.0"
    return unless_positive("temperature", algorithm.temperature, "1.0")
