"""Many steps at once: what ``step_many`` is given, what it may return, and what is said when it fails."""

import numpy as np
import pytest

from varde import Planner, SimulationError
from varde.planning import UCT, Growth
from varde.worlds.function import Function


def world(step_many, actions=(0, 1), start=0, key=None):
    return Function(lambda s, a, rng: (s, 0.0), actions, start, key, step_many)


def run(step_many, budget=40, batch=8, **options):
    return Planner(world(step_many, **options), 5, algorithm=UCT(), tree=Growth(batch=batch))(None, budget)


def test_numbers_come_as_arrays_and_go_as_arrays():
    def step_many(states, actions, rng):
        assert states.dtype == actions.dtype == np.int64 and states.shape == actions.shape
        return states + actions, 1.0 * actions, states + actions > 3

    assert run(step_many).best == 1


def test_tuples_come_as_rows_and_strings_as_strings():
    def step_many(states, actions, rng):
        assert states.shape == (len(actions), 2) and actions.dtype.kind == "U"
        right = actions == "right"
        moved = states + np.stack([right, ~right], axis=1)
        return moved, np.where(right, 1.0, 0.0)

    planner = Planner(world(step_many, ("left", "right"), (0, 0.5)), 5, algorithm=UCT())
    assert planner(None, 200).best == "right"
    assert (1.0, 0.5) in planner.search.atlas.states and len(planner.search.atlas.states) == 21


def test_arrays_are_stacked_and_may_be_written_over():
    buffer = np.zeros((8, 3))

    def step_many(states, actions, rng):
        assert states.shape == (len(actions), 3)
        buffer[: len(states)] = states
        buffer[range(len(states)), actions] += 1.0
        return buffer[: len(states)], buffer[: len(states), 2]

    assert run(step_many, actions=(0, 1, 2), start=np.zeros(3), key=bytes).best == 2


def test_what_is_no_number_comes_as_a_list():
    def step_many(states, actions, rng):
        assert type(states) is type(actions) is list
        return [state | {action} for state, action in zip(states, actions, strict=True)], [0.0] * len(states)

    run(step_many, actions=[("on",), None], start=frozenset())


def test_states_that_are_changed_in_place_are_refused():
    class Counter:
        count = 0

    def step_many(states, actions, rng):
        for state, action in zip(states, actions, strict=True):
            state.count = state.count + action
        return states, [0.0] * len(states)

    with pytest.raises(SimulationError, match="returned the state it was given, perhaps changed"):
        run(step_many, start=Counter())


def test_a_state_that_is_over_may_be_called_anything():
    def step_many(states, actions, rng):
        moved, overs = states + 1, states + 1 > 3
        return [("end" if over else int(to)) for to, over in zip(moved, overs, strict=True)], moved * 1.0, overs

    assert run(step_many).certificate.spent == 40


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda s: (s[:1], np.zeros(len(s))), "it returned 1 states, 8 rewards for 8 steps"),
        (lambda s: (s, np.zeros(1)), "it returned 8 states, 1 rewards for 8 steps"),
        (lambda s: (s, np.zeros(len(s)), [True]), "8 rewards and 1 overs"),
        (lambda s: (s, np.full(len(s), np.nan)), r"in state 0, action \d: the reward is nan"),
        (lambda s: (s, ["much"] * len(s)), "could not convert"),
        (lambda s: ([[1]] * len(s), np.zeros(len(s))), r"in state 0, action \d: TypeError: the state \[1\] cannot be"),
        (lambda s: None, "it returned None"),
        (lambda s: (["x"] * len(s), np.zeros(len(s))), "'x' is of another type than 0"),
    ],
)
def test_nonsense_is_named(answer, words):
    with pytest.raises(SimulationError, match=words):
        run(lambda states, actions, rng: answer(states))


def test_a_failing_step_is_found_among_many():
    def step_many(states, actions, rng):
        if (states == 2).any():
            raise ZeroDivisionError("two")
        return states + 1, actions * 1.0

    planner = Planner(world(step_many), 5, algorithm=UCT(), tree=Growth(batch=8))
    with pytest.raises(SimulationError, match=r"in step_many in state 2, action \d: ZeroDivisionError: two"):
        planner(None, 40)
    tree = planner.search.tree
    assert tree.used[0] > 1 and not tree.edges["pending"].any()
