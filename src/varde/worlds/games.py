"""Two-player games: who moves in which state.  Rewards are the first player's; the second wants the opposite.

A search keeps at a node the values for the player who moves there (``varde.worlds.table.side``).  Whatever the game is
played in, a table or a world stepped from Python, ``Turns`` adds the players.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from .table import (
    Table,
    credited,
    ends_noisily,
    expected_reward,
    final_reward,
    held,
    label,
    most_actions,
    num_actions,
    num_states,
    prior,
    reward_variance,
    side,
    step,
    suggestion,
    witness,
    worth,
)
from .visited import mover_at


class Turns(NamedTuple):
    """A model, and which player moves in each of its states."""

    model: Any
    movers: np.ndarray  # [S] 0 or 1


def with_players(table: Table, player: Callable[[Any], int]) -> Table:
    """The table as a game; ``player`` is a function of the names of its states."""
    model = table.model
    movers = [mover_at(player, name) if num_actions(model, s) > 0 else 0 for s, name in enumerate(table.states)]
    return replace(table, model=Turns(model, np.array(movers, np.int8)))


def is_game(problem: Any) -> bool:
    """Whether two players move in turn."""
    return side.find(type(problem)) is not side.body


def in_turn(problem: Any) -> Any:
    """A model whose own states say who moves, as ``Turns``."""
    if isinstance(problem, Turns) or not is_game(problem):
        return problem
    return Turns(problem, np.array([side(problem, s) < 0.0 for s in range(num_states(problem))], np.int8))


@side.of(Turns)
def side_in_turn(problem, state):
    return 1.0 - 2.0 * problem.movers[state]


@num_actions.of(Turns)
def actions_in_turn(problem, state):
    return num_actions(problem.model, state)


@step.of(Turns)
def step_in_turn(problem, state, action, rng):
    return step(problem.model, state, action, rng)


@label.of(Turns)
def label_in_turn(problem, state, action):
    return label(problem.model, state, action)


@num_states.of(Turns)
def states_in_turn(problem):
    return num_states(problem.model)


@most_actions.of(Turns)
def most_in_turn(problem):
    return most_actions(problem.model)


@expected_reward.of(Turns)
def reward_in_turn(problem, state, action):
    return expected_reward(problem.model, state, action)


@reward_variance.of(Turns)
def variance_in_turn(problem, state, action):
    return reward_variance(problem.model, state, action)


@final_reward.of(Turns)
def final_in_turn(problem, state, rng):
    return final_reward(problem.model, state, rng)


@ends_noisily.of(Turns)
def noisy_in_turn(problem):
    return ends_noisily(problem.model)


@credited.of(Turns)
def credited_in_turn(problem, state, action, successor):
    return credited(problem.model, state, action, successor)


@worth.of(Turns)
def worth_in_turn(problem, state):
    return worth(problem.model, state)


@suggestion.of(Turns)
def suggestion_in_turn(problem, state):
    return suggestion(problem.model, state)


@held.of(Turns)
def held_in_turn(problem, before, action, state):
    return held(problem.model, before, action, state)


@prior.of(Turns)
def prior_in_turn(problem, state, action):
    return prior(problem.model, state, action)


@witness.of(Turns)
def witness_in_turn(problem, state, action, reward):
    witness(problem.model, state, action, reward)
