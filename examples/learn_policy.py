"""Policies of a plain function, of your own loop, of a table, and an algorithm of your own beside VarDE."""

from typing import NamedTuple

import numpy as np

import varde
from varde.learning import measure
from varde.learning.loop import act
from varde.random import below

WORSE = {"new": "worn", "worn": "broken"}


def machine(state, action, rng):
    """Running earns 1 when new and 0.6 when worn, and wears; a repair costs 0.5, of a broken machine 2."""
    if action == "repair":
        return "new", (-2.0 if state == "broken" else -0.5)
    if state == "broken":
        return "broken", 0.0
    wears = rng.random() < (0.1 if state == "new" else 0.3)
    return (WORSE[state] if wears else state), (1.0 if state == "new" else 0.6) + rng.normal(0.0, 0.2)


policy = varde.learn(machine, 3_000, discount=0.9, actions=["run", "repair"], start="new")
print(policy)
print(dict(policy))

learner = varde.Learner(actions=["run", "repair"], discount=0.9)  # the same, in your own loop
state, rng = "new", np.random.default_rng(0)
for _ in range(3_000):
    action = learner.ask(state)
    after, reward = machine(state, action, rng)
    learner.tell(state, action, reward, after)
    state = after
print("worn:", learner.recommend().certificate("worn"))

policy = varde.learn(varde.environments.river_swim(10), 3_000)
print(policy)
print("in state 0:", policy[0], "- estimated value", round(policy.values[0], 1))


class Wanderer(NamedTuple):
    """Takes every action equally often."""


@act.of(Wanderer)
def any_action(algorithm, memory, task, seen, s, t, rng):
    return below(task.num_actions, rng)


for algorithm in (Wanderer(), varde.VarDE()):
    measured = measure(algorithm, varde.environments.river_swim(10), 3_000, runs=10, report="model")
    print(f"{type(algorithm).__name__:10} {measured.value[-1]:.3f} of the best value, mean of ten runs")
