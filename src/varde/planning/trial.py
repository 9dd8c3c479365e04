"""One trial of a tree search, the same for every algorithm and world: ask, hear, finish.

A trial goes from the root to a leaf.  At a node it asks for a transition (``ask``), hears where it led and what it paid
(``hear``), and at the end backs up the return, from the last edge to the first (``finish``).  Where it leaves the tree,
random play goes on in the same way.  A model answers inside the kernel (``grow``), a world stepped from Python outside
of it (``advance``), for one trial or for many under way; the trial is the same, and so is the tree, bit for bit.  A
lane is a trial under way.

Counts change on the way back: a trial that fails on the way down, or is undone, leaves no trace.  Until then it counts
at its edges as pending, in N of the rule's decrement and nowhere else.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .._compile import contents, helper, kernel, whole_number
from ..check import LARGEST
from ..worlds.table import credited, final_reward, num_actions, num_states, step, worth
from .loop import ascend, first_reward, pick, random_action, seen_again, welcome
from .tree import (
    ASKED,
    CREDITED,
    IDLE,
    LEAVING,
    LED,
    LEFT,
    NEW,
    NONE,
    NOWHERE,
    PLAYING,
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
)

PLAY = -1  # in place of an action: the return of random play from the state is wanted


@helper
def ask(algorithm, memory, problem, tree, path, settings, lane, rng):
    """Take a lane to the next transition that it needs, of a new trial if it is idle.

    False if there is none to begin, or at a fault.
    """
    lanes = path.lane
    while True:
        if lanes.phase[lane] == LEFT:
            if ask_beyond(algorithm, memory, problem, tree, path, settings, lane, rng):
                return True
            continue
        if lanes.phase[lane] == IDLE:
            if path.remaining[0] == 0:
                return False
            path.remaining[0] -= 1
            lanes.node[lane] = lanes.depth[lane] = 0
        node = lanes.node[lane]
        action, leaves = pick(problem, algorithm, memory, problem, tree, path, settings, lane, rng)
        if action < 0:
            return False
        child = seen_again(problem, tree, path, lane, action, rng) if settings.outside else NOWHERE
        if tree.lanes > 1:
            tree.edges.pending[tree.nodes.first[node] + action] += 1
        if child == NOWHERE:
            lanes.phase[lane] = LEAVING if leaves else ASKED
            lanes.state[lane], lanes.action[lane] = tree.nodes.state[node], action
            return True
        arrive(algorithm, memory, problem, tree, path, settings, lane, child, False)


@helper
def ask_beyond(algorithm, memory, problem, tree, path, settings, lane, rng):
    """The next step of random play beyond the tree; False if it is over, and the trial counts."""
    lanes = path.lane
    state, actions = lanes.state[lane], num_actions(problem, lanes.state[lane])
    if lanes.steps[lane] > 0 and actions > 0:
        alone = settings.outside and settings.lanes == 1  # then Python plays to the end
        lanes.phase[lane] = PLAYING
        lanes.action[lane] = PLAY if alone else random_action(problem, state, actions, rng)
        return True
    if settings.noisy and actions == 0:
        lanes.gain[lane] += lanes.factor[lane] * final_reward(problem, state, rng)
    finish(algorithm, memory, problem, tree, path, settings, lane, lanes.gain[lane])
    return False


@helper
def hear(algorithm, memory, problem, tree, path, settings, lane, successor, reward):
    """The transition that a lane asked for; if the trial ends there, it counts."""
    lanes, states = path.lane, num_states(problem)
    node, depth, state, action = lanes.node[lane], lanes.depth[lane], lanes.state[lane], lanes.action[lane]
    if not 0 <= successor < states:
        fault(path, LED, state, successor, states)
        return
    if lanes.phase[lane] == PLAYING:
        lanes.gain[lane] += lanes.factor[lane] * reward
        lanes.factor[lane] *= settings.discount
        lanes.steps[lane] = lanes.steps[lane] - 1 if action != PLAY else 0
        lanes.phase[lane], lanes.state[lane] = LEFT, successor
        return
    leaves, known = lanes.phase[lane] == LEAVING, tree.used[0]
    action = whole_number(problem, credited(problem, state, action, successor))
    if not 0 <= action < tree.nodes.width[node]:
        fault(path, CREDITED, state, action, tree.nodes.width[node])
        return
    edge = edge_of(tree, node, action) if settings.lazy else tree.nodes.first[node] + action
    outcome = seen_before(tree, edge, successor)
    if outcome == NONE and tree.full[0] == 1:
        # The edge does not count this trial: it has no row for where it led.
        if tree.lanes > 1:
            tree.edges.pending[tree.nodes.first[node] + lanes.action[lane]] -= 1
        lanes.state[lane], lanes.reward[lane] = successor, reward
        leave(path, settings, lane, settings.horizon - depth - 1)
        return
    if outcome == NONE:
        child = tree.table[depth + 1, successor] if settings.graph else NOWHERE
        if child == NOWHERE:
            child = make_node(algorithm, memory, problem, tree, path, successor, depth + 1, settings)
        if child == NOWHERE:
            return
        outcome = add_outcome(tree, edge, successor, child)
        tree.outcomes.reward[outcome] = first_reward(problem, state, action, successor)
    path.nodes[lane, depth], path.edges[lane, depth] = node, edge
    path.outcomes[lane, depth], path.rewards[lane, depth] = outcome, reward
    child = tree.outcomes.child[outcome]
    if child < known and (tree.nodes.first[child] == NEW or tree.nodes.only[child] > 0):
        leaves = not make_edges(algorithm, memory, problem, tree, path, child, depth + 1, settings) or leaves
    arrive(algorithm, memory, problem, tree, path, settings, lane, child, leaves)


@helper
def arrive(algorithm, memory, problem, tree, path, settings, lane, child, leaves):
    """A trial is at a node, which ends it, or lets it leave the tree, or lets it go on."""
    lanes, nodes = path.lane, tree.nodes
    lanes.node[lane], lanes.phase[lane], lanes.reward[lane] = child, READY, np.nan
    lanes.state[lane] = nodes.state[child]
    lanes.depth[lane] += 1
    over = nodes.width[child] == 0
    given = worth(problem, nodes.state[child]) if leaves or over or nodes.visits[child] == 0 else np.nan
    if not math.isnan(given):
        lanes.phase[lane] = LEFT
        finish(algorithm, memory, problem, tree, path, settings, lane, given)
    elif over and not settings.noisy:
        finish(algorithm, memory, problem, tree, path, settings, lane, 0.0)
    elif leaves or over:
        leave(path, settings, lane, settings.horizon - lanes.depth[lane])


@helper
def leave(path, settings, lane, steps):
    """A trial leaves the tree: random play follows, for so many steps at most."""
    lanes = path.lane
    lanes.phase[lane], lanes.steps[lane] = LEFT, steps
    lanes.gain[lane], lanes.factor[lane] = 0.0, 1.0


@helper
def finish(algorithm, memory, problem, tree, path, settings, lane, gain):
    """The trial of a lane ends, with return ``gain`` beyond the tree; from here on it counts."""
    lanes = path.lane
    if tree.lanes > 1:
        for i in range(lanes.depth[lane]):
            tree.edges.pending[path.edges[lane, i]] -= 1
    if not math.isnan(lanes.reward[lane]):  # beyond the last node
        gain = lanes.reward[lane] + settings.discount * gain
    tree.nodes.visits[lanes.node[lane]] += 1
    ascend(problem, algorithm, memory, tree, path, settings, lane, gain)
    lanes.phase[lane] = IDLE


@helper
def take_back(tree, path, lane):
    """Undo the trial of a lane: only its pending counts have to be removed."""
    lanes = path.lane
    phase = lanes.phase[lane]
    if tree.lanes > 1 and phase != IDLE:
        for i in range(lanes.depth[lane]):
            tree.edges.pending[path.edges[lane, i]] -= 1
        if phase == ASKED or phase == LEAVING:  # noqa: PLR1714, SIM109 (compiled code has no tuples to look in)
            tree.edges.pending[tree.nodes.first[lanes.node[lane]] + lanes.action[lane]] -= 1
    lanes.phase[lane] = IDLE


@helper
def width_at(problem, path, state, depth, settings):
    """How many actions a node has, none at the horizon; -1 at a fault."""
    width = whole_number(problem, num_actions(problem, state)) if depth < settings.horizon else 0
    if 0 <= width <= settings.widest:
        return width
    fault(path, WIDE, state, width, settings.widest)
    return -1


@helper
def make_node(algorithm, memory, problem, tree, path, state, depth, settings):
    """A new node, known to the table of transpositions; NOWHERE at a fault."""
    width = width_at(problem, path, state, depth, settings)
    if width < 0:
        return NOWHERE
    node = add_node(tree, state, width, settings.lazy and depth > 0 and width > 1)
    welcome(algorithm, memory, tree, node, depth)
    if settings.graph:
        tree.table[depth, state] = node
    return node


@helper
def make_edges(algorithm, memory, problem, tree, path, node, depth, settings):
    """Make the edges that a node lacks: it had one, or was at a nearer horizon.  False without room, or at a fault."""
    if tree.full[0] == 1:
        return False
    opens = tree.nodes.first[node] == NEW and tree.nodes.width[node] == 0
    if not opens and tree.nodes.only[node] == 0:
        return True  # it gets one when an action is chosen
    width = width_at(problem, path, tree.nodes.state[node], depth, settings)
    if width < 0:
        return False
    if opens:
        add_edges(tree, node, width)
        welcome(algorithm, memory, tree, node, depth)
    else:
        open_up(tree, node, width)
    return True


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


@kernel
def grow(held, trials):
    """A model answers: add ``trials`` simulations, or as many as there is certainly room for; how many, or WRONG.

    With several lanes as many trials are under way together, a step of each in turn, and none is when it returns.
    """
    algorithm, memory, problem, tree, path, settings, rng = contents(held)
    lanes, done = path.lane, 0
    while done < trials:
        several = min(tree.lanes, trials - done)
        if not has_room(problem, tree, settings, several * (settings.horizon + 1)):
            return done
        path.remaining[0], busy = several, True
        while busy:
            busy = False
            for lane in range(several):
                going = ask(algorithm, memory, problem, tree, path, settings, lane, rng)
                while going:
                    busy = True
                    to, paid = step(problem, lanes.state[lane], lanes.action[lane], rng)
                    to = whole_number(problem, to)
                    hear(algorithm, memory, problem, tree, path, settings, lane, to, paid)
                    going = lanes.phase[lane] == LEFT and ask_beyond(
                        algorithm, memory, problem, tree, path, settings, lane, rng
                    )
                    if path.fault[0] != 0:
                        return WRONG
        if path.fault[0] != 0:
            return WRONG
        done += several
    return done


# -- Python answers --------------------------------------------------------------------------------

DONE, FULL, UNSOUND = -1, -2, -4  # what, besides WRONG, ``advance`` returns instead of requests
HALF = (1 << 32) - 1
ACTIONS = 16  # bits of an action in a request that is one number
MASK = (1 << ACTIONS) - 1  # its action, or PLAY


class Mail(NamedTuple):
    """Replies to lanes and requests of lanes."""

    requests: np.ndarray  # [B, 3] lane, state, action
    lanes: np.ndarray  # [B] replies: which lane,
    successors: np.ndarray  # [B] where its transition led,
    rewards: np.ndarray  # [B] and what it paid


def make_mail(size: int) -> Mail:
    return Mail(np.zeros((size, 3), np.int64), np.arange(size), np.zeros(size, np.int64), np.zeros(size))


def order_of(replies: int, wanted: int) -> int:
    """The numbers of replies and of requests as one number, since every argument of a kernel costs time."""
    return wanted << 32 | replies


@kernel(gil=True)
def advance(held, order, successor, reward):
    """Take replies, then let lanes that do not wait make requests; ``order`` says how many of each (``order_of``).

    With one lane reply and request are plain numbers: returns state << 16 | action (MASK for PLAY), or DONE; UNSOUND if
    the reward is not finite, and nothing was done.  With more, replies and requests are in ``mail``; returns how many
    requests there are.  FULL: there may be no room for what the replies bring; nothing was done, make room and call
    again.
    """
    algorithm, memory, problem, tree, path, mail, settings, rng = contents(held)
    size, lanes, phase = settings.lanes, path.lane, path.lane.phase
    replies, wanted, found = order & HALF, order >> 32, 0
    if not has_room(problem, tree, settings, replies):
        return FULL
    if size == 1:  # as numbers, which cost less than arrays
        if not abs(reward) <= LARGEST:
            return UNSOUND
        mail.lanes[0], mail.successors[0], mail.rewards[0] = 0, successor, reward
    for i in range(replies):
        lane, to, paid = mail.lanes[i], mail.successors[i], mail.rewards[i]
        hear(algorithm, memory, problem, tree, path, settings, lane, to, paid)
    for lane in range(size):
        waits = phase[lane] == ASKED or phase[lane] == LEAVING or phase[lane] == PLAYING
        if found < wanted and not waits and ask(algorithm, memory, problem, tree, path, settings, lane, rng):
            mail.requests[found, 0] = lane
            mail.requests[found, 1], mail.requests[found, 2] = lanes.state[lane], lanes.action[lane]
            found += 1
    if path.fault[0] != 0:
        return WRONG
    if size > 1:
        return found
    return (lanes.state[0] << ACTIONS) | (lanes.action[0] & MASK) if found else DONE
