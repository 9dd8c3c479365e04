"""A world in parts, as functions of its states."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from ..check import shown

Actions = Sequence[Hashable] | Callable[[Any], Sequence[Hashable]]
Step = Callable[[Any, Any, np.random.Generator], Sequence[Any]]
Sample = Callable[[Any, np.random.Generator], Hashable]  # draws an action of a state


class SimulationError(RuntimeError):
    """A world failed; the message names the state and the action.  What was found so far is kept."""


class Function:
    """A world in parts: a step function, its actions, and what else is known of it."""

    def __init__(
        self,
        step: Step,
        actions: Actions,
        start: Any = None,  # a state, or a function of a Generator
        key: Callable[[Any], Hashable] | None = None,  # makes something hashable of a state that is not
        step_many: Callable[..., Sequence[Any]] | None = None,
        player: Callable[[Any], int] | None = None,  # in a game, who moves: 0, whose rewards they are, or 1
    ):
        self.step: Step = step
        self.actions: Callable[[Any], Sequence[Hashable]] = listing(actions)
        self.start: Any = start
        self.key: Callable[[Any], Hashable] | None = key
        self.step_many: Callable[..., Sequence[Any]] | None = step_many
        self.player: Callable[[Any], int] | None = player
        self.locate: Callable[..., Any] | None = None  # (state, rng[, root]): a user's state as one of the world's
        self.sample: Sample | None = None  # draws an action of a state, where they are too many to list
        self.observed: Callable[[Any], Any] | None = None  # where the world is now, by what was observed there
        self.horizon: int | None = None  # how far to look ahead, and
        self.discount: float | None = None  # the discount factor, if the user gives none
        self.joined: bool | None = None  # whether several paths may lead to a state; None: they may


def listing(actions: Actions) -> Callable[[Any], Sequence[Hashable]]:
    """The legal actions as a function of the state."""
    if callable(actions):
        return actions
    if isinstance(actions, (str, bytes)) or not hasattr(actions, "__iter__") or getattr(actions, "ndim", 1) == 0:
        raise TypeError(
            f"actions is {shown(actions)}: write a list such as ['left', 'right'], or a function of the state"
        )
    listed = tuple(actions)
    return lambda state: listed
