"""The record of a world discovered state by state: the verbs of a table, as far as they are known."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .table import (
    held,
    label,
    most_actions,
    num_actions,
    num_states,
    prior,
    worth,
)


class Visited(NamedTuple):
    """What is known so far.  State s has the pairs ``pairs[s] .. pairs[s] + widths[s] - 1``, one per legal action."""

    widths: np.ndarray  # [S] legal actions; none where the episode is over
    pairs: np.ndarray  # [S] first pair
    labels: np.ndarray  # [P] which action, among those of the whole world
    movers: np.ndarray  # [S] which player moves, 0 or 1
    worths: np.ndarray  # [S] the given value of a state, nan if there is none; empty without such knowledge
    priors: np.ndarray  # [P] the weight of an action, 1 on average; empty likewise
    known: np.ndarray  # [3] states and pairs visited so far, of which the arrays have room for more; whether the first
    # action of a state is the one that led there


OF_STATES, OF_PAIRS = ("widths", "pairs", "movers", "worths"), ("labels", "priors")


@num_actions.of(Visited)
def width(problem, state):
    return problem.widths[state]


@num_states.of(Visited)
def states_visited(problem):
    return problem.known[0]


@most_actions.of(Visited)
def widest_visited(problem):
    return problem.widths.max()


@label.of(Visited)
def label_visited(problem, state, action):
    return problem.labels[problem.pairs[state] + action]


@worth.of(Visited)
def worth_said(problem, state):
    return problem.worths[state] if problem.worths.size > 0 else np.nan


@held.of(Visited)
def same_action(problem, before, action, state):
    if problem.known[2] == 1:
        return 0
    wanted, first = problem.labels[problem.pairs[before] + action], problem.pairs[state]
    if action < problem.widths[state] and problem.labels[first + action] == wanted:
        return action
    for other in range(problem.widths[state]):
        if problem.labels[first + other] == wanted:
            return other
    return -1


@prior.of(Visited)
def weight_given(problem, state, action):
    return problem.priors[problem.pairs[state] + action] if problem.priors.size > 0 else 0.0
