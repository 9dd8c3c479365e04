"""Whole episodes in Gymnasium's environments, with the defaults: returns beside random play and the best policy.

python benchmarks/episodes.py [plan|learn] [NAME ...] [--quick]

``plan`` searches before every move and keeps what is left of the tree; ``learn`` learns three policies, each of which
is then played.  The best policy is that of the transition table, where there is one, in the same episodes.
"""

from __future__ import annotations

import argparse
import math
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium
import numpy as np

import varde

# simulations of a move, episodes
PLANNED = {
    "FrozenLake-v1": (400, 100),
    "FrozenLake8x8-v1": (400, 50),
    "Taxi-v4": (1000, 20),
    "CliffWalking-v1": (500, 5),
    "CliffWalkingSlippery-v1": (500, 10),
    "Blackjack-v1": (200, 200),
    "CartPole-v1": (100, 3),
    "Acrobot-v1": (50, 2),
    "MountainCar-v0": (200, 2),
    "Pendulum-v1": (30, 3),
}
# steps, how to learn
LEARNED: dict[str, tuple[int, dict[str, Any]]] = {
    "Taxi-v4": (20_000, {}),
    "FrozenLake-v1": (20_000, {}),
    "FrozenLake8x8-v1": (50_000, {}),
    "CliffWalking-v1": (5_000, {}),
    "Blackjack-v1": (200_000, {"discount": 1}),
}
POLICIES, EPISODES, UNSOLVED = 3, 300, 1000  # the last: moves of an episode without a limit
Choose = Callable[[Any], Any]  # an action from an observation, which is None at the start of an episode


def returned(env: Any, choose: Choose, seed: int, begin: Callable[[Any], None] = lambda seen: None) -> float:
    """What one episode pays, not discounted."""
    seen, total = env.reset(seed=seed)[0], 0.0
    begin(seen)
    for _ in range(UNSOLVED):
        seen, reward, over, cut, _ = env.step(choose(seen))
        total += float(reward)
        if over or cut:
            break
    return total


def searching(env: Any, budget: int, seeds: range) -> Iterator[float]:
    """Episodes in which a planner chooses every move."""
    planner, table = varde.Planner(env), hasattr(env.unwrapped, "P")
    last: list[Any] = []

    def choose(seen: Any) -> Any:
        where = int(seen) if table else None
        if last:
            planner.advance(last.pop(), where)
        else:
            planner.begin(where)
        last.append(planner.think(budget, progress=False).best)
        return last[0]

    for seed in seeds:
        yield returned(env, choose, seed, lambda seen: last.clear())


def best_policy(env: Any) -> Choose | None:
    if not hasattr(env.unwrapped, "P"):
        return None
    known = varde.worlds.from_gymnasium(env)
    policy = varde.best_policy(known, 0.999)[0]
    return lambda seen: int(policy[known.state(seen)])


def cells(env: Any, name: str, amount: int, means: list[float], seeds: range) -> str:
    """A row of the table: a mean with its standard error, and what it stands beside."""
    env.action_space.seed(0)
    error = f" ± {np.std(means, ddof=1) / math.sqrt(len(means)):.2g}" if len(means) > 1 else ""
    best = best_policy(env)
    others = [
        f"{np.mean([returned(env, way, seed) for seed in seeds]):.4g}" if way else "" for way in (best, chance(env))
    ]
    return f"| {name} | {amount:,} | {np.mean(means):.4g}{error} over {len(means)} | {' | '.join(others)} |"


def chance(env: Any) -> Choose:
    return lambda seen: env.action_space.sample()


def plan(names: list[str], quick: bool) -> None:
    print("| environment | simulations a move | mean return | the best policy | random play |\n|---|---|---|---|---|")
    for name in names or PLANNED:
        env, (budget, episodes) = gymnasium.make(name), PLANNED.get(name, (200, 1))
        seeds = range(1 if quick else episodes)
        print(cells(env, name, budget, list(searching(env, budget, seeds)), seeds), flush=True)


def learn(names: list[str], quick: bool) -> None:
    print("| environment | steps | mean return | the best policy | random play |\n|---|---|---|---|---|")
    for name in names or LEARNED:
        env, (steps, how) = gymnasium.make(name), LEARNED.get(name, (20_000, {}))
        seeds = range(10**6, 10**6 + (10 if quick else EPISODES))
        means = []
        for seed in range(1 if quick else POLICIES):
            policy = varde.learn(env, steps, seed=seed, progress=False, **how)
            means.append(float(np.mean([returned(env, policy, each) for each in seeds])))
        print(cells(env, name, steps, means, seeds), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("plan", "learn"))
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--quick", action="store_true", help="one episode, one policy")
    given = parser.parse_intermixed_args()
    warnings.simplefilter("ignore")
    {"plan": plan, "learn": learn}[given.what](given.names, given.quick)
