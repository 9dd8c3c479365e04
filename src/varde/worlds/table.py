"""Tabular models: finite states and actions as flat arrays, which ``tabulate`` makes from a readable description.

State s has the pairs ``pairs[s] .. pairs[s+1] - 1``, one per legal action, and pair p the outcomes
``outcomes[p] .. outcomes[p+1] - 1``.  A state without pairs ends the episode.

A model of another kind is a record with cases of the verbs ``num_actions`` and ``step``, and of the other verbs
where the defaults do not fit.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from .._compile import verb
from ..check import LARGEST, problem_with, refuse_problem, shown, whole
from ..random import normal, uniform
from .function import mover_at

EXACT, NORMAL, BERNOULLI = 0, 1, 2  # how a reward is drawn around its mean
LISTED = 1_000_000  # states that are asked one by one for what they have


class MDP(NamedTuple):
    """S states, P pairs (a state and one of its actions), O outcomes (a pair and one of its successors)."""

    pairs: np.ndarray  # [S + 1] where the pairs of a state begin
    outcomes: np.ndarray  # [P + 1] where the outcomes of a pair begin
    labels: np.ndarray  # [P] which action, among those of the whole model
    means: np.ndarray  # [P] expected reward
    successors: np.ndarray  # [O]
    probabilities: np.ndarray  # [O]
    cumulative: np.ndarray  # [O] summed within the pair
    rewards: np.ndarray  # [O] mean reward of the outcome
    deviations: np.ndarray  # [O] standard deviation of the reward, where it is NORMAL
    noise: int = EXACT


# -- the verbs -----------------------------------------------------------------------------------


@verb
def num_actions(problem, state):
    """How many actions are legal in ``state``: 0 .. n - 1.  None: the episode is over."""


@verb
def step(problem, state, action, rng):
    """The successor and the reward of one transition."""


@verb(fallback=True)
def label(problem, state, action):
    """Which action of the whole model ``action`` of ``state`` is: the same move has one label in all states."""
    return action


@verb
def num_states(problem):
    """States are 0 .. n - 1."""


@verb(fallback=True)
def most_actions(problem):
    """The most actions of any state; runs in Python.  A model with very many states needs its own case."""
    states = whole("num_states", num_states(problem), "how many states there are, 1 or more")
    if states > LISTED:
        name = type(problem).__name__
        raise ValueError(f"{name} has {states:,} states, too many to ask each: write @most_actions.of({name})")
    return max(
        whole(f"num_actions of state {s}", num_actions(problem, s), "0 or more", 0, LISTED) for s in range(states)
    )


@verb
def expected_reward(problem, state, action):
    """The mean reward of ``action`` in ``state``."""


@verb(fallback=True)
def final_reward(problem, state, rng):
    """A noisy reward for having ended in ``state``, on top of the rewards on the way there."""
    return 0.0


@verb(fallback=True)
def ends_noisily(problem):
    """Whether ``final_reward`` is anything but 0."""
    return False


@verb(fallback=True)
def credited(problem, state, action, successor):
    """The action that a transition is counted for; the one that was chosen unless the model says otherwise."""
    return action


@num_actions.of(MDP)
def num_pairs(problem, state):
    return problem.pairs[state + 1] - problem.pairs[state]


@label.of(MDP)
def pair_label(problem, state, action):
    return problem.labels[problem.pairs[state] + action]


@num_states.of(MDP)
def num_rows(problem):
    return problem.pairs.size - 1


@most_actions.of(MDP)
def most_pairs(problem):
    return np.diff(problem.pairs).max()


@expected_reward.of(MDP)
def pair_mean(problem, state, action):
    return problem.means[problem.pairs[state] + action]


@step.of(MDP)
def draw_outcome(problem, state, action, rng):
    pair = problem.pairs[state] + action
    outcome, last = problem.outcomes[pair], problem.outcomes[pair + 1] - 1
    at = uniform(rng)
    while outcome < last and at >= problem.cumulative[outcome]:
        outcome += 1
    reward = problem.rewards[outcome]
    if problem.noise == NORMAL:
        reward += problem.deviations[outcome] * normal(rng)
    elif problem.noise == BERNOULLI:
        reward = 1.0 if uniform(rng) < reward else 0.0
    return problem.successors[outcome], reward


@problem_with.of(MDP)
def model_problem(model):
    """What can be wrong in a table made by hand; ``tabulate`` reports the same by name."""
    states, pairs, outcomes = (np.size(getattr(model, name)) for name in ("pairs", "labels", "successors"))
    for name, size, kinds in (
        ("pairs", states, "iu"), ("outcomes", pairs + 1, "iu"), ("labels", pairs, "iu"), ("means", pairs, "f"),
        ("successors", outcomes, "iu"), ("probabilities", outcomes, "f"), ("cumulative", outcomes, "f"),
        ("rewards", outcomes, "f"), ("deviations", outcomes, "f"),
    ):  # fmt: skip
        given = getattr(model, name)
        if not isinstance(given, np.ndarray) or given.shape != (size,) or given.dtype.kind not in kinds:
            what = "whole numbers (int64)" if kinds == "iu" else "numbers (float64)"
            return f"{name} is {shown(given)}: write an array of {size} {what}"
        if kinds == "f" and not (np.abs(given) <= LARGEST).all():
            return f"{name} is {shown(given)}: write finite numbers, at most {LARGEST:g} in size"
    states -= 1
    for name, total, least in (("pairs", pairs, 0), ("outcomes", outcomes, 1)):
        at = getattr(model, name)
        if at.size < 2 or at[0] != 0 or at[-1] != total or (np.diff(at) < least).any():
            return f"{name} is {shown(at)}: write where each begins, from 0 up to {total}"
    if model.noise not in (EXACT, NORMAL, BERNOULLI):
        return f"noise is {shown(model.noise)}: write 0 (none), 1 (normal) or 2 (Bernoulli)"
    first = model.outcomes[:-1]
    totals = np.add.reduceat(model.probabilities, first)
    running = np.cumsum(model.probabilities)
    running -= np.repeat(running[first] - model.probabilities[first], np.diff(model.outcomes))
    if not (sound := np.abs(totals - 1.0) <= 1e-9).all():
        at = int(np.argmin(sound))
        return f"{_pair_name(model, at)}: the probabilities sum to {totals[at]:.12g}: write outcomes that sum to 1"
    for name, sound, wanted in (
        ("successors", (model.successors >= 0) & (model.successors < states), f"a state, 0 to {states - 1}"),
        ("probabilities", (model.probabilities >= 0.0) & (model.probabilities <= 1.0), "a number from 0 to 1"),
        ("cumulative", np.abs(model.cumulative - running) <= 1e-6, "the sum of the probabilities so far"),
        ("deviations", model.deviations >= 0.0, "a number, zero or more"),
    ):
        if not sound.all():
            at = int(np.argmin(sound))
            where = _pair_name(model, int(np.searchsorted(first, at, "right")) - 1)
            return f"{where}: {name}[{at}] is {getattr(model, name)[at]}: write {wanted}"
    if (model.labels < 0).any():
        return f"labels is {shown(model.labels)}: write which action of the whole model each is, 0 or more"
    return ""


def _pair_name(model: MDP, pair: int) -> str:
    state = int(np.searchsorted(model.pairs, pair, "right")) - 1
    return f"state {state}, action {pair - int(model.pairs[state])}"


# -- a model with names --------------------------------------------------------------------------


@dataclass(frozen=True)
class Table:
    """A model that is sampled inside the kernel, the names of its states and actions, and where episodes start."""

    model: Any  # an MDP, or another record with cases of the verbs above
    states: Sequence[Hashable]  # [S] names
    actions: Sequence[Hashable]  # names of the labels
    start: int = 0  # the one state to plan from unless another is named
    index: Mapping[Hashable, int] = field(default_factory=dict, repr=False)  # name -> state; empty: names are numbers
    starts: Mapping[int, float] = field(default_factory=dict, repr=False)  # state -> probability; empty: ``start``
    horizon: int | None = None  # how far to look ahead, and
    discount: float | None = None  # the discount factor, if the user gives none
    signs: np.ndarray | None = field(default=None, repr=False)  # [S] 1, or -1 where the second player of a game moves

    def __post_init__(self) -> None:
        if not self.starts:
            object.__setattr__(self, "starts", {self.start: 1.0})

    def state(self, name: Hashable) -> int:
        """The number of a state, from its name."""
        if isinstance(name, Hashable) and name in self.index:
            return self.index[name]
        if not self.index and isinstance(name, (int, np.integer)) and 0 <= name < len(self.states):
            return int(name)
        raise ValueError(
            f"{shown(name)} is not a state of this model: write one of its {len(self.states)} states, "
            f"such as {self.states[0]!r}"
        )

    def legal(self, state: int) -> list[Hashable]:
        """The names of the legal actions of ``state``, in order."""
        if isinstance(self.model, MDP):
            first, last = self.model.pairs[state : state + 2].tolist()
            return [self.actions[name] for name in self.model.labels[first:last].tolist()]
        return [self.actions[label(self.model, state, a)] for a in range(num_actions(self.model, state))]

    def mover(self, state: int) -> int:
        """The player who moves in ``state``: 0, or 1 for the second player of a game."""
        return 0 if self.signs is None else int(self.signs[state] < 0)

    def with_players(self, player: Callable[[Any], int]) -> Table:
        """The table as a game; ``player`` says who moves in a state, by its name."""
        movers = [mover_at(player, name) if self.legal(s) else 0 for s, name in enumerate(self.states)]
        return replace(self, signs=1 - 2 * np.array(movers))

    def starting_at(self, name: Hashable) -> Table:
        """The same table with ``state`` as its only start."""
        return replace(self, start=self.state(name), starts={})


def numbered(model: Any) -> Table:
    """A table without names: states and actions are called by their numbers, and the first state is the start."""
    refuse_problem(model)
    states = range(int(num_states(model)))
    if isinstance(model, MDP):
        labels = int(model.labels.max(initial=-1)) + 1
    else:
        labels = 1 + max((int(label(model, s, a)) for s in states for a in range(num_actions(model, s))), default=-1)
    return Table(model, states, range(labels))
