"""Lanes: pending trials in a world that is stepped from Python, several at once.

A lane is a pending trial.  It stops where a transition is needed and continues when it arrives: ``advance`` takes
replies and returns requests.  The trial is the one of ``varde.planning.loop``, so that one lane builds the same tree as
a model would, bit for bit.

Pending trials count at their edges in N of the rule's decrement and nowhere else.  With nothing pending every number is
what it would be with one lane.  A lane that is undone leaves no trace.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .._compile import contents, helper, kernel
from ..check import LARGEST
from ..random import below, uniform
from ..worlds.table import held, label, num_actions, suggestion, witness, worth
from .loop import WRONG, choose, enter, enter_again, finish, has_room, plant
from .tree import EDGES, NOWHERE, PENDING, STATE, TRIED, VISITS, WIDTH, has_prior, ways_part, widen

# Columns of Lanes.at.
NODE, DEPTH, PHASE, ACTION, WHERE, PLAYED = 0, 1, 2, 3, 4, 5  # WHERE: a state; PLAYED: steps of random play
IDLE, WALKING, LEAVING, PLAYING = 0, 1, 2, 3  # phases: in the tree, out of it by an untried action, random play
READY, WAITING = 0, 1  # of a lane that is not idle: may continue, waits for a reply

DONE, FULL, UNSOUND = -1, -2, -4  # what, besides WRONG, ``advance`` returns instead of requests
TAKE_BACK, PLANT = -1, -2  # orders to ``advance``
HALF = (1 << 32) - 1
HOLD = 2  # column of Lanes.gains
HELD = 0.5  # share of the trials that repeat actions, where paths never meet
ACTIONS = 16  # bits of an action in a request that is one number


class Lanes(NamedTuple):
    """B pending trials."""

    at: np.ndarray  # [B, 6]
    waiting: np.ndarray  # [B] READY or WAITING
    gains: np.ndarray  # [B, 3] return and discount factor of random play so far; the chance to hold an action
    remaining: np.ndarray  # [1] trials still to begin
    requests: np.ndarray  # [B, 4] lane, state, action, and its label
    lanes: np.ndarray  # [B] replies: which lane,
    successors: np.ndarray  # [B] where its transition led,
    rewards: np.ndarray  # [B] and what it paid


def order_of(replies: int, wanted: int) -> int:
    """The numbers of replies and of requests as one number, since every argument of a kernel costs time."""
    return wanted << 32 | replies


def make_lanes(size: int) -> Lanes:
    """Idle lanes."""
    return Lanes(
        np.zeros((size, 6), np.int64),
        np.zeros(size, np.int64),
        np.zeros((size, 3)),
        np.zeros(1, np.int64),
        np.zeros((size, 4), np.int64),
        np.arange(size),
        np.zeros(size, np.int64),
        np.zeros(size),
    )


@helper
def ask(algorithm, memory, problem, tree, path, lanes, settings, lane, rng):
    """The next request of a lane, in ``lanes.at``, of a new trial if it is idle.

    False if there is none to begin, or at a fault.  Where outcomes do not repeat, old ones are followed again.
    """
    at = lanes.at
    while True:
        if at[lane, PHASE] == IDLE:
            if lanes.remaining[0] == 0:
                return False
            lanes.remaining[0] -= 1
            at[lane, NODE], at[lane, DEPTH], at[lane, PHASE] = 0, 0, WALKING
            lanes.gains[lane, HOLD] = chance_to_hold(tree, settings.horizon, rng)
        if at[lane, PHASE] == PLAYING:
            lanes.waiting[lane] = WAITING
            suggested = suggestion(problem, at[lane, WHERE])
            at[lane, ACTION] = suggested if suggested >= 0 else below(num_actions(problem, at[lane, WHERE]), rng)
            return True
        node, depth = at[lane, NODE], at[lane, DEPTH]
        if tree.wide:
            widen(problem, tree, node)
        action, leaves = hold_on(problem, tree, path, lanes, lane, node, depth, rng), not settings.keep
        if action < 0:
            action, leaves = choose(algorithm, memory, problem, tree, path, settings, lane, node, depth, rng)
        if action < 0:
            return False
        seen = NOWHERE
        if tree.wide:
            seen = enter_again(tree, path, lane, node, depth, action, rng)
        tree.edge[tree.node[node, EDGES] + action, PENDING] += 1
        if seen == NOWHERE:
            lanes.waiting[lane] = WAITING
            at[lane, PHASE] = LEAVING if leaves else WALKING
            at[lane, ACTION], at[lane, WHERE] = action, tree.node[node, STATE]
            return True
        at[lane, NODE], at[lane, DEPTH], at[lane, PLAYED] = seen, depth + 1, 0
        if tree.node[seen, WIDTH] == 0:
            said = worth(problem, tree.node[seen, STATE])
            end(algorithm, memory, problem, tree, path, lanes, settings, lane, 0.0 if math.isnan(said) else said)


@helper
def chance_to_hold(tree, horizon, rng):
    """The probability with which a trial repeats its last action in new states.

    Where paths never meet, single steps often achieve little, and independent random actions cancel out.  The right
    duration is unknown: in half of the trials an action is held for 1 to H steps on average, log-uniformly.
    """
    if not ways_part(tree) or uniform(rng) >= HELD:
        return 0.0
    return 1.0 - horizon ** -uniform(rng)


@helper
def hold_on(problem, tree, path, lanes, lane, node, depth, rng):
    """The last action again, in a new state, or -1."""
    if lanes.gains[lane, HOLD] == 0.0 or depth == 0 or tree.node[node, TRIED] > 0:
        return -1
    state = np.int64(tree.node[node, STATE])
    if has_prior(problem, tree, node) or suggestion(problem, state) >= 0 or uniform(rng) >= lanes.gains[lane, HOLD]:
        return -1
    before = path.nodes[lane, depth - 1]
    action = path.edges[lane, depth - 1] - tree.node[before, EDGES]
    return held(problem, np.int64(tree.node[before, STATE]), action, state)


@helper
def hear(algorithm, memory, problem, tree, path, lanes, settings, lane, successor, reward):
    """The reply to the request of a lane; its trial is counted if it ends there."""
    at, depth, action = lanes.at, lanes.at[lane, DEPTH], lanes.at[lane, ACTION]
    witness(problem, at[lane, WHERE], action, reward)
    lanes.waiting[lane], at[lane, WHERE] = READY, successor
    if at[lane, PHASE] == PLAYING:
        lanes.gains[lane, 0] += lanes.gains[lane, 1] * reward
        lanes.gains[lane, 1] *= settings.discount
        at[lane, PLAYED] += 1
    else:
        node = at[lane, NODE]
        node = enter(algorithm, memory, problem, tree, path, settings, lane, node, depth, action, successor, reward)
        if node == NOWHERE:
            return
        depth += 1
        at[lane, NODE], at[lane, DEPTH], at[lane, PLAYED] = node, depth, 0
        lanes.gains[lane, 0], lanes.gains[lane, 1] = 0.0, 1.0
        if at[lane, PHASE] == LEAVING:
            at[lane, PHASE] = PLAYING
        said, new = worth(problem, successor), tree.node[node, VISITS] == 0 or tree.node[node, WIDTH] == 0
        if not math.isnan(said) and (new or at[lane, PHASE] == PLAYING):
            at[lane, PHASE] = PLAYING
            end(algorithm, memory, problem, tree, path, lanes, settings, lane, said)
            return
    if depth + at[lane, PLAYED] == settings.horizon or num_actions(problem, successor) == 0:
        end(algorithm, memory, problem, tree, path, lanes, settings, lane, lanes.gains[lane, 0])


@helper
def end(algorithm, memory, problem, tree, path, lanes, settings, lane, gain):
    """The trial of a lane ends, with return ``gain`` below the tree, and is counted."""
    at, depth = lanes.at, lanes.at[lane, DEPTH]
    for i in range(depth):
        tree.edge[path.edges[lane, i], PENDING] -= 1
    played = at[lane, PHASE] == PLAYING
    finish(algorithm, memory, problem, tree, path, settings, lane, at[lane, NODE], depth, played, gain)
    at[lane, PHASE] = IDLE


@helper
def take_back(tree, path, lanes, lane):
    """Undo the trial of a lane: only its pending counts have to be removed."""
    phase, node, depth = lanes.at[lane, PHASE], lanes.at[lane, NODE], lanes.at[lane, DEPTH]
    if phase == IDLE:
        return
    for i in range(depth):
        tree.edge[path.edges[lane, i], PENDING] -= 1
    if phase != PLAYING and lanes.waiting[lane] == WAITING:
        tree.edge[tree.node[node, EDGES] + lanes.at[lane, ACTION], PENDING] -= 1
    lanes.at[lane, PHASE], lanes.waiting[lane] = IDLE, READY


@kernel(gil=True)
def advance(held, order, successor, reward):
    """Take replies, then let lanes that do not wait make requests; ``order`` says how many of each (``order_of``).

    With one lane reply and request are plain numbers: returns state << 16 | action, or DONE.  With more, replies and
    requests are in ``lanes``; returns how many requests there are.  FULL: there may be no room for what the replies
    bring; nothing was done, make room and call again.  UNSOUND: a reward is not finite, nothing was done.  The order
    PLANT begins a new search at state ``successor``; TAKE_BACK undoes lane ``successor``, or all if that is negative.
    """
    algorithm, memory, problem, tree, path, lanes, settings, rng = contents(held)
    size = settings.lanes
    if order == PLANT:
        for lane in range(size):
            lanes.at[lane, PHASE], lanes.waiting[lane] = IDLE, READY
        plant(algorithm, memory, problem, tree, path, successor, settings)
        return DONE
    if order == TAKE_BACK:
        for lane in range(size):
            if successor < 0 or successor == lane:
                take_back(tree, path, lanes, lane)
        return DONE
    replies, wanted = order & HALF, order >> 32
    if not has_room(problem, tree, settings, replies):
        return FULL
    if size == 1:  # as numbers, which cost less than arrays
        lanes.lanes[0], lanes.successors[0], lanes.rewards[0] = 0, successor, reward
    for i in range(replies):
        if not abs(lanes.rewards[i]) <= LARGEST:
            return UNSOUND
    for i in range(replies):
        to, paid = lanes.successors[i], lanes.rewards[i]
        hear(algorithm, memory, problem, tree, path, lanes, settings, lanes.lanes[i], to, paid)
    found = 0
    for lane in range(size):
        ready = found < wanted and lanes.waiting[lane] == READY
        if ready and ask(algorithm, memory, problem, tree, path, lanes, settings, lane, rng):
            state, action = lanes.at[lane, WHERE], lanes.at[lane, ACTION]
            lanes.requests[found, 0], lanes.requests[found, 1], lanes.requests[found, 2] = lane, state, action
            lanes.requests[found, 3] = label(problem, state, action)
            found += 1
    if path.fault[0] != 0:
        return WRONG
    if size > 1:
        return found
    return (lanes.at[0, WHERE] << ACTIONS) | lanes.at[0, ACTION] if found else DONE
