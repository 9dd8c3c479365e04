"""Two-player games: who moves in which state.  Rewards are the first player's; the second wants the opposite.

A search keeps at a node the values for the player who moves there (``varde.worlds.table.side``).  Whatever the game is
played in, a table or a world stepped from Python, ``Turns`` adds the players.
"""

from __future__ import annotations

import inspect
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
    side,
    step,
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


def as_inside(*verbs: Any) -> None:
    """Let these verbs answer in a game as in what it is played in."""
    for verb in verbs:
        first, *others = inspect.signature(verb.body).parameters
        rest = "".join(f", {name}" for name in others)
        verb.of(Turns)(eval(f"lambda {first}{rest}: verb({first}.model{rest})", {"verb": verb, "__name__": __name__}))


as_inside(
    num_actions, step, label, num_states, most_actions, expected_reward, final_reward, ends_noisily, credited, worth,
    held, prior,
)  # fmt: skip
