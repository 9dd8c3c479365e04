"""Trials in a world that is discovered step by step (``worlds.visited``): what such a world needs besides.

Where it may lead somewhere new at every step, a new outcome would be visited only once: of N trials through an edge
N^(3/4) ask the world, and the others follow an outcome seen before, by N(e, k), which counts how often the world led
there (progressive widening).  Whether outcomes repeat is found out from pairs of draws.  Where paths never meet, single
steps often achieve little, and independent random actions cancel out: trials repeat their last action in new states,
for 1 to H steps on average, log-uniformly.  A state whose actions are sampled gains more of them (W^2
visits for W).  A given value ends a trial.
"""

from __future__ import annotations

from .._compile import copy_row, helper, verb
from ..random import below, uniform
from ..worlds.games import as_inside
from ..worlds.table import held, num_actions, prior
from ..worlds.visited import Visited
from .loop import choose, count_draw, draws, enter_reward, mean_reward, pick, random_action, seen_again
from .tree import IDLE, NEW, NONE, NOWHERE, has_prior

WIDENING = 0.75  # of N trials through an edge whose outcomes never repeat, N to this power see a new one
FEW = 4  # an outcome is rare that came up in at most a quarter of as many draws or more
RARE = 200  # rare outcomes do not repeat if of so many pairs of draws not one is alike
EARLY, APART = 8, 50  # trials that say nothing yet; nodes for each one that was reached by two paths


@verb(fallback=True)
def never_repeats(problem, tree):
    """Whether the world nearly always leads to a new state, apart from a few frequent ones."""
    return False


@verb(fallback=True)
def paths_meet(problem, tree):
    """Whether nodes are shared by several paths."""
    return tree.table.shape[0] > 1


@never_repeats.of(Visited)
def draws_differ(problem, tree):
    return RARE * (tree.repeats.alike[0] + 1) <= tree.repeats.compared[0]


@paths_meet.of(Visited)
def some_paths_meet(problem, tree):
    """Unless transpositions are looked for and there are almost none."""
    met_again = tree.used[2] - tree.used[0]  # every node but the root has one outcome that made it
    apart = tree.nodes.visits[0] >= EARLY and APART * (met_again + 1) <= tree.used[0]
    return tree.table.shape[0] > 1 and not apart


as_inside(never_repeats, paths_meet)


# -- which action ----------------------------------------------------------------------------------


@pick.of(Visited)
def pick_in_world(model, algorithm, memory, problem, tree, path, settings, lane, rng):
    lanes = path.lane
    node, depth, nodes = lanes.node[lane], lanes.depth[lane], tree.nodes
    if lanes.phase[lane] == IDLE:
        lanes.hold[lane] = chance_to_hold(model, tree, settings.horizon, rng)
    add_sampled(model, tree, node)
    if nodes.tried[node] == 0 and lanes.hold[lane] > 0.0 and depth > 0:
        again = same_action(model, tree, path, lanes.hold[lane], lane, node, depth, rng)
        if again >= 0:
            return again, not settings.keep
    return choose(algorithm, memory, problem, tree, path, settings, lane, node, depth, rng)


@helper
def chance_to_hold(model, tree, horizon, rng):
    """The probability with which a trial repeats its last action in new states."""
    if paths_meet(model, tree) or tree.table.shape[0] == 1:
        return 0.0
    return 1.0 - horizon ** -uniform(rng)


@helper
def same_action(model, tree, path, chance, lane, node, depth, rng):
    """The last action again, or -1."""
    if has_prior(model, tree, node) or uniform(rng) >= chance:
        return -1
    before = path.nodes[lane, depth - 1]
    action = path.edges[lane, depth - 1] - tree.nodes.first[before]
    return held(model, tree.nodes.state[before], action, tree.nodes.state[node])


@helper
def add_sampled(model, tree, node):
    """Give a node with W actions those its state has gained, after W^2 visits and if there is room."""
    old, width = tree.nodes.first[node], tree.nodes.width[node]
    if tree.nodes.tried[node] < width or tree.nodes.visits[node] < width * width:
        return
    more = num_actions(model, tree.nodes.state[node])
    if more <= width or tree.full[0] == 1 or tree.used[1] + more > tree.edges.count.shape[0]:
        return
    for edge in range(old, old + width):
        if tree.edges.pending[edge] > 0:  # a pending trial will come back to it
            return
    new = tree.used[1]
    tree.used[1] += more
    tree.nodes.first[node], tree.nodes.width[node] = new, more
    for i in range(width):
        copy_row(tree.edges, old + i, new + i)


# -- outcomes ----------------------------------------------------------------------------------------


@seen_again.of(Visited)
def follow_again(problem, tree, path, lane, action, rng):
    node, depth = path.lane.node[lane], path.lane.depth[lane]
    edge = tree.nodes.first[node] + action
    drawn, pending = tree.edges.drawn[edge], tree.edges.pending[edge]
    if drawn < 2 or drawn + pending <= (tree.edges.count[edge] + pending) ** WIDENING:
        return NOWHERE
    if not never_repeats(problem, tree):
        return NOWHERE
    left, outcome = below(drawn, rng), tree.edges.outcome[edge]
    while left >= tree.outcomes.times[outcome]:
        left -= tree.outcomes.times[outcome]
        outcome = tree.outcomes.next[outcome]
    child = tree.outcomes.child[outcome]
    if tree.nodes.first[child] == NEW:  # without edges: it was at the horizon
        return NOWHERE
    path.nodes[lane, depth], path.edges[lane, depth] = node, edge
    path.outcomes[lane, depth], path.rewards[lane, depth] = -outcome, tree.outcomes.reward[outcome]
    return child


@count_draw.of(Visited)
def count_and_compare(problem, tree, edge, outcome, reward):
    times, drawn = tree.outcomes.times[outcome], tree.edges.drawn[edge]
    if drawn >= FEW and FEW * times <= drawn and tree.nodes.width[tree.outcomes.child[outcome]] > 0:
        tree.repeats.compared[0] += rare_draws(tree, edge)
        tree.repeats.alike[0] += times
    tree.edges.drawn[edge] = drawn + 1
    tree.outcomes.times[outcome] = times + 1
    enter_reward(tree, outcome, reward)


@helper
def rare_draws(tree, edge):
    """How many draws led to rare states that are not terminal.

    A world may have outcomes that repeat, such as a wall or an empty store, besides those that do not.
    """
    total, outcome = 0, tree.edges.outcome[edge]
    while outcome != NONE:
        times = tree.outcomes.times[outcome]
        if FEW * times <= tree.edges.drawn[edge] and tree.nodes.width[tree.outcomes.child[outcome]] > 0:
            total += times
        outcome = tree.outcomes.next[outcome]
    return total


@draws.of(Visited)
def draws_from_world(problem, tree, edge):
    return tree.edges.drawn[edge]


@random_action.of(Visited)
def action_by_prior(problem, state, actions, rng):
    """By the prior, 1 on average, if there is one."""
    if problem.priors.size == 0:
        return below(actions, rng)
    left = actions * uniform(rng)
    for action in range(actions - 1):
        left -= prior(problem, state, action)
        if left < 0.0:
            return action
    return actions - 1


@mean_reward.of(Visited)
def mean_of_seen(problem, tree, node, edge):
    """Exactly the reward where there is but one."""
    times, mean, outcome = 0.0, 0.0, tree.edges.outcome[edge]
    while outcome != NONE:
        times += tree.outcomes.times[outcome]
        mean += tree.outcomes.times[outcome] / times * (tree.outcomes.reward[outcome] - mean)
        outcome = tree.outcomes.next[outcome]
    return mean
