"""MENTS, RENTS, TENTS, DENTS and BTS: actions drawn from a softmax of Q.

    pi(a) = (1 - lambda) soft(q / tau)(a) + lambda / k,     lambda = min(1, epsilon / ln(N + 1))

with q(a) = Q(a) where tried and ``default`` elsewhere, Q(a) = r(a) + discount sum_k N(a, k) / N(a) V(k).  They differ
in what is soft and in how V is backed up:

    MENTS (Xiao et al. 2019)     softmax                                V = tau ln sum_a exp(q(a) / tau)
    RENTS (Dam et al. 2021)      softmax times the parent's pi(a)       V = tau ln sum_a pi_parent(a) exp(q(a) / tau)
    TENTS (Dam et al. 2021)      sparsemax, (x(a) - theta)+             V = tau [1/2 + sum_K (x(a)^2 - theta^2) / 2]
    BTS (Painter et al. 2023)    softmax                                V = max Q over tried actions
    DENTS (Painter et al. 2023)  softmax of Q + beta(N) H               V as BTS; H entropies, backed up beside V

Weights exp((q - top) / tau) are kept with the edges: a trial changes one Q of a node, so it costs one exponential.
``top`` follows the largest q only when the weights would lose precision, since any number near it will do.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .._compile import helper, verb
from ..arrays import largest
from ..check import problem_with, unless_positive
from ..decisions import project
from ..random import below, uniform
from ..worlds.table import label
from .loop import back_up, columns, draws, prepare, recommend, select, welcome
from .rewards import action_value
from .tree import NONE, best_action, most_visited, raise_value

FAR = 20.0  # temperatures that q may rise above top before it is moved
LEAST = 1e-16  # a total below this, measured from the largest q, tells nothing
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


# -- what they share ---------------------------------------------------------------------------------


@columns.of(MENTS, RENTS, TENTS, BTS)
def boltzmann_columns(algorithm):
    return ("value", "top", "total"), ("q", "weight")  # weight: exp((q - top) / tau), total: their sum


@welcome.of(MENTS, RENTS, TENTS, BTS)
@helper
def equal_start(algorithm, memory, tree, node, depth):
    """Every q is the default, every weight 1."""
    first, width = tree.nodes.first[node], tree.nodes.width[node]
    for edge in range(first, first + width):
        tree.edges.q[edge] = algorithm.default
        tree.edges.weight[edge] = 1.0
    tree.nodes.top[node], tree.nodes.total[node] = algorithm.default, width


@select.of(MENTS, TENTS, BTS)
@helper
def mixed_draw(algorithm, memory, problem, tree, lane, node, depth, rng):
    """An action from pi."""
    first, width = tree.nodes.first[node], tree.nodes.width[node]
    if uniform(rng) < mixing(algorithm, width, tree.nodes.visits[node] + 1):
        return below(width, rng)
    rest = uniform(rng) * tree.nodes.total[node]
    for action in range(width - 1):
        rest -= tree.edges.weight[first + action]
        if rest < 0.0:
            return action
    return width - 1


@helper
def mixing(algorithm, width, visits):
    """lambda: the share of uniform choices."""
    share = algorithm.epsilon * (width if algorithm.per_action else 1.0)
    return min(1.0, share / math.log(visits + 1.0))


@verb(fallback=True)
def level(algorithm, tree, edge, visits):
    """q(a): what the weight of an edge is made from."""
    return tree.edges.q[edge]


@helper
def reweigh(algorithm, tree, node, edge):
    """Refresh the weight of ``edge`` and the total; all weights if ``top`` no longer serves."""
    nodes, edges = tree.nodes, tree.edges
    rise = (edges.q[edge] - nodes.top[node]) / algorithm.temperature
    if rise > FAR:
        weigh_all(algorithm, tree, node, nodes.visits[node])
        return
    edges.weight[edge] = math.exp(rise)
    total, first = 0.0, nodes.first[node]
    for other in range(first, first + nodes.width[node]):
        total += edges.weight[other]
    nodes.total[node] = total
    if total < 1e-6:
        weigh_all(algorithm, tree, node, nodes.visits[node])


@helper
def weigh_all(algorithm, tree, node, visits):
    """Recompute every weight, relative to the largest q."""
    first, width = tree.nodes.first[node], tree.nodes.width[node]
    top, total = -np.inf, 0.0
    for edge in range(first, first + width):
        top = max(top, level(algorithm, tree, edge, visits))
    for edge in range(first, first + width):
        weight = math.exp((level(algorithm, tree, edge, visits) - top) / algorithm.temperature)
        tree.edges.weight[edge] = weight
        total += weight
    tree.nodes.top[node], tree.nodes.total[node] = top, total


@recommend.of(MENTS, RENTS, TENTS, BTS, DENTS)
def best_or_most_visited(algorithm, tree, node, rng):
    return most_visited(tree, node, rng) if algorithm.recommend_visits else best_action(tree, node, tree.edges.q, rng)


@problem_with.of(MENTS, RENTS, TENTS, BTS)
def boltzmann_problem(algorithm):
    if not 0.0 <= algorithm.epsilon < np.inf:
        return f"epsilon is {algorithm.epsilon}: write a number, zero or more, such as 0.5"
    if not np.isfinite(algorithm.default):
        return f"default is {algorithm.default}: write the finite Q of an action never tried, such as 0.0"
    return unless_positive("temperature", algorithm.temperature, "1.0")


# -- how V is backed up: MENTS, TENTS, BTS -------------------------------------------------------------


@back_up.of(MENTS)
def soft_value(algorithm, memory, problem, tree, lane, node, edge, depth, gain, discount):
    tree.edges.q[edge] = action_value(algorithm.sampled, problem, tree, node, edge, discount)
    reweigh(algorithm, tree, node, edge)
    tree.nodes.value[node] = tree.nodes.top[node] + algorithm.temperature * math.log(tree.nodes.total[node])


@back_up.of(TENTS)
def sparse_value(algorithm, memory, problem, tree, lane, node, edge, depth, gain, discount):
    tree.edges.q[edge] = action_value(algorithm.sampled, problem, tree, node, edge, discount)
    first, stop = tree.nodes.first[node], tree.nodes.first[node] + tree.nodes.width[node]
    values, weights = np.asarray(tree.edges.q[first:stop]), np.asarray(tree.edges.weight[first:stop])
    project(values, 1.0 / algorithm.temperature, weights)
    top, total, squares, kept = largest(values), 0.0, 0.0, 0
    for i in range(values.size):
        if weights[i] > 0.0:
            x = (values[i] - top) / algorithm.temperature
            total += x
            squares += x * x
            kept += 1
    theta = (total - 1.0) / kept
    tree.nodes.total[node] = 1.0
    tree.nodes.value[node] = top + algorithm.temperature * 0.5 * (1.0 + squares - kept * theta * theta)


@back_up.of(BTS)
def highest_value(algorithm, memory, problem, tree, lane, node, edge, depth, gain, discount):
    before = tree.edges.q[edge]
    tree.edges.q[edge] = action_value(algorithm.sampled, problem, tree, node, edge, discount)
    reweigh(algorithm, tree, node, edge)
    raise_value(tree, node, before, tree.edges.q[edge], tree.edges.count[edge] == 1)


# -- RENTS: a node prefers what its parent preferred ---------------------------------------------------


class Offers(NamedTuple):
    """The memory of RENTS for pending trials."""

    policies: np.ndarray  # [B, H + 1, labels] the probability with which each action was on offer


@prepare.of(RENTS)
def make_offers(algorithm, settings):
    return Offers(np.zeros((settings.lanes, settings.horizon + 1, settings.labels)))


@helper
def prior_weight(algorithm, memory, problem, tree, lane, state, edge, action, depth):
    """pi_parent(a) exp((q(a) - top) / tau)."""
    weight = tree.edges.weight[edge]
    if depth > 0 and algorithm.prior:
        weight *= memory.policies[lane, depth - 1, label(problem, state, action)]
    return weight


@helper
def prior_total(algorithm, memory, problem, tree, lane, node, depth):
    """The sum of the weights, the largest q, and whether the sum, measured from there, tells nothing."""
    first, state = tree.nodes.first[node], int(tree.nodes.state[node])
    total, highest = 0.0, -np.inf
    for action in range(tree.nodes.width[node]):
        total += prior_weight(algorithm, memory, problem, tree, lane, state, first + action, action, depth)
        highest = max(highest, tree.edges.q[first + action])
    silent = total * math.exp((tree.nodes.top[node] - highest) / algorithm.temperature) < LEAST
    return total, highest, silent


@select.of(RENTS)
def relative_choice(algorithm, memory, problem, tree, lane, node, depth, rng):
    first, width, state = tree.nodes.first[node], tree.nodes.width[node], int(tree.nodes.state[node])
    share = mixing(algorithm, width, tree.nodes.visits[node] + 1)
    total, _, silent = prior_total(algorithm, memory, problem, tree, lane, node, depth)
    if silent:
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
    tree.edges.q[edge] = action_value(algorithm.sampled, problem, tree, node, edge, discount)
    reweigh(algorithm, tree, node, edge)
    total, highest, silent = prior_total(algorithm, memory, problem, tree, lane, node, depth)
    if silent:
        tree.nodes.value[node] = highest
    else:
        tree.nodes.value[node] = tree.nodes.top[node] + algorithm.temperature * math.log(total)


# -- DENTS: an entropy bonus that decays with the visits -----------------------------------------------


@columns.of(DENTS)
def dents_columns(algorithm):
    return ("value", "top", "total", "entropy"), ("q", "weight", "entropy")


@welcome.of(DENTS)
def dents_node(algorithm, memory, tree, node, depth):
    equal_start(algorithm, memory, tree, node, depth)
    width = tree.nodes.width[node]
    tree.nodes.entropy[node] = math.log(width) if width > 0 else 0.0


@level.of(DENTS)
def with_bonus(algorithm, tree, edge, visits):
    if tree.edges.count[edge] == 0:
        return algorithm.default
    beta = max(algorithm.bonus / math.sqrt(1.0 + visits), LEAST_BONUS)
    return tree.edges.q[edge] + beta * tree.edges.entropy[edge]


@select.of(DENTS)
def choice_with_bonus(algorithm, memory, problem, tree, lane, node, depth, rng):
    if tree.nodes.tried[node] > 0:  # the bonus of every action changes with the visits
        weigh_all(algorithm, tree, node, tree.nodes.visits[node] + 1)
    return mixed_draw(algorithm, memory, problem, tree, lane, node, depth, rng)


@helper
def successors_entropy(problem, tree, edge):
    """sum_k N(e, k) / N(e) H(child k)."""
    total, outcome = 0.0, tree.edges.outcome[edge]
    while outcome != NONE:
        total += tree.outcomes.times[outcome] * tree.nodes.entropy[tree.outcomes.child[outcome]]
        outcome = tree.outcomes.next[outcome]
    return total / draws(problem, tree, edge)


@back_up.of(DENTS)
def value_and_entropy(algorithm, memory, problem, tree, lane, node, edge, depth, gain, discount):
    nodes, edges = tree.nodes, tree.edges
    before = edges.q[edge]
    edges.q[edge] = action_value(algorithm.sampled, problem, tree, node, edge, discount)
    edges.entropy[edge] = successors_entropy(problem, tree, edge)
    raise_value(tree, node, before, edges.q[edge], edges.count[edge] == 1)
    visits, first, width = nodes.visits[node], nodes.first[node], nodes.width[node]
    weigh_all(algorithm, tree, node, visits)
    share, total, entropy = mixing(algorithm, width, visits), nodes.total[node], 0.0
    for other in range(first, first + width):
        chance = (1.0 - share) * edges.weight[other] / total + share / width
        entropy += chance * (edges.entropy[other] - math.log(chance)) if chance > 0.0 else 0.0
    nodes.entropy[node] = entropy


@problem_with.of(DENTS)
def dents_problem(algorithm):
    if not 0.0 <= algorithm.bonus < math.inf:
        return f"bonus is {algorithm.bonus}: write a number, zero or more, such as 1.0"
    return boltzmann_problem(algorithm)
