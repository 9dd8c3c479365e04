"""Results that break an assumption of ``judge`` and ``Selector``, each with the kind of note that names it.

`python -m tests.attack.spoiled --cases 100` counts, with a fresh seed: stated 95 % or more, wrong, and named.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import varde

Case = tuple[Any, str]  # the answer, and the name of the truly best


def drifting_blocks(rng: np.random.Generator) -> Case:
    """One option after the other, or nearly, while everything gets better."""
    n, drift, lead = int(rng.integers(20, 75)), rng.uniform(0.8, 2.4), rng.uniform(0.15, 0.55)
    clock, shared = np.arange(2 * n), int(rng.integers(0, n // 5))
    options = np.repeat(["a", "b"], n)
    options[n - shared : n + shared] = np.repeat(["b", "a"], shared)
    noise = rng.normal(size=2 * n) + drift * clock / (2 * n) + np.where(options == "a", lead, 0.0)
    columns = {"option": options.tolist(), "value": noise.tolist(), "minute": clock.tolist()}
    return varde.judge(columns, option="option", value="value", time="minute"), "a"


def cases_in_turn(rng: np.random.Generator) -> Case:
    """The same cases over and over, given as if they were new; some have a hopeless option beside them."""
    cases, rounds = int(rng.choice([8, 11, 50])), int(rng.integers(4, 13))
    data = {"hopeless": rng.normal(-500.0, 3.0, 6)} if rng.random() < 0.5 else {}
    data |= {
        name: np.tile(mean + rng.normal(size=cases), rounds) + 0.3 * rng.normal(size=cases * rounds)
        for name, mean in (("a", 0.2), ("b", 0.0))
    }
    return varde.judge(data), "a"


def capped(rng: np.random.Generator) -> Case:
    """Slow calls of b are written down as the limit."""
    n, limit = int(rng.integers(60, 200)), rng.uniform(2.0, 4.5)
    seen = float(np.minimum(np.exp(np.random.default_rng(0).normal(size=20_000)), limit).mean())
    costs = {"a": rng.normal((seen + 1.65) / 2.0, 0.1, n), "b": np.minimum(rng.lognormal(0.0, 1.0, n), limit)}
    return varde.judge(costs, goal="min"), "a"


def sorted_file(rng: np.random.Generator) -> Case:
    n, lead = int(rng.integers(25, 90)), rng.uniform(0.9, 1.9)
    return varde.judge({"a": np.sort(rng.normal(lead, 1.0, n)), "b": np.sort(rng.normal(size=n))}), "a"


def timeouts(rng: np.random.Generator) -> Case:
    """Costs of b are long-tailed, and its slow calls time out; a times out as often, at random."""
    share = rng.uniform(0.09, 0.22)
    cut = float(np.quantile(np.exp(np.random.default_rng(0).normal(size=20_000)), 1.0 - share))
    selector = varde.Selector(["a", "b"], int(rng.integers(90, 190)), goal="min", seed=int(rng.integers(1 << 30)))
    while (draw := selector.ask()) is not None:
        cost = rng.lognormal(0.0, 1.0) if draw.name == "b" else 1.25 + 0.1 * rng.normal()
        hidden = cost > cut if draw.name == "b" else rng.random() < share
        selector.fail(draw, "timed out") if hidden else selector.tell(draw, cost)
    return selector.recommend(), "a"


def slow_results(rng: np.random.Generator) -> Case:
    """Good results of a take long, and are still out."""
    workers, told = int(rng.integers(22, 55)), int(rng.integers(45, 95))
    selector = varde.Selector(["a", "b", "c"], 10 * told, seed=int(rng.integers(1 << 30)))
    out: list[tuple[float, int, Any, float]] = []
    clock, done, number = 0.0, 0, 0
    while done < told:
        while len(out) < workers and (draw := selector.ask()) is not None:
            value = {"a": 0.3, "b": 0.0, "c": -0.1}[draw.name] + rng.normal()
            number += 1
            out.append((clock + (np.exp(1.4 * value) if draw.name == "a" else 1.0), number, draw, value))
        out.sort(key=lambda call: call[:2])
        clock, _, draw, value = out.pop(0)
        selector.tell(draw, value)
        done += 1
    return selector.recommend(), "a"


def heavy_tail(rng: np.random.Generator) -> Case:
    n, index = int(rng.integers(60, 320)), rng.uniform(1.1, 1.65)
    mean = index / (index - 1.0)
    costs = {"a": rng.normal(0.9 * mean, 0.05 * mean, n), "b": rng.pareto(index, n) + 1.0}
    return varde.judge(costs, goal="min"), "a"


def chained(rng: np.random.Generator) -> Case:
    rho, names = rng.uniform(0.45, 0.95), list("abcd")
    means, state = rng.normal(0.0, 0.15, 4), rng.normal(size=4)
    selector = varde.Selector(names, int(rng.integers(45, 210)), seed=int(rng.integers(1 << 30)))
    while (draw := selector.ask()) is not None:
        i = names.index(draw.name)
        state[i] = rho * state[i] + np.sqrt(1.0 - rho * rho) * rng.normal()
        selector.tell(draw, means[i] + state[i])
    return selector.recommend(), names[int(means.argmax())]


def warm_up(rng: np.random.Generator) -> Case:
    """The best option begins badly."""
    size, length = rng.uniform(2.0, 7.0), rng.uniform(2.0, 5.0)
    selector, calls = varde.Selector(["a", "b", "c"], 90, seed=int(rng.integers(1 << 30))), 0
    while (draw := selector.ask()) is not None:
        value = {"a": -1.0, "b": -1.13, "c": -1.26}[draw.name] + 0.06 * rng.normal()
        if draw.name == "a":
            calls += 1
            value -= size * np.exp(-calls / length)
        selector.tell(draw, value)
    return selector.recommend(), "a"


KINDS: dict[str, tuple[Callable[[np.random.Generator], Case], set[str]]] = {
    "timeouts": (timeouts, {"failures"}),
    "blocks": (drifting_blocks, {"blocks"}),
    "cycle": (cases_in_turn, {"cycle"}),
    "slow": (slow_results, {"pending"}),
    "sorted": (sorted_file, {"sorted"}),
    "chained": (chained, {"correlated", "trend", "cycle"}),
    "tail": (heavy_tail, {"tail"}),
    "warm-up": (warm_up, {"trend"}),
    "capped": (capped, set()),
}
ASSUMED = {"chained": "independent", "warm-up": "independent", "capped": "cut"}  # stated where data cannot show it


def tally(kind: str, cases: int, seed: int) -> dict[str, float]:
    """How often the cause is named; of statements of 95 % or more how many are wrong, and of those named or assumed."""
    make, causes = KINDS[kind]
    found = dict.fromkeys(("named", "bold", "wrong", "silent"), 0)
    for number in range(cases):
        answer, truth = make(np.random.default_rng([seed, number]))
        kinds = {note.code for note in answer.notes}
        named = bool(causes & {note.code for note in answer.notes if note.severity == "warning"})
        wrong = answer.p_right >= 0.95 and answer.best_name != truth
        found["named"] += named
        found["bold"] += answer.p_right >= 0.95
        found["wrong"] += wrong
        found["silent"] += wrong and not (named or ASSUMED.get(kind) in kinds)
    return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--cases", type=int, default=100)
    given = parser.parse_args()
    print(f"seed {given.seed}, {given.cases} cases of each kind", flush=True)
    for kind in KINDS:
        print(kind, tally(kind, given.cases, given.seed), flush=True)


if __name__ == "__main__":
    main()
