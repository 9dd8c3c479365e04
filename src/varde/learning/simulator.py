"""A user's simulator with integer states, as a model."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..worlds.table import step


class Simulator(NamedTuple):
    """A user's function as a model; it runs in the Python engine."""

    function: Callable[..., Any]
    generator: np.random.Generator
    num_states: int  # the last one is the end of an episode, if ``episodic``
    num_actions: int
    episodic: bool
    unit: bool  # whether rewards have to be between 0 and 1


@step.of(Simulator)
def simulate(model, state, action, rng):
    answer = model.function(int(state), int(action), model.generator)
    wanted = "(state, reward, over)" if model.episodic else "(state, reward)"
    if not isinstance(answer, tuple) or len(answer) != 2 + model.episodic:
        raise ValueError(f"the simulator returned {answer!r} for state {state}, action {action}: return {wanted}")
    after, reward = answer[0], float(answer[1])
    states = model.num_states - model.episodic
    if after != int(after) or not 0 <= after < states:
        raise ValueError(
            f"the simulator went from state {state} by action {action} to {after!r}: "
            f"return a state from 0 to {states - 1}"
        )
    if not math.isfinite(reward) or (model.unit and not 0.0 <= reward <= 1.0):
        wanted = "one from 0 to 1 for this agent, or use VarDENav()" if model.unit else "a finite number"
        raise ValueError(f"the simulator returned reward {reward} for state {state}, action {action}: return {wanted}")
    return (states if model.episodic and answer[2] else int(after)), reward
