"""Policies from one trajectory: of a plain simulator, of a table, and an agent of your own beside VarDE-Nav."""

from typing import NamedTuple

import varde
from varde.learning import measure
from varde.learning.loop import act
from varde.random import below

NEW, WORN, BROKEN = 0, 1, 2
RUN, REPAIR = 0, 1


def machine(state, action, generator):
    """Running earns 1 when new and 0.6 when worn, and wears; a repair costs 0.5, of a broken machine 2."""
    if action == REPAIR:
        return NEW, (-2.0 if state == BROKEN else -0.5)
    if state == BROKEN:
        return BROKEN, 0.0
    worse = generator.random() < (0.1 if state == NEW else 0.3)
    return state + worse, (1.0 if state == NEW else 0.6) + generator.normal(0.0, 0.2)


print(varde.identify_policy(machine, steps=3_000, discount=0.9, states=3, actions=2))

learned = varde.identify_policy(varde.river_swim(10), steps=3_000)
print(learned)
print("in state 0:", learned[0], "- estimated value", round(float(learned.values[0]), 1))


class Wanderer(NamedTuple):
    """Takes every action equally often."""


@act.of(Wanderer)
def any_action(agent, memory, task, seen, s, t, rng):
    return below(task.num_actions, rng)


for agent in (Wanderer(), varde.VarDENav()):
    measured = measure(agent, varde.river_swim(10), 3_000, runs=10, report="model")
    print(f"{type(agent).__name__:10} {measured.value[-1]:.3f} of the best value, mean of ten runs")
