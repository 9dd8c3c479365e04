"""The world as a kernel reads it: one record, whether the world is a table, is being discovered, or is a user's model.

State s has the pairs ``first[s] .. first[s] + width[s] - 1``, one per legal action; none: the episode is over.  A pair
that has outcomes is drawn inside the kernel.  One that has none is asked for: the kernel returns its state and action,
and goes on with the answer.  Who moves is a sign, what somebody knows of a state a value: data, not kinds of worlds.

A user's model is a record with cases of the verbs ``num_actions`` and ``step``, and of the other verbs where the
defaults do not fit.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._compile import helper, is_record, verb
from ..check import refuse_problem, shown, whole
from ..random import normal, uniform

EXACT, NORMAL, BERNOULLI = 0, 1, 2  # how a reward is drawn around its mean
MODEL = -1  # in place of the number of outcomes: the verb ``step`` draws the transition
MOST_STATES, MOST_ACTIONS = 10_000_000, (1 << 15) - 1


def rows(integers: tuple[str, ...], numbers: tuple[str, ...] = ()) -> np.dtype:
    """The type of a row: integers, then floats."""
    fields: Any = [(name, np.int32) for name in integers] + [(name, np.float64) for name in numbers]
    return np.dtype(fields, align=True)


STATE = rows(("first", "width", "sign"), ("value",))
PAIR = rows(("first", "outcomes", "label"), ("prior", "expected"))
OUTCOME = rows(("successor",), ("chance", "reward", "deviation"))


class Listed(NamedTuple):
    """In place of a model, where all transitions are listed or asked for."""


class World(NamedTuple):
    """What is known of a world."""

    states: np.ndarray  # its pairs; 1 where the first player moves, -1 where the second does; a given value, or nan
    pairs: np.ndarray  # its outcomes; which action of the whole world; its prior, 1 on average, and E[r], or nan
    outcomes: np.ndarray  # where to, how likely; the mean reward then, and its deviation where it is NORMAL
    model: Any = Listed()
    noise: int = EXACT  # of the rewards


# -- what a user's model says --------------------------------------------------------------------------


@verb
def num_actions(model):
    """[S] how many actions each state has, 0 .. n - 1; none: the episode is over.  It runs in Python, once."""


@verb
def step(model, state, action, rng):
    """The successor and the reward of one transition."""


@verb(fallback=True)
def expected_reward(model, state, action):
    """The mean reward of ``action`` in ``state``; nan if it is not known."""
    return np.nan


@verb(fallback=True)
def final_reward(model, state, rng):
    """A noisy reward for having ended in ``state``, on top of the rewards on the way there."""
    return 0.0


@verb(fallback=True)
def credited(model, state, action, successor):
    """The action that a transition is counted for; the one that was chosen unless the model says otherwise."""
    return action


@step.of(Listed)
def nothing_to_draw(model, state, action, rng):
    return 0, 0.0


def is_listed(world: World) -> bool:
    """Whether every transition is in its arrays."""
    return isinstance(world.model, Listed)


def ends_noisily(world: World) -> bool:
    """Whether it pays at its ends, or credits other actions than those that were chosen."""
    return any(each.find(type(world.model)) is not each.body for each in (final_reward, credited))


def world_of(given: Any) -> World:
    """The record of a table, or of a user's model."""
    given = given if is_record(given) else getattr(given, "model", given)
    if isinstance(given, World):
        return given
    if not is_record(given):
        raise TypeError(f"{shown(given)} is not a model: write varde.tabulate(...), or a record with the verb step")
    refuse_problem(given)
    return of_model(given)


def empty(states: int, pairs: int, outcomes: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    made = np.zeros(states, STATE), np.zeros(pairs, PAIR), np.zeros(outcomes, OUTCOME)
    made[0]["sign"], made[0]["value"], made[1]["prior"], made[1]["expected"] = 1, np.nan, np.nan, np.nan
    return made


def of_model(model: Any) -> World:
    """A user's model: its steps are drawn by the verb, what else is known is asked once."""
    given = np.asarray(num_actions(model))
    if given.ndim != 1 or given.dtype.kind not in "iu" or not 1 <= given.size <= MOST_STATES:
        raise ValueError(f"num_actions returned {shown(given)}: return a whole number for each state, 1 to 10,000,000")
    for s in np.flatnonzero((given < 0) | (given > MOST_ACTIONS))[:1].tolist():
        whole(f"num_actions of state {s}", int(given[s]), "how many actions it has", 0, MOST_ACTIONS)
    owners = np.repeat(np.arange(given.size), given)
    states, pairs, outcomes = empty(given.size, owners.size, 1)
    states["width"], states["first"] = given, np.cumsum(given) - given
    pairs["outcomes"], pairs["label"] = MODEL, np.arange(owners.size) - states["first"][owners]
    if expected_reward.find(type(model)) is not expected_reward.body:
        at = zip(owners.tolist(), pairs["label"].tolist(), strict=True)
        pairs["expected"] = [expected_reward(model, s, a) for s, a in at]
    return World(states, pairs, outcomes, model)


def in_order(states: np.ndarray, pairs: np.ndarray, outcomes: np.ndarray, noise: int) -> World:
    """A table, from rows that lie in order: where each state and pair begins follows from how many there are."""
    states["first"] = np.cumsum(states["width"]) - states["width"]
    pairs["first"] = np.cumsum(pairs["outcomes"]) - pairs["outcomes"]
    return World(states, pairs, outcomes, Listed(), noise)


# -- in kernels ----------------------------------------------------------------------------------------


@helper
def is_known(world, state, action):
    """Whether the kernel can take the step by itself."""
    return world.pairs.outcomes[world.states.first[state] + action] != 0


@helper
def transition(world, state, action, rng):
    """The successor and the reward of a step that is known."""
    pair, outcomes = world.states.first[state] + action, world.outcomes
    count = world.pairs.outcomes[pair]
    if count == MODEL:
        return step(world.model, state, action, rng)
    outcome, left = world.pairs.first[pair], uniform(rng)
    last = outcome + count - 1
    while outcome < last and left >= outcomes.chance[outcome]:
        left -= outcomes.chance[outcome]
        outcome += 1
    reward = outcomes.reward[outcome]
    if world.noise == NORMAL:
        reward += outcomes.deviation[outcome] * normal(rng)
    elif world.noise == BERNOULLI:
        reward = 1.0 if uniform(rng) < reward else 0.0
    return outcomes.successor[outcome], reward


@helper
def listed_reward(world, state, action, successor):
    """E[r | state, action, successor] of a table, exactly the reward where there is but one; 0 if nothing is listed."""
    pair, chance, mean = world.states.first[state] + action, 0.0, 0.0
    first, outcomes = world.pairs.first[pair], world.outcomes
    for outcome in range(first, first + world.pairs.outcomes[pair]):
        share = outcomes.chance[outcome]
        if outcomes.successor[outcome] == successor and share > 0.0:
            chance += share
            mean += share / chance * (outcomes.reward[outcome] - mean)
    return mean


@helper
def same_action(world, before, action, state):
    """The action of ``state`` that is the same as one of another state; -1 if there is none."""
    wanted, first = world.pairs.label[world.states.first[before] + action], world.states.first[state]
    if action < world.states.width[state] and world.pairs.label[first + action] == wanted:
        return action
    for other in range(world.states.width[state]):
        if world.pairs.label[first + other] == wanted:
            return other
    return -1
