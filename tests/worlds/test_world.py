"""One door for all kinds of worlds."""

import numpy as np
import pytest

import varde
from varde import tabulate
from varde.environments import river_swim, synthetic_tree
from varde.protocols import World
from varde.worlds.function import Function
from varde.worlds.table import Table
from varde.worlds.world import as_world, draw_start


class Walk:
    """Left or right, from wherever one likes."""

    start = 0

    def actions(self, state):
        return ["left", "right"] if abs(state) < 3 else []

    def step(self, state, action, rng):
        return state + (1 if action == "right" else -1), -1.0, False


def test_tables_and_compiled_records_answer_in_the_kernel():
    river, tree = river_swim(4), synthetic_tree(3, 2)
    assert as_world(river) is river
    assert isinstance(as_world(tree), Table) and as_world(tree).legal(1) == [0, 1, 2]
    assert as_world(river, start=2).start == 2


def test_an_object_is_a_world():
    world = as_world(Walk())
    assert isinstance(Walk(), World) and isinstance(world, World)
    assert world.start == 0 and world.actions(3) == [] and world.step(0, "left", None)[0] == -1
    assert as_world(world) is world and as_world(world, start=2).start == 2


def test_a_function_comes_with_its_actions():
    world = as_world(lambda s, a, rng: (s + a, 0.0), [1, 2], start=5)
    assert isinstance(world, Function) and world.actions("anywhere") == (1, 2) and world.start == 5
    assert as_world(Walk(), ["right"]).actions(0) == ("right",)


def test_what_else_an_object_knows_is_kept():
    class Named(Walk):
        key, horizon = staticmethod(str), 7

    world = as_world(Named())
    assert world.key(3) == "3" and world.horizon == 7


def test_starts_are_drawn():
    rng = np.random.default_rng(0)
    table = tabulate({"a": {"go": [(1.0, "b", 0.0)]}, "b": {}}, starts={"a": 0.2, "b": 0.8})
    drawn = [draw_start(table, rng) for _ in range(500)]
    assert drawn.count("a") / 500 == pytest.approx(0.2, abs=0.06)
    assert draw_start(as_world(Walk()), rng) == 0
    assert draw_start(as_world(Walk(), start=lambda rng: int(rng.integers(5, 9))), rng) in range(5, 9)
    with pytest.raises(ValueError, match="does not say where it starts"):
        draw_start(as_world(lambda s, a, rng: (s, 0.0), [1]), rng)


def test_planning_begins_at_the_one_start_of_a_table():
    table = tabulate({"a": {"go": [(1.0, "b", 0.0)]}, "b": {}}, "a", starts={"a": 0.2, "b": 0.8})
    assert {varde.plan(table, budget=2, horizon=2, seed=seed).best for seed in range(5)} == {"go"}


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: as_world(object()), "is not a world: write a table .*Gymnasium.*object with step.*function step"),
        (lambda: as_world(3), "3 is not a world"),
        (lambda: as_world(lambda s, a, rng: (s, 0.0)), "does not say what actions there are: write actions="),
        (lambda: as_world(Walk(), "left"), "actions is 'left': write a list"),
        (lambda: as_world(Walk(), 4), "actions is 4: write a list"),
        (lambda: as_world(river_swim(3), ["left"]), "a Table knows its states and actions"),
    ],
)
def test_what_is_no_world_is_refused_with_the_kinds(call, words):
    with pytest.raises(TypeError, match=words):
        call()


class Walker:
    """Keeps its state itself, as many simulators do."""

    def step(self, action):
        return action, 1.0


@pytest.mark.parametrize(
    ("step", "shown"),
    [(Walker(), r"Walker\.step\(action\)"), (lambda state, action: (state, 1.0), r"<lambda>\(state, action\)")],
)
def test_a_step_with_other_parameters_is_answered_with_those_to_write(step, shown):
    with pytest.raises(TypeError, match=rf"{shown} does not take .*write step\(state, action, rng\)"):
        varde.plan(step, 0, 10, horizon=2, actions=[0, 1])


def test_plan_has_a_state_and_no_start():
    with pytest.raises(TypeError, match=r"write state=\.\.\."):
        varde.plan(lambda state, action, rng: (state, 1.0), start=0, horizon=2, actions=[0, 1])
