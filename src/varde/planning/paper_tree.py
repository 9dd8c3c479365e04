"""VarDE(LogSumExp(tau)) in trees: VarDE-MCTS (Algorithm 2), the rule applied to the actions of a node."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._compile import helper
from ..beliefs.noise import Floor, own_variance
from ..check import problem_with
from ..decisions import LogSumExp
from ..moments import include
from ..random import integer
from ..rule import VarDE, indexed, log_decrement
from .expected import best_or_most_visited, edge_value, keep_expected
from .tree import NONE, best_edge, fewest_pending, open_edge, raise_value, samples_soon
from .trial import Beliefs, beliefs, columns, on_new_edge, recommend, select, update


class PaperTree(NamedTuple):
    """Take the action whose next sample most lowers the variance of the node's decision, untried ones first.

        score(a) = power Q(a) / tau + ln max(var(a), floor) - ln(N(a) (N(a) + 1))

    ``rule`` is the rule of ``varde.VarDE``: temperature, noise, and a ``warm_start`` of samples of an action before
    scores compare.  Q is backed up by the maximum, with the model's expected rewards or with the mean of the
    ``sampled`` ones, or is the mean return with ``mean_value``.  ``literal`` counts as Algorithm 2 does: an expansion
    in N(s, a) and nowhere else, and successors by all their visits; for trials that add one node (``keep=False``) and
    rewards that the successor determines.
    """

    rule: VarDE = VarDE(LogSumExp(1.0), Floor(1.0, 0), 1)
    power: float = 2.0
    mean_value: bool = False
    recommend_visits: bool = False
    sampled: bool = False
    literal: bool = False


@columns.of(PaperTree)
def varde_columns(algorithm):
    # mean and M2 of the returns; ln of the decrement; E[r] of a table
    return ("value",), ("q", "returns", "squares", "score", "expected")


on_new_edge.of(PaperTree)(keep_expected)


@select.of(PaperTree)
def sample_action(algorithm, memory, tree, trials, t, node, depth, rng):
    if tree.nodes.tried[node] < tree.nodes.width[node]:
        return open_edge(tree, node, rng)
    first = tree.nodes.first[node]
    for edge in range(first, first + tree.nodes.tried[node]):
        if tree.edges.pending[edge] > 0:
            return crowded_edge(algorithm, tree, node, rng)
    return best_edge(tree, node, tree.edges.score, rng)


@helper
def crowded_edge(algorithm, tree, node, rng):
    """The highest score with pending samples counted in N, ties at random."""
    first = tree.nodes.first[node]
    best, chosen, ties = -np.inf, NONE, 1
    for edge in range(first, first + tree.nodes.tried[node]):
        if tree.edges.count[edge] == 0:
            continue
        score = edge_score(algorithm, tree, edge, samples_soon(tree, edge))
        if score > best or chosen == NONE:
            best, chosen, ties = score, edge, 1
        elif score == best:
            ties += 1
            chosen = edge if integer(ties, rng) == 0 else chosen
    return chosen if chosen != NONE else fewest_pending(tree, node)


@helper
def edge_score(algorithm, tree, edge, samples):
    """The rule, with N = ``samples``.  Only the edges of a trial change, so the score is kept with the edge."""
    count, rule = tree.edges.count[edge], algorithm.rule
    if samples < rule.warm_start:
        return np.inf
    returns = max(count - 1, 1) if algorithm.literal else count
    variance = own_variance(rule.noise, 0.0, tree.edges.squares[edge], returns)
    # log_decrement squares the weight; another power of a softmax is a softmax at another temperature.
    return log_decrement(rule.decision, 0.5 * algorithm.power * tree.edges.q[edge], variance, samples, 0.0)


@update.of(PaperTree)
def update_moments(algorithm, memory, tree, node, edge, depth, gain, settings):
    count = tree.edges.count[edge]
    returns = count - 1 if algorithm.literal else count
    if returns > 0:
        include(tree.edges.returns, tree.edges.squares, edge, returns, gain)
    old, new = tree.edges.q[edge], gain
    if algorithm.mean_value:
        new = tree.edges.returns[edge] if returns > 0 else gain
    elif not algorithm.literal:
        new = edge_value(tree, node, edge, algorithm.sampled, settings.discount)
    elif returns > 0:
        new = listed_value(tree, edge, settings.discount)
    tree.edges.q[edge] = new
    tree.edges.score[edge] = edge_score(algorithm, tree, edge, count)
    if algorithm.mean_value:
        tree.nodes.value[node] += (gain - tree.nodes.value[node]) / tree.nodes.visits[node]
    else:
        raise_value(tree, node, old, new, count == 1)


@helper
def listed_value(tree, edge, discount):
    """r-bar(s, a) + discount sum over s' of N(s') / N(s, a) V(s') as Algorithm 2 counts them.

    The first visit, an expansion, is in N(s, a) alone; N(s') are the choices made at s' when no action was untried.
    """
    total, outcome, first = 0.0, tree.edges.outcome[edge], 1
    while outcome != NONE:
        child = tree.outcomes.child[outcome]
        total += (tree.outcomes.times[outcome] - first) * tree.outcomes.reward[outcome]
        if tree.nodes.width[child] > 0:
            chosen = tree.nodes.visits[child] - tree.nodes.tried[child] - first
            total += discount * chosen * tree.nodes.value[child]
        outcome, first = tree.outcomes.next[outcome], 0
    return total / tree.edges.count[edge]


recommend.of(PaperTree)(best_or_most_visited)


@beliefs.of(PaperTree)
def errors_of_means(algorithm, memory, tree, node):
    first, edges = tree.nodes.first[node], tree.edges
    found = np.full(tree.nodes.tried[node], np.nan)
    for i, edge in enumerate(range(first, first + found.size)):
        count = edges.count[edge]
        if algorithm.mean_value and count > 1:
            found[i] = edges.squares[edge] / (count * (count - 1.0))
    return Beliefs(found, np.full(found.size, np.nan))


@problem_with.of(PaperTree)
def tree_rule_problem(algorithm):
    if not indexed(algorithm.rule):
        return f"{algorithm.rule} has no score per action: write VarDE(LogSumExp(temperature))"
    if not 0.0 <= algorithm.power < np.inf:
        return f"power is {algorithm.power}: write 2.0 for squared weights (the rule) or 1.0 for plain ones"
    return ""
