"""Lanes: pending trials in a world that is stepped from Python, one or several at once.

A lane is a pending trial.  It stops where a transition is needed and continues when it arrives: ``advance`` takes
replies and returns requests.  The trial is that of ``varde.planning.trial``, so that one lane builds the same tree as a
model would, bit for bit.

Pending trials count at their edges in N of the rule's decrement and nowhere else.  With nothing pending every number is
what it would be with one lane.  A lane that is undone leaves no trace.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._compile import contents, kernel
from ..check import LARGEST
from .tree import ASKED, IDLE, LEAVING, LEFT, WRONG
from .trial import ask, finish, has_room, hear, plant, take_back

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


def order_of(replies: int, wanted: int) -> int:
    """The numbers of replies and of requests as one number, since every argument of a kernel costs time."""
    return wanted << 32 | replies


def make_mail(size: int) -> Mail:
    return Mail(np.zeros((size, 3), np.int64), np.arange(size), np.zeros(size, np.int64), np.zeros(size))


@kernel(gil=True)
def advance(held, order, successor, reward):
    """Take replies, then let lanes that do not wait make requests; ``order`` says how many of each (``order_of``).

    With one lane reply and request are plain numbers: returns state << 16 | action, or DONE.  With more, replies and
    requests are in ``mail``; returns how many requests there are.  FULL: there may be no room for what the replies
    bring; nothing was done, make room and call again.  UNSOUND: a reward is not finite, nothing was done.  The order
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
        mail.lanes[0], mail.successors[0], mail.rewards[0] = 0, successor, reward
    for i in range(replies):
        if not abs(mail.rewards[i]) <= LARGEST:
            return UNSOUND
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
