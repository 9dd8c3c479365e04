"""Worlds without chance whose states never repeat: a way through them is a plan, kept as it is and made longer."""

import itertools
import math

import numpy as np
import pytest

from varde import Planner, VarDE
from varde.planning.asking import AskingSearch
from varde.planning.tree import paths_meet
from varde.random import key, stream
from varde.worlds.discovered import Discovered
from varde.worlds.sampled import AT_START, MOST, SLOTS


def unfolding(state, action, rng):
    """Every way is a state of its own, and every step is paid alike."""
    return (*state, action), 1.0


def searched(step, trials, horizon=12, start=(), actions=(0, 1, 2), **options):
    search = AskingSearch(
        VarDE(), Discovered(list(actions)), start, horizon, 1.0, stream(key(1, "plans")), **{"graph": True, **options}
    )
    search.run_steps(trials, step, np.random.default_rng(0))
    return search


def settled(search):
    return search.memory.whole["settled"][0] == 1


def last_pays(state, action, rng):
    """Only the end tells ways apart, each by a number of its own."""
    to = (*state, action)
    return to, math.sin(float(hash(to) % 1000)) if len(to) == 12 else 0.0


def test_a_way_through_a_world_without_chance_is_worth_what_it_paid():
    search = searched(last_pays, 60)
    tree, best = search.tree, -math.inf
    assert settled(search)
    for node in range(tree.used[0]):
        if len(search.known.states[tree.nodes["state"][node]]) == 11:
            best = max(best, tree.edges["q"][search.edges(node)].max(initial=-math.inf))
    assert tree.nodes["value"][0] == pytest.approx(best)


@pytest.mark.parametrize(
    ("step", "parts"),
    [
        (lambda s, a, rng: (s + a, 1.0), False),  # ways meet
        (lambda s, a, rng: ((*s, a), 1.0), True),
        (lambda s, a, rng: ((*s, rng.random()), 1.0), True),
    ],
)
def test_whether_ways_part_is_noticed(step, parts):
    search = searched(step, 30, start=0 if not parts else ())
    assert paths_meet(search.view) != parts
    assert settled(search) == (not parts or step((), 1, np.random.default_rng(1))[0] == (1,))


def runs(search):
    """How many steps were like the one before, of those where it could be."""
    states = [state for state in search.known.states if len(state) == 12]
    return np.mean([one == other for state in states for one, other in itertools.pairwise(state[6:])])


def test_where_nobody_has_been_an_action_is_held_for_a_while():
    # With a chance of 0.63 on average, else drawn anew: 0.75; drawn anew at every step: 0.33.
    assert abs(runs(searched(unfolding, 400)) - 0.75) < 0.06
    assert abs(runs(searched(unfolding, 400, graph=False)) - 0.33) < 0.06


@pytest.mark.parametrize("reward", [1.0, -1.0])
def test_moving_on_makes_old_ways_as_long_as_new_ones(reward):
    planner = Planner(lambda s, a, rng: ((*s, a), reward), 6, 0.9, actions=["a", "b"], seed=3)
    state, worth = (), reward * sum(0.9**i for i in range(6))
    planner.begin(state)
    for _ in range(4):
        move = planner.think(40)
        assert move.value == pytest.approx(worth) and [*move.values.values()] == pytest.approx([worth, worth])
        state = (*state, move.best)
        assert planner.advance(move.best, state) > 10


def test_a_state_that_is_visited_often_gets_more_actions():
    planner = Planner(
        lambda s, a, rng: (s + a, -((s + a - 0.3) ** 2)), 4, sample_action=lambda s, rng: rng.uniform(-1, 1), seed=2
    )
    move = planner(0.0, 600)
    assert move.value > -0.12
    search = planner.search
    tree, widths = search.tree, [len(slots) for slots in search.known.legal if slots]
    assert min(widths) == SLOTS and AT_START < max(widths) <= MOST
    for node in range(tree.used[0]):
        tried, slots = tree.edges["action"][search.edges(node)], search.known.legal[tree.nodes["state"][node]]
        assert all(slot in slots.names for slot in tried.tolist()) and tree.nodes["width"][node] <= max(len(slots), 0)


def test_the_first_action_of_a_state_is_the_one_that_led_there():
    planner = Planner(lambda s, a, rng: ((*s, a), 0.0), 3, sample_action=lambda s, rng: rng.random(), seed=2)
    planner((), 20)
    states, legal = planner.search.known.states, planner.search.known.legal
    assert all(slots[0] == state[-1] for state, slots in zip(states[1:], legal[1:], strict=True))
