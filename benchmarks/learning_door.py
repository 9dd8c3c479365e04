"""Steps per second in worlds that Python steps: what ``learn`` adds to them, beside plain Q-learning on dictionaries.

    python benchmarks/learning_door.py [--steps N]

CPU time of one thread, in alternation, best of three: the world alone with random actions, ``learn`` in it, and
Q-learning as people write it.  "beyond its own" leaves out the time of the world.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict

import gymnasium
import numpy as np

import varde


def function(states: int):
    """A world of so many states with five successors each, drawn from ``rng``."""
    rng = np.random.default_rng(0)
    after = rng.integers(states, size=(states, 4, 5)).tolist()
    pay = (rng.random((states, 4)) < 0.1).astype(float).tolist()

    def step(state, action, rng):
        return after[state][action][int(rng.random() * 5.0)], pay[state][action], False

    return step


def walk_function(step, steps: int, choose, learn) -> None:
    rng, state = np.random.default_rng(1), 0
    for _ in range(steps):
        action = choose(state)
        to, reward, _ = step(state, action, rng)
        learn(state, action, reward, to, False)
        state = to


def walk_env(env, steps: int, choose, learn) -> None:
    state, _ = env.reset(seed=1)
    for _ in range(steps):
        action = choose(state)
        to, reward, over, cut, _ = env.step(action)
        learn(state, action, reward, to, over)
        state = env.reset()[0] if over or cut else to


def random_play(actions: int):
    drawn = np.random.default_rng(2).integers(actions, size=1 << 16).tolist()
    place = [0]

    def choose(state):
        place[0] = (place[0] + 1) & 0xFFFF
        return drawn[place[0]]

    return choose, lambda *_: None


def q_learning(actions: int):
    """Epsilon-greedy Q-learning on a dictionary of NumPy rows, as in tutorials."""
    q, rng = defaultdict(lambda: np.zeros(actions)), np.random.default_rng(3)

    def choose(state):
        return int(rng.integers(actions)) if rng.random() < 0.1 else int(np.argmax(q[state]))

    def learn(state, action, reward, to, over):
        target = reward + (0.0 if over else 0.99 * q[to].max())
        q[state][action] += 0.1 * (target - q[state][action])

    return choose, learn


def seconds(work) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def measure(name: str, walk, world, actions: int, learn, steps: int) -> None:
    learn(200)  # compile
    times = {"alone": [], "learn": [], "q": []}
    for _ in range(3):
        times["alone"].append(seconds(lambda: walk(world, steps, *random_play(actions))))
        times["learn"].append(seconds(lambda: learn(steps)))
        times["q"].append(seconds(lambda: walk(world, steps, *q_learning(actions))))
    alone, ours, q = (min(found) for found in times.values())
    print(
        f"{name:24} own {steps / alone:10,.0f}  learn {steps / ours:10,.0f}  beyond its own "
        f"{steps / max(ours - alone, 1e-9):12,.0f}  Q-learning {steps / q:10,.0f}, beyond "
        f"{steps / max(q - alone, 1e-9):10,.0f}  ratio {(q - alone) / max(ours - alone, 1e-9):6.2f}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=50_000)
    steps = parser.parse_args().steps
    print("steps per second of CPU time; ratio: cost of Q-learning to that of learn, each beyond the world's own")
    for states in (10, 100, 1_000, 10_000):
        step = function(states)

        def run(n, step=step):
            varde.learn(step, n, actions=[0, 1, 2, 3], start=0, progress=False)

        measure(f"function, {states} states", walk_function, step, 4, run, steps)
    for name in ("Blackjack-v1", "FrozenLake-v1", "CliffWalking-v1", "Taxi-v4"):
        env = gymnasium.make(name)

        def run(n, env=env):
            varde.learn(env, n, key=lambda seen: seen, progress=False)

        measure(name, walk_env, env, int(env.action_space.n), run, steps)


if __name__ == "__main__":
    main()
