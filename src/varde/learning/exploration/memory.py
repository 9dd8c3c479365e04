"""The memory of the default algorithm."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .by_inverse import FEW, make_inverse
from .by_probes import make_probes
from .model import Model, make_model
from .solver import Rows, make_rows

UNTIL, PHASE, ROUND, PLANS, FIRST, LAST, LINKED = range(7)  # places in Plans.at
PATIENCE, END_VALUE, NEWEST, HIGH, LOW, WORK, TOP = range(7)  # places in Plans.scale


class Answer(NamedTuple):
    policy: np.ndarray  # [N]
    values: np.ndarray  # [N]


class Plans(NamedTuple):
    # by the states and pairs of the world: the exploration plan
    onward: np.ndarray  # [S] U: what is collected from a state on
    gain: np.ndarray  # [S, A] c, in units of the largest
    new: np.ndarray  # [S, A] the value of a first try
    heads: np.ndarray  # [S] 1 + the last link to a state
    links: np.ndarray  # [2, E] of each outcome: the state it comes from; 1 + another link to the same successor
    queue: np.ndarray  # [S] 1 + the state after this one in the queue, which ends in itself; 0: not in it
    # by the numbers of the model
    model: Model
    rows: Rows
    best: Answer  # V and pi
    noise: np.ndarray  # [P] s2
    wrong: np.ndarray  # [P] p_j
    returns: np.ndarray  # [P] m_j
    weights: np.ndarray  # [P] w_j
    gains: np.ndarray  # [P] c
    novelty: np.ndarray  # [P]
    origin: np.ndarray  # [N] shares of the starts
    visits: np.ndarray  # [N]
    focus: np.ndarray  # [N] f
    reach: np.ndarray  # [N] g
    exploration: Answer  # U and the exploration policy
    reported: Answer
    spare: np.ndarray  # [N]
    at: np.ndarray  # [7] when to plan again; the phase of planning; plans made; the queue's ends; links made
    scale: np.ndarray  # [7] patience, U(END), the largest novelty, the range of rewards, the plan's work, largest worth
    solver: Any  # the rest of the record is kept when this is replaced


def make_plans(task: Any) -> Plans:
    states, actions, room = task.discounts.size, task.num_actions, task.room
    pairs, size = states * actions, states + 1

    def whole(length: int) -> np.ndarray:
        return np.zeros(length, np.int64)

    return Plans(
        onward=np.zeros(states),
        gain=np.ones((states, actions)),
        new=np.ones((states, actions)),
        heads=whole(states),
        links=np.zeros((2, room), np.int64),
        queue=whole(states),
        model=make_model(states, actions, room),
        rows=make_rows(size, room + 2 * size),
        best=Answer(whole(size), np.zeros(size)),
        noise=np.zeros(pairs),
        wrong=np.zeros(pairs),
        returns=np.ones(pairs),
        weights=np.zeros(pairs),
        gains=np.zeros(pairs),
        novelty=np.zeros(pairs),
        origin=np.zeros(size),
        visits=np.zeros(size),
        focus=np.zeros(size),
        reach=np.zeros(size),
        exploration=Answer(whole(size), np.zeros(size)),
        reported=Answer(whole(size), np.zeros(size)),
        spare=np.zeros(size),
        at=whole(7),
        scale=np.array([1.0 - 1.0 / 20.0, 0.0, 1.0, -np.inf, np.inf, 0.0, 0.0]),
        solver=make_inverse(size) if states <= FEW else make_probes(size, room),
    )
