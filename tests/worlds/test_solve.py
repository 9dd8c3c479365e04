"""Exact values: the facts known about the rivers, numpy's solver, and what is refused."""

import numpy as np
import pytest

from varde._compile import kernel
from varde.environments import forked_river_swim, river_swim
from varde.worlds.solve import (
    Dense,
    best_policy,
    iterate_policy,
    make_solution,
    policy_values,
    state_discounts,
)
from varde.worlds.tabulate import tabulate


@kernel
def solve(model, discounts, num_actions, solution):
    return iterate_policy(model, discounts, num_actions, solution)


def random_model(num_states, num_actions, seed):
    rng = np.random.default_rng(seed)
    transitions = rng.dirichlet(np.full(num_states, 0.3), size=(num_states, num_actions))
    return Dense(transitions, rng.random((num_states, num_actions)))


def proximity(values, best):
    """The paper's score of a policy."""
    return 1.0 - np.abs(best - values).max() / best.max()


@pytest.mark.parametrize(
    ("length", "start", "top", "left", "right"),
    [(5, 19.9171, 23.6360, 0.2032, 1.0), (10, 15.5547, 23.4812, 0.1945, 1.0), (50, 5.0, 23.4808, 0.1301, 0.8835)],
)
def test_river_swim_is_known(length, start, top, left, right):
    world = river_swim(length)
    policy, values = best_policy(world, 0.99)
    assert values[0] == pytest.approx(start, abs=5e-5) and values.max() == pytest.approx(top, abs=5e-5)
    assert proximity(policy_values(world, np.zeros(length, int), 0.99), values) == pytest.approx(left, abs=5e-5)
    assert proximity(policy_values(world, np.ones(length, int), 0.99), values) == pytest.approx(right, abs=5e-5)
    assert policy.tolist() == [int(s >= 14 or length < 50) for s in range(length)]


@pytest.mark.parametrize(
    ("length", "shortcut", "start"),
    [(3, False, 23.4227), (5, False, 19.9171), (25, False, 7.5523), (3, True, 31.2646), (25, True, 19.8911)],
)
def test_forked_river_swim_is_known(length, shortcut, start):
    assert best_policy(forked_river_swim(length, shortcut), 0.99)[1][0] == pytest.approx(start, abs=5e-5)


@pytest.mark.parametrize("seed", range(5))
def test_policy_iteration_satisfies_the_optimality_equation(seed):
    model, solution = random_model(12, 4, seed), make_solution(12)
    solve(model, np.full(12, 0.95), 4, solution)
    q = model.rewards + 0.95 * model.transitions @ solution.values
    assert np.abs(q.max(1) - solution.values).max() < 1e-10
    assert (q.argmax(1) == solution.policy).all()


def test_engines_agree_bit_for_bit():
    model, compiled, plain = random_model(9, 3, 7), make_solution(9), make_solution(9)
    discounts = np.full(9, 0.9)
    assert solve(model, discounts, 3, compiled) == solve.python(model, discounts, 3, plain)
    assert (compiled.values == plain.values).all() and (compiled.policy == plain.policy).all()


def test_ties_do_not_go_round_for_ever():
    """The shortcut reading has exactly tied actions at mirrored states."""
    policy, values = best_policy(forked_river_swim(15, shortcut=True), 0.99)
    assert np.abs(policy_values(forked_river_swim(15, shortcut=True), policy, 0.99) - values).max() < 1e-9


def test_an_episode_that_is_over_is_worth_nothing():
    world = tabulate({"a": {"go": [(0.5, "end", 1.0), (0.5, "a", 0.0)], "wait": [(1.0, "a", 0.1)]}, "end": {}})
    assert state_discounts(world.model, 0.5).tolist() == [0.5, 0.0]
    policy, values = best_policy(world, 0.5)
    # V = 0.5 + 0.25 V
    assert policy[0] == 0 and values == pytest.approx([0.5 / 0.75, 0.0])


@pytest.mark.parametrize("discount", [0.0, 1.0, -0.5, 1.5, float("nan")])
def test_discount_outside_the_unit_interval(discount):
    with pytest.raises(ValueError, match=r"discount is"):
        best_policy(river_swim(3), discount)


def test_policies_that_do_not_fit():
    with pytest.raises(ValueError, match=r"one for each of 3 states"):
        policy_values(river_swim(3), [0, 1], 0.9)
    with pytest.raises(ValueError, match=r"policy\[1\] is 2: write an action of state 1"):
        policy_values(river_swim(3), [0, 2, 1], 0.9)
    with pytest.raises(TypeError, match=r"varde.tabulate"):
        best_policy([1, 2, 3], 0.9)
