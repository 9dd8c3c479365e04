"""Does ``seconds=`` end in time?  Wall clock, the search alone: ``python benchmarks/planning_seconds.py``."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np

from varde import Planner
from varde.environments import sailing, taxi
from varde.planning import UCT, Growth
from varde.worlds.function import Function

SECONDS = (0.05, 0.2, 1.0)
REPEATS = 5


def step(state: int, action: int, rng: np.random.Generator) -> tuple[int, float]:
    return (5 * state + 7 * action + int(rng.integers(3))) % 100_003, 0.125 * (state % 7)


def step_many(states: Any, actions: Any, rng: np.random.Generator) -> tuple[Any, Any]:
    return (5 * states + 7 * actions + rng.integers(3, size=len(states))) % 100_003, 0.125 * (states % 7)


def sleepy(state: int, action: int, rng: np.random.Generator) -> tuple[int, float]:
    time.sleep(0.002)
    return step(state, action, rng)


def slow(state: int, action: int, rng: np.random.Generator) -> tuple[int, float]:
    time.sleep(0.3)
    return step(state, action, rng)


def cases(pool: ProcessPoolExecutor) -> dict[str, Callable[[], Planner]]:
    four: dict[str, Any] = {"actions": range(4)}
    many = Function(step, range(4), 0, step_many=step_many)
    return {
        "a table, UCT": lambda: Planner(sailing(), 50, algorithm=UCT()),
        "a table, VarDE()": lambda: Planner(sailing(), 50),
        "a table, horizon 10,000": lambda: Planner(taxi(), 10_000, algorithm=UCT()),
        "steps of a microsecond": lambda: Planner(step, 20, **four),
        "steps of 2 ms": lambda: Planner(sleepy, 20, **four),
        "step_many, batch=32": lambda: Planner(many, 20),
        "step_many, batch=1000": lambda: Planner(many, 20, tree=Growth(batch=1000)),
        "2 threads, steps of 2 ms": lambda: Planner(sleepy, 20, workers=2, **four),
        "2 processes, steps of 2 ms": lambda: Planner(sleepy, 20, workers=pool, **four),
        "steps of 0.3 s": lambda: Planner(slow, 3, algorithm=UCT(), **four),
        "2 threads, steps of 0.3 s": lambda: Planner(slow, 3, algorithm=UCT(), workers=2, **four),
    }


def main() -> None:
    print(f"{'seconds asked for':32}" + "".join(f"{seconds:>20}" for seconds in SECONDS))
    with ProcessPoolExecutor(2) as pool:
        pool.submit(math.sqrt, 1.0).result()
        for name, make in cases(pool).items():
            planner, line = make(), f"{name:32}"
            planner(None if name.startswith("a table") else 0, 2)
            for seconds in SECONDS:
                took = []
                for _ in range(REPEATS):
                    began = time.perf_counter()
                    planner.think(10**9, seconds=seconds)
                    took.append(time.perf_counter() - began)
                line += f"{np.median(took):10.3f} ({max(took):.3f})"
            print(line, flush=True)


if __name__ == "__main__":
    main()
