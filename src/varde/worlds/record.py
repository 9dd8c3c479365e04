"""The world as a kernel reads it: one record, whether the world is a table, is being discovered, or is a user's model.

State s has the pairs ``first[s] .. first[s] + width[s] - 1``, one per legal action; none: the episode is over.  A pair
that has outcomes is drawn inside the kernel.  One that has none is asked for: the kernel returns its state and action,
and goes on with the answer.  Who moves is a sign, what somebody knows of a state a value: data, not kinds of worlds.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._compile import helper, is_record
from ..check import refuse_problem, shown, whole
from ..random import normal, uniform
from .table import BERNOULLI, EXACT, LISTED, MDP, NORMAL, Table, expected_reward, label, num_actions, num_states, step

MODEL = -1  # in place of the number of outcomes: the verb ``step`` draws the transition
MOST_STATES, MOST_ACTIONS = 10_000_000, (1 << 15) - 1


def rows(integers: tuple[str, ...], numbers: tuple[str, ...] = (), kind: Any = np.int32) -> np.dtype:
    """The type of a row: integers, then floats."""
    fields: Any = [(name, kind) for name in integers] + [(name, np.float64) for name in numbers]
    return np.dtype(fields, align=True)


STATE = rows(("first", "width", "sign"), ("value",))
PAIR = rows(("first", "outcomes", "label"), ("prior", "expected"))
OUTCOME = rows(("successor",), ("cumulative", "reward", "deviation"))


class Listed(NamedTuple):
    """In place of a model, where all transitions are listed or asked for."""


class World(NamedTuple):
    """What is known of a world."""

    states: np.ndarray  # its pairs; 1 where the first player moves, -1 where the second does; a given value, or nan
    pairs: np.ndarray  # its outcomes; which action of the whole world; its prior, 1 on average, and E[r], or nan
    outcomes: np.ndarray
    model: Any = Listed()
    noise: int = EXACT  # of the rewards


@step.of(Listed)
def nothing_to_draw(model, state, action, rng):
    return 0, 0.0


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
    outcome, at = world.pairs.first[pair], uniform(rng)
    last = outcome + count - 1
    while outcome < last and at >= outcomes.cumulative[outcome]:
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
    pair, chance, mean, before = world.states.first[state] + action, 0.0, 0.0, 0.0
    first, outcomes = world.pairs.first[pair], world.outcomes
    for outcome in range(first, first + world.pairs.outcomes[pair]):
        share = outcomes.cumulative[outcome] - before
        before = outcomes.cumulative[outcome]
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


def world_of(given: Any) -> World:
    """The record of a table, of its arrays, or of a user's model (a record with the verbs of ``table.py``)."""
    table = given if isinstance(given, Table) else None
    model = given if table is None else table.model
    if isinstance(model, World):
        return model
    if not is_record(model):
        raise TypeError(f"{shown(model)} is not a model: write a Table, an MDP, or a record with the verb num_actions")
    refuse_problem(model)
    found = of_arrays(model) if isinstance(model, MDP) else of_model(model)
    if table is not None and table.signs is not None:
        found.states["sign"] = table.signs
    return found


def empty(states: int, pairs: int, outcomes: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    made = np.zeros(states, STATE), np.zeros(pairs, PAIR), np.zeros(outcomes, OUTCOME)
    made[0]["sign"], made[0]["value"], made[1]["prior"], made[1]["expected"] = 1, np.nan, np.nan, np.nan
    return made


def of_arrays(model: MDP) -> World:
    states, pairs, outcomes = empty(len(model.pairs) - 1, len(model.labels), len(model.successors))
    if len(pairs) and np.diff(model.pairs).max() > MOST_ACTIONS:
        raise ValueError(f"a state has {np.diff(model.pairs).max():,} actions: write {MOST_ACTIONS:,} at most")
    states["first"], states["width"] = model.pairs[:-1], np.diff(model.pairs)
    pairs["first"], pairs["outcomes"] = model.outcomes[:-1], np.diff(model.outcomes)
    pairs["label"], pairs["expected"] = model.labels, model.means
    outcomes["successor"], outcomes["cumulative"] = model.successors, model.cumulative
    outcomes["reward"], outcomes["deviation"] = model.rewards, model.deviations
    return World(states, pairs, outcomes, Listed(), int(model.noise))


def of_model(model: Any) -> World:
    """A user's model: its steps are drawn by the verb, what else is known is asked once."""
    count = whole("num_states", num_states(model), "how many states there are, 1 or more", 1, MOST_STATES)
    wanted = "how many actions it has"
    widths = [whole(f"num_actions of state {s}", num_actions(model, s), wanted, 0, MOST_ACTIONS) for s in range(count)]
    states, pairs, outcomes = empty(count, sum(widths), 1)
    states["width"] = widths
    states["first"] = np.cumsum(widths) - widths
    pairs["outcomes"] = MODEL
    pairs["label"] = np.arange(len(pairs)) - np.repeat(states["first"], widths)
    owners = np.repeat(np.arange(count), widths)
    if label.find(type(model)) is not label.body:
        which = f"which action of the whole model it is, 0 to {LISTED - 1}"
        at = zip(owners.tolist(), pairs["label"].tolist(), strict=True)
        pairs["label"] = [
            whole(f"label of state {s}, action {a}", label(model, s, a), which, 0, LISTED - 1) for s, a in at
        ]
    if type(model) in expected_reward.cases:
        first = np.arange(len(pairs)) - states["first"][owners]
        at = zip(owners.tolist(), first.tolist(), strict=True)
        pairs["expected"] = [expected_reward(model, s, a) for s, a in at]
    return World(states, pairs, outcomes, model)
