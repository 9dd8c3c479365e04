"""Contracts that every decision, bandit, world, algorithm and agent keeps: ours in our tests, yours in yours.

>>> import varde, varde.testing
>>> varde.testing.check_decision(varde.LogSumExp(0.1))
>>> varde.testing.check_algorithm(varde.UCBE(2.0))

A broken contract raises AssertionError and says which one, with the numbers.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

from .bandits import Bernoulli, Gaussian
from .bandits import loop as bandit_loop
from .bandits import measure as measure_bandit
from .bandits.problems import pull, true_means
from .decisions import evaluate, gradient
from .environments import frozen_lake, river_swim
from .learning import learn, measure
from .learning import loop as learning_loop
from .planning import loop as tree_loop
from .planning import measure as measure_search
from .planning import plan
from .planning.tree import WIDTH
from .protocols import Algorithm, Bandit, Decision
from .random import key, stream
from .selection import Selector
from .worlds.met import Atlas, SimulationError
from .worlds.table import MDP, Table, expected_reward, step, tabulate
from .worlds.world import Function, WorldLike, as_world, draw_start

__all__ = [
    "check_agent",
    "check_algorithm",
    "check_bandit",
    "check_decision",
    "check_rule",
    "check_search",
    "check_world",
]


def check_decision(decision: Decision) -> None:
    """The weights are the gradient of the value, and both stay finite at any scale.

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


def _central_difference(decision: Decision, values: np.ndarray, i: int, step: float = 1e-6) -> float:
    up, down = values.copy(), values.copy()
    up[i] += step
    down[i] -= step
    return (evaluate(decision, up) - evaluate(decision, down)) / (2.0 * step)


def check_bandit(bandit: Bandit, pulls: int = 4000) -> None:
    """Rewards are finite, average to ``true_means``, and depend on the stream alone."""
    means = np.asarray(true_means(bandit), dtype=float)
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
    """For bandits: arms that exist, the same answers in both engines and for the same seed, an easy problem solved."""
    for bandit in (Bernoulli([0.6, 0.3, 0.3, 0.1]), Gaussian([0.5, 0.1, 0.3], [0.1, 0.5, 0.2])):
        asked: dict[str, Any] = {"budget": budget, "runs": 6, "at": range(1, budget + 1), "seed": 1}

        def answers(asked: dict[str, Any], engine: str = "compiled", bandit: Any = bandit) -> np.ndarray:
            return np.asarray(measure_bandit(algorithm, bandit, engine=engine, **asked).answers)

        with _watched(bandit_loop, "select", lambda memory, arms, *_: arms.counts.size):
            arms = answers(asked, "python")
        size = np.size(true_means(bandit))
        assert arms.min() >= 0 and arms.max() < size, f"{algorithm}: recommends {arms.min()} to {arms.max()} of {size}"
        _check_runs(algorithm, arms, answers, asked, "workers")
    easy = Gaussian([0.0, 1.0, 0.0], [0.05, 0.05, 0.05])
    answer = measure_bandit(algorithm, easy, budget=budget, runs=200)
    assert answer.error[-1] == 0.0, (
        f"{algorithm}: errs in {answer.error[-1]:.1%} of runs where the gap is 20 deviations"
    )


@contextmanager
def _watched(loop: Any, name: str, how_many: Callable[..., int]) -> Iterator[None]:
    """Look at every choice made in the Python engine: machine code would read and write beyond its arrays."""
    chosen_by = getattr(loop, name)

    def choose(algorithm: Any, *args: Any) -> Any:
        choice, size = chosen_by(algorithm, *args), how_many(*args)
        assert choice == int(choice) and 0 <= choice < size, (
            f"{algorithm}: {name} returned {choice}: return a whole number from 0 to {size - 1}"
        )
        return choice

    choose.find = chosen_by.find  # type: ignore[attr-defined]
    with mock.patch.object(loop, name, choose):
        yield


def _check_runs(
    algorithm: Any,
    python: np.ndarray,
    results: Callable[[dict[str, Any]], np.ndarray],
    asked: dict[str, Any],
    workers: str = "workers",
) -> None:
    """Several runs have given ``python`` in that engine; a run depends on the seed and its number, on nothing else."""
    compiled = results(asked)
    assert np.array_equal(compiled, python), f"{algorithm}: the two engines give other results"
    single, fewer = results({**asked, workers: 1}), results({**asked, "runs": 1})
    assert np.array_equal(compiled, single), f"{algorithm}: the number of {workers} changes the result"
    assert np.array_equal(compiled[:1], fewer), f"{algorithm}: a run depends on how many there are"


def check_rule(rule: Algorithm, budget: int = 120, *, unit_free: bool = False) -> None:
    """For ask and tell: results late, failing and resumed; nothing compiled; an easy choice made right.

    ``unit_free`` asks for the same choices from results times 1000, plus a million, and turned over.
    """
    compiled = "numba" in sys.modules
    asked = _ask_and_tell(rule, budget, 5)
    assert asked == _ask_and_tell(rule, budget, 5), f"{rule}: the same seed asks for other draws"
    names = [draw.name for draw in asked]
    assert set(names[:5]) == set("abcde"), f"{rule}: begins with {names[:5]} and not with each option once"
    with tempfile.TemporaryDirectory() as folder:
        resumed = _ask_and_tell(rule, budget, 5, store=Path(folder) / "check.db")
    assert asked == resumed, f"{rule}: closed and opened again it asks for other draws"
    if unit_free:
        asked = _ask_and_tell(rule, budget, 5, noise=1.0)
        for goal, scale, shift in (("max", 1000.0, 0.0), ("max", 1.0, 1e6), ("min", -1.0, 0.0)):
            other = _ask_and_tell(rule, budget, 5, goal=goal, scale=scale, shift=shift, noise=1.0)
            assert asked == other, f"{rule}: results times {scale} plus {shift}, goal {goal}, change the choices"
    assert compiled or "numba" not in sys.modules, f"{rule}: a verb imports numba"


def _ask_and_tell(
    rule: Algorithm,
    budget: int,
    batch: int,
    *,
    store: Any = None,
    goal: str = "max",
    scale: float = 1.0,
    shift: float = 0.0,
    noise: float = 0.05,
) -> list[Any]:
    """The draws asked for where b is better by 1, d fails, and results come late and out of order."""
    selector = Selector(list("abcde"), budget, algorithm=rule, goal=goal, store=store)
    asked: list[Any] = []
    late: list[Any] = []
    while not selector.done:
        failing = set(selector.failing)
        draws = selector.ask(batch)
        assert not failing & {draw.name for draw in draws}, f"{rule}: asks for {failing}, which fails"
        asked += draws
        for draw in [*draws[:0:-1], *late]:
            if draw.name == "d":
                selector.fail(draw, "always")
            else:
                result = (draw.name == "b") + np.random.default_rng(draw.seed).normal(0.0, noise)
                selector.tell(draw, shift + scale * result)
        late = draws[:1]
        if store is not None:
            selector.close()
            selector = Selector(list("abcde"), budget, algorithm=rule, goal=goal, store=store)
    easy = noise <= 0.05
    assert selector.leader == "b" or not easy, f"{rule}: {selector.leader} leads where b is better by 20 deviations"
    assert selector.spent == budget, f"{rule}: {selector.spent} of {budget} spent"
    selector.close()
    return asked


def check_world(world: WorldLike, samples: int = 300) -> None:
    """A table keeps its word, a step function its manners, and ``varde.plan`` and ``varde.learn`` take it."""
    made = as_world(world)
    if isinstance(made, Table):
        _check_table(made, samples)
        return
    _check_steps(made, samples)
    start = draw_start(made, np.random.default_rng(0))
    action = plan(made, start, 20, horizon=5).action
    assert action in made.actions(start), f"planning takes {action!r}, the start has {made.actions(start)}"
    assert learn(world, samples).states, "learning came to no state"


def _check_table(world: Table, samples: int) -> None:
    """Steps lead where the table says, as often as it says, and pay what it says on average."""
    model, rng = world.model, stream(key(0, "check_world"))
    for state in range(len(world.states)):
        for action, name in enumerate(world.legal(state)):
            where = f"state {world.states[state]!r}, action {name!r}"
            drawn = [step(model, state, action, rng) for _ in range(samples)]
            successors, rewards = np.array([d[0] for d in drawn]), np.array([d[1] for d in drawn])
            lost = successors[(successors < 0) | (successors >= len(world.states))]
            assert not lost.size, f"{where}: came to state {lost[0]}, there are {len(world.states)}"
            error, mean = rewards.std() / np.sqrt(samples), expected_reward(model, state, action)
            assert abs(rewards.mean() - mean) <= 6.0 * error + 1e-9, (
                f"{where}: paid {rewards.mean():.4f} +- {error:.4f} on average, the table says {mean:.4f}"
            )
            if not isinstance(model, MDP):
                continue
            pair = model.pairs[state] + action
            rows = slice(model.outcomes[pair], model.outcomes[pair + 1])
            for successor in {*successors.tolist(), *model.successors[rows].tolist()}:
                share = model.probabilities[rows][model.successors[rows] == successor].sum()
                seen, error = np.mean(successors == successor), np.sqrt(share * (1.0 - share) / samples)
                assert abs(seen - share) <= 6.0 * error + 1e-12, (
                    f"{where}: came to {world.states[successor]!r} in {seen:.3f} of steps, the table says {share:.3f}"
                )


def _check_steps(world: Function, samples: int) -> None:
    """Steps can be taken from any state met, change nothing, and draw from the generator they are given alone."""
    rng, atlas = np.random.default_rng(0), Atlas(world.actions, world.key)
    state = first = atlas.meet(draw_start(world, rng))
    assert atlas.legal[first], f"the start {atlas.states[first]!r} has no actions: there is nothing to decide"
    for turn in range(samples):
        action = int(rng.integers(len(atlas.legal[state])))
        where = f"state {atlas.states[state]!r}, action {atlas.legal[state][action]!r}"
        with _failing_in_words():
            once, again = (atlas.steps(world.step, np.random.default_rng(turn))(state, action) for _ in range(2))
        assert once == again, f"{where}: the same generator gave other transitions: draw from rng alone"
        assert atlas.meet(atlas.states[state]) == state, f"{where}: the step changed the state it was given"
        names = tuple(world.actions(atlas.states[state]))
        assert names == atlas.legal[state], f"{where}: actions are {names} now and were {atlas.legal[state]}"
        state = once[0] if atlas.legal[once[0]] and turn % 20 != 19 else first


@contextmanager
def _failing_in_words() -> Iterator[None]:
    try:
        yield
    except SimulationError as error:
        raise AssertionError(str(error)) from error


def check_search(algorithm: Algorithm, budget: int = 150) -> None:
    """For tree search: actions that exist, the same in both engines and for one seed, an easy choice made right."""
    lake = frozen_lake()
    for graph in (False, True):
        asked: dict[str, Any] = {"budget": budget, "horizon": 8, "graph": graph, "runs": 3, "seed": 1}
        asked["at"] = [50]
        with _watched(tree_loop, "select", lambda memory, problem, tree, lane, node, *_: tree.node[node, WIDTH]):
            python = measure_search(algorithm, lake, engine="python", **asked).values
        _check_runs(algorithm, python, lambda asked: measure_search(algorithm, lake, **asked).values, asked)
    fork = {"here": {"left": [(1.0, "over", 0.0)], "right": [(1.0, "over", 1.0)]}, "over": {}}
    value = measure_search(algorithm, tabulate(fork), budget, horizon=1, runs=20).values[:, -1]
    assert (value == 1.0).all(), f"{algorithm}: takes 0 rather than 1 in {np.mean(value < 1.0):.0%} of runs"


def check_agent(algorithm: Algorithm, budget: int = 600) -> None:
    """For learning: actions that exist, the same in both engines and for the same seed, nothing above the best."""
    river = river_swim(5)
    for report in ("own", "model"):
        asked: dict[str, Any] = {
            "budget": budget,
            "runs": 2,
            "at": range(200, budget, 200),
            "seed": 1,
            "report": report,
        }
        with _watched(learning_loop, "act", lambda memory, task, seen, s, *_: task.widths[s]):
            python = measure(algorithm, river, engine="python", **asked).values
        _check_runs(algorithm, python, lambda asked: measure(algorithm, river, **asked).values, asked)
        assert python.max() <= 1.0 + 1e-9, f"{algorithm}: scores {python.max()}, above the best policy"
