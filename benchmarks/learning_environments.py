"""Episodes played by learned policies in Gymnasium's environments, beside random play and the best policy.

    python benchmarks/learning_environments.py [--seeds N] [--only TEXT]

Prints a table in Markdown: mean return over 300 episodes of each of N runs, ± the standard error over runs.
"""

from __future__ import annotations

import argparse
import time
import warnings

import gymnasium
import numpy as np

import varde
from varde.learning.play import play_all
from varde.show.progress import watching
from varde.worlds.episodes import Watched

EPISODES, RANDOM, FIRST = 300, 300, 10**6
WORLDS = [  # name, settings, steps, how to learn
    ("Taxi-v4", {}, 20_000, {}),
    ("Taxi-v4", {}, 50_000, {}),
    ("FrozenLake-v1", {}, 20_000, {}),
    ("FrozenLake-v1", {"map_name": "8x8"}, 50_000, {}),
    ("CliffWalking-v1", {}, 5_000, {}),
    ("Blackjack-v1", {}, 200_000, {"discount": 1}),
]


def measure(name: str, settings: dict, steps: int, how: dict, seeds: int) -> str:
    found, spent = [], 0.0
    for seed in range(seeds):
        stage = Watched(gymnasium.make(name, **settings))
        began = time.process_time()
        policy = varde.learn(stage.env, steps, seed=seed, progress=False, **how)
        spent += time.process_time() - began
        with watching(False, EPISODES) as watch:
            chance = RANDOM if seed == 0 else 0
            found.append(
                play_all(name, stage, policy, False, EPISODES, chance, stage.limit or 1000, FIRST + 1000 * seed, watch)
            )
    means, best = [np.mean(played.returns) for played in found], np.mean([np.mean(played.best) for played in found])
    unmet = sum(played.unmet for played in found)
    error = f" ± {np.std(means, ddof=1) / np.sqrt(seeds):.2g}" if seeds > 1 else ""
    known = f"{best:.4g}" if np.isfinite(best) else ""
    told = ", ".join(f"{key}={value}" for key, value in {**settings, **how}.items())
    states = " to ".join(map(str, sorted({min(len(p.policy) for p in found), max(len(p.policy) for p in found)})))
    return (
        f"| {name} {told} | {steps:,} | {states} | {np.mean(means):.4g}{error} | {np.mean(found[0].by_chance):.4g} "
        f"| {known} | {unmet} | {seeds * steps / spent:,.0f} |"
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
