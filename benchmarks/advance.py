"""What a planner that moves on saves: simulations per episode, and returns with and without what was kept.

    python benchmarks/advance.py [--episodes 20] [--worlds taxi sailing cartpole]

Every episode is played three times: each move from nothing, with as many simulations on top of what was kept, and with
what was kept deducted.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from varde import Planner
from varde.environments import sailing, taxi
from varde.planning import Growth
from varde.worlds.table import Table

WORLDS = {"taxi": (20, 1000, 40), "sailing": (35, 1000, 60), "cartpole": (15, 60, 150)}  # horizon, budget, most moves
WAYS = ("from nothing", "and what was kept", "kept is deducted")


class Episode:
    """A world to act in: of a table, or of Gymnasium."""

    def __init__(self, name: str, seed: int):
        self.rng = np.random.default_rng(seed)
        if name == "cartpole":
            import gymnasium

            self.world: Any = gymnasium.make("CartPole-v1")
            self.state = self.world.reset(seed=seed)[0]
            self.begin = None
            return
        self.world = taxi() if name == "taxi" else sailing()
        legal = [s for s in range(len(self.world.states)) if self.world.legal(s)]
        self.state = self.begin = self.world.states[legal[int(self.rng.integers(len(legal)))]]

    def step(self, action: Any) -> tuple[float, bool]:
        if not isinstance(self.world, Table):
            self.state, reward, over, cut, _ = self.world.step(action)
            return reward, over or cut
        model, number = self.world.model, self.world.state(self.state)
        pair = model.pairs[number] + self.world.legal(number).index(action)
        chances = model.probabilities[model.outcomes[pair] : model.outcomes[pair + 1]]
        drawn = model.outcomes[pair] + int(self.rng.choice(len(chances), p=chances))
        self.state = self.world.states[model.successors[drawn]]
        return float(model.means[pair]), not self.world.legal(int(model.successors[drawn]))


def play(name: str, seed: int, way: str, graph: bool) -> tuple[float, int, int, float]:
    """Return, moves, simulations made, seconds of processor time."""
    horizon, budget, most = WORLDS[name]
    episode = Episode(name, seed)
    planner = Planner(episode.world, horizon, seed=seed, tree=Growth(graph=graph))
    planner.begin(episode.begin)
    total, made, over, began, moves = 0.0, 0, False, time.process_time(), 0
    while not over and moves < most:
        more = max(budget - planner.trials, 1) if way == WAYS[2] else budget
        action = planner.think(more).best
        made, moves = made + more, moves + 1
        reward, over = episode.step(action)
        total += reward
        if not over and way == WAYS[0]:
            planner.begin(episode.begin and episode.state)
        elif not over:
            planner.advance(action, episode.state)
    return total, moves, made, time.process_time() - began


def table(name: str, episodes: int) -> Iterator[str]:
    horizon, budget, most = WORLDS[name]
    yield f"{name}, horizon {horizon}, {budget} simulations a move, at most {most} moves, {episodes} episodes"
    for graph in (True, False) if name != "cartpole" else (True,):
        for way in WAYS:
            rows = np.array([play(name, seed, way, graph) for seed in range(episodes)])
            returns, moves, made, seconds = rows.T
            error = returns.std(ddof=1) / np.sqrt(episodes)
            saved = 1.0 - made.sum() / (budget * moves.sum())
            yield (
                f"  {'graph' if graph else 'tree':6}{way:20} return {returns.mean():8.2f} +- {error:5.2f}"
                f"  moves {moves.mean():6.1f}  simulations {made.mean():9.0f}  saved {saved:5.1%}"
                f"  cpu {1e3 * seconds.sum() / moves.sum():6.1f} ms a move"
            )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--episodes", type=int, default=20)
    parser.add_argument("--worlds", nargs="*", default=list(WORLDS))
    given = parser.parse_args()
    for name in given.worlds:
        for line in table(name, given.episodes):
            print(line, flush=True)
