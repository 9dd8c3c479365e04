"""Contracts that every decision, bandit, world, algorithm, agent and store must keep: use them in your own tests.

>>> import varde, varde.testing
>>> varde.testing.check_decision(varde.decisions.LogSumExp(0.1))
>>> varde.testing.check_algorithm(varde.bandits.UCBE(2.0))

A violation raises AssertionError, which says which contract, with the numbers.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any
from unittest import mock

import numpy as np

from . import bandits, learning, planning
from ._compile import in_python
from .bandits import Bernoulli, Gaussian
from .bandits.measure import check_arms
from .bandits.problems import pull, true_means
from .check import shown
from .decisions import evaluate, gradient
from .environments import frozen_lake, river_swim
from .measured import Measured
from .protocols import Algorithm, Bandit, Decision
from .random import key, stream
from .selection import Draw, EventLog, Selector
from .worlds.diagnosis import repeated, twins
from .worlds.discovered import Discovered
from .worlds.function import Function, SimulationError
from .worlds.record import is_listed, transition
from .worlds.spaces import hashable, is_continuous
from .worlds.table import Table
from .worlds.tabulate import tabulate
from .worlds.world import WorldLike, as_world, draw_start

Watch = Callable[[], AbstractContextManager[Any]]

__all__ = [
    "check_agent",
    "check_algorithm",
    "check_bandit",
    "check_decision",
    "check_search",
    "check_store",
    "check_world",
]


def check_decision(decision: Decision) -> None:
    """Check a decision: the weights are the gradient of the value, and both stay finite at any scale.

    Decisions whose ``influence`` departs from the gradient on purpose (``printed=True``) fail this.
    """
    rng = np.random.default_rng(0)
    for size in (1, 2, 3, 8, 21):
        values = rng.uniform(0.2, 1.0, size)
        weights = gradient(decision, values)
        for i in range(size):
            slope = _central_difference(decision, values, i)
            assert abs(slope - weights[i]) < 1e-5, (
                f"{decision}: weight {i} is {weights[i]}, but the value changes by {slope} per unit, at {values}"
            )
    for extreme in ([1e12, -1e12, 0.0], [1e-12, 2e-12], [-5.0, -5.0], [0.0, 0.0, 0.0]):
        weights, value = gradient(decision, extreme), evaluate(decision, extreme)
        assert np.isfinite(weights).all(), f"{decision}: weights {weights} at {extreme}"
        assert np.isfinite(value), f"{decision}: value {value} at {extreme}"


def _central_difference(decision: Decision, values: np.ndarray, i: int) -> float:
    up, down, step = values.copy(), values.copy(), 1e-6
    up[i] += step
    down[i] -= step
    return (evaluate(decision, up) - evaluate(decision, down)) / (2.0 * step)


def check_bandit(bandit: Bandit, pulls: int = 4000) -> None:
    """Check a bandit: rewards are finite, average to ``true_means``, and depend only on the random stream."""
    means = check_arms(bandit)
    for arm in range(means.size):
        rewards = _rewards(bandit, arm, pulls)
        assert np.isfinite(rewards).all(), f"{bandit}: arm {arm} paid {rewards[~np.isfinite(rewards)][0]}"
        error = rewards.std() / np.sqrt(pulls) + 1e-12
        assert abs(rewards.mean() - means[arm]) < 5.0 * error, (
            f"{bandit}: arm {arm} paid {rewards.mean():.4f} +- {error:.4f} on average, its mean is {means[arm]}"
        )
        assert np.array_equal(rewards, _rewards(bandit, arm, pulls)), f"{bandit}: arm {arm} draws from elsewhere"


def _rewards(bandit: Bandit, arm: int, pulls: int) -> np.ndarray:
    rng = stream(key(0, "check_bandit", arm))
    return np.array([pull(bandit, arm, rng) for _ in range(pulls)])


def check_algorithm(algorithm: Algorithm, budget: int = 120) -> None:
    """Check a bandit algorithm: valid arms, the same in both engines and for the same seed, solves an easy problem."""
    watched = _watched(bandits.loop, "select", lambda memory, arms, *_: arms.counts.size)
    settings: dict[str, Any] = {"budget": budget, "runs": 6, "at": range(1, budget + 1)}
    for bandit in (Bernoulli([0.6, 0.3, 0.3, 0.1]), Gaussian([0.5, 0.1, 0.3], [0.1, 0.5, 0.2])):
        if isinstance(bandit, Gaussian):
            found = _measured(bandits.measure, watched, algorithm, bandit, **settings)
        else:  # many ties; not compiled, since the kind of rewards is nothing that an algorithm sees
            with watched():
                found = bandits.measure(algorithm, bandit, engine="python", **settings)
        arms, size = np.asarray(found.answers), np.size(true_means(bandit))
        assert arms.min() >= 0 and arms.max() < size, f"{algorithm}: recommends {arms.min()} to {arms.max()} of {size}"
    easy = Gaussian([0.0, 1.0, 0.0], [0.05, 0.05, 0.05])
    error = bandits.measure(algorithm, easy, budget=budget, runs=200).error[-1]
    assert error == 0.0, f"{algorithm}: errs in {error:.1%} of runs where the gap is 20 deviations"


def check_search(algorithm: Algorithm, budget: int = 150) -> None:
    """Check a tree search: valid actions, the same in both engines and for the same seed, solves an easy problem."""
    for graph in (False, True):
        settings: dict[str, Any] = {"budget": budget, "horizon": 8, "graph": graph}
        try:
            _measured(planning.measure, nullcontext, algorithm, frozen_lake(), runs=3, at=[50], **settings)
        except ValueError as wrong:  # every edge is checked, in both engines
            raise AssertionError(f"{algorithm}: {wrong}") from wrong
    fork = {"here": {"left": [(1.0, "over", 0.0)], "right": [(1.0, "over", 1.0)]}, "over": {}}
    error = planning.measure(algorithm, tabulate(fork), budget, horizon=1, runs=20).error[-1]
    assert error == 0.0, f"{algorithm}: takes 0 rather than 1 in {error:.0%} of runs"


def check_agent(algorithm: Algorithm, budget: int = 600) -> None:
    """Check a learning agent: valid actions, the same in both engines and for a seed, no value above the best."""
    watched = _watched(learning.loop, "act", lambda memory, task, seen, s, *_: task.widths[s])
    for report in ("own", "model"):
        settings: dict[str, Any] = {"budget": budget, "at": range(200, budget, 200), "report": report}
        top = _measured(learning.measure, watched, algorithm, river_swim(5), runs=2, **settings).values.max()
        assert top <= 1.0 + 1e-9, f"{algorithm}: scores {top}, above the best policy"


def _measured(
    measure: Callable[..., Measured], watched: Watch, algorithm: Algorithm, problem: Any, **settings: Any
) -> Measured:
    """Runs in the Python engine first, checking every choice; a run depends only on the seed and its number."""
    with watched():
        python = measure(algorithm, problem, engine="python", seed=1, **settings)
    for what, change in (("engine", {}), ("number of workers", {"workers": 1}), ("number of runs", {"runs": 1})):
        other = measure(algorithm, problem, engine="compiled", seed=1, **{**settings, **change})
        same = all(np.array_equal(a[: len(b)], b) for a, b in zip(_results(python), _results(other), strict=True))
        assert same, f"{algorithm}: the {what} changes the results: draw from rng alone, by varde.random"
    return python


def _results(measured: Measured) -> list[np.ndarray]:
    return [array for array in (measured.values, measured.answers) if array is not None]


def _watched(loop: Any, name: str, how_many: Callable[..., int]) -> Watch:
    """Check every choice made in the Python engine: compiled code would read and write beyond its arrays."""
    chosen_by = getattr(loop, name)

    def choose(algorithm: Any, *args: Any) -> Any:
        choice, size = chosen_by(algorithm, *args), how_many(*args)
        assert choice == int(choice) and 0 <= choice < size, (
            f"{algorithm}: {name} returned {choice}: return a whole number from 0 to {size - 1}"
        )
        return choice

    choose.find = chosen_by.find  # type: ignore[attr-defined]
    return lambda: mock.patch.object(loop, name, choose)


def _ask_and_tell(budget: int, store: Callable[[], EventLog] | None = None) -> list[Draw]:
    """The draws asked for where b is better by 1, d fails, and results come late and out of order."""
    selector = Selector(list("abcde"), budget, store=store and store())
    drawn: list[Draw] = []
    late: list[Draw] = []
    while not selector.done:
        draws = selector.ask(5)
        drawn += draws
        for draw in [*draws[:0:-1], *late]:
            if draw.name == "d":
                selector.fail(draw, "always")
            else:
                selector.tell(draw, (draw.name == "b") + np.random.default_rng(draw.seed).normal(0.0, 0.05))
        late = draws[:1]
        if store is not None:
            selector.close()
            selector = Selector(list("abcde"), budget, store=store())
    selector.close()
    return drawn


def check_store(open_log: Callable[[str], EventLog], budget: int = 60) -> None:
    """Check a store: lines come back in order, and transactions are atomic and exclusive.

    ``open_log(name)`` opens the log of that name, new or not, as each of several processes would.
    """
    if not callable(open_log):
        raise TypeError(f"open_log is {shown(open_log)}: write a function that takes a name and returns a log")
    first, second = open_log("lines"), open_log("lines")
    what = type(first).__name__
    assert isinstance(first, EventLog), f"{what} is not a subclass of varde.selection.EventLog"
    assert list(first.since(0)) == [], f"{what}: a new log has lines"
    sent = ['["a", null, 0.30000000000000004]', "'quotes', %s and \\u2603 \\\\", " spaces \t"]
    with first:  # every transaction begins by reading what is new
        first.since(0)
        first.append(sent[:1])
        first.append(sent[1:2])
    with second:
        _same_lines(what, second.since(0), sent[:2], "another process sees what was appended")
        second.append(sent[2:])
    _same_lines(what, first.since(1), sent[1:], "since(1) gives all lines but the first")
    _same_lines(what, first.since(1, 1), sent[1:2], "since(1, 1) gives the second line alone")
    _same_lines(what, first.since(3), [], "since(3) gives nothing after three lines")
    try:
        with first:
            first.since(3)
            first.append(["undone"])
            raise _UndoneError
    except _UndoneError:
        pass
    _same_lines(what, second.since(0), sent, "an exception undoes what was appended with it")
    _one_at_a_time(what, first, second)
    first.close()
    second.close()
    again = open_log("lines")
    kept = list(again.since(3))
    assert kept == ["mine", "also mine", "theirs"], f"{what}: two wrote in turn, and the log has {kept}"
    again.close()
    drawn, resumed = _ask_and_tell(budget), _ask_and_tell(budget, lambda: open_log("selection"))
    assert drawn == resumed, f"{what}: closed and opened again, a selection asks for other draws"


class _UndoneError(Exception):
    pass


def _same_lines(what: str, found: Any, sent: list[str], wanted: str) -> None:
    assert list(found) == sent, f"{what}: {wanted}; it gives {list(found)} and not {sent}"


def _one_at_a_time(what: str, first: EventLog, second: EventLog) -> None:
    """While one appends, another waits."""

    def other() -> None:
        with second:
            second.since(3)
            second.append(["theirs"])

    thread = threading.Thread(target=other, daemon=True)
    with first:
        first.since(3)
        first.append(["mine"])
        thread.start()
        thread.join(0.2)
        assert thread.is_alive(), f"{what}: a second process appends while a first one does"
        first.append(["also mine"])
    thread.join(60.0)
    assert not thread.is_alive(), f"{what}: a second process waits for ever after a first one has appended"


def check_world(world: WorldLike, samples: int = 300) -> None:
    """Check a world: steps agree with the table, a step function has no side effects, and planning and learning run."""
    made = as_world(world)
    if isinstance(made, Table):
        _check_table(made, samples)
        return
    _check_steps(made, samples)
    if made.env is not None:  # it is planned from where it is
        made.env.reset(seed=0)
        action = planning.plan(made.env, budget=20, horizon=5).best
        assert made.env.action_space.contains(action), f"planning takes {action!r}, which is no action"
    else:
        start = draw_start(made, np.random.default_rng(0))
        action = planning.plan(made, start, 20, horizon=5).best
        assert action in made.actions(start), f"planning takes {action!r}, the start has {made.actions(start)}"
    key = hashable if is_continuous(getattr(world, "observation_space", None)) else None
    assert learning.learn(world, samples, key=key).states, "learning reached no state"


def _check_table(world: Table, samples: int) -> None:
    """Steps lead where the table says, as often as it says, with the mean rewards it says."""
    model, rng = in_python(world.model), stream(key(0, "check_world"))
    for state in range(len(world.states)):
        for action, name in enumerate(world.legal(state)):
            where = f"state {world.states[state]!r}, action {name!r}"
            drawn = [transition(model, state, action, rng) for _ in range(samples)]
            successors, rewards = np.array([d[0] for d in drawn]), np.array([d[1] for d in drawn])
            lost = successors[(successors < 0) | (successors >= len(world.states))]
            assert not lost.size, f"{where}: came to state {lost[0]}, there are {len(world.states)}"
            pair = model.states.first[state] + action
            error, mean = rewards.std() / np.sqrt(samples), model.pairs.expected[pair]
            assert abs(rewards.mean() - mean) <= 6.0 * error + 1e-9, (
                f"{where}: paid {rewards.mean():.4f} +- {error:.4f} on average, the table says {mean:.4f}"
            )
            if not is_listed(world.model):
                continue
            first = model.pairs.first[pair]
            rows = world.model.outcomes[first : first + model.pairs.outcomes[pair]]
            for successor in {*successors.tolist(), *rows["successor"].tolist()}:
                share = rows["chance"][rows["successor"] == successor].sum()
                seen, error = np.mean(successors == successor), np.sqrt(share * (1.0 - share) / samples)
                assert abs(seen - share) <= 6.0 * error + 1e-12, (
                    f"{where}: came to {world.states[successor]!r} in {seen:.3f} of steps, the table says {share:.3f}"
                )


def _check_steps(world: Function, samples: int) -> None:
    """Steps can be taken from any state visited, change nothing, and draw only from the generator they are given."""
    rng, known = np.random.default_rng(0), Discovered(world.actions, world.key)
    state = first = known.meet(draw_start(world, rng))
    if world.forward is not None:  # an environment, which was verified just now
        return
    assert known.legal[first], f"the start {known.states[first]!r} has no actions: there is nothing to decide"
    for turn in range(samples):
        action = int(rng.integers(len(known.legal[state])))
        where = f"state {known.states[state]!r}, action {known.legal[state][action]!r}"
        try:
            after, _, _ = known.steps(world.step, np.random.default_rng(turn))(state, action)
        except SimulationError as error:
            raise AssertionError(str(error)) from error
        words = "".join(repeated(world, *known.pair(state, action))) or twins(known)
        assert not words, f"{where}: {words}"
        assert known.meet(known.states[state]) == state, f"{where}: the step changed the state it was given"
        names = tuple(world.actions(known.states[state]))
        assert names == known.legal[state], f"{where}: actions are {names} now and were {known.legal[state]}"
        state = after if known.legal[after] and turn % 20 != 19 else first
