"""Contracts that every decision, bandit and algorithm keeps: ours in our tests, yours in yours.

>>> import varde, varde.testing
>>> varde.testing.check_decision(varde.LogSumExp(0.1))
>>> varde.testing.check_algorithm(varde.UCBE(2.0))

A broken contract raises AssertionError and says which one, with the numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .bandits import Bernoulli, Gaussian, identify
from .bandits.problems import pull, true_means
from .decisions import evaluate, gradient
from .random import key, stream

__all__ = ["check_algorithm", "check_bandit", "check_decision"]


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
