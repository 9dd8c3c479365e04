"""One trial of a tree search, the same for every algorithm and world: ask, hear, finish.

A trial goes from the root to a leaf.  At a node it asks for a transition (``ask``), hears where it led and what it paid
(``hear``), and at the end backs up the return, from the last edge to the first (``finish``).  A model answers inside
the kernel (``grow``), a world stepped from Python outside of it (``advance``), for one trial or for many under way; the
trial is the same, and so is the tree, bit for bit.  A lane is a trial under way.

Counts change on the way back: a trial that fails on the way down, or is undone, leaves no trace.  Until then it counts
at its edges as pending, in N of the rule's decrement and nowhere else.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .._compile import contents, helper, kernel, whole_number
from ..check import LARGEST
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


# -- a model answers -------------------------------------------------------------------------------


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

    ``root`` is the state to start a new search from; if negative, the search in ``tree`` continues.  With several lanes
    as many trials are under way together, a step of each in turn, and none is when it returns.
    """
    algorithm, memory, problem, tree, path, walks, settings, rng = contents(held)
    if root >= 0:
        plant(algorithm, memory, problem, tree, path, root, settings)
    lanes, done = walks.lane, 0
    for lane in range(tree.lanes):
        lanes.phase[lane] = IDLE
    while done < trials:
        several = min(tree.lanes, trials - done)
        if not has_room(problem, tree, settings, several * (settings.horizon + 1)):
            return done
        walks.remaining[0], busy = several, 1
        while busy > 0:
            busy = 0
            for lane in range(several):
                if not ask(algorithm, memory, problem, tree, path, walks, settings, lane, rng):
                    continue
                busy += 1
                to, paid = step(problem, lanes.state[lane], lanes.action[lane], rng)
                to = whole_number(problem, to)
                hear(algorithm, memory, problem, tree, path, walks, settings, lane, to, paid)
                if lanes.phase[lane] == LEFT:
                    steps = settings.horizon - lanes.depth[lane] - (0 if math.isnan(lanes.reward[lane]) else 1)
                    gain = random_play(problem, path, lanes.state[lane], steps, settings.discount, rng)
                    finish(algorithm, memory, problem, tree, path, walks, settings, lane, gain)
                if path.fault[0] != 0:
                    return WRONG
        if path.fault[0] != 0:
            return WRONG
        done += several
    return WRONG if path.fault[0] != 0 else trials


# -- Python answers --------------------------------------------------------------------------------

DONE, FULL, UNSOUND = -1, -2, -4  # what, besides WRONG, ``advance`` returns instead of requests
TAKE_BACK, PLANT = -1, -2  # orders to ``advance``
HALF = (1 << 32) - 1
ACTIONS = 16  # bits of an action in a request that is one number
PLAY = (1 << ACTIONS) - 1  # in place of an action: the return of random play from the state is wanted


class Mail(NamedTuple):
    """Replies to lanes and requests of lanes."""

    requests: np.ndarray  # [B, 3] lane, state, action
    lanes: np.ndarray  # [B] replies: which lane,
    successors: np.ndarray  # [B] where its transition led,
    rewards: np.ndarray  # [B] and what it paid, or what random play brought


def make_mail(size: int) -> Mail:
    return Mail(np.zeros((size, 3), np.int64), np.arange(size), np.zeros(size, np.int64), np.zeros(size))


def order_of(replies: int, wanted: int) -> int:
    """The numbers of replies and of requests as one number, since every argument of a kernel costs time."""
    return wanted << 32 | replies


@kernel(gil=True)
def advance(held, order, successor, reward):
    """Take replies, then let lanes that do not wait make requests; ``order`` says how many of each (``order_of``).

    With one lane reply and request are plain numbers: returns state << 16 | action, or DONE; UNSOUND if the reward is
    not finite, and nothing was done.  With more, replies and requests are in ``mail``; returns how many requests there
    are.  FULL: there may be no room for what the replies bring; nothing was done, make room and call again.  The order
    PLANT begins a new search at state ``successor``; TAKE_BACK undoes lane ``successor``, or all if that is negative.
    """
    algorithm, memory, problem, tree, path, walks, mail, settings, rng = contents(held)
    size, phase = settings.lanes, walks.lane.phase
    if order == PLANT:
        for lane in range(size):
            phase[lane] = IDLE
        plant(algorithm, memory, problem, tree, path, successor, settings)
        return DONE
    if order == TAKE_BACK:
        for lane in range(size):
            if successor < 0 or successor == lane:
                take_back(tree, path, walks, lane)
        return DONE
    replies, wanted = order & HALF, order >> 32
    if not has_room(problem, tree, settings, replies):
        return FULL
    if size == 1:  # as numbers, which cost less than arrays
        if not abs(reward) <= LARGEST:
            return UNSOUND
        mail.lanes[0], mail.successors[0], mail.rewards[0] = 0, successor, reward
    for i in range(replies):
        lane, to, paid = mail.lanes[i], mail.successors[i], mail.rewards[i]
        if phase[lane] == LEFT:
            finish(algorithm, memory, problem, tree, path, walks, settings, lane, paid)
        else:
            hear(algorithm, memory, problem, tree, path, walks, settings, lane, to, paid)
    found = 0
    for lane in range(size):
        if found == wanted or phase[lane] == ASKED or phase[lane] == LEAVING:
            continue
        if phase[lane] != LEFT:
            ask(algorithm, memory, problem, tree, path, walks, settings, lane, rng)
        elif walks.lane.action[lane] == PLAY:  # it was asked for
            continue
        if phase[lane] == IDLE or path.fault[0] != 0:
            continue
        if phase[lane] == LEFT:
            walks.lane.action[lane] = PLAY
        state, action = walks.lane.state[lane], walks.lane.action[lane]
        mail.requests[found, 0], mail.requests[found, 1], mail.requests[found, 2] = lane, state, action
        found += 1
    if path.fault[0] != 0:
        return WRONG
    if size > 1:
        return found
    return (walks.lane.state[0] << ACTIONS) | walks.lane.action[0] if found else DONE
