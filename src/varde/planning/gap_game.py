"""VarDE() in games of two players: the search of ``gap_tree`` with the values of the player who moves.

Rewards are the first player's; V(n), Q(e) and the returns at a node are those of the player who moves there.  What one
player hopes for the other fears: besides hope every node has what its player can be sure of,

    hope(e) = sum_k p_k (r_k + g hope(k)),   sure(e) = sum_k p_k (r_k + g sure(k)),   swapped where the player changes

where the unseen holds at most what was ever won, and at least what was ever lost.  Where both are equal, all is known:
no sample is worth anything.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._compile import helper
from ..beliefs.noise import shrunk_variance
from ..check import problem_with
from ..worlds.table import side
from . import gap_tree as single
from .gap_memory import enter_return, forget, level_variance, look_one_step_further, make_memory
from .gap_tree import (
    ROUNDING,
    both_estimates,
    conclude,
    learn_noise,
    refresh,
    weigh_edges,
)
from .loop import (
    back_up,
    begin,
    columns,
    draws,
    expect,
    hoped_value,
    known_share,
    lazy,
    moved_on,
    prepare,
    return_variance,
    reward_squares,
    select,
    settle,
    value_variance,
    welcome,
)
from .tree import NONE, has_untried


class GapGame(NamedTuple):
    """The default search where two players move."""

    prior: float = 5.0
    optimism: float = 0.6
    bias: float = 30.0  # K: the best reply to a best reply, and so on, is biased at every depth
    parity: float = 0.5
    usual: float = 1.0
    pause: int = 8


# All but the values is as with one player.
for verb, case in (
    (prepare, make_memory),
    (begin, forget),
    (expect, single.hope_first),
    (welcome, single.link_node),
    (lazy, single.one_edge_will_do),
    (select, single.follow),
    (back_up, single.propagate),
    (value_variance, single.propagated_variance),
    (known_share, single.share_of_known_steps),
    (return_variance, single.variance_at_node),
    (moved_on, look_one_step_further),
    (problem_with, single.gap_tree_problem),
):
    verb.of(GapGame)(case)


@columns.of(GapGame)
def game_columns(algorithm):
    node, edge = single.gap_columns(algorithm)
    return (*node, "sure"), (*edge, "sure")


@helper
def most_won(memory):
    """As much as was ever won or lost: a player sure of that need not look for more."""
    return memory.whole.largest[0] if memory.whole.largest[0] > 0.0 else 1.0


@refresh.of(GapGame)
def refresh_in_turn(algorithm, memory, problem, tree, node, edge, depth, discount, learns):
    """Q(e), its variance, hope and what is sure; sums are the first player's."""
    nodes, edges, outcomes = tree.nodes, tree.edges, tree.outcomes
    count, outcome = draws(problem, tree, edge), edges.outcome[edge]
    mean, squares, below_it, noise, high, low = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    while outcome != NONE:
        child, share, reward = outcomes.child[outcome], outcomes.times[outcome] / count, outcomes.reward[outcome]
        first = side(problem, outcomes.successor[outcome]) > 0.0
        value = reward + discount * (nodes.value[child] if first else -nodes.value[child])
        mean += share * value
        squares += share * value * value
        below_it += share * share * nodes.variance[child]
        noise += reward_squares(problem, tree, outcome)
        high += share * (reward + discount * (nodes.hope[child] if first else -nodes.sure[child]))
        low += share * (reward + discount * (nodes.sure[child] if first else -nodes.hope[child]))
        outcome = outcomes.next[outcome]
    between = max(squares - mean * mean, 0.0) + noise / count
    between = 0.0 if between < ROUNDING * squares else between
    gamma = discount * discount
    edges.own[edge] = gamma * below_it + learn_noise(algorithm, memory, depth, between, count, learns)
    if side(problem, nodes.state[node]) > 0.0:
        edges.q[edge], edges.hope[edge], edges.sure[edge] = mean, high, low
    else:
        edges.q[edge], edges.hope[edge], edges.sure[edge] = -mean, -low, -high


@conclude.of(GapGame)
def conclude_in_turn(algorithm, memory, problem, tree, node, depth):
    """Everything about a node that follows from its edges."""
    nodes, edges, visits = tree.nodes, tree.edges, tree.nodes.visits[node]
    spread = shrunk_variance(algorithm.prior, level_variance(memory, depth), nodes.squares[node], visits)
    _, value, variance = weigh_edges(algorithm, memory, problem, tree, node, depth, spread)
    sure, certain, first = -np.inf, 0.0, nodes.first[node]
    for edge in range(first, first + nodes.width[node]):
        if edges.count[edge] > 0 and edges.hope[edge] <= edges.sure[edge] and edges.own[edge] == 0.0:
            edges.worth[edge] = 0.0
        if edges.count[edge] > 0 and edges.sure[edge] > sure:
            sure, certain = edges.sure[edge], edges.variance[edge]
    nodes.sure[node] = sure
    if has_untried(tree, node):
        nodes.hope[node] = max(nodes.hope[node], most_won(memory))
    if sure >= nodes.hope[node]:  # no action can be better
        nodes.value[node], nodes.variance[node] = sure, certain
        return
    error = spread / visits
    variance = spread if visits == 1 else variance
    value, variance = both_estimates(nodes.returns[node], error, value, variance, algorithm.bias)
    nodes.value[node], nodes.variance[node] = value, variance


@hoped_value.of(GapGame)
def hope_of_player(algorithm, tree, edge):
    return tree.edges.hope[edge]


@settle.of(GapGame)
def enter_at_leaf(algorithm, memory, problem, tree, node, depth, gain):
    nodes = tree.nodes
    enter_return(memory, tree, node, depth, gain)
    spread = shrunk_variance(algorithm.prior, level_variance(memory, depth), nodes.squares[node], nodes.visits[node])
    nodes.value[node] = nodes.hope[node] = nodes.sure[node] = nodes.returns[node]
    nodes.variance[node] = spread / nodes.visits[node]
    if nodes.width[node] > 0:  # where random play began, or the value was given
        nodes.hope[node], nodes.sure[node] = most_won(memory), -most_won(memory)
