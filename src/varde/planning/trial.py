"""One trial of a tree search, the same for every algorithm and world: ask, hear, finish.

A trial goes from the root to a leaf.  At a node it asks for a transition (``ask``), hears where it led and what it paid
(``hear``), and at the end backs up the return, from the last edge to the first (``finish``).  A model answers inside
the kernel (``grow``), a world stepped from Python outside of it (``lanes.advance``), for one trial or for many under
way; the trial is the same.  Counts change on the way back: a trial that fails on the way down leaves no trace.
"""

from __future__ import annotations

import math

import numpy as np

from .._compile import contents, helper, kernel, whole_number
from ..random import below
from ..worlds.table import credited, ends_noisily, final_reward, num_actions, num_states, side, step, worth
from .loop import ascend, begin, ends_here, first_reward, pick, seen_again, settle, welcome
from .tree import (
    ASKED,
    BEYOND,
    CREDITED,
    IDLE,
    LEAVING,
    LED,
    LEFT,
    NEW,
    NONE,
    NOWHERE,
    READY,
    WIDE,
    WRONG,
    add_edges,
    add_node,
    add_outcome,
    edge_of,
    fault,
    open_up,
    seen_before,
    width_at,
)


@helper
def ask(algorithm, memory, problem, tree, path, walks, settings, lane, rng):
    """Take a lane to the next transition that it needs, of a new trial if it is idle.

    False if there is none to begin, or at a fault.
    """
    lanes = walks.lane
    while True:
        if lanes.phase[lane] == IDLE:
            if walks.remaining[0] == 0:
                return False
            walks.remaining[0] -= 1
            lanes.node[lane] = lanes.depth[lane] = 0
        node = lanes.node[lane]
        action, leaves = pick(problem, algorithm, memory, problem, tree, path, walks, settings, lane, rng)
        if action < 0:
            return False
        child = seen_again(problem, tree, path, walks, lane, action, rng)
        if tree.lanes > 1:
            tree.edges.pending[tree.nodes.first[node] + action] += 1
        if child == NOWHERE:
            lanes.phase[lane] = LEAVING if leaves else ASKED
            lanes.state[lane], lanes.action[lane] = tree.nodes.state[node], action
            return True
        arrive(algorithm, memory, problem, tree, path, walks, settings, lane, child, False)
        if lanes.phase[lane] == LEFT:
            return False


@helper
def hear(algorithm, memory, problem, tree, path, walks, settings, lane, successor, reward):
    """The transition that a lane asked for; if the trial ends there, it counts."""
    lanes = walks.lane
    leaves, known = lanes.phase[lane] == LEAVING, tree.used[0]
    child = enter(algorithm, memory, problem, tree, path, walks, settings, lane, successor, reward)
    if child == BEYOND:
        # The edge does not count this trial: it has no row for where it led.
        lanes.phase[lane], lanes.state[lane], lanes.reward[lane] = LEFT, successor, reward
        if tree.lanes > 1:
            tree.edges.pending[tree.nodes.first[lanes.node[lane]] + lanes.action[lane]] -= 1
    elif child != NOWHERE:
        lacks_edges = child < known and not make_edges(
            algorithm, memory, problem, tree, path, child, lanes.depth[lane] + 1, settings
        )
        arrive(algorithm, memory, problem, tree, path, walks, settings, lane, child, leaves or lacks_edges)


@helper
def arrive(algorithm, memory, problem, tree, path, walks, settings, lane, child, leaves):
    """A trial is at a node, which ends it, or lets it leave the tree, or lets it go on."""
    lanes = walks.lane
    lanes.node[lane], lanes.phase[lane], lanes.reward[lane] = child, READY, np.nan
    lanes.state[lane] = tree.nodes.state[child]
    lanes.depth[lane] += 1
    if leaves or tree.nodes.width[child] == 0 or ends_here(problem, tree, child):
        given = worth(problem, tree.nodes.state[child])
        if tree.nodes.width[child] > 0 or ends_noisily(problem) or not math.isnan(given):
            lanes.phase[lane] = LEFT
        if lanes.phase[lane] == READY or not math.isnan(given):
            gain = 0.0 if math.isnan(given) else given
            finish(algorithm, memory, problem, tree, path, walks, settings, lane, gain)


@helper
def finish(algorithm, memory, problem, tree, path, walks, settings, lane, gain):
    """The trial of a lane ends, with return ``gain`` beyond the tree; from here on it counts."""
    lanes = walks.lane
    node, depth = lanes.node[lane], lanes.depth[lane]
    if tree.lanes > 1:
        for i in range(depth):
            tree.edges.pending[path.edges[lane, i]] -= 1
    if lanes.phase[lane] == LEFT and not math.isnan(lanes.reward[lane]):  # beyond the last node
        gain = lanes.reward[lane] + settings.discount * gain
    tree.nodes.visits[node] += 1
    if lanes.phase[lane] == LEFT and tree.nodes.tried[node] == 0:
        settle(algorithm, memory, problem, tree, node, depth, side(problem, tree.nodes.state[node]) * gain)
    ascend(problem, algorithm, memory, tree, path, settings, lane, depth, gain)
    lanes.phase[lane] = IDLE


@helper
def take_back(tree, path, walks, lane):
    """Undo the trial of a lane: only its pending counts have to be removed."""
    lanes = walks.lane
    phase = lanes.phase[lane]
    if tree.lanes > 1 and phase != IDLE:
        for i in range(lanes.depth[lane]):
            tree.edges.pending[path.edges[lane, i]] -= 1
        if phase == ASKED or phase == LEAVING:  # noqa: PLR1714, SIM109 (compiled code has no tuples to look in)
            tree.edges.pending[tree.nodes.first[lanes.node[lane]] + lanes.action[lane]] -= 1
    lanes.phase[lane] = IDLE


@helper
def enter(algorithm, memory, problem, tree, path, walks, settings, lane, successor, reward):
    """The node that a transition leads to, made if it is new; NOWHERE at a fault, BEYOND if there is no room."""
    node, depth, states = walks.lane.node[lane], walks.lane.depth[lane], num_states(problem)
    state, action = tree.nodes.state[node], walks.lane.action[lane]
    if not 0 <= successor < states:
        fault(path, LED, state, successor, states)
        return NOWHERE
    action = whole_number(problem, credited(problem, state, action, successor))
    if not 0 <= action < tree.nodes.width[node]:
        fault(path, CREDITED, state, action, tree.nodes.width[node])
        return NOWHERE
    edge = edge_of(tree, node, action) if settings.lazy else tree.nodes.first[node] + action
    outcome = seen_before(tree, edge, successor)
    if outcome == NONE:
        if tree.full[0] == 1:
            return BEYOND
        child = tree.table[depth + 1, successor] if settings.graph else NOWHERE
        if child == NOWHERE:
            child = make_node(algorithm, memory, problem, tree, path, successor, depth + 1, settings)
        if child == NOWHERE:
            return NOWHERE
        outcome = add_outcome(tree, edge, successor, child)
        tree.outcomes.reward[outcome] = first_reward(problem, state, action, successor)
    path.nodes[lane, depth], path.edges[lane, depth] = node, edge
    path.outcomes[lane, depth], path.rewards[lane, depth] = outcome, reward
    return tree.outcomes.child[outcome]


@helper
def make_node(algorithm, memory, problem, tree, path, state, depth, settings):
    """A new node, known to the table of transpositions; NOWHERE at a fault."""
    width = whole_number(problem, width_at(problem, state, depth, settings.horizon))
    if not 0 <= width <= settings.widest:
        fault(path, WIDE, state, width, settings.widest)
        return NOWHERE
    node = add_node(tree, state, width, settings.lazy and depth > 0 and width > 1)
    welcome(algorithm, memory, tree, node, depth)
    if settings.graph:
        tree.table[depth, state] = node
    return node


@helper
def make_edges(algorithm, memory, problem, tree, path, node, depth, settings):
    """Make the edges that a node lacks: it had one, or was at a nearer horizon.  False without room, or at a fault."""
    unmade = tree.nodes.first[node] == NEW
    opens = unmade and tree.nodes.width[node] == 0
    if not opens and tree.nodes.only[node] == 0:
        return not unmade or tree.full[0] == 0
    if tree.full[0] == 1:
        return False
    width = whole_number(problem, width_at(problem, tree.nodes.state[node], depth, settings.horizon))
    if not 0 <= width <= settings.widest:
        fault(path, WIDE, tree.nodes.state[node], width, settings.widest)
        return False
    if opens:
        add_edges(tree, node, width)
        welcome(algorithm, memory, tree, node, depth)
    else:
        open_up(tree, node, width)
    return True


@helper
def plant(algorithm, memory, problem, tree, path, root, settings):
    """The tree is just the root; rows are zero already."""
    path.fault[0] = 0
    tree.used[0], tree.used[1], tree.used[2] = 0, 0, 1
    tree.repeats.compared[0] = tree.repeats.alike[0] = tree.full[0] = 0
    begin(algorithm, memory)
    for i in range(tree.table.shape[0]):
        for j in range(tree.table.shape[1]):
            tree.table[i, j] = NOWHERE
    make_node(algorithm, memory, problem, tree, path, root, 0, settings)


@helper
def has_room(problem, tree, settings, steps):
    """Whether the pool certainly has room for so many transitions, or needs none."""
    known = not settings.graph or num_states(problem) <= tree.table.shape[1]
    return known and (
        tree.full[0] == 1
        or (
            tree.used[0] + steps <= tree.nodes.state.shape[0]
            and tree.used[1] + steps * settings.widest <= tree.edges.count.shape[0]
            and tree.used[2] + steps <= tree.outcomes.times.shape[0]
        )
    )


# -- trials in a model ---------------------------------------------------------------------------


@helper
def random_play(problem, path, state, steps, discount, rng):
    """The return of uniformly random actions from ``state``; nothing at a fault."""
    gain, factor, states = 0.0, 1.0, num_states(problem)
    for _ in range(steps):
        actions = num_actions(problem, state)
        if actions == 0:
            break
        before = state
        state, reward = step(problem, state, below(actions, rng), rng)
        state = whole_number(problem, state)
        if not 0 <= state < states:
            fault(path, LED, before, state, states)
            return 0.0
        gain += factor * reward
        factor *= discount
    if ends_noisily(problem) and num_actions(problem, state) == 0:
        gain += factor * final_reward(problem, state, rng)
    return gain


@kernel
def grow(held, root, trials):
    """Add ``trials`` simulations, or as many as there is certainly room for; returns how many, or WRONG.

    ``root`` is the state to start a new search from; if negative, the search in ``tree`` continues.
    """
    algorithm, memory, problem, tree, path, walks, settings, rng = contents(held)
    if root >= 0:
        plant(algorithm, memory, problem, tree, path, root, settings)
    lanes = walks.lane
    lanes.phase[0] = IDLE
    for done in range(trials):
        if not has_room(problem, tree, settings, settings.horizon + 1):
            return done
        walks.remaining[0] = 1
        while ask(algorithm, memory, problem, tree, path, walks, settings, 0, rng):
            successor, reward = step(problem, lanes.state[0], lanes.action[0], rng)
            successor = whole_number(problem, successor)
            hear(algorithm, memory, problem, tree, path, walks, settings, 0, successor, reward)
            if lanes.phase[0] == LEFT:
                steps = settings.horizon - lanes.depth[0] - (0 if math.isnan(lanes.reward[0]) else 1)
                gain = random_play(problem, path, lanes.state[0], steps, settings.discount, rng)
                finish(algorithm, memory, problem, tree, path, walks, settings, 0, gain)
            if path.fault[0] != 0:
                return WRONG
        if path.fault[0] != 0:
            return WRONG
    return WRONG if path.fault[0] != 0 else trials
