"""Microseconds per simulation of a world in Python, beside other libraries, all in one run and by turns.

python benchmarks/peers_planning.py [--quick]       pip install mcts pomdp-py: a peer that is not installed is left out

The world is trivial and deterministic, four actions, 20 steps: nearly all of the time is the search's own.  CPU time,
the least of some rounds.  `mcts` keeps the states of its tree and does not step the world there.
"""

from __future__ import annotations

import argparse
import math
import random
import time
from collections.abc import Callable
from typing import Any

from varde import Planner, VarDE
from varde.planning import UCT, Growth
from varde.worlds.function import Function

STATES, ACTIONS, HORIZON = 997, 4, 20


def step(state: int, action: int, rng: Any = None) -> tuple[int, float]:
    return (5 * state + 7 * action + 1) % STATES, 0.125 * (state % 7)


# -- peers -----------------------------------------------------------------------------------------


def dict_uct(trials: int) -> None:
    """UCT as one writes it in an afternoon: dicts of counts and means by (state, depth)."""
    visits: dict[tuple[int, int], int] = {}
    counts: dict[tuple[int, int], list[int]] = {}
    means: dict[tuple[int, int], list[float]] = {}
    for _ in range(trials):
        state, depth, path = 0, 0, []
        while depth < HORIZON and (state, depth) in visits:
            node = state, depth
            count, mean = counts[node], means[node]
            if 0 in count:
                action = random.choice([a for a in range(ACTIONS) if count[a] == 0])
            else:
                log = math.log(visits[node])
                action = max(range(ACTIONS), key=lambda a: mean[a] + 10.0 * math.sqrt(log / count[a]))
            state, reward = step(state, action)
            path.append((node, action, reward))
            depth += 1
        if depth < HORIZON:
            visits[state, depth], counts[state, depth], means[state, depth] = 0, [0] * ACTIONS, [0.0] * ACTIONS
        gain = 0.0
        for _ in range(depth, HORIZON):
            state, reward = step(state, random.randrange(ACTIONS))
            gain += reward
        for node, action, reward in reversed(path):
            gain += reward
            visits[node] += 1
            counts[node][action] += 1
            means[node][action] += (gain - means[node][action]) / counts[node][action]


def of_mcts() -> Callable[[int], None]:
    from mcts import mcts

    class State:
        __slots__ = "depth", "gain", "state"

        def __init__(self, state: int, depth: int, gain: float):
            self.state, self.depth, self.gain = state, depth, gain

        def getCurrentPlayer(self) -> int:
            return 1

        def getPossibleActions(self) -> range:
            return range(ACTIONS)

        def takeAction(self, action: int) -> State:
            state, reward = step(self.state, action)
            return State(state, self.depth + 1, self.gain + reward)

        def isTerminal(self) -> bool:
            return self.depth == HORIZON

        def getReward(self) -> float:
            return self.gain

    return lambda trials: mcts(iterationLimit=trials, explorationConstant=10.0).search(State(0, 0, 0.0))


def of_pomdp_py() -> Callable[[int], None]:
    import pomdp_py

    class Name(pomdp_py.State, pomdp_py.Action, pomdp_py.Observation):  # type: ignore[misc]
        def __init__(self, number: int):
            self.number = number

        def __hash__(self) -> int:
            return self.number

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Name) and other.number == self.number

    class Transition(pomdp_py.TransitionModel):  # type: ignore[misc]
        def sample(self, state: Name, action: Name) -> Name:
            return Name(step(state.number, action.number)[0])

    class Reward(pomdp_py.RewardModel):  # type: ignore[misc]
        def sample(self, state: Name, action: Name, after: Name) -> float:
            return 0.125 * (state.number % 7)

    class Observed(pomdp_py.ObservationModel):  # type: ignore[misc]
        def sample(self, after: Name, action: Name) -> Name:
            return after

    class Policy(pomdp_py.RolloutPolicy):  # type: ignore[misc]
        actions = [Name(a) for a in range(ACTIONS)]

        def get_all_actions(self, state: Any = None, history: Any = None) -> list[Name]:
            return self.actions

        def rollout(self, state: Name, history: Any = None) -> Name:
            return random.choice(self.actions)

    def run(trials: int) -> None:
        policy = Policy()
        agent = pomdp_py.Agent(pomdp_py.Particles([Name(0)]), policy, Transition(), Observed(), Reward())
        pomdp_py.POUCT(
            max_depth=HORIZON, num_sims=trials, discount_factor=1.0, exploration_const=10.0, rollout_policy=policy
        ).plan(agent)

    return run


def peers() -> dict[str, Callable[[int], None]]:
    found: dict[str, Callable[[int], None]] = {"a dict UCT": dict_uct}
    for name, make in (("mcts", of_mcts), ("pomdp-py", of_pomdp_py)):
        try:
            found[name] = make()
        except ImportError:
            print(f"{name} is not installed")
    return found


# -- ours ------------------------------------------------------------------------------------------


def ours() -> dict[str, Callable[[int], None]]:
    found = {}
    for name, algorithm in (("UCT", UCT(10.0)), ("VarDE()", VarDE())):
        for keep in (True, False):
            found[name + ("" if keep else ", random play")] = planned(algorithm, keep)
    return found


def planned(algorithm: Any, keep: bool = True) -> Callable[[int], None]:
    planner = Planner(Function(step, range(ACTIONS)), HORIZON, algorithm=algorithm, tree=Growth(keep=keep))
    return lambda trials: planner(0, trials) and None


def own_microseconds() -> float:
    """What a step of the world takes by itself."""
    state, began = 0, time.process_time()
    for i in range(200_000):
        state, _ = step(state, i & 3)
    return (time.process_time() - began) / 200_000 * 1e6


def microseconds(run: Callable[[int], None], trials: int) -> float:
    began = time.process_time()
    run(trials)
    return (time.process_time() - began) / trials * 1e6


def main(quick: bool) -> None:
    trials, rounds, runs = 1_000 if quick else 4_000, 2 if quick else 5, {**peers(), **ours()}
    for run in runs.values():
        run(50)  # compiles
    took = dict.fromkeys(runs, math.inf)
    own = math.inf
    for _ in range(rounds):
        for name, run in runs.items():
            took[name] = min(took[name], microseconds(run, trials))
        own = min(own, own_microseconds())
    print(f"{trials:,} simulations of {HORIZON} steps; a step by itself: {own:.2f} us\n")
    print(f"{'':42}{'us per simulation':>18}{'us per step beyond its own':>28}")
    for name, us in took.items():
        beyond = us / HORIZON - own
        print(f"{name:42}{us:18.1f}" + (f"{beyond:28.2f}" if name not in peers_of(took) else ""))


def peers_of(names: Any) -> set[str]:
    return {name for name in names if name in ("a dict UCT", "mcts", "pomdp-py")}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    main(parser.parse_args().quick)
