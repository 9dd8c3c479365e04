"""What the paper states of every path and every vector: random cases of each law, and by how much each is met.

A case returns a margin, negative where the law fails.  ``tests/paper/test_laws.py`` tries the same cases as property
tests; the study of this file counts them for the report.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..decisions import LogSumExp, evaluate, gradient
from ..rule import decrement
from ..studies.study import Cell, Study
from .algorithms import varde_bai, varde_mcts
from .answers import FALSE, HOLDS, UNTESTABLE, Answer, Rows

ROUNDING = 1e-9
CASES = 400
Case = Callable[[np.random.Generator], float]


def one_sample(rng: np.random.Generator) -> float:
    """Lemma 3.5: sigma^2 / N - sigma^2 / (N + 1) = sigma^2 / (N (N + 1))."""
    variance, count = rng.exponential(), int(rng.integers(1, 1000))
    return ROUNDING - abs(decrement(1.0, variance, count) - (variance / count - variance / (count + 1)))


def hessian(x: np.ndarray, tau: float) -> np.ndarray:
    """Of the log-sum-exp: the derivative of its gradient."""
    w = gradient(LogSumExp(tau), x)
    return np.asarray((np.diag(w) - np.outer(w, w)) / tau)


def vectors(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, float]:
    """Two vectors in [0, 1]^K, and a temperature."""
    x, y = rng.uniform(0.0, 1.0, (2, int(rng.integers(2, 9))))
    return x, y, float(10.0 ** rng.uniform(-1.0, 1.0))


def smooth_maximum(rng: np.random.Generator) -> float:
    """Lemma 4.1: max <= LSE <= max + tau ln K."""
    x, _, tau = vectors(rng)
    excess = evaluate(LogSumExp(tau), x) - x.max()
    return min(excess, tau * math.log(len(x)) - excess) + ROUNDING


def curvature(rng: np.random.Generator) -> float:
    """Lemma 4.2: no eigenvalue of the Hessian above 1 / (2 tau)."""
    x, _, tau = vectors(rng)
    return float(1.0 / (2.0 * tau) - np.linalg.norm(hessian(x, tau), 2) + ROUNDING / tau)


def lipschitz(rng: np.random.Generator) -> float:
    """Lemma 4.3: the Hessian moves by no more than 3 K^1.5 / tau^2 times the distance."""
    x, y, tau = vectors(rng)
    moved = np.linalg.norm(hessian(x, tau) - hessian(y, tau), 2)
    return float(3.0 * len(x) ** 1.5 / tau**2 * np.linalg.norm(x - y) - moved + ROUNDING)


def weights(rng: np.random.Generator) -> float:
    """Lemma 4.4: on [0, 1]^K no weight below exp(-1 / tau) / K."""
    x, _, tau = vectors(rng)
    return float(gradient(LogSumExp(tau), x).min() - math.exp(-1.0 / tau) / len(x) + ROUNDING)


def best_shares(rng: np.random.Generator) -> float:
    """Appendix A.7: C* <= C of equal shares."""
    w, sigma = rng.dirichlet(np.ones(6)), rng.exponential(size=6)
    return float(6.0 * (w**2 @ sigma**2) - (w @ sigma) ** 2 + ROUNDING)


def fewest_pulls(tau: float, floor: float, arms: int, pulls: int, horizon: float = 1.0) -> float:
    """The bound of Lemma B.2; with a horizon above 1 that of Lemma C.1, mended."""
    return 2.0 * math.exp(-horizon / tau) * math.sqrt(floor) / horizon * (pulls / arms - 0.5) - 0.5


def pulls(rng: np.random.Generator) -> float:
    """Lemma B.2 on a path, at temperatures at which its bound says something."""
    tau, floor, budget = float(rng.uniform(0.5, 1.0)), float(rng.uniform(0.1, 0.3)), 300
    _, pulled = varde_bai(lambda i: float(rng.random() < 0.2 + 0.3 * i), 3, tau, 1, floor, budget)
    return float(np.bincount(pulled, minlength=3).min() - fewest_pulls(tau, floor, 3, budget))


def counter_example(horizon: int = 8, trials: int = 500) -> tuple[int, float, float]:
    """Visits of the worse of two actions whose values are the horizon and 0, Lemma C.1's bound, and the mended one."""
    tau, floor = 1.0, 0.25

    def actions(state: Any) -> list[int]:
        return [0, 1] if state[0] == 0 else [0]

    def step(state: Any, action: int) -> tuple[float, Any]:
        reward = state[1] * (1 - action)
        return reward, (state[0] + 1, reward)

    _, _, visits = varde_mcts(
        (0, 1.0),
        actions,
        step,
        T=trials,
        H=horizon,
        gamma=1.0,
        tau=tau,
        floor=floor,
        counted=True,
    )
    printed, mended = (fewest_pulls(tau, floor, 2, trials, steps) for steps in (1.0, horizon))
    return visits[(0, 1.0), 1], printed, mended


def policy_loss(rng: np.random.Generator) -> float:
    """Lemma 4.12: max |V^pi - V*| <= 2 max |Q - Q*| / (1 - gamma) of the greedy policy."""
    gamma = float(rng.uniform(0.2, 0.95))
    chances, rewards = rng.dirichlet(np.full(5, 0.5), (5, 3)), rng.uniform(0.0, 1.0, (5, 3))
    best = np.zeros((5, 3))
    for _ in range(int(40.0 / (1.0 - gamma))):
        best = rewards + gamma * chances @ best.max(axis=1)
    guess = best + rng.uniform(-1.0, 1.0, (5, 3)) * rng.exponential()
    pick = np.arange(5), guess.argmax(axis=1)
    own = np.linalg.solve(np.eye(5) - gamma * chances[pick], rewards[pick])
    loss = np.abs(own - best.max(axis=1)).max()
    return float(2.0 * np.abs(guess - best).max() / (1.0 - gamma) - loss + 1e-8)


def simple_regret(rng: np.random.Generator) -> float:
    """Corollary 4.6: the simple regret is at most the largest gap times the error."""
    means, answers = rng.uniform(size=5), rng.integers(0, 5, 200)
    gaps = means.max() - means
    return float(gaps.max() * (answers != means.argmax()).mean() - gaps[answers].mean() + ROUNDING)


LAWS: dict[str, Case] = {
    "Lemma 3.5": one_sample,
    "Appendix A.7": best_shares,
    "Lemma 4.1": smooth_maximum,
    "Lemma 4.2": curvature,
    "Lemma 4.3": lipschitz,
    "Lemma 4.4": weights,
    "Lemma B.2": pulls,
    "Corollary 4.6": simple_regret,
    "Lemma 4.12": policy_loss,
}


def margins(law: Case, key: np.ndarray, first: int, runs: int) -> np.ndarray:
    """[runs, 1] 1 where a case breaks the law."""
    seed = [int(part) for part in key]
    cases = [law(np.random.default_rng([*seed, first + i])) for i in range(runs)]
    return np.array(cases)[:, None] < 0.0


def study() -> Study:
    return Study(
        "laws",
        "The lemmas that hold on every path: cases that break them (%)",
        [Cell("random cases", name, law.__name__, (1,), partial(margins, law)) for name, law in LAWS.items()],
        CASES,
        block=100,
        percent=True,
        notes=("random vectors, models and paths; the same cases are property tests of the package",),
        place="Lemmas of Sections 3 and 4 and of the appendix",
        quick=100,
    )


def holds(name: str, more: str, rows: Rows) -> Answer:
    row = next(row for row in rows if row.algorithm == name)
    broken = round(row.value / 100.0 * row.runs)
    told = f"property test, {row.runs:,} cases" + (f"; {more}" if more else "")
    return Answer(FALSE, f"{broken} of {row.runs:,} cases break it") if broken else Answer(HOLDS, told)


def tree_pulls(rows: Rows) -> Answer:
    """Lemma C.1, printed for every horizon: its counter-example, run anew."""
    visits, printed, mended = counter_example()
    if visits >= printed:
        return Answer(HOLDS, f"{visits} visits, the bound is {printed:.0f}")
    return Answer(
        FALSE,
        f"counter-example with eight steps and values of 8 and 0: the worse action is taken {visits} of 500 times, the "
        f"bound is {printed:.0f}; with exp(-H/tau) sigma/H in it the bound is {mended:.1f}, and "
        "N(s,a) >= alpha N(s) stands",
    )


def not_testable(rows: Rows) -> Answer:
    return Answer(UNTESTABLE, "the term is of order 1/t^2, and so is the remainder O(1/t^2)")


def order_optimal(rows: Rows) -> Answer:
    return Answer(UNTESTABLE, "no run tells an order from its constants, which here hide exp(1/tau)")
