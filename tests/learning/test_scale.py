"""Rivals in worlds of any unit and zero: what is told, what is seen, and when hopes change their unit."""

import numpy as np
import pytest

from varde._compile import in_python
from varde.environments import combination_lock, deep_sea, forked_river_swim, garnet, river_swim
from varde.learning import PAPER, UCBVI, EpsilonQ, measure
from varde.learning.checks import check_algorithm
from varde.learning.experience import make_experience
from varde.learning.loop import Transition, act, be_at, enter, think_on
from varde.learning.run import begin_run, reward_range, task_of
from varde.learning.scale import Scale, first_scale, hoped, learned, scale_of, widen
from varde.paper.best_policy import BASELINES, VARDE
from varde.random import key, stream
from varde.worlds.record import transition
from varde.worlds.tabulate import tabulate

from .gathered import in_other_units

RIVALS = {VARDE: PAPER, **BASELINES, "UCBVI": UCBVI(0.1)}


def walked(agent, world, factor=1.0, shift=0.0, steps=800):
    """The pairs of a walk in the Python engine; the range of the rewards is not told."""
    agent, model = check_algorithm(agent), in_python(in_other_units(world, factor, shift).model)
    task = task_of(world, 0.9, steps)._replace(least=np.inf, most=-np.inf)
    run, taken = begin_run(agent, task, stream(key(0, "walk"))), []
    be_at(agent, run, world.start)
    for t in range(steps):
        s = int(run.now.state[0])
        a = act(agent, run.memory, task, run.seen, s, t, run.rng)
        after, reward = transition(model, s, a, run.rng)
        enter(agent, run, Transition(s, a, reward, after, t), True)
        while run.now.due[0]:
            think_on(agent, run)
        taken.append((s, int(a)))
    return taken


def test_a_table_tells_its_range_unless_there_is_normal_noise():
    assert reward_range(river_swim(4).model) == (0.0, 1.0)
    assert reward_range(in_other_units(river_swim(4), 2.0, -3.0).model) == (-3.0, -1.0)
    assert reward_range(deep_sea(4, cost=0.4).model) == (-0.1, 0.9)
    assert reward_range(tabulate({0: {0: [(1, 0, 5.0)], 1: [(1, 1, 7.0)]}, 1: {}}).model) == (0.0, 7.0)  # an end
    low, high = reward_range(garnet(5, 2, deviation=1.0).model)
    assert low > high


def test_the_unit_is_that_of_the_rewards_seen_and_one_may_hope_for_as_much_again():
    task, seen = task_of(garnet(5, 2, deviation=1.0), 0.9, 10), make_experience(5, 2, 64)
    assert scale_of(task, seen) == first_scale(task) == Scale(0.0, 1.0, 1.0, True)
    widen(seen, 3.0)
    assert scale_of(task, seen) == Scale(3.0, 1.0, 4.0, True)
    widen(seen, 7.0)
    assert scale_of(task, seen) == Scale(3.0, 4.0, 11.0, False)
    told = task_of(in_other_units(river_swim(4), 2.0, -3.0), 0.9, 10)
    assert scale_of(told, seen) == first_scale(told) == Scale(-3.0, 2.0, -1.0, False)


def test_hopes_change_their_unit_and_what_was_learned_keeps_it():
    before, now, later = Scale(3.0, 1.0, 4.0, True), Scale(3.0, 4.0, 11.0, False), Scale(1.0, 6.0, 13.0, False)
    assert hoped(40.0, before, now, 10.0) == 110.0 and hoped(110.0, now, later, 10.0) == 130.0
    assert learned(32.0, before, now, 10.0) == 38.0  # 3 a step, and a hope of 2 in a unit that was a guess
    assert learned(38.0, now, later, 10.0) == 38.0


def test_the_end_of_an_episode_counts_as_a_reward_of_zero():
    world = tabulate({0: {0: [(1, 0, -5.0, 1.0)], 1: [(1, 1, -5.0, 1.0)]}, 1: {}})
    agent = check_algorithm(EpsilonQ())
    run = begin_run(agent, task_of(world, 0.9, 10), stream(key(0, "end")))
    enter(agent, run, Transition(0, 0, -5.0, 0, 0), True)
    assert run.seen.range.tolist() == [-5.0, -5.0]
    assert run.memory[0].tolist() == pytest.approx([-5.0 + 0.9 * -40.0, -40.0])  # -5 + 1 a step, ten steps ahead
    enter(agent, run, Transition(0, 1, -5.0, 1, 1), True)
    assert run.seen.range.tolist() == [-5.0, 0.0] and run.memory[0, 1] == -5.0
    assert run.memory[0, 0] == pytest.approx(-50.0 + 5.0 * (50.0 - 41.0))


@pytest.mark.parametrize("name", RIVALS)
def test_units_do_not_matter_to_rivals_that_are_told_the_range(name):
    plain, large = (
        measure(RIVALS[name], in_other_units(forked_river_swim(3), factor), 1500, runs=2, at=range(100, 1500, 100))
        for factor in (1.0, 1024.0)
    )
    np.testing.assert_allclose(plain.values, large.values, rtol=1e-12)


@pytest.mark.parametrize("name", RIVALS)
def test_neither_unit_nor_zero_matters_to_rivals_that_see_the_range(name):
    plain = walked(RIVALS[name], river_swim(4))
    assert plain == walked(RIVALS[name], river_swim(4), 1024.0)
    assert plain[:80] == walked(RIVALS[name], river_swim(4), 1.0, 8.0)[:80]  # later on roundings decide ties
    assert len(set(plain)) > 3


@pytest.mark.parametrize("shift", [-5.0, 5.0])
def test_the_zero_of_rewards_does_not_matter_to_what_is_learned(shift):
    for agent in (PAPER, BASELINES["MF-BPI"]):
        there = measure(agent, in_other_units(river_swim(5), 3.0, shift), 4000, runs=3, report="model").value[-1]
        assert there == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("name", ["eps-Q", "PSRL", "MF-BPI", VARDE])
def test_rivals_learn_where_every_step_costs(name):
    """Only the way through the lock is better than staying outside; only the way on ends the costs."""
    lock = combination_lock(3, 2, cost=0.1, seed=1)
    assert measure(RIVALS[name], lock, 1500, runs=2, discount=0.9, report="model").value[-1] == 1.0
    costs = {s: {"on": [(1.0, s + 1, -1.0)], "wait": [(1.0, s, -1.0)]} for s in range(4)} | {4: {}}
    assert measure(RIVALS[name], tabulate(costs), 600, runs=2, discount=0.9, report="model").value[-1] == 1.0
