"""A world as functions of its states, and what a step may return."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from ..check import FINITE, LARGEST, as_float, shown

Actions = Sequence[Hashable] | Callable[[Any], Sequence[Hashable]]
Step = Callable[[Any, Any, np.random.Generator], Sequence[Any]]
Sample = Callable[[Any, np.random.Generator], Hashable]  # draws an action of a state


class SimulationError(RuntimeError):
    """A world failed; the message names the state and the action.  What was found so far is kept."""


class Function:
    """A world that is stepped from any state: a step function, its actions, and what else is known of it."""

    def __init__(
        self,
        step: Step,
        actions: Actions,
        start: Any = None,  # a state, or a function of a Generator
        key: Callable[[Any], Hashable] | None = None,  # makes something hashable of a state that is not
        player: Callable[[Any], int] | None = None,  # in a game, who moves: 0, whose rewards they are, or 1
    ):
        self.step: Step = step
        self.actions: Callable[[Any], Sequence[Hashable]] = listing(actions)
        self.start: Any = start
        self.key: Callable[[Any], Hashable] | None = key
        self.player: Callable[[Any], int] | None = player
        self.sample: Sample | None = None  # draws an action of a state, where they are too many to list
        self.env: Any = None  # the environment behind it, which is where it is, and
        self.forward: Any = None  # how simulations go forward in it, an ``environment.Forward``
        self.horizon: int | None = None  # how far to look ahead, and
        self.discount: float | None = None  # the discount factor, if the user gives none


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


def timed(world: Function, horizon: int) -> Function:
    """The same world, whose states are (state, step): after ``horizon`` steps every episode is over."""
    inner, key, start = world.step, world.key, world.start

    def step(state: Any, action: Any, rng: np.random.Generator) -> tuple[Any, ...]:
        successor, reward, over, cut = unpack(inner(state[0], action, rng))
        made = state[1] + 1
        return (successor, made), reward, over or made >= horizon, cut, None

    def begin(rng: np.random.Generator) -> Any:
        return (start(rng) if callable(start) else start), 0

    return Function(
        step,
        lambda state: world.actions(state[0]),
        None if start is None else begin if callable(start) else (start, 0),
        None if key is None else lambda state: (key(state[0]), state[1]),
    )


# -- what a step returned ------------------------------------------------------------------------


def unpack(answer: Any) -> tuple[Any, Any, bool, bool]:
    """The successor, the reward, whether the episode is over there, and whether it was cut short."""
    size = len(answer) if isinstance(answer, (tuple, list)) else 0
    if size == 2:
        return answer[0], answer[1], False, False
    if size == 3:
        return answer[0], answer[1], truth(answer[2]), False
    if size == 5:  # Gymnasium: observation, reward, terminated, truncated, info
        return answer[0], answer[1], truth(answer[2]), truth(answer[3])
    raise TypeError(
        f"step returned {shown(answer, 200)}: return (state, reward), (state, reward, over) or Gymnasium's five"
    )


def truth(over: Any) -> bool:
    """The flag ``over``; a string such as "no" is refused."""
    if over is True or over is False:  # nearly always: this is asked at every step
        return over
    if isinstance(over, (bool, np.bool_, int)) or getattr(over, "ndim", None) == 0:
        return bool(over)
    raise TypeError(f"the flag over is {shown(over)}: return True or False")


def number(reward: Any) -> float:
    """The reward, if it is a finite number."""
    if type(reward) is float and -LARGEST <= reward <= LARGEST:
        return reward
    found = as_float(reward)
    if found is None or not abs(found) <= LARGEST:
        raise ValueError(f"the reward is {shown(reward)}: return {FINITE}")
    return found


def finite(reward: Any, state: Any, action: Any) -> float:
    """The same; the error names the state and the action."""
    try:
        return number(reward)
    except ValueError as error:
        raise SimulationError(f"{where(state, action)}: {error}") from None


def where(state: Any, action: Any) -> str:
    return f"in state {shown(state, 200)}, action {shown(action, 200)}"


def failed(error: Exception, state: Any, action: Any) -> SimulationError:
    """The error with the state and the action in front."""
    return SimulationError(f"the world failed {where(state, action)}: {type(error).__name__}: {error}")


def asked(name: str, function: Callable[..., Any], state: Any, *more: Any) -> Any:
    """What a function of the user's says of a state; an error names both."""
    try:
        return function(state, *more)
    except SimulationError:
        raise
    except Exception as error:
        raise SimulationError(f"{name} failed in state {shown(state)}: {type(error).__name__}: {error}") from error


def mover_at(player: Callable[[Any], int], state: Any) -> int:
    """Who moves in ``state``, 0 or 1."""
    mover = asked("player", player, state)
    if mover in (0, 1):
        return int(mover)
    raise ValueError(
        f"player returned {shown(mover)} in state {shown(state)}: return 0 where the first player moves, whose rewards "
        "step returns, and 1 where the second does"
    )
