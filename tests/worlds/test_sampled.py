"""Actions that are drawn: slots named when they are taken, a Box, what a move says of them, and what is refused."""

import gymnasium
import numpy as np
import pytest

import varde
from varde import Planner, SimulationError, plan
from varde.environments import taxi
from varde.worlds.sampled import AT_START, SLOTS, Slots, of_box
from varde.worlds.world import as_world


def near(x, action, rng):
    """Best is to go to 0 at once."""
    return x + action, -abs(x + action)


def anywhere(x, rng):
    return rng.uniform(-1.0, 1.0)


def test_a_slot_gets_its_name_when_it_is_first_asked_for():
    slots = Slots("here", 5, lambda state, rng: int(rng.integers(100)), np.random.default_rng(0))
    name = slots[3]
    assert slots[3] == name and list(slots) == [name] and len(slots) == 5
    assert slots.index(name) == 3 and slots.index(-7) == 0 and slots[0] == -7
    assert name in slots and 1234 not in slots
    with pytest.raises(IndexError):
        slots[5]


def test_actions_of_a_state_differ_if_they_can():
    slots = Slots("here", 6, lambda state, rng: int(rng.integers(6)), np.random.default_rng(0))
    assert len({slots[i] for i in range(4)}) == 4
    alone = Slots("here", 2, lambda state, rng: "wait", np.random.default_rng(0))
    assert alone[0] == alone[1] == "wait"


def test_the_move_is_one_of_those_that_were_tried():
    planner = Planner(near, 2, sample_action=anywhere, seed=1)
    move = planner(0.5, 300)
    assert abs(move.best + 0.5) < 0.25
    assert set(move.values) == set(move.visits) == set(move.chances) and all(move.visits.values())
    assert sum(move.visits.values()) == 300 and len(move.visits) <= 2 * AT_START
    assert sum(move.chances.values()) == pytest.approx(1.0)
    known = planner.search.known
    assert all(len(slots) >= SLOTS for slots in known.legal[1:])
    assert planner.advance(move.best, 0.5 + move.best) > 0


def test_the_same_seed_draws_the_same_actions():
    one, other = (Planner(near, horizon=2, sample_action=anywhere, seed=4)(0.5, 100) for _ in range(2))
    assert one.values == other.values


def test_many_actions_cost_no_more_than_the_slots_of_a_state():
    planner = Planner(
        lambda s, a, rng: (s + 1, -abs(a - 7000) / 1e4), 3, sample_action=lambda s, rng: int(rng.integers(10_000))
    )
    assert abs(planner(0, 500).best - 7000) < 1500
    assert planner.search.tree.used[1] <= AT_START + SLOTS * planner.search.tree.used[0]


def test_steps_of_many_states_get_drawn_actions():
    class World:
        step = staticmethod(near)

        def step_many(self, states, actions, rng):
            assert isinstance(actions, np.ndarray) and actions.dtype == float
            return states + actions, -np.abs(states + actions)

    assert (
        abs(
            Planner(World(), horizon=2, sample_action=anywhere, tree=varde.planning.Growth(batch=4))(0.5, 200).best
            + 0.5
        )
        < 0.3
    )


def test_a_box_is_drawn_from_within_its_bounds_and_at_them():
    space = gymnasium.spaces.Box(np.array([-2.0, 0.0, -np.inf]), np.array([2.0, np.inf, np.inf]), dtype=np.float64)
    rng = np.random.default_rng(0)
    drawn = np.array([of_box(space)(None, rng) for _ in range(400)])
    assert (drawn >= space.low).all() and (drawn <= space.high).all()
    assert 0.15 < (drawn[:, 0] == 2.0).mean() < 0.35 and 0.15 < (drawn[:, 0] == -2.0).mean() < 0.35
    assert plan(lambda s, a, rng: (s, a[0] - a[1]), 0, 60, horizon=1, actions=space).best[0] > 1.5


def test_a_gymnasium_environment_with_continuous_actions_is_planned():
    env = gymnasium.make("Pendulum-v1")
    env.reset(seed=1)
    move = plan(env, budget=15, horizon=3)
    assert len(move.best) == 1 and -2.0 <= move.best[0] <= 2.0
    env.step(np.array(move.best, np.float32))
    with pytest.raises(TypeError, match="key=function"):
        varde.learn(env, 10)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sample_action": 3}, r"write a function sample_action\(state, rng\)"),
        ({"sample_action": anywhere, "actions": [1, 2]}, "leave out sample_action=, or actions="),
        ({"sample_action": anywhere, "hints": varde.planning.Hints(prior=lambda x: [1.0])}, "leave out prior="),
    ],
)
def test_what_does_not_go_together_is_refused(options, message):
    with pytest.raises(TypeError, match=message):
        Planner(near, 2, **options)


def test_a_table_and_an_environment_know_their_actions():
    for world in (taxi(), gymnasium.make("Pendulum-v1")):
        with pytest.raises(TypeError, match="knows its actions"):
            as_world(world, sample_action=anywhere)


@pytest.mark.parametrize(
    ("sample", "message"),
    [
        (lambda x, rng: 1 / 0, "sample_action failed in state 0.5: ZeroDivisionError"),
        (lambda x, rng: np.ones(2), "sample_action failed in state 0.5: it returned array"),
    ],
)
def test_an_action_that_cannot_be_is_refused_by_state(sample, message):
    with pytest.raises(SimulationError, match=message):
        Planner(near, horizon=2, sample_action=sample)(0.5, 10)
