"""Planning in a user's own world."""

import math
import subprocess
import sys

import numpy as np
import pytest

from varde import UCT, Planner, SimulationError, tabulate
from varde.environments import taxi
from varde.planning.planner import chance_of_best
from varde.worlds.horizon import best_values


class Walk:
    """Left or right between two ends, slipping now and then; right pays."""

    def __init__(self, fails_after=None, pays=10.0):
        self.steps, self.fails_after, self.pays = 0, fails_after, pays

    def actions(self, state):
        return ["left", "right"] if -3 < state < 4 else []

    def step(self, state, action, rng):
        self.steps += 1
        if self.fails_after is not None and self.steps > self.fails_after:
            raise KeyError("out of order")
        move = 1 if action == "right" else -1
        to = state - move if rng.random() < 0.1 else state + move
        return to, self.pays if to == 4 else -0.1


def walk_table():
    def moves(state):
        if not -3 < state < 4:
            return {}
        ways = {"left": -1, "right": 1}
        return {
            name: [(p, state + m, 10.0 if state + m == 4 else -0.1) for p, m in ((0.9, way), (0.1, -way))]
            for name, way in ways.items()
        }

    return tabulate(moves, 0)


def test_a_simulator_is_planned_as_well_as_its_table():
    planner = Planner(Walk(), horizon=12)
    move = planner(0, simulations=600)
    best = best_values(walk_table().model, 12)
    assert move.action == "right"
    assert move.simulations == sum(move.visits.values()) == 600
    assert move.q["right"] == pytest.approx(best.values[0, 0], rel=0.1)
    assert move.p_best["right"] > 0.5
    assert sum(move.p_best.values()) == pytest.approx(1.0)
    assert "take 'right' after 600 simulations" in str(move)


def test_a_model_is_planned_by_names():
    planner = Planner(taxi(), horizon=20)
    assert planner((0, 0, "R", "Y"), simulations=2000).action == "pickup"
    assert planner((4, 0, "taxi", "Y"), simulations=2000).action == "dropoff"


def test_thinking_on_is_thinking_at_once():
    once, bit_by_bit = Planner(taxi(), horizon=20), Planner(taxi(), horizon=20)
    bit_by_bit.begin((0, 0, "R", "Y"))
    bit_by_bit.think(300)
    assert bit_by_bit.think(200) == once((0, 0, "R", "Y"), simulations=500)


def test_another_algorithm():
    move = Planner(walk_table(), 12, algorithm=UCT(), graph=False)(0, simulations=500)
    assert move.action == "right"
    assert move.p_best == {}


def test_a_failing_simulator_is_named_and_leaves_the_search_usable():
    planner = Planner(Walk(fails_after=900), horizon=12)
    with pytest.raises(SimulationError, match=r"in state -?\d, action '(left|right)': KeyError: 'out of order'"):
        planner(0, simulations=5000)
    move = planner.move
    assert 0 < move.simulations < 5000
    assert sum(move.visits.values()) == move.simulations
    assert move.action == "right"
    # It goes on when the simulator does.
    planner.world._step.__self__.fails_after = None
    assert planner.think(50).simulations == move.simulations + 50


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (lambda s, a, rng: (s, math.nan), "reward nan in state 0, action 1"),
        (lambda s, a, rng: (s, "much"), "could not convert"),
        (lambda s, a, rng: ([s], 0.0), "cannot be hashed"),
        (lambda s, a, rng: s, "not iterable"),
    ],
)
def test_nonsense_from_a_simulator_is_named(step, words):
    with pytest.raises(SimulationError, match=words):
        Planner(step, 5, actions=[1])(0, simulations=3)


def test_a_step_may_end_the_episode():
    def step(state, action, rng):
        return state + 1, 1.0, state + 1 == 3

    move = Planner(step, 10, actions=["go"])(0, simulations=20)
    assert move.q["go"] == pytest.approx(3.0)


def test_states_are_met_as_the_search_goes():
    """Many more states than there is room for at first."""

    def step(state, action, rng):
        return (state + action * int(rng.integers(1, 500))) % 100_003, float(action == 2)

    planner = Planner(step, 4, actions=[1, 2])
    assert planner(0, simulations=800).action == 2
    assert len(planner.world.states) > 500


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: Planner(taxi(), horizon=0)((0, 0, "R", "Y")), ValueError, "horizon is 0"),
        (lambda: Planner(taxi(), horizon=5)("nowhere"), ValueError, "'nowhere' is not a state"),
        (lambda: Planner(taxi(), horizon=5)("delivered"), ValueError, "nothing to plan"),
        (lambda: Planner(taxi(), horizon=5)((0, 0, "R", "Y"), 0), ValueError, "simulations is 0"),
        (lambda: Planner(taxi(), horizon=5).move, ValueError, "nothing was searched"),
        (lambda: Planner(taxi(), horizon=5).think(4), ValueError, "begin"),
        (lambda: Planner(object(), horizon=5), TypeError, "is not a world"),
        (lambda: Planner(Walk(), 5)(4), ValueError, "has no actions"),
    ],
)
def test_bad_input_is_refused(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_gymnasium():
    gymnasium = pytest.importorskip("gymnasium")
    planner = Planner(gymnasium.make("Taxi-v4"), horizon=10)
    assert planner(16, simulations=500).action == 5  # at the destination with the passenger aboard: drop off
    with pytest.raises(TypeError, match="no transition table"):
        Planner(gymnasium.make("CartPole-v1"), horizon=5)


def test_chance_of_best():
    assert chance_of_best(np.array([1.0, 1.0]), np.array([0.3, 0.3])) == pytest.approx([0.5, 0.5], abs=0.01)
    chances = chance_of_best(np.array([1.0, 0.0]), np.array([0.5, 0.5]))
    assert chances[0] == pytest.approx(0.8413, abs=0.01)  # Phi(1)
    assert chance_of_best(np.array([2.0, 1.0, 1.5]), np.zeros(3)).round(6).tolist() == [1.0, 0.0, 0.0]


def test_a_simulator_needs_no_numba():
    code = (
        "import sys, varde\n"
        "planner = varde.Planner(lambda s, a, rng: (s + a, 1.0 * a), 3, actions=[0, 1])\n"
        "assert planner(0, simulations=20).action == 1\n"
        "assert 'numba' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
