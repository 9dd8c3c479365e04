"""Arguments for the fuzzer: usual ones, and some that nobody would write."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

import varde
from varde._compile import field_kinds
from varde.bandits import problems


class Rng(random.Random):
    """A generator with a temper: how much of what is odd comes."""

    temper = 1.0


class Weird:
    def __repr__(self) -> str:
        return "<Weird>"


def _failing(*_: Any) -> Any:
    raise KeyError("on purpose")


ODD: list[Any] = [
    None, True, False, 0, 1, -1, 2, 3, 5, 10, 20, 30, 100, 1.5, 0.1, 0.5, 0.9, 0.99, 1.0, 0.0, -0.0, math.nan, math.inf,
    -math.inf, 1e308, -1e308, 1e-308, 5e-324, 1e150, 1e200, 2**31 - 1, 2**31, 2**63 - 1, 2**63, -(2**63), 2**64,
    10**400, 1j, "", "5", "abc", "\u00e9\u202e\0", b"x", [], [1], (), {}, {"a": 1}, set(), np.float32(1.5), np.int8(3),
    np.uint64(2**64 - 1), np.bool_(True), np.array(3), np.array([]), np.array([1, 2]), np.array([[1.0]]),
    np.array(["a"]), np.array([None]), np.float64(math.nan), np.datetime64("2020"), Weird(), Weird, len, _failing,
]  # fmt: skip


def odd(r: Rng, usual: Any, share: float = 0.25) -> Any:
    """Something odd with probability ``share``, else what is usual (made by a function)."""
    if r.random() < share * r.temper:
        return r.choice(ODD)
    return usual() if callable(usual) else usual


def modest(given: Any, most: int = 60) -> Any:
    """Large numbers that are legal would only take long; those that must be refused stay."""
    try:
        large = not isinstance(given, (bool, str)) and given is not None and most < given < 2**63
    except (TypeError, ValueError):
        return given
    return most if np.ndim(given) == 0 and bool(large) else given


def words(given: Any) -> Any:
    """What to print of an argument."""
    return f"{given!r:.300}"


POOLS: list[list[Any]] = [
    [0.1, 0.2, 0.5, 0.9], [0, 1], [1e12, 1e12 + 1e-3], [1e308, -1e308], [5e-324, 0.0], [math.nan, 0.5],
    [math.inf, 0.5], [-1.0, 2.0], ["a", 1], [None, 0.1], [1e150, 1], [0.5], [1e-200, 2e-200],
]  # fmt: skip


def arrays(r: Rng, size: int | None = None) -> Any:
    pool = r.choice(POOLS if r.random() < r.temper else POOLS[:1])
    values = [r.choice(pool) for _ in range(size or r.choice([1, 2, 3, 4, 5, 8]))]
    form = r.choice(["list"] * 8 + ["tuple", "array", "float32", "object", ">f8", "reversed", "square", "int64"])
    try:
        if form == "list":
            return values
        if form == "tuple":
            return tuple(values)
        if form == "array":
            return np.array(values)
        if form == "reversed":
            return np.array(values, float)[::-1]
        if form == "square":
            return np.array([values, values], float)
        return np.array(values, dtype=form)
    except (TypeError, ValueError, OverflowError):
        return values


def record(r: Rng, cls: Any, usual: list[Any], share: float, most: int = 99) -> Any:
    """A record with some of its fields given."""
    many = r.randint(0, min(most, len(cls._fields)))
    pools = {bool: [True, False], int: [1, 2, 3]}
    kinds = field_kinds(cls)[:many] if r.random() > r.temper else [float] * many
    return cls(*(odd(r, r.choice(pools.get(kind, usual)), share) for kind in kinds))


DECISIONS = [
    varde.decisions.LogSumExp,
    varde.decisions.Average,
    varde.decisions.EntMax,
    varde.decisions.Nesterov,
    varde.decisions.PairwiseSoftplus,
    varde.decisions.PowerMean,
]
DECISIONS += [varde.decisions.Regret]


def decision(r: Rng) -> Any:
    return record(r, r.choice(DECISIONS), [0.1, 1.0, 2.0, 1e-300, 1e300, 5], 0.3)


def noise(r: Rng) -> Any:
    return record(r, r.choice([varde.beliefs.Floor, varde.beliefs.Pooled, varde.beliefs.Equal]), [0.1, 1.0, 1], 0.3)


def rule(r: Rng) -> Any:
    given = [odd(r, lambda: decision(r), 0.05), odd(r, lambda: noise(r), 0.1), odd(r, 2, 0.3)]
    return varde.VarDE(*given[: r.randint(0, 3)])


ALGORITHMS = ["Uniform", "SuccessiveRejects", "SequentialHalving", "ContinuousRejects", "UCBE", "UGapE", "OCBA"]
ALGORITHMS += ["TopTwoThompson", "VarDE", "VarDE"]
SEARCHERS = ["UCT", "MENTS", "RENTS", "TENTS", "DENTS", "BTS", "GapTree", "PaperTree", "VarDE", "VarDE"]
LEARNERS = ["VarDE", "EpsilonQ", "PSRL", "QUCB", "MFBPI", "OBPI", "MDPNaS"]


def one_of(r: Rng, names: list[str], room: Any, share: float) -> Any:
    name = r.choice(names)
    return rule(r) if name == "VarDE" else record(r, getattr(room, name), [0.1, 1.0, 2, 0.5, True, 1], share)


def algorithm(r: Rng) -> Any:
    return one_of(r, ALGORITHMS, varde.bandits, 0.2)


def searchers(r: Rng) -> Any:
    return one_of(r, SEARCHERS, varde.planning, 0.25)


def learners(r: Rng) -> Any:
    return one_of(r, LEARNERS, varde.learning, 0.25)


def bandit(r: Rng) -> Any:
    size, kinds = r.choice([1, 2, 3, 4, 5]), [problems.Bernoulli, problems.Gaussian]
    cls: Any = r.choice([*kinds, *kinds, problems.Student, problems.LogNormal, problems.ZeroInflated])
    given = [arrays(r, size if r.random() < 0.9 else None) for _ in cls._fields[:2]]
    if r.random() < 0.1:
        given[r.randrange(len(given))] = r.choice(ODD)
    if cls is problems.Student and r.random() < 0.5:
        given.append(odd(r, 3.0, 0.4))
    return cls(*given)


def options(r: Rng) -> Any:
    made: list[Callable[[], Any]] = [
        lambda: ["a", "b", "c"], lambda: {"x": 1, "y": 2}, lambda: [1, 2, 3], lambda: [0.1, 0.2], lambda: [None, True],
        lambda: [{"s": 1}, {"s": 2}], lambda: ["a", "a"], lambda: [[1], [2]], lambda: ["\u00e9\u202e", "<b>"],
        lambda: [np.array([1, 2]), np.array([3, 4])], lambda: ["", " "], lambda: range(5), lambda: (c for c in "abc"),
        lambda: "abc", lambda: {1: 2, 3: 4}, lambda: [object(), object()], lambda: [Weird(), _failing],
        lambda: {"a": 1},
    ]  # fmt: skip
    return r.choice(made if r.random() < r.temper else made[:4])()


# -- worlds --------------------------------------------------------------------------------------


def outcomes(r: Rng, states: list[Any]) -> list[Any]:
    many = r.randint(1, 3)
    found = []
    for _ in range(many):
        rewards = [0, 1, 0.5] + ([1e12, -5, 1e308, 1e-200] if r.random() < r.temper else [])
        reward = odd(r, r.choice(rewards), 0.06)
        outcome = [odd(r, 1.0 / many, 0.05), odd(r, lambda: r.choice(states), 0.04), reward]
        found.append(tuple(outcome + ([odd(r, 0.1, 0.3)] if r.random() < 0.1 else [])))
    return found


def table(r: Rng) -> Any:
    states = ["a", "b", "c"]
    return {s: {x: outcomes(r, states) for x in r.choice([("x", "y"), ("x", "y"), ("x",), ()])} for s in states}


def action_lists(r: Rng) -> Any:
    return r.choice([[0, 1], ["x", "y"], (1, 2, 3), lambda state: [0, 1], lambda state: [0, 1][: 1 + (state == 0)]])


class Ends:
    """A world of two states, as an object."""

    def __init__(self, r: Rng):
        self.start, self.elsewhere, self.reward = odd(r, 0, 0.1), odd(r, 1, 0.2), odd(r, 1.0, 0.2)
        self.legal = action_lists(r)

    def actions(self, state: Any) -> Any:
        return self.legal(state) if callable(self.legal) else self.legal

    def step(self, state: Any, action: Any, rng: Any) -> Any:
        return self.elsewhere if rng.random() < 0.5 else int(state == 0), self.reward


class Env:
    """As Gymnasium's, of two states, with or without a table."""

    def __init__(self, r: Rng):
        size = odd(r, 2, 0.1)
        self.action_space, self.unwrapped = odd(r, SimpleNamespace(n=size, start=0, shape=()), 0.05), self
        self.observation_space, self.spec = SimpleNamespace(n=odd(r, 2, 0.1), shape=()), None
        self.reward, self.state = odd(r, 1.0, 0.15), odd(r, 0, 0.05)
        if r.random() < 0.5:
            moves = {s: {a: [self.outcome(r)] for a in (0, 1)} for s in (0, 1)}
            self.P = odd(r, moves, 0.05)
            self.initial_state_distrib = odd(r, np.array([1.0, 0.0]), 0.1)

    def outcome(self, r: Rng) -> Any:
        return odd(r, 1.0, 0.05), odd(r, r.choice([0, 1]), 0.05), odd(r, 0.5, 0.05), odd(r, False, 0.05)

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        self.state = 0
        return self.state, {}

    def step(self, action: Any) -> Any:
        self.state = 1 - self.state
        return self.state, self.reward, False, False, {}


def explorer(r: Rng) -> Callable[[Any, Any, Any], Any]:
    """A step function between the states 0 and 1, now and then to somewhere odd."""
    elsewhere, reward, size = odd(r, 1, 0.2), odd(r, 1.0, 0.15), r.choice([2, 2, 3, 5, 4])

    def step(state: Any, action: Any, rng: Any) -> Any:
        answer = (elsewhere if rng.random() < 0.5 else int(state == 0), reward, False, False, {})
        return answer[:size]

    return step
