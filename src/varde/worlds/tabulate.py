"""``tabulate``: a table from a readable description of its states, actions and outcomes."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any

from ..check import FINITE, LARGEST, as_float, flag, real, refuse, shown
from .record import BERNOULLI, EXACT, MOST_ACTIONS, NORMAL, empty, in_order
from .table import Table

Outcome = Sequence[Any]  # probability, successor, reward[, standard deviation of the reward]
Moves = Mapping[Any, Iterable[Outcome]]  # action -> outcomes


def tabulate(
    moves: Mapping[Any, Moves] | Callable[[Any], Moves],
    start: Hashable = None,
    *,
    starts: Mapping[Any, float] | None = None,
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
        bernoulli: rewards are 0 or 1, drawn independently of the successor; the reward given is their mean.

    A state without actions ends the episode.  A fourth number in an outcome is the standard deviation of its reward.
    """
    shares, bernoulli = _starts(starts), flag("bernoulli", bernoulli)
    if start is None and shares:
        start = max(shares, key=shares.__getitem__)
    names = _explore(moves, start, shares)
    index = {name: i for i, name in enumerate(names)}
    actions: dict[Hashable, int] = {}
    widths: list[int] = []
    pairs: list[tuple[int, int, float]] = []  # how many outcomes, which action, the mean reward
    outcomes: list[tuple[int, float, float, float]] = []
    for name, legal in names.items():
        described = _moves(name, legal)
        if len(described) > MOST_ACTIONS:
            raise ValueError(f"state {name!r} has {len(described):,} actions: write {MOST_ACTIONS:,} at most")
        for action, found in described.items():
            where, total, mean, first = f"state {name!r}, action {action!r}", 0.0, 0.0, len(outcomes)
            for outcome in _outcomes(where, found):
                probability, successor, reward, deviation = _outcome(where, outcome, index, bernoulli)
                if probability == 0.0:
                    continue
                total += probability
                mean += probability * reward
                outcomes.append((index[successor], probability, reward, deviation))
            if not abs(total - 1.0) <= 1e-9:
                raise ValueError(f"{where}: the probabilities sum to {total:.12g}: write outcomes that sum to 1")
            pairs.append((len(outcomes) - first, actions.setdefault(action, len(actions)), mean))
        widths.append(len(described))
    made = empty(len(names), len(pairs), len(outcomes))
    made[0]["width"] = widths
    for rows, columns, found in (
        (made[1], ("outcomes", "label", "expected"), pairs),
        (made[2], ("successor", "chance", "reward", "deviation"), outcomes),
    ):
        for column, numbers in zip(columns, zip(*found, strict=True), strict=False):
            rows[column] = numbers
    noise = BERNOULLI if bernoulli else NORMAL if (made[2]["deviation"] > 0.0).any() else EXACT
    model = in_order(*made, noise)
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


PROBABILITY = "probability", "a number from 0 to 1", 0.0, 1.0
REWARD = ("reward", FINITE, -LARGEST, LARGEST), ("reward", "a mean from 0 to 1", 0.0, 1.0)  # or Bernoulli
NOISE = "standard deviation", f"{FINITE}, zero or more", 0.0, LARGEST
NO_NOISE = "standard deviation", "0 for Bernoulli", 0.0, 0.0


def _outcome(
    where: str, outcome: Outcome, index: Mapping[Hashable, int], bernoulli: bool
) -> tuple[float, Hashable, float, float]:
    """One outcome, checked."""
    if not isinstance(outcome, (tuple, list)) or len(outcome) not in (3, 4):
        raise ValueError(f"{where}: the outcome is {shown(outcome)}: write (probability, successor, reward)")
    probability, successor, reward, deviation = (*outcome, 0.0)[:4]
    if isinstance(deviation, bool):  # which would pass for a deviation of 0 or 1
        what = f"{where}: the fourth number of {shown(outcome)} is a standard deviation"
        raise ValueError(f"{what}: of a Gymnasium table write varde.worlds.from_gymnasium(env)")
    try:
        known = successor in index
    except TypeError:  # it cannot be hashed
        known = False
    if not known:
        what = f"{where}: the successor {shown(successor)} is not a state of the model"
        raise ValueError(f"{what}: add it, with {{}} if nothing follows")
    return (
        _number(where, probability, *PROBABILITY),
        successor,
        _number(where, reward, *REWARD[bernoulli]),
        _number(where, deviation, *(NO_NOISE if bernoulli else NOISE)),
    )


def _number(where: str, given: Any, name: str, wanted: str, low: float, high: float) -> float:
    number = given if type(given) is float else as_float(given)
    if number is None or not low <= number <= high:
        kind = TypeError if number is None else ValueError
        raise kind(f"{where}: the {name} is {shown(given)}: write {wanted}")
    return number
