"""Contracts that every decision, bandit, world, algorithm and agent keeps: ours in our tests, yours in yours.

>>> import varde, varde.testing
>>> varde.testing.check_decision(varde.LogSumExp(0.1))
>>> varde.testing.check_algorithm(varde.UCBE(2.0))

A broken contract raises AssertionError and says which one, with the numbers.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from .bandits import Bernoulli, Gaussian, identify
from .bandits.problems import pull, true_means
from .decisions import evaluate, gradient
from .environments import frozen_lake, river_swim
from .learning import measure
from .planning import assess
from .random import key, stream
from .selection import Selector
from .worlds.table import Table, step, tabulate

__all__ = [
    "check_agent",
    "check_algorithm",
    "check_bandit",
    "check_decision",
    "check_rule",
    "check_search",
    "check_world",
]


def check_decision(decision: Any) -> None:
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


def _central_difference(decision: Any, values: np.ndarray, i: int, step: float = 1e-6) -> float:
    up, down = values.copy(), values.copy()
    up[i] += step
    down[i] -= step
    return (evaluate(decision, up) - evaluate(decision, down)) / (2.0 * step)


def check_bandit(bandit: Any, pulls: int = 4000) -> None:
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


def _rewards(bandit: Any, arm: int, pulls: int) -> np.ndarray:
    rng = stream(key(0, "check_bandit", arm))
    return np.array([pull(bandit, arm, rng) for _ in range(pulls)])


def check_algorithm(algorithm: Any, budget: int = 120) -> None:
    """Both engines agree bit for bit, results depend on the seed alone, and an easy problem is solved."""
    for bandit in (Bernoulli([0.6, 0.3, 0.3, 0.1]), Gaussian([0.5, 0.1, 0.3], [0.1, 0.5, 0.2])):
        steps, size = range(1, budget + 1), np.size(true_means(bandit))
        asked: dict[str, Any] = {"budget": budget, "runs": 6, "checkpoints": steps, "seed": 1}
        compiled = identify(algorithm, bandit, **asked)
        python = identify(algorithm, bandit, engine="python", **asked)
        assert np.array_equal(compiled.arms, python.arms), f"{algorithm}: the two engines recommend other arms"
        single = identify(algorithm, bandit, threads=1, **asked)
        assert np.array_equal(compiled.arms, single.arms), f"{algorithm}: the number of threads changes the result"
        fewer = identify(algorithm, bandit, **{**asked, "runs": 2})
        assert np.array_equal(compiled.arms[:2], fewer.arms), f"{algorithm}: a run depends on how many there are"
        assert compiled.arms.min() >= 0 and compiled.arms.max() < size, (
            f"{algorithm}: recommends arms {compiled.arms.min()}..{compiled.arms.max()} of {size}"
        )
    easy = Gaussian([0.0, 1.0, 0.0], [0.05, 0.05, 0.05])
    answer = identify(algorithm, easy, budget=budget, runs=200)
    assert answer.error[-1] == 0.0, (
        f"{algorithm}: errs in {answer.error[-1]:.1%} of runs where the gap is 20 deviations"
    )


def check_rule(rule: Any, budget: int = 120, *, unit_free: bool = False) -> None:
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
    rule: Any,
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
    selector = Selector(list("abcde"), budget, rule=rule, goal=goal, store=store)
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
            selector = Selector(list("abcde"), budget, rule=rule, goal=goal, store=store)
    easy = noise <= 0.05
    assert selector.leader == "b" or not easy, f"{rule}: {selector.leader} leads where b is better by 20 deviations"
    assert selector.spent == budget, f"{rule}: {selector.spent} of {budget} spent"
    selector.close()
    return asked


def check_world(world: Table, samples: int = 300) -> None:
    """Steps lead where the table says, as often as it says, and pay what it says on average."""
    model, rng = world.model, stream(key(0, "check_world"))
    for state in range(len(world.states)):
        for action, name in enumerate(world.legal(state)):
            where = f"state {world.states[state]!r}, action {name!r}"
            pair = model.pairs[state] + action
            rows = slice(model.outcomes[pair], model.outcomes[pair + 1])
            drawn = [step(model, state, action, rng) for _ in range(samples)]
            successors, rewards = np.array([d[0] for d in drawn]), np.array([d[1] for d in drawn])
            for successor in {*successors.tolist(), *model.successors[rows].tolist()}:
                share = model.probabilities[rows][model.successors[rows] == successor].sum()
                seen, error = np.mean(successors == successor), np.sqrt(share * (1.0 - share) / samples)
                assert abs(seen - share) <= 6.0 * error + 1e-12, (
                    f"{where}: came to {world.states[successor]!r} in {seen:.3f} of steps, the table says {share:.3f}"
                )
            error = rewards.std() / np.sqrt(samples)
            assert abs(rewards.mean() - model.means[pair]) <= 6.0 * error + 1e-9, (
                f"{where}: paid {rewards.mean():.4f} +- {error:.4f} on average, the table says {model.means[pair]:.4f}"
            )


def check_search(algorithm: Any, trials: int = 150) -> None:
    """For tree search: both engines agree, runs depend on the seed alone, an easy choice is made right."""
    lake = frozen_lake()
    for graph in (False, True):
        asked: dict[str, Any] = {
            "trials": trials,
            "horizon": 8,
            "graph": graph,
            "runs": 3,
            "checkpoints": [50],
            "seed": 1,
        }
        compiled = assess(algorithm, lake, **asked).values
        for change in ({"engine": "python"}, {"threads": 1}):
            same = np.array_equal(compiled, assess(algorithm, lake, **asked, **change).values)
            assert same, f"{algorithm}: {change} changes the value of the recommended policy"
        fewer = assess(algorithm, lake, **{**asked, "runs": 1}).values
        assert np.array_equal(compiled[:1], fewer), f"{algorithm}: a run depends on how many there are"
    fork = {"here": {"left": [(1.0, "over", 0.0)], "right": [(1.0, "over", 1.0)]}, "over": {}}
    value = assess(algorithm, tabulate(fork), trials, horizon=1, runs=20).values[:, -1]
    assert (value == 1.0).all(), f"{algorithm}: takes 0 rather than 1 in {np.mean(value < 1.0):.0%} of runs"


def check_agent(agent: Any, budget: int = 600) -> None:
    """For learning: both engines agree, and a run depends on the seed alone."""
    at = range(200, budget, 200)
    for report in ("own", "model"):
        asked: dict[str, Any] = {"budget": budget, "runs": 2, "at": at, "seed": 1, "report": report}
        compiled = measure(agent, river_swim(5), **asked).values
        for change in ({"engine": "python"}, {"workers": 1}):
            other = measure(agent, river_swim(5), **asked, **change).values
            assert np.array_equal(compiled, other), f"{agent}: {change} changes the {report} report"
        fewer = measure(agent, river_swim(5), **{**asked, "runs": 1}).values
        assert np.array_equal(compiled[:1], fewer), f"{agent}: a run depends on how many there are"
        assert compiled.max() <= 1.0 + 1e-9, f"{agent}: scores {compiled.max()}, above the best policy"
