"""Steps per second of learning: in tables, in worlds that Python steps, and of every agent in a river.

    python benchmarks/learning.py [tables | functions | environments | agents ...] [--steps N] [--states N ...]

CPU time of one thread, compiled beforehand.  ``functions`` and ``environments`` alternate with Q-learning as people
write it, on dictionaries, and with the world alone under random actions, best of three; "beyond" leaves out the time
of the world.  Of agents, keeping no model that they do not need, the best of three.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict

import gymnasium
import numpy as np

import varde
from varde.arrays import arrays_of
from varde.environments import river_swim
from varde.learning import PAPER
from varde.learning.explorer import Explorer
from varde.learning.measure import score_runs
from varde.learning.run import Driver, task_of
from varde.paper.best_policy import BASELINES, VARDE
from varde.random import key, stream
from varde.worlds.record import EXACT, World, empty, in_order
from varde.worlds.table import numbered

AGENTS = {VARDE: PAPER, **BASELINES, "VarDE()": varde.VarDE()}
BUDGETS = {5: 10_000, 20: 40_000, 50: 80_000}
ACTIONS, SUCCESSORS, TRIES = 4, 5, 20
STATES = (10, 1_000, 10_000, 100_000)


def seconds(work) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


# -- agents in a river -----------------------------------------------------------------------------


def speed(agent, length: int) -> float:
    """Steps per second; evaluation is one report at the end."""
    world, budget, runs = river_swim(length), BUDGETS[length], 4

    def work(steps=budget, runs=runs):
        score_runs(agent, world, np.array([steps]), key(0, "benchmark"), range(runs), model=False)

    work(200, 1)  # compile
    return runs * budget / min(seconds(work) for _ in range(3))


def agents(given: argparse.Namespace) -> None:
    print(f"{'agent':18}" + "".join(f"{f'RiverSwim({n})':>16}" for n in BUDGETS))
    for name, agent in AGENTS.items():
        print(f"{name:18}" + "".join(f"{speed(agent, length):16.2e}" for length in BUDGETS), flush=True)


# -- tables ----------------------------------------------------------------------------------------


def garnet(states: int, seed: int = 0) -> World:
    """The Garnet of ``varde.environments``, drawn as arrays: a description of 10,000 states takes a minute."""
    rng = np.random.default_rng(seed)
    pairs = states * ACTIONS
    shares = rng.dirichlet(np.ones(SUCCESSORS), pairs)
    paid = rng.normal(size=pairs) * (rng.random(pairs) < 0.1)
    hops = np.cumsum(rng.integers(1, max(states // SUCCESSORS, 2), (pairs, SUCCESSORS)), 1)
    after = (rng.integers(states, size=(pairs, 1)) + hops) % states
    made = empty(states, pairs, pairs * SUCCESSORS)
    made[0]["width"], made[1]["outcomes"], made[1]["label"] = ACTIONS, SUCCESSORS, np.tile(np.arange(ACTIONS), states)
    made[1]["expected"], made[2]["reward"] = paid, np.repeat(paid, SUCCESSORS)
    made[2]["successor"], made[2]["chance"] = after.ravel(), shares.ravel()
    return in_order(*made, EXACT)


def tables(given: argparse.Namespace) -> None:
    """Twenty steps for each pair; a plan is the longest that Ctrl-C has to wait."""
    print(f"{'states':>8} {'':6} {'steps/s':>12} {'outcomes':>10} {'MB':>8} {'ms a plan':>10}")
    for states in given.states or STATES:
        for objective in ("all", "start"):
            world, budget = numbered(garnet(states)), TRIES * states * ACTIONS
            driver = Driver(Explorer(), task_of(world, 0.99, budget, objective), stream(key(0, "scale")), world.model)
            driver.go(states)  # compiled by now, plans and all
            taken = seconds(lambda d=driver, n=budget - states: d.go(n))
            size, outcomes = sum(array.nbytes for array in arrays_of(driver.run)), int(driver.run.seen.kinds.sum())
            driver.run.now.due[0] = 1
            longest = seconds(driver.think)
            print(
                f"{states:8,} {objective:6} {(budget - states) / taken:12.2e} {outcomes:10,} {size / 1e6:8.1f} "
                f"{1e3 * longest:10.1f}",
                flush=True,
            )


# -- worlds that Python steps ----------------------------------------------------------------------


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
    drawn = iter(np.random.default_rng(2).integers(actions, size=1 << 20).tolist())
    return lambda state: next(drawn), lambda *_: None


def q_learning(actions: int):
    """Epsilon-greedy Q-learning on a dictionary of NumPy rows, as in tutorials."""
    q, rng = defaultdict(lambda: np.zeros(actions)), np.random.default_rng(3)

    def choose(state):
        return int(rng.integers(actions)) if rng.random() < 0.1 else int(np.argmax(q[state]))

    def learn(state, action, reward, to, over):
        target = reward + (0.0 if over else 0.99 * q[to].max())
        q[state][action] += 0.1 * (target - q[state][action])

    return choose, learn


def beside(name: str, walk, world, actions: int, learn, steps: int) -> None:
    learn(200)  # compile
    times: dict[str, list[float]] = {"alone": [], "learn": [], "q": []}
    for _ in range(3):
        times["alone"].append(seconds(lambda: walk(world, steps, *random_play(actions))))
        times["learn"].append(seconds(lambda: learn(steps)))
        times["q"].append(seconds(lambda: walk(world, steps, *q_learning(actions))))
    alone, ours, q = (min(found) for found in times.values())
    print(
        f"{name:24} learn {steps / ours:10,.0f}, beyond the world's own {steps / max(ours - alone, 1e-9):12,.0f}; "
        f"Q-learning {steps / q:10,.0f}, beyond {steps / max(q - alone, 1e-9):10,.0f}",
        flush=True,
    )


def functions(given: argparse.Namespace) -> None:
    for states in given.states or STATES:
        step = function(states)

        def run(n, step=step):
            varde.learn(step, n, actions=[0, 1, 2, 3], start=0, progress=False)

        beside(f"function, {states:,} states", walk_function, step, 4, run, given.steps)


def environments(given: argparse.Namespace) -> None:
    for name in ("Blackjack-v1", "FrozenLake-v1", "CliffWalking-v1", "Taxi-v4"):
        env = gymnasium.make(name)

        def run(n, env=env):
            varde.learn(env, n, key=lambda seen: seen, progress=False)

        beside(name, walk_env, env, int(env.action_space.n), run, given.steps)


PARTS = {part.__name__: part for part in (tables, functions, environments, agents)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", help="all by default")
    parser.add_argument("--steps", type=int, default=50_000)
    parser.add_argument("--states", type=int, nargs="*")
    given = parser.parse_args()
    for part in given.parts or PARTS:
        PARTS[part](given)


if __name__ == "__main__":
    main()
