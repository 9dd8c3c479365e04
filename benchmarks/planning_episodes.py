"""Whole episodes in Gymnasium's environments, with the defaults: returns beside random play and the best policy.

python benchmarks/planning_episodes.py [--quick] [NAME ...]

Everything is as a user has it who says nothing: `varde.Planner(env)`.  The budgets are what a minute or so allows: an
environment without a table is stepped in Python.
"""

from __future__ import annotations

import argparse
import math
import time

import gymnasium
import numpy as np

from varde import Planner
from varde.planning.play import Searching
from varde.worlds.episodes import Environment, Episode, at_random, best_returns, play, spread

# environment: simulations per move, episodes, and what is known of the best policy where there is no table
RUNS: dict[str, tuple[int, int, str]] = {
    "FrozenLake-v1": (1000, 100, ""),
    "FrozenLake8x8-v1": (1000, 50, ""),
    "Taxi-v4": (3000, 20, ""),
    "CliffWalking-v1": (1000, 5, ""),
    "CliffWalkingSlippery-v1": (1000, 10, ""),
    "Blackjack-v1": (500, 200, "-0.047 without seeing the dealer's card, as planning does"),
    "CartPole-v1": (100, 3, "500"),
    "Acrobot-v1": (200, 2, "about -63"),
    "MountainCar-v0": (200, 2, "about -90"),
    "Pendulum-v1": (100, 2, "about -150"),
}
UNSOLVED = 1000  # moves of an episode without a limit


def run(name: str, budget: int, episodes: int) -> tuple[list[Episode], list[float], list[float], float]:
    """Episodes, what the best policy expects of each, returns of random play, and CPU seconds."""
    stage = Environment(gymnasium.make(name))
    stage.begin(0)
    most, planner = stage.limit or UNSOLVED, Planner(stage.world)
    best = best_returns(stage, most)
    by_chance = [at_random(stage, seed, most).value for seed in range(100)]
    began = time.process_time()
    found = [play(stage, Searching(stage, planner, budget), seed, most, lambda _: None) for seed in range(episodes)]
    return found, [best(episode.start) for episode in found], by_chance, time.process_time() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="environments", default=list(RUNS))
    parser.add_argument("--quick", action="store_true", help="one episode of each")
    wanted = parser.parse_args()
    print("| environment | simulations a move | mean return | the best policy | random play | CPU ms a move |")
    print("|---|---|---|---|---|---|")
    for name in wanted.names:
        budget, episodes, known = RUNS.get(name, (200, 1, ""))
        found, best, by_chance, seconds = run(name, budget, 1 if wanted.quick else episodes)
        mean = np.mean(best)
        known = known or ("" if math.isnan(mean) else f"{mean:.3g}")
        each = 1e3 * seconds / sum(len(episode.actions) for episode in found)
        cells = [name, f"{budget:,}", spread([e.value for e in found]), known, spread(by_chance), f"{each:.0f}"]
        print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
