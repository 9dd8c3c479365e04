"""UCBVI: the formulas as printed, what it solves, in every door."""

import math

import numpy as np
import pytest

from varde.environments import combination_lock, deep_sea, distracted_river, forked_river_swim, river_swim
from varde.learning import UCBVI, Learner, learn, measure
from varde.learning.experience import share
from varde.learning.loop import Transition, due, enter, think
from varde.worlds.tabulate import tabulate

from .test_agents import Walk
from .test_learner import Corridor, ask_and_tell, river


def printed(walk, bernstein, scale, log):
    """The values by plain iteration of the formulas, on the experience of a walk."""
    seen, (states, actions) = walk.seen, walk.seen.kinds.shape
    counts = seen.rewards.counts
    chances = np.zeros((states, actions, states))
    for s, a in zip(*np.nonzero(counts), strict=True):
        for k in range(seen.kinds[s, a]):
            after, probability = share(seen, s, a, k)
            chances[s, a, after] = probability
    q = np.full((states, actions), 100.0)
    for _ in range(5000):
        v = q.max(axis=1)
        mean = chances @ v
        n = np.maximum(counts, 1)
        variance = 0.99**2 * (chances @ v**2 - mean**2) + seen.rewards.squares / n
        wide = scale * 100.0 * np.sqrt(log / n)
        fine = scale * (np.sqrt(2.0 * np.maximum(variance, 0.0) * log / n) + 7.0 / 3.0 * 100.0 * log / n)
        bonus = fine if bernstein else wide
        q = np.where(counts > 0, np.minimum(100.0, seen.rewards.means + 0.99 * mean + bonus), 100.0)
    return q


@pytest.mark.parametrize("bernstein", [True, False])
def test_the_values_are_those_of_the_formulas(bernstein):
    agent = UCBVI(0.002, bernstein)
    walk = Walk(agent, river_swim(4))
    for _ in range(400):
        walk.step()
    log = math.log(4 * 2 * 400 / 0.1)
    assert walk.memory.log[0] == pytest.approx(log, rel=1e-12)
    for _ in range(100):
        think(agent, walk.memory, walk.task, walk.seen, walk.rng)
    wanted = printed(walk, bernstein, 0.002, log)
    assert walk.memory.q == pytest.approx(wanted, rel=0.01)
    assert (wanted < 99.0).any()  # not all is hope


def test_what_was_never_tried_is_hoped_to_be_as_good_as_anything():
    walk = Walk(UCBVI(), forked_river_swim(3))
    tried = {(s, a) for s, a, *_ in (walk.step() for _ in range(30))}
    untried = [(s, a) for s in range(5) for a in range(3) if (s, a) not in tried]
    assert all(walk.memory.q[pair] == pytest.approx(100.0) for pair in untried) and walk.memory.q.max() <= 100.0 + 1e-9


def test_states_are_swept_every_tenth_of_them_and_later_every_fiftieth_of_the_steps():
    walk = Walk(UCBVI(), river_swim(20))
    for t, later in ((0, 3), (100, 3), (1000, 20)):
        walk.memory.until[0] = t
        assert due(walk.agent, walk.memory, walk.task, walk.seen, Transition(0, 0, 0.0, 0, t))
        assert walk.memory.until[0] == t + later
        assert not due(walk.agent, walk.memory, walk.task, walk.seen, Transition(0, 0, 0.0, 0, t + later - 1))


def test_sweeps_go_on_from_where_they_were_until_the_values_are_right():
    """A place to wait in loses a hundredth of its hope in each of a hundred sweeps; in the end only the way pays."""
    for pays in (0.0, 1.0):
        corridor = {s: {"on": [(1.0, (s + 1) % 6, pays * (s == 5))], "wait": [(1.0, s, 0.0)]} for s in range(6)}
        walk = Walk(UCBVI(scale=0.0), tabulate(corridor))
        for s in range(6):
            enter(walk.agent, walk.run, Transition(s, 0, pays * (s == 5), (s + 1) % 6, 0), True)
            enter(walk.agent, walk.run, Transition(s, 1, 0.0, s, 0), True)
        walk.memory.values[:] = 100.0
        think(walk.agent, walk.memory, walk.task, walk.seen, walk.rng)
        assert pays or walk.memory.values[0] == pytest.approx(100.0 * 0.99**100)
        for _ in range(12):
            think(walk.agent, walk.memory, walk.task, walk.seen, walk.rng)
        best = pays * 0.99 ** np.arange(5, -1, -1) / (1.0 - 0.99**6)
        assert walk.memory.values == pytest.approx(best, abs=0.02)


@pytest.mark.parametrize(
    ("world", "budget"),
    [(deep_sea(10, seed=3), 3000), (combination_lock(10, 4, seed=3), 2000), (distracted_river(6, 40), 4000)],
    ids=["deep sea", "lock", "distractors"],
)
def test_it_finds_what_is_hard_to_find(world, budget):
    assert measure(UCBVI(), world, budget, runs=2, report="model").value[-1] == pytest.approx(1.0, abs=1e-9)


def test_ask_and_tell_are_what_learn_does():
    policy = learn(river, 800, actions=["left", "right"], start=0, algorithm=UCBVI())
    same = ask_and_tell(Learner(["left", "right"], algorithm=UCBVI()), river, 800)
    assert policy.visits == same.visits and dict(policy) == dict(same) == dict.fromkeys(range(5), "right")


def test_states_may_have_actions_of_their_own_and_episodes_may_end():
    assert dict(learn(Corridor(), 400, discount=0.9, algorithm=UCBVI())) == dict.fromkeys(range(4), "on")


@pytest.mark.parametrize(("agent", "words"), [(UCBVI(-1.0), "scale is -1"), (UCBVI(delta=2.0), "delta is 2")])
def test_settings_that_cannot_be(agent, words):
    with pytest.raises(ValueError, match=words):
        learn(river_swim(3), 10, algorithm=agent)
