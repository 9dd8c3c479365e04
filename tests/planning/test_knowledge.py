"""What is known beforehand: values at leaves, play below the tree, weights of actions; and what is refused."""

import numpy as np
import pytest

from varde import Planner, SimulationError
from varde.environments import taxi
from varde.planning import UCT, GapGraph, Growth, Hints


def walk(state, action, rng):
    """Seven steps to the right pay 1; three to the left end it."""
    state += action
    return state, float(state == 7) - 0.01, state in (7, -3)


def truth(state):
    return 1.0 - 0.01 * (7 - state)


def search(budget=30, keep=None, seed=0, **known):
    planner = Planner(walk, 10, actions=[-1, 1], hints=Hints(**known), tree=Growth(keep=keep), seed=seed)
    return planner, planner(0, budget)


def test_a_value_ends_the_trial_at_a_new_state():
    values = []
    for seed in range(7):
        seen = []
        planner, move = search(25, seed=seed, value=lambda state, seen=seen: seen.append(state) or truth(state))
        values.append(move.value)
        assert len(seen) == len(set(seen)) == len(planner.search.known.numbers)  # each state once, ends not at all
        assert planner.search.tree.used[0] <= 26
    assert np.median(values) == pytest.approx(0.93, abs=0.005)


def test_a_value_says_what_lies_beyond_the_horizon():
    planner = Planner(walk, 2, actions=[-1, 1], algorithm=UCT(bias=0.1), hints=Hints(value=truth))
    assert planner(0, 400).values[1] == pytest.approx(0.93, abs=0.005)


def test_a_wrong_value_is_found_out():
    _, move = search(budget=2000, value=lambda state: 1.0 - truth(state))
    assert move.best == 1


def test_a_table_with_knowledge_is_no_game():
    planner = Planner(taxi(), 3, hints=Hints(value=lambda state: 0.0))
    move = planner((0, 0, "R", "Y"), 5)
    assert type(planner.search.algorithm) is GapGraph and move.player is None and move.sentence.startswith("Take ")


def test_a_prior_says_what_comes_first_in_new_states():
    for keep in (True, False):
        planner, move = search(budget=1, prior=lambda state: [0.0, 1.0], keep=keep)
        met = range(8) if keep else range(2)  # play beyond the tree stores nothing
        assert planner.search.known.states == list(met) and move.visits == {-1: 0, 1: 1}


def test_random_play_beyond_the_tree_draws_by_the_prior():
    """One step to the right, then play: 7 is reached by who goes right nine times out of ten, hardly by chance."""

    def value(weight, workers):
        hints, tree = Hints(prior=lambda state: [weight, 1.0]), Growth(keep=False)
        return Planner(walk, 10, actions=[-1, 1], hints=hints, workers=workers, tree=tree)(0, 20).values[1]

    for workers in (None, 2):
        assert value(0.0, workers) > 0.5 > 0.3 + value(1.0, workers)


def test_knowledge_works_by_workers_and_with_other_algorithms():
    assert Planner(walk, horizon=10, actions=[-1, 1], workers=2, hints=Hints(value=truth))(0, 60).best == 1
    assert (
        Planner(walk, horizon=10, actions=[-1, 1], algorithm=UCT(bias=0.1), hints=Hints(value=truth))(0, 60).best == 1
    )


def test_a_table_is_asked_about_its_states_by_name():
    seen = set()
    Planner(taxi(), horizon=4, hints=Hints(value=lambda state: seen.add(state) or 0.0))((0, 0, "R", "Y"), 20)
    assert (0, 0, "in", "Y") in seen or any(state[2] != "R" for state in seen)


def test_the_same_seed_gives_the_same_move():
    moves = [search(prior=lambda state: [1.0, 2.0], keep=False, seed=3)[1] for _ in range(2)]
    assert moves[0].values == moves[1].values and moves[0].visits == moves[1].visits


@pytest.mark.parametrize(
    ("known", "message"),
    [
        ({"value": lambda state: float("nan")}, "the value of state 0 is nan: return a finite number"),
        ({"value": lambda state: [1.0]}, r"the value of state 0 is \[1.0\]"),
        ({"value": lambda state: 1 / 0}, "value failed in state 0: ZeroDivisionError"),
        ({"prior": lambda state: {1: 1.0}}, "the prior of state 0 leaves out -1"),
        ({"prior": lambda state: {1: 1.0, -1: 1.0, 2: 1.0}}, "the prior of state 0 names 2"),
        ({"prior": lambda state: [1.0, -1.0]}, r"the prior of state 0 is \[1.0, -1.0\]: return a weight, 0 or more"),
        ({"prior": lambda state: [0.0, 0.0]}, r"the prior of state 0 is \[0.0, 0.0\]"),
        ({"prior": lambda state: [1.0]}, r"the prior of state 0 is \[1.0\]"),
        ({"prior": lambda state: "even"}, "the prior of state 0 is 'even'"),
    ],
)
def test_what_is_not_knowledge_is_refused_by_state(known, message):
    with pytest.raises(SimulationError, match=message):
        search(**known)


def test_what_is_no_function_is_refused():
    with pytest.raises(TypeError, match=r"write a function prior\(state\)"):
        search(prior=[0.5, 0.5])


def test_a_value_that_fails_later_loses_nothing():
    def value(state):
        if state == 3 and not mended:
            raise OSError("no model")
        return truth(state)

    mended = []
    planner = Planner(walk, 10, actions=[-1, 1], hints=Hints(value=value))
    with pytest.raises(SimulationError, match="value failed in state 3: OSError: no model"):
        planner(0, 200)
    before = planner.trials
    assert before > 0 and planner.recommend().visits
    mended.append(True)
    assert planner.think(50).certificate.spent == before + 50
