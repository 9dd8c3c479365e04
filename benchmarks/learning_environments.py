"""Episodes played by learned policies in Gymnasium's environments, beside random play and the best policy.

    python benchmarks/learning_environments.py [--seeds N] [--only TEXT]

Prints a table in Markdown: mean return over 300 episodes of each of N runs, ± the standard error over runs.  "Best
policy" is that of the transition table, where the environment has one, played as often.
"""

from __future__ import annotations

import argparse
import time
import warnings

import gymnasium
import numpy as np

import varde

EPISODES, FIRST = 300, 10**6
WORLDS = [  # name, settings, steps, how to learn
    ("Taxi-v4", {}, 20_000, {}),
    ("Taxi-v4", {}, 50_000, {}),
    ("FrozenLake-v1", {}, 20_000, {}),
    ("FrozenLake-v1", {"map_name": "8x8"}, 50_000, {}),
    ("CliffWalking-v1", {}, 5_000, {}),
    ("Blackjack-v1", {}, 200_000, {"discount": 1}),
]


def returns(env, choose, first: int) -> list[float]:
    """What episodes pay, not discounted."""
    found = []
    for number in range(EPISODES):
        seen, total, over = env.reset(seed=first + number)[0], 0.0, False
        while not over:
            seen, reward, ended, cut, _ = env.step(choose(seen))
            total, over = total + float(reward), ended or cut
        found.append(total)
    return found


def best(env) -> str:
    if not hasattr(env.unwrapped, "P"):
        return ""
    known = varde.tabulate(env.unwrapped.P)
    policy = varde.best_policy(known, 0.999)[0]
    return f"{np.mean(returns(env, lambda seen: int(policy[known.state(seen)]), FIRST)):.4g}"


def measure(name: str, settings: dict, steps: int, how: dict, seeds: int) -> str:
    env, means, states, unmet, spent = gymnasium.make(name, **settings), [], set(), 0, 0.0
    env.action_space.seed(0)
    for seed in range(seeds):
        began = time.process_time()
        policy = varde.learn(env, steps, seed=seed, progress=False, **how)
        spent += time.process_time() - began
        means.append(np.mean(returns(env, lambda seen, policy=policy: policy(seen), FIRST + 1000 * seed)))
        states.add(len(policy))
        unmet += len(policy.unknown_states)
    error = f" ± {np.std(means, ddof=1) / np.sqrt(seeds):.2g}" if seeds > 1 else ""
    told = ", ".join(f"{key}={value}" for key, value in {**settings, **how}.items())
    chance = np.mean(returns(env, lambda seen: env.action_space.sample(), FIRST))
    return (
        f"| {name} {told} | {steps:,} | {' to '.join(map(str, sorted({min(states), max(states)})))} "
        f"| {np.mean(means):.4g}{error} | {chance:.4g} | {best(env)} | {unmet} | {seeds * steps / spent:,.0f} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    print("| environment | steps | states | mean return | random play | best policy | moves in new states | steps/s |")
    print("|---|---|---|---|---|---|---|---|")
    for name, settings, steps, how in WORLDS:
        if given.only in name:
            print(measure(name, settings, steps, how, given.seeds), flush=True)


if __name__ == "__main__":
    main()
