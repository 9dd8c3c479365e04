"""Tabular models: finite states and actions as flat arrays, made from a readable description by ``tabulate``.

State s has the pairs ``pairs[s] .. pairs[s+1] - 1``, one per legal action, and pair p the outcomes
``outcomes[p] .. outcomes[p+1] - 1``.  A state without pairs ends the episode.

A model of another kind is a record with cases of the verbs ``num_actions`` and ``step``, and of the other verbs
where the defaults do not fit.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from .._compile import verb
from ..check import FINITE, LARGEST, as_float, flag, problem_with, real, refuse, refuse_problem, shown, whole
from ..random import normal, uniform

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
def side(problem, state):
    """1.0 where the first player moves, -1.0 where the second does, in a game of two.  Rewards are the first one's."""
    return 1.0


@verb(fallback=True)
def worth(problem, state):
    """The value of ``state``, if somebody gave an estimate; nan otherwise."""
    return np.nan


@verb(fallback=True)
def suggestion(problem, state):
    """The action to try first in ``state``, if somebody gave one; -1 otherwise."""
    return -1


@verb(fallback=True)
def held(problem, before, action, state):
    """The action of ``state`` that continues ``action``, which led there from ``before``; -1 if there is none."""
    return -1


@verb(fallback=True)
def prior(problem, state, action):
    """The prior weight of ``action``, above 0 and 1 on average over those of ``state``; 0 without a prior."""
    return 0.0


@verb(fallback=True)
def final_reward(problem, state, rng):
    """A noisy reward for having ended in ``state``, on top of the rewards on the way there."""
    return 0.0


@verb(fallback=True)
def ends_noisily(problem):
    """Whether ``final_reward`` is anything but 0."""
    return False


@verb(fallback=True)
def reward_variance(problem, state, action):
    """The variance of the estimate that ``expected_reward`` returns, times the visits; 0 where it is known exactly."""
    return 0.0


@verb(fallback=True)
def credited(problem, state, action, successor):
    """The action that a transition is counted for; the one that was chosen unless the model says otherwise."""
    return action


@verb(fallback=True)
def witness(problem, state, action, reward):
    """Record a reward; a table knows them all."""


@verb(fallback=True)
def is_listed(problem):
    """Whether there is one player and every outcome is listed: a constant, so that compiled code drops the rest."""
    return False


@is_listed.of(MDP)
def tables_are(problem):
    return True


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
        return int(side(self.model, state) < 0.0)

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


Outcome = Sequence[Any]  # probability, successor, reward[, standard deviation of the reward]
Moves = Mapping[Any, Iterable[Outcome]]  # action -> outcomes


def tabulate(
    moves: Mapping[Any, Moves] | Callable[[Any], Moves],
    start: Hashable = None,
    *,
    starts: Mapping[Any, float] | None = None,
    terminal: Callable[[Any], bool] | Iterable[Hashable] | None = None,
    bernoulli: bool = False,
) -> Table:
    """Make a model from a description: for each state and action, outcomes (probability, successor, reward).

    >>> world = tabulate({
    ...     "shore": {"swim": [(0.9, "island", 1), (0.1, "shore", 0)], "wait": [(1, "shore", 0.1)]},
    ...     "island": {},
    ... })
    >>> world.legal(world.state("shore"))
    ['swim', 'wait']

    Args:
        moves: a table as above, or a function of the state, which is explored from ``start``.
        starts: the probabilities of the states in which episodes begin, if there are several.
        terminal: the states in which episodes end, or a test for them; any other state without actions is then
            refused.  Without it, a state without actions ends the episode.
        bernoulli: rewards are 0 or 1, drawn independently of the successor; the reward given is their mean.

    A fourth number in an outcome is the standard deviation of its reward.
    """
    shares, bernoulli = _starts(starts), flag("bernoulli", bernoulli)
    if start is None and shares:
        start = max(shares, key=shares.__getitem__)
    names = _explore(moves, start, shares)
    index = {name: i for i, name in enumerate(names)}
    over = _terminal_test(terminal)
    actions: dict[Hashable, int] = {}
    pairs, outcomes, labels, means = [0], [0], [], []
    flat: list[tuple[int, float, float, float, float]] = []
    noisy = False
    for name in names:
        legal = {} if terminal is not None and over(name) else names[name]
        if not legal and terminal is not None and not over(name):
            raise ValueError(
                f"state {name!r} has no actions and is not terminal: give it an action or name it in terminal"
            )
        for action, described in _moves(name, legal).items():
            where, total, mean = f"state {name!r}, action {action!r}", 0.0, 0.0
            for outcome in _outcomes(where, described):
                probability, successor, reward, deviation = _outcome(where, outcome, index, bernoulli)
                if probability == 0.0:
                    continue
                total += probability
                mean += probability * reward
                noisy = noisy or deviation > 0.0
                flat.append((index[successor], probability, total, reward, deviation))
            if not abs(total - 1.0) <= 1e-9:
                raise ValueError(f"{where}: the probabilities sum to {total:.12g}: write outcomes that sum to 1")
            outcomes.append(len(flat))
            labels.append(actions.setdefault(action, len(actions)))
            means.append(mean)
        pairs.append(len(labels))
    columns = np.array(flat, dtype=np.float64).reshape(-1, 5).T.copy()
    model = MDP(
        np.array(pairs, np.int64),
        np.array(outcomes, np.int64),
        np.array(labels, np.int64),
        np.array(means, np.float64),
        columns[0].astype(np.int64),
        columns[1],
        columns[2],
        columns[3],
        columns[4],
        BERNOULLI if bernoulli else NORMAL if noisy else EXACT,
    )
    first = index[start] if start is not None else 0
    return Table(model, list(names), list(actions), first, index, {index[s]: p for s, p in shares.items()})


def _moves(name: Any, legal: Any) -> Moves:
    if not isinstance(legal, Mapping):
        raise TypeError(f"state {name!r} has the actions {shown(legal)}: write a dict, {{action: outcomes}}")
    return legal


def _outcomes(where: str, described: Any) -> Iterable[Outcome]:
    listed = isinstance(described, Iterable) and not isinstance(described, (str, Mapping))
    if not listed or getattr(described, "ndim", 1) == 0:
        raise TypeError(
            f"{where}: the outcomes are {shown(described)}: write a list of (probability, successor, reward)"
        )
    return described


def _starts(starts: Mapping[Any, float] | None) -> dict[Hashable, float]:
    """Where episodes begin, and with which probability."""
    if starts is None:
        return {}
    wanted = "a dict of states and their probabilities, which sum to 1"
    if not isinstance(starts, Mapping):
        refuse("starts", starts, wanted, TypeError)
    shares = {
        state: real(f"starts[{state!r}]", p, "a probability, from 0 to 1", lambda p: 0.0 <= p <= 1.0)
        for state, p in starts.items()
    }
    if shares and abs(sum(shares.values()) - 1.0) > 1e-9:
        refuse("starts", starts, wanted)
    return {state: p for state, p in shares.items() if p > 0.0}


def _explore(moves: Any, start: Hashable, starts: Iterable[Hashable]) -> dict[Hashable, Moves]:
    """Every state and its moves: the table as given, or what the function returns, breadth first."""
    if isinstance(moves, Mapping):
        if not moves:
            raise ValueError(
                "the table has no states: write at least one, such as {'here': {'stay': [(1, 'here', 0)]}}"
            )
        for state in (*starts, *(() if start is None else (start,))):
            if not isinstance(state, Hashable) or state not in moves:
                raise ValueError(f"start is {shown(state)}, which is not in the table: write one of its states")
        return dict(moves)
    if not callable(moves) or isinstance(moves, type):
        raise TypeError(
            f"moves is a {type(moves).__name__}: write a table {{state: {{action: outcomes}}}} "
            "or a function of the state"
        )
    if start is None:
        raise ValueError("a function of the state is explored from a start: write start=...")
    found: dict[Hashable, Moves] = {start: {}, **{state: {} for state in starts}}
    queue = list(found)
    for state in queue:  # grows while it is read
        legal = _moves(state, moves(state))
        found[state] = {action: [tuple(o) for o in _outcomes(f"state {state!r}", o)] for action, o in legal.items()}
        for outcomes in found[state].values():
            for outcome in outcomes:
                if len(outcome) > 1 and outcome[0] != 0 and outcome[1] not in found:
                    found[outcome[1]] = {}
                    queue.append(outcome[1])
    return found


def _terminal_test(terminal: Any) -> Callable[[Any], bool]:
    if callable(terminal):
        return terminal
    try:
        known = set(() if terminal is None else terminal)
    except TypeError:
        refuse(
            "terminal",
            terminal,
            "a list of states, or a function of the state that is True where it is over",
            TypeError,
        )
    return lambda state: state in known


PROBABILITY = ("probability", "a number from 0 to 1", 0.0, 1.0)
RANGES = {
    False: (
        PROBABILITY,
        ("reward", FINITE, -LARGEST, LARGEST),
        ("standard deviation", f"{FINITE}, zero or more", 0.0, LARGEST),
    ),
    True: (
        PROBABILITY,
        ("reward", "a mean from 0 to 1", 0.0, 1.0),
        ("standard deviation", "0 for Bernoulli", 0.0, 0.0),
    ),
}


def _outcome(
    where: str, outcome: Outcome, index: Mapping[Hashable, int], bernoulli: bool
) -> tuple[float, Hashable, float, float]:
    """One outcome, checked."""
    if not isinstance(outcome, (tuple, list)) or len(outcome) not in (3, 4):
        raise ValueError(f"{where}: the outcome is {shown(outcome)}: write (probability, successor, reward)")
    successor, known = outcome[1], True
    try:
        known = successor in index
    except TypeError:  # it cannot be hashed
        known = False
    if not known:
        what = f"{where}: the successor {shown(successor)} is not a state of the model"
        raise ValueError(f"{what}: add it, terminal if nothing follows")
    numbers = []
    for given, (name, wanted, low, high) in zip((outcome[0], *outcome[2:]), RANGES[bernoulli], strict=False):
        number = given if type(given) is float else as_float(given)
        if number is None or not low <= number <= high:
            kind = TypeError if number is None else ValueError
            raise kind(f"{where}: the {name} is {shown(given)} on the way to {successor!r}: write {wanted}")
        numbers.append(number)
    return numbers[0], successor, numbers[1], numbers[2] if len(numbers) == 3 else 0.0
