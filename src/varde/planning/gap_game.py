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
from ..moments import include
from ..worlds.table import side
from .gap_tree import (
    GapTree,
    both_estimates,
    enter_return,
    follow,
    forget,
    gap_columns,
    gap_tree_problem,
    hope_first,
    is_due,
    learn_noise,
    level_variance,
    link_node,
    look_one_step_further,
    make_memory,
    mood_of_trial,
    renew_variances,
    share_of_known_steps,
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
from .tree import NONE, NOWHERE, has_untried


class GapGame(NamedTuple):
    """The default search where two players move; its settings are those of ``GapTree``."""

    search: GapTree = GapTree()
    bias: float = 30.0  # K: the best reply to a best reply, and so on, is biased at every depth


@columns.of(GapGame)
def game_columns(algorithm):
    node, edge = gap_columns(algorithm.search)
    return (*node, "sure"), (*edge, "sure")


@prepare.of(GapGame)
def make_game_memory(algorithm, settings):
    return make_memory(algorithm.search, settings)


@begin.of(GapGame)
def forget_game(algorithm, memory):
    forget(algorithm.search, memory)


@expect.of(GapGame)
def hope_first_in_game(algorithm, memory, now, due):
    hope_first(algorithm.search, memory, now, due)


@welcome.of(GapGame)
def link_position(algorithm, memory, tree, node, depth):
    link_node(algorithm.search, memory, tree, node, depth)


@lazy.of(GapGame)
def one_edge_will_do(algorithm):
    return True


@helper
def most_won(memory):
    """As much as was ever won or lost: a player sure of that need not look for more."""
    return memory.whole.largest[0] if memory.whole.largest[0] > 0.0 else 1.0


@select.of(GapGame)
def follow_in_turn(algorithm, memory, problem, tree, lane, node, depth, rng):
    if depth == 0:
        memory.mood[lane] = mood_of_trial(algorithm.search, memory, problem, tree, rng)
    return follow(algorithm.search, memory, problem, tree, memory.mood[lane], node, most_won(memory), rng)


@back_up.of(GapGame)
def propagate_in_turn(algorithm, memory, problem, tree, lane, node, edge, depth, gain, discount):
    whole = memory.whole
    enter_return(memory, tree, node, depth, gain)
    include(tree.edges.returns, tree.edges.squares, edge, tree.edges.count[edge], gain)
    refresh_in_turn(algorithm.search, memory, problem, tree, node, edge, depth, discount, True)
    conclude_in_turn(algorithm.search, algorithm.bias, memory, problem, tree, node, depth)
    whole.steps[0] += 1
    whole.since[0] += 1
    if depth == 0 and is_due(algorithm.search, memory, problem, tree):
        sweep_in_turn(algorithm.search, algorithm.bias, memory, problem, tree, discount)


@helper
def refresh_in_turn(search, memory, problem, tree, node, edge, depth, discount, learns):
    """Q(e), its variance, hope, what is sure, and novelty; sums are the first player's."""
    nodes, edges, outcomes = tree.nodes, tree.edges, tree.outcomes
    count, outcome = draws(problem, tree, edge), edges.outcome[edge]
    mean, squares, below_it, noise, high, low, novelty = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
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
        novelty += share * nodes.novelty[child]
        outcome = outcomes.next[outcome]
    between = max(squares - mean * mean, 0.0) + noise / count
    between = 0.0 if between < 1e-12 * squares else between
    gamma = discount * discount
    edges.own[edge] = gamma * below_it + learn_noise(search, memory, depth, between, count, learns)
    known = high <= low and edges.own[edge] == 0.0
    edges.novelty[edge] = 0.0 if known else max(1.0 / (edges.count[edge] + 1.0), novelty)
    if side(problem, nodes.state[node]) > 0.0:
        edges.q[edge], edges.hope[edge], edges.sure[edge] = mean, high, low
    else:
        edges.q[edge], edges.hope[edge], edges.sure[edge] = -mean, -low, -high


@helper
def conclude_in_turn(search, bias, memory, problem, tree, node, depth):
    """Everything about a node that follows from its edges."""
    nodes, edges, visits = tree.nodes, tree.edges, tree.nodes.visits[node]
    spread = shrunk_variance(search.prior, level_variance(memory, depth), nodes.squares[node], visits)
    renew_variances(search, memory, problem, tree, node, depth)
    _, value, variance = weigh_edges(search, tree, node, spread, True)
    sure, certain, first = -np.inf, 0.0, nodes.first[node]
    for edge in range(first, first + nodes.width[node]):
        if edges.count[edge] > 0 and edges.sure[edge] > sure:
            sure, certain = edges.sure[edge], edges.variance[edge]
    nodes.sure[node] = sure
    if has_untried(tree, node):
        nodes.hope[node], nodes.novelty[node] = max(nodes.hope[node], most_won(memory)), 1.0
    if sure >= nodes.hope[node]:  # no action can be better
        nodes.value[node], nodes.variance[node], nodes.novelty[node] = sure, certain, 0.0
        return
    error = spread / visits
    value, variance = both_estimates(nodes.returns[node], error, value, spread if visits == 1 else variance, bias)
    nodes.value[node], nodes.variance[node] = value, variance


@helper
def sweep_in_turn(search, bias, memory, problem, tree, discount):
    """Bring every node up to date, the deepest first."""
    whole, nodes, edges = memory.whole, tree.nodes, tree.edges
    whole.since[0], whole.news[0] = 0, 0
    for depth in range(memory.level.node.shape[0] - 1, -1, -1):
        node = memory.level.node[depth]
        while node != NOWHERE:
            if nodes.tried[node] > 0:
                for edge in range(nodes.first[node], nodes.first[node] + nodes.width[node]):
                    if edges.count[edge] > 0:
                        refresh_in_turn(search, memory, problem, tree, node, edge, depth, discount, False)
                conclude_in_turn(search, bias, memory, problem, tree, node, depth)
            node = int(nodes.link[node])


@settle.of(GapGame)
def enter_at_leaf(algorithm, memory, problem, tree, node, depth, gain):
    nodes = tree.nodes
    enter_return(memory, tree, node, depth, gain)
    spread = shrunk_variance(
        algorithm.search.prior, level_variance(memory, depth), nodes.squares[node], nodes.visits[node]
    )
    nodes.value[node] = nodes.hope[node] = nodes.sure[node] = nodes.returns[node]
    nodes.variance[node] = spread / nodes.visits[node]
    if nodes.width[node] > 0:  # where random play began, or the value was given
        nodes.hope[node], nodes.sure[node], nodes.novelty[node] = most_won(memory), -most_won(memory), 1.0


@value_variance.of(GapGame)
def propagated_variance(algorithm, tree, edge):
    return tree.edges.variance[edge]


@hoped_value.of(GapGame)
def hope_of_edge(algorithm, tree, edge):
    return tree.edges.hope[edge]


@known_share.of(GapGame)
def known_in_game(algorithm, memory, tree):
    return share_of_known_steps(algorithm.search, memory, tree)


@return_variance.of(GapGame)
def variance_at_node(algorithm, tree, node):
    return tree.nodes.squares[node] / max(tree.nodes.visits[node] - 1.0, 1.0)


@moved_on.of(GapGame)
def one_move_further(algorithm, memory, tree, depths, discount):
    look_one_step_further(algorithm.search, memory, tree, depths, discount)


@problem_with.of(GapGame)
def gap_game_problem(algorithm):
    return gap_tree_problem(algorithm.search)
