"""One trial, the same for every algorithm and world: select, step, expand, backpropagate.

A trial goes from the root to a leaf.  It goes on inside the kernel as long as the world knows its transitions; where
one is unknown, ``run`` returns what is asked for, and goes on with the answer.  Where the trial leaves the tree, random
play goes on in the same way.  Several trials may be under way, each waiting for its own transition: they count at their
edges as pending until they come back.  Other counts change on the way back only, so that a trial that fails on its way
down leaves no trace.

An algorithm is a record with cases of ``columns``, ``select`` and ``update``, and of the other verbs where it has any.
It never sees the world.  ``columns``, ``memory``, ``expect``, ``beliefs`` and ``moved_on`` run in Python only.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .._compile import contents, helper, kernel, verb, whole_number
from ..check import LARGEST
from ..moments import joined
from ..random import integer, uniform
from ..worlds.record import credited, is_known, listed_reward, same_action, transition
from .pending import (
    ACTIONS,
    ASKING,
    CHOSEN,
    CREDITED,
    DONE,
    GOING,
    IDLE,
    LEAF,
    LEAVING,
    LED,
    LEFT,
    NO_ROOM,
    OVER,
    PLAY,
    PLAYING,
    UNSOUND,
    WRONG,
    end_here,
    fault,
    leave,
    play_on,
)
from .tree import (
    FULL,
    NONE,
    NOWHERE,
    TRIALS,
    WANTED,
    add_node,
    add_outcome,
    best_edge,
    close_edge,
    make_edges,
    more_edges,
    node_at,
    open_action,
    open_edge,
    paths_meet,
    seen_before,
)
from .widen import add_sampled, compare_draws, follow_again

# -- the verbs of an algorithm -----------------------------------------------------------------------


@verb
def columns(algorithm):
    """The names of its numbers about a node, "value" first, and about an edge, "q" first."""


@verb(algorithm="searches trees: write varde.plan(...) or varde.planning.measure(...)")
def select(algorithm, memory, tree, trials, t, node, depth, rng):
    """The edge that trial ``t`` takes at a node, whose visits do not include it yet.

    ``open_edge`` gives one for an action that was never tried.  With pending trials a tried edge may have no sample.
    """


@verb
def update(algorithm, memory, tree, node, edge, depth, gain, settings):
    """Enter the return of an edge, for the player who moves at the node, and refresh V(node); counts include it."""


@verb(fallback=True)
def leaf(algorithm, memory, tree, node, depth, gain):
    """Enter the return of a node at which the trial left the tree: V(node) is their mean."""
    tree.nodes.value[node] += (gain - tree.nodes.value[node]) / tree.nodes.visits[node]


@verb(fallback=True)
def on_new_node(algorithm, memory, tree, node, depth, given):
    """Initialise what is kept about a node; ``given`` is what somebody knows of its value, or nan."""


@verb(fallback=True)
def unselected(algorithm, memory, tree, t, node, depth):
    """Trial ``t`` tries a new action of a node without ``select``."""


@verb(fallback=True)
def on_new_edge(algorithm, tree, edge, mean, label):
    """Keep the mean reward of an edge, nan where it is not known, or which action of the whole world it is."""


@verb(fallback=True)
def recommend(algorithm, tree, node, rng):
    """The edge to take: the highest Q among those with samples, ties at random; NONE if there is none."""
    return best_edge(tree, node, tree.edges.q, rng)


@verb(fallback=True)
def memory(algorithm, settings, nodes):
    """What the algorithm remembers besides the tree: arrays or a record of arrays, larger ones for more ``nodes``."""
    return np.zeros(1)


@verb(fallback=True)
def expect(algorithm, memory, now, due):
    """After ``now`` simulations: an answer is due after ``due`` of them."""


@verb(fallback=True)
def moved_on(algorithm, memory, tree, settings):
    """The root is one step further on, as depths in the tree are already: so is what ``memory`` has by depth."""


class Beliefs(NamedTuple):
    """What an algorithm believes of the errors at a node."""

    variances: np.ndarray  # [tried] of Q
    optimistic: np.ndarray  # [tried] values, nan if it has none
    spread: float = math.nan  # the variance of the returns
    known: float = 0.6  # the share of steps that led to known nodes
    own: np.ndarray | None = None  # [tried] of the variances, what is of this step; only where errors add up


@verb(fallback=True)
def beliefs(algorithm, memory, tree, node):
    """The errors of the values of the tried edges of a node; nan where the algorithm does not know them."""
    unknown = np.full(tree.nodes.tried[node], np.nan)
    return Beliefs(unknown, unknown)


@verb(fallback=True)
def pools(algorithm):
    """Whether nodes that paths share are states, whatever the depth."""
    return False


@verb(fallback=True)
def turn_to(algorithm, memory, tree, node, depth):
    """Where nodes are states at whatever depth, make what is stored about the edges of a node that of this depth."""


# -- select ------------------------------------------------------------------------------------------


@helper
def next_request(algorithm, memory, world, tree, trials, settings, t, rng):
    """Take a trial to the next transition that it needs, unless it is over by then, and counts.

    Returns whether there is one.
    """
    now, nodes = trials.now, tree.nodes
    while now.phase[t] == GOING:
        node, depth = now.node[t], now.depth[t]
        state = nodes.state[node]
        now.state[t] = state
        if nodes.width[node] == 0 or depth >= settings.horizon:
            end_here(world, tree, trials, settings, t, rng)
            break
        given = world.states.value[state] if settings.informed and depth > 0 else np.nan
        if nodes.visits[node] == 0 and not math.isnan(given):
            now.phase[t], now.gain[t] = LEAF, given
            break
        if tree.facts[FULL] == 1 and nodes.tried[node] == nodes.made[node] < nodes.width[node]:
            leave(trials, t, settings.horizon - depth)
            break
        edge = choose(algorithm, memory, world, tree, trials, settings, t, rng)
        if edge == NONE:
            return False
        at = t * (settings.horizon + 1) + depth
        trials.path.node[at], trials.path.edge[at] = node, edge
        if settings.pending > 1:
            tree.edges.pending[edge] += 1
        if settings.asks and settings.follows and now.phase[t] == GOING:
            outcome = follow_again(tree, edge, rng)
            if outcome != NONE:
                trials.path.outcome[at], trials.path.reward[at] = -outcome, tree.outcomes.reward[outcome]
                now.node[t], now.depth[t] = tree.outcomes.child[outcome], depth + 1
                continue
        now.action[t] = tree.edges.action[edge]
        now.phase[t] = LEAVING if now.phase[t] == LEAVING else ASKING
        return True
    if now.phase[t] == LEFT:
        return play_on(world, trials, settings, t, rng)
    return False


@helper
def choose(algorithm, memory, world, tree, trials, settings, t, rng):
    """The edge that a trial takes at its node, and whether it leaves the tree by it; NONE at a fault."""
    node, depth, nodes = trials.now.node[t], trials.now.depth[t], tree.nodes
    if settings.eager and nodes.made[node] == 0:
        make_all_edges(algorithm, world, tree, node, rng)
    if settings.asks:
        add_sampled(world, tree, node)
        if nodes.tried[node] == 0 and depth > 0 and trials.now.hold[t] > 0.0 and uniform(rng) < trials.now.hold[t]:
            edge = last_action_again(world, tree, trials, settings, t)
            if edge != NONE:
                trials.now.phase[t] = GOING if settings.keep else LEAVING
                return edge
    if not settings.keep and nodes.tried[node] < nodes.width[node]:
        trials.now.phase[t] = LEAVING
        unselected(algorithm, memory, tree, t, node, depth)
        return open_edge(tree, node, rng)
    edge = whole_number(algorithm, select(algorithm, memory, tree, trials, t, node, depth, rng))
    if not 0 <= edge - nodes.first[node] < nodes.tried[node]:
        fault(trials, CHOSEN, nodes.state[node], edge, nodes.tried[node])
        return NONE
    return edge


@helper
def make_all_edges(algorithm, world, tree, node, rng):
    """Make the edges of a node before its first choice; by their prior, if there is one, ties at random."""
    first, pairs = tree.used[1], world.states.first[tree.nodes.state[node]]
    make_edges(tree, node, tree.nodes.width[node])
    last, actions = tree.used[1], tree.edges.action
    for edge in range(first, last):
        if not math.isnan(world.pairs.prior[pairs]):
            best, ties = edge, 1
            for other in range(edge + 1, last):
                more = world.pairs.prior[pairs + actions[other]] - world.pairs.prior[pairs + actions[best]]
                ties = 1 if more > 0.0 else ties + 1 if more == 0.0 else ties
                if more > 0.0 or (more == 0.0 and integer(ties, rng) == 0):
                    best = other
            actions[edge], actions[best] = actions[best], actions[edge]
        pair = pairs + actions[edge]
        on_new_edge(algorithm, tree, edge, world.pairs.expected[pair], world.pairs.label[pair])


@helper
def last_action_again(world, tree, trials, settings, t):
    """The edge of the action that the trial took last, at a new node; NONE if there is none.

    Where paths never meet, single steps often achieve little, and independent random actions cancel out.
    """
    node, at = trials.now.node[t], t * (settings.horizon + 1) + trials.now.depth[t] - 1
    before, taken = trials.path.node[at], tree.edges.action[trials.path.edge[at]]
    state = tree.nodes.state[node]
    if not math.isnan(world.pairs.prior[world.states.first[state]]):
        return NONE
    action = 0 if settings.sampled else same_action(world, tree.nodes.state[before], taken, state)
    if not 0 <= action < tree.nodes.width[node]:
        return NONE
    if tree.nodes.made[node] == 0:
        make_edges(tree, node, tree.nodes.width[node])
    return open_action(tree, node, action)


# -- step and expand ---------------------------------------------------------------------------------


@helper
def arrive(algorithm, memory, world, tree, trials, settings, t, successor, reward):
    """The transition that a trial asked for."""
    now, states = trials.now, world.states.width.shape[0]
    if not 0 <= successor < states or not abs(reward) <= LARGEST:
        fault(trials, LED if abs(reward) <= LARGEST else UNSOUND, now.state[t], successor, states)
    elif now.phase[t] == PLAYING:
        now.gain[t] += now.factor[t] * reward
        now.factor[t] *= settings.discount
        now.steps[t] = now.steps[t] - 1 if now.action[t] != PLAY else 0
        now.phase[t], now.state[t] = LEFT, successor
    else:
        expand(algorithm, memory, world, tree, trials, settings, t, successor, reward)


@helper
def expand(algorithm, memory, world, tree, trials, settings, t, successor, reward):
    """The trial is at the next node, which may be new."""
    now, node, depth, leaves = trials.now, trials.now.node[t], trials.now.depth[t], trials.now.phase[t] == LEAVING
    at = t * (settings.horizon + 1) + depth
    edge = trials.path.edge[at]
    if settings.noisy:
        edge = credited_edge(world, tree, trials, settings, t, edge, successor)
        if edge == NONE:
            return
    outcome = seen_before(tree, edge, successor)
    if outcome == NONE and tree.facts[FULL] == 1:
        # There is no row for where it led: the edge does not count this trial.
        if settings.pending > 1:
            tree.edges.pending[edge] -= 1
        if tree.edges.count[edge] == 0 and tree.edges.pending[edge] == 0 and settings.pending == 1:
            close_edge(tree, node, edge)
        now.state[t], now.reward[t] = successor, reward
        leave(trials, t, settings.horizon - depth - 1)
        return
    if outcome == NONE:
        below_it = 0 if settings.pooled else depth + 1
        child = node_at(tree, successor, below_it)
        if child == NOWHERE:
            ends = depth + 1 >= settings.horizon and not settings.pooled
            width, sign = 0 if ends else world.states.width[successor], world.states.sign[successor]
            child = add_node(tree, successor, below_it, width, sign)
            on_new_node(algorithm, memory, tree, child, depth + 1, world.states.value[successor])
        outcome = add_outcome(tree, edge, successor, child)
        if settings.exact:
            tree.outcomes.reward[outcome] = listed_reward(world, now.state[t], now.action[t], successor)
    trials.path.edge[at], trials.path.outcome[at], trials.path.reward[at] = edge, outcome, reward
    child = tree.outcomes.child[outcome]
    now.node[t], now.depth[t], now.phase[t] = child, depth + 1, GOING
    if leaves and tree.nodes.width[child] > 0 and depth + 1 < settings.horizon:
        now.state[t] = successor
        given = world.states.value[successor] if settings.informed else np.nan
        if math.isnan(given):
            leave(trials, t, settings.horizon - depth - 1)
        else:
            now.phase[t], now.gain[t] = LEAF, given


@helper
def credited_edge(world, tree, trials, settings, t, edge, successor):
    """The edge that a transition counts for: the chosen one, unless the model says otherwise; NONE at a fault."""
    node, state, chosen = trials.now.node[t], trials.now.state[t], trials.now.action[t]
    action = whole_number(world.model, credited(world.model, state, chosen, successor))
    if action == chosen:
        return edge
    if not 0 <= action < tree.nodes.width[node]:
        fault(trials, CREDITED, state, action, tree.nodes.width[node])
        return NONE
    if settings.pending > 1:
        tree.edges.pending[edge] -= 1
    first, found = tree.nodes.first[node], NONE
    if tree.edges.count[edge] == 0 and settings.pending == 1:
        close_edge(tree, node, edge)
    for other in range(first, first + tree.nodes.tried[node]):
        found = other if tree.edges.action[other] == action else found
    if found == NONE:
        if tree.nodes.made[node] < tree.nodes.width[node]:  # the chosen edge lay alone
            more_edges(tree, node, tree.nodes.tried[node], tree.nodes.width[node])
        found = open_action(tree, node, action)
    if settings.pending > 1:
        tree.edges.pending[found] += 1
    return found


# -- backpropagate -----------------------------------------------------------------------------------


@helper
def finish(algorithm, memory, tree, trials, settings, t):
    """A trial ends at its node; from here on it counts."""
    now, nodes, edges, path = trials.now, tree.nodes, tree.edges, trials.path
    node, start, gain = now.node[t], t * (settings.horizon + 1), now.gain[t]
    if not math.isnan(now.reward[t]):  # beyond the last node
        gain = now.reward[t] + settings.discount * gain
    nodes.visits[node] += 1
    if nodes.tried[node] == 0 and now.phase[t] == LEAF:
        leaf(algorithm, memory, tree, node, now.depth[t], nodes.sign[node] * gain)
    for depth in range(now.depth[t] - 1, -1, -1):
        node, edge, outcome = path.node[start + depth], path.edge[start + depth], path.outcome[start + depth]
        gain = path.reward[start + depth] + settings.discount * gain
        nodes.visits[node] += 1
        edges.count[edge] += 1
        if settings.pending > 1:
            edges.pending[edge] -= 1
        if outcome > 0:
            enter_outcome(tree, settings, edge, outcome, path.reward[start + depth])
        update(algorithm, memory, tree, node, edge, depth, nodes.sign[node] * gain, settings)
    tree.facts[TRIALS] += 1
    now.phase[t] = IDLE


@helper
def enter_outcome(tree, settings, edge, outcome, reward):
    """The world led to an outcome, and paid."""
    outcomes = tree.outcomes
    if settings.asks:
        compare_draws(tree, edge, outcome)
    tree.edges.drawn[edge] += 1
    outcomes.times[outcome] += 1
    if not settings.exact:
        mean, squares = joined(outcomes.reward[outcome], outcomes.squares[outcome], reward, outcomes.times[outcome])
        outcomes.reward[outcome], outcomes.squares[outcome] = mean, squares


# -- the kernels -------------------------------------------------------------------------------------


@helper
def has_room(tree, settings, steps):
    """Whether the tree certainly has room for so many transitions, or needs none."""
    return tree.facts[FULL] == 1 or (
        tree.used[0] + steps <= tree.nodes.state.shape[0]
        and tree.used[1] + steps * settings.widest <= tree.edges.count.shape[0]
        and tree.used[2] + steps <= tree.outcomes.times.shape[0]
        and (not settings.pooled or (tree.used[4] + steps <= tree.depths.value.shape[0] and tree.facts[WANTED] == 0))
    )


@helper
def begin(tree, trials, settings, t, rng):
    """A new trial, at the root."""
    now = trials.now
    trials.left[0] -= 1
    now.node[t], now.depth[t], now.phase[t], now.reward[t], now.hold[t] = 0, 0, GOING, np.nan, 0.0
    if settings.asks and settings.graph and not paths_meet(tree):
        now.hold[t] = 1.0 - settings.horizon ** -uniform(rng)


@helper
def take(algorithm, memory, world, tree, trials, settings, rng, t, successor, reward):
    """Take trial ``t``, and those after it in its place, to the next transition that the world must be asked for.

    Every part is called in one place only: it becomes a part of this loop.
    """
    now, answered = trials.now, successor >= 0
    while trials.fault[0] == 0:
        if answered:
            arrive(algorithm, memory, world, tree, trials, settings, t, successor, reward)
            answered = False
        elif now.phase[t] == OVER or now.phase[t] == LEAF:
            finish(algorithm, memory, tree, trials, settings, t)
        elif now.phase[t] == IDLE:
            if trials.left[0] == 0:
                return DONE
            if not has_room(tree, settings, settings.pending * (settings.horizon + 1)):
                return NO_ROOM
            begin(tree, trials, settings, t, rng)
        elif next_request(algorithm, memory, world, tree, trials, settings, t, rng):
            state, action = now.state[t], now.action[t]
            if action == PLAY or not is_known(world, state, action):
                return PLAY if action == PLAY else (state << ACTIONS) | action
            successor, reward = transition(world, state, action, rng)
            successor, answered = whole_number(world.model, successor), True
    return WRONG


@kernel(gil=True)
def run(held, t, successor, reward):
    """Give trial ``t`` the transition that it asked for, if any (successor -1: none), and take it on.

    Returns what it asks for next, state << ACTIONS | action; PLAY for the return of random play from its state, which
    comes as a reward; DONE; or NO_ROOM, if there may be no room for another trial.
    """
    algorithm, memory, world, tree, trials, settings, rng = contents(held)
    return take(algorithm, memory, world, tree, trials, settings, rng, t, successor, reward)


@kernel
def run_table(held, t, successor, reward):
    """The same where nothing is asked for: it lets other threads of Python run meanwhile."""
    algorithm, memory, world, tree, trials, settings, rng = contents(held)
    return take(algorithm, memory, world, tree, trials, settings, rng, t, successor, reward)
