"""Worlds in which options resemble each other, and worlds in which their features say nothing.

``make(kind, seed)`` gives a world with fresh truth, where that is random, and fresh noise.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

Draw = Callable[[int, np.random.Generator], float]


class World(NamedTuple):
    options: list[Any]  # with parameters, or indices if there is an embedding
    truth: np.ndarray  # [K] the true means; larger is better
    draw: Draw
    features: np.ndarray | None = None


def smooth(points: np.ndarray, length: float, rng: np.random.Generator) -> np.ndarray:
    """A sample of a Gaussian process (squared exponential), with deviation 1 over the points."""
    apart = ((points[:, None] - points[None]) ** 2).sum(-1)
    covariance = np.exp(-0.5 * apart / length**2) + 1e-8 * np.eye(len(points))
    found = np.linalg.cholesky(covariance) @ rng.standard_normal(len(points))
    return found / found.std()


def grid(*sizes: int) -> np.ndarray:
    axes = np.meshgrid(*(np.linspace(0.0, 1.0, n) for n in sizes), indexing="ij")
    return np.stack([axis.ravel() for axis in axes], 1)


def named(points: np.ndarray) -> list[dict[str, float]]:
    return [{"abcdefgh"[k]: float(x) for k, x in enumerate(point)} for point in points]


def gaussian(truth: np.ndarray, sd: float | np.ndarray) -> Draw:
    noise = np.broadcast_to(sd, truth.shape)
    return lambda i, rng: float(truth[i] + noise[i] * rng.standard_normal())


def process(points: np.ndarray, length: float, sd: float = 1.0) -> Callable[[np.random.Generator], World]:
    def make(rng: np.random.Generator) -> World:
        truth = smooth(points, length, rng)
        return World(named(points), truth, gaussian(truth, sd))

    return make


def scattered(rng: np.random.Generator) -> World:
    points = rng.random((300, 4))
    truth = smooth(points, 0.6, rng)
    return World(named(points), truth, gaussian(truth, 0.7))


def inventory(rng: np.random.Generator) -> World:
    """Stock is filled up to S when it falls below s; the demand of 30 periods is Poisson."""
    designs, truth = stock_truth()
    return World([{"s": s, "S": S} for s, S in designs], truth, lambda i, rng: -stock_costs(*designs[i], rng))


@functools.cache
def stock_truth() -> tuple[list[tuple[int, int]], np.ndarray]:
    designs = [(s, S) for s in range(0, 60, 5) for S in range(10, 111, 10) if s < S][:107]
    rng = np.random.default_rng(1)
    return designs, np.array([-np.mean([stock_costs(s, S, rng) for _ in range(1000)]) for s, S in designs])


def stock_costs(s: int, S: int, rng: np.random.Generator, periods: int = 30) -> float:
    stock, total = S, 0.0
    for demand in rng.poisson(25, periods).tolist():
        if stock < s:
            total += 32.0 + 3.0 * (S - stock)
            stock = S
        stock -= demand
        total += stock if stock > 0 else -5.0 * stock
    return total / periods


def additive(rng: np.random.Generator) -> World:
    effects = rng.standard_normal((3, 5))
    options = [{"a": f"a{i}", "b": f"b{j}", "c": bool(k)} for i in range(5) for j in range(6) for k in range(2)]
    truth = np.array(
        [
            effects[0, i] + effects[1, j % 5] * (1 + j // 5) + effects[2, k]
            for i in range(5)
            for j in range(6)
            for k in range(2)
        ]
    )
    truth = truth / truth.std()
    return World(options, truth, gaussian(truth, 0.8))


def doses(rng: np.random.Generator) -> World:
    dose = np.geomspace(0.1, 100.0, 20)
    middle, width = rng.uniform(-0.5, 1.5), rng.uniform(0.6, 1.2)
    truth = np.exp(-0.5 * ((np.log10(dose) - middle) / width) ** 2)
    truth = truth / truth.std()
    return World([{"dose": float(x)} for x in dose], truth, gaussian(truth, 1.0))


def cliff(rng: np.random.Generator) -> World:
    points = grid(12, 12)
    truth = smooth(points, 0.4, rng)
    truth = truth - 2.0 * (points @ rng.random(2) > rng.uniform(0.5, 0.8)) * (truth > 0.0)
    return World(named(points), truth, gaussian(truth / truth.std(), 0.7))._replace(truth=truth / truth.std())


def successes(rng: np.random.Generator) -> World:
    points = grid(10, 10)
    truth = 1.0 / (1.0 + np.exp(2.0 - smooth(points, 0.3, rng)))
    return World(named(points), truth, lambda i, rng: float(rng.random() < truth[i]))


def unequal(rng: np.random.Generator) -> World:
    points = grid(10, 10)
    truth = smooth(points, 0.3, rng)
    return World(named(points), truth, gaussian(truth, np.exp(0.7 * smooth(points, 0.4, rng) - 0.5)))


def skewed(rng: np.random.Generator) -> World:
    points = grid(10, 10)
    truth = smooth(points, 0.3, rng)
    return World(named(points), truth, lambda i, rng: float(truth[i] + 1.0 - rng.lognormal(-0.5, 1.0)))


def half_own(rng: np.random.Generator) -> World:
    points = grid(10, 10)
    truth = (smooth(points, 0.3, rng) + rng.standard_normal(100)) / np.sqrt(2.0)
    return World(named(points), truth, gaussian(truth, 1.0))


def embedded(rng: np.random.Generator) -> World:
    inner = rng.standard_normal((200, 3))
    vectors = np.tanh(inner @ rng.standard_normal((3, 64)) / 2.0) + 0.05 * rng.standard_normal((200, 64))
    truth = smooth(inner / 3.0, 0.5, rng)
    return World(list(range(200)), truth, gaussian(truth, 0.7), vectors)


def branin(rng: np.random.Generator) -> World:
    points = grid(15, 15)
    x, y = points[:, 0] * 15 - 5, points[:, 1] * 15
    inner = y - 5.1 / (4 * np.pi**2) * x * x + 5 / np.pi * x - 6
    truth = -(inner * inner + 10 * (1 - 1 / (8 * np.pi)) * np.cos(x) + 10)
    truth = truth / truth.std()
    return World(named(points), truth, gaussian(truth, 0.5))


def hartmann(rng: np.random.Generator) -> World:
    points = grid(7, 7, 7)
    a = np.array([[3, 10, 30], [0.1, 10, 35], [3, 10, 30], [0.1, 10, 35]])
    p = np.array([[3689, 1170, 2673], [4699, 4387, 7470], [1091, 8732, 5547], [381, 5743, 8828]]) / 1e4
    inner = (a[None] * (points[:, None] - p[None]) ** 2).sum(-1)
    truth = np.exp(-inner) @ np.array([1.0, 1.2, 3.0, 3.2])
    truth = truth / truth.std()
    return World(named(points), truth, gaussian(truth, 0.5))


def useless(size: int, parameters: int) -> Callable[[np.random.Generator], World]:
    def make(rng: np.random.Generator) -> World:
        truth = rng.standard_normal(size)
        return World(named(rng.random((size, parameters))), truth, gaussian(truth, 1.0))

    return make


def rough(side: int) -> Callable[[np.random.Generator], World]:
    def make(rng: np.random.Generator) -> World:
        truth = rng.standard_normal(side * side)
        return World(named(grid(side, side)), truth, gaussian(truth, 1.0))

    return make


def categories(rng: np.random.Generator) -> World:
    truth = rng.standard_normal(30)
    options = [{"a": f"a{i}", "b": f"b{j}"} for i in range(5) for j in range(6)]
    return World(options, truth, gaussian(truth, 1.0))


def spike(rng: np.random.Generator) -> World:
    truth = 0.1 * rng.standard_normal(100)
    truth[rng.integers(100)] = 3.0
    return World(named(grid(10, 10)), truth, gaussian(truth, 1.0))


def smooth_with_spike(rng: np.random.Generator) -> World:
    points = grid(10, 10)
    truth = smooth(points, 0.3, rng)
    truth[rng.integers(100)] = truth.max() + 1.5
    return World(named(points), truth, gaussian(truth, 1.0))


# By name: how a world is made, its budget, and whether its features say something.
WORLDS: dict[str, tuple[Callable[[np.random.Generator], World], int, bool]] = {
    "Gaussian process, 2-d": (process(grid(10, 10), 0.3), 100, True),
    "the same, short lengths": (process(grid(12, 12), 0.12), 144, True),
    "Gaussian process, 4-d": (scattered, 90, True),
    "(s, S) inventory": (inventory, 60, True),
    "categories, additive": (additive, 60, True),
    "doses": (doses, 60, True),
    "cliff": (cliff, 144, True),
    "0/1 results": (successes, 300, True),
    "unequal noise": (unequal, 100, True),
    "skewed noise": (skewed, 200, True),
    "half of it own": (half_own, 300, True),
    "embedding, 64-d": (embedded, 100, True),
    "Branin": (branin, 68, True),
    "Hartmann": (hartmann, 103, True),
    "smooth with a spike": (smooth_with_spike, 300, True),
    "useless features": (useless(60, 5), 180, False),
    "useless, large budget": (useless(60, 5), 600, False),
    "useless, small budget": (useless(100, 3), 100, False),
    "rough 5 x 5": (rough(5), 75, False),
    "rough 5 x 5, large budget": (rough(5), 250, False),
    "rough 10 x 10": (rough(10), 300, False),
    "categories, no structure": (categories, 90, False),
    "flat with a spike": (spike, 300, False),
}


def make(kind: str, seed: int) -> tuple[World, int]:
    """A world and its budget."""
    maker, budget, _ = WORLDS[kind]
    return maker(np.random.default_rng([seed, len(kind)])), budget
