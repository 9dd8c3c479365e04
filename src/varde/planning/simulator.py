"""A user's simulator as a model: states get numbers as they are met, rewards are averaged as they are seen.

It runs in the Python engine, uncompiled, through the same search loop as every other model.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from ..worlds.table import expected_reward, label, num_actions, num_states, reward_variance, step

MOST_ACTIONS = 256


class SimulationError(RuntimeError):
    """A simulator failed; names the state and the action.  The search so far stays as it was."""


class Simulator:
    """Any object with ``step(state, action, rng)``, returning (state, reward) or (state, reward, over).

    ``actions(state)`` lists the legal actions, none where the episode is over; a list serves for all states.
    States must be hashable, and a step must not change the state it was given.
    """

    def __init__(
        self,
        step: Callable[..., Sequence[Any]],
        actions: Callable[[Any], Sequence[Hashable]] | Sequence[Hashable],
        seed: int = 0,
        most_actions: int = MOST_ACTIONS,
    ):
        self._step = step
        self._actions = actions if callable(actions) else lambda state: actions
        if not callable(actions):
            most_actions = max(len(actions), 1)
        self.most_actions = most_actions
        self.rng = np.random.default_rng(seed)
        self.states: list[Hashable] = []
        self.legal: list[list[Hashable]] = []
        self._numbers: dict[Hashable, int] = {}
        self._labels: dict[Hashable, int] = {}
        self._rewards: dict[tuple[int, int], list[float]] = {}  # count, mean and M2 of the reward of a pair

    def number(self, state: Hashable, over: bool = False) -> int:
        """The number of a state, given to it when it is first met; ended and unended ones are told apart."""
        key = (state, "over") if over else state
        try:
            found = self._numbers.get(key)
        except TypeError:
            raise TypeError(
                f"the state {state!r} cannot be hashed: return something like a tuple, a string or a number"
            ) from None
        if found is None:
            legal = [] if over else list(self._actions(state))
            if len(legal) > self.most_actions:
                raise ValueError(
                    f"state {state!r} has {len(legal)} actions, more than {self.most_actions}: write most_actions=..."
                )
            found = self._numbers[key] = len(self.states)
            self.states.append(state)
            self.legal.append(legal)
        return found

    def transition(self, state: int, action: int) -> tuple[int, float]:
        """One step, checked."""
        name, choice = self.states[state], self.legal[state][action]
        where = f"in state {name!r}, action {choice!r}"
        try:
            told = tuple(self._step(name, choice, self.rng))
            successor, reward, over = told if len(told) == 3 else (*told, False)
            number = self.number(successor, bool(over))
            reward = float(reward)
        except Exception as error:
            raise SimulationError(f"the simulator failed {where}: {type(error).__name__}: {error}") from error
        if not math.isfinite(reward):
            raise SimulationError(f"the simulator returned the reward {reward} {where}: return a finite number")
        seen = self._rewards.setdefault((state, action), [0, 0.0, 0.0])
        seen[0] += 1
        before = reward - seen[1]
        seen[1] += before / seen[0]
        seen[2] += before * (reward - seen[1])
        return number, reward

    def reward(self, state: int, action: int) -> list[float]:
        """Count, mean and M2 of the rewards of a pair."""
        return self._rewards.get((state, action), [0, 0.0, 0.0])

    def label(self, state: int, action: int) -> int:
        """One number for an action wherever it is legal."""
        found = self._labels.setdefault(self.legal[state][action], len(self._labels))
        return found % self.most_actions


@num_actions.of(Simulator)
def known_actions(problem, state):
    return len(problem.legal[state])


@num_states.of(Simulator)
def states_met(problem):
    return len(problem.states)


@step.of(Simulator)
def simulate(problem, state, action, rng):
    return problem.transition(state, action)


@label.of(Simulator)
def action_label(problem, state, action):
    return problem.label(state, action)


@expected_reward.of(Simulator)
def mean_reward(problem, state, action):
    return problem.reward(state, action)[1]


@reward_variance.of(Simulator)
def observed_variance(problem, state, action):
    count, _, squares = problem.reward(state, action)
    return squares / (count - 1) if count > 1 else 0.0
