"""The interior-point solver against HiGHS with a scalar search over q, and on instances made to break it."""

import numpy as np
import pytest
from scipy.optimize import linprog, minimize_scalar

from varde._compile import kernel
from varde.learning.allocation import TOLERANCE, USABLE, allocate, make_allocator


@kernel
def solve(allocator, transitions, q):
    return allocate(allocator, transitions, q)


def river(num_states, num_actions, visits, fade, rng):
    """A posterior mean after about ``visits`` samples of a pair, fewer down the river."""
    counts = np.zeros((num_states, num_actions, num_states))
    for s in range(num_states):
        for a in range(num_actions):
            shares = ([1.0, 0.0, 0.0], [0.1, 0.6, 0.3])[a % 2]
            drawn = rng.multinomial(rng.poisson(visits * np.exp(-fade * s)), shares)
            np.add.at(counts[s, a], [max(s - 1, 0), s, min(s + 1, num_states - 1)], drawn)
    return (counts + 0.5) / (counts.sum(2, keepdims=True) + num_states / 2)


def one_per_state(greedy, num_actions):
    chosen = np.zeros((len(greedy), num_actions), bool)
    chosen[np.arange(len(greedy)), greedy] = True
    return chosen.ravel()


def nas_bounds(allocator, hard, easy, greedy):
    """H / q for the other actions, c / (1 - q) for the greedy ones; returns the start."""
    chosen, bounds = one_per_state(greedy, hard.shape[1]), allocator.bounds
    bounds.weight[:] = np.where(chosen, -easy, hard.ravel())
    bounds.pole[:] = np.where(chosen, 1.0, 0.0)
    bounds.limit[0] = 1.0
    return 1.0 / (1.0 + np.sqrt(easy * chosen.sum() / hard.ravel()[~chosen].sum()))


def obpi_bounds(allocator, noise, gaps, greedy):
    """In q - max 1/gap^2, from M(s, a) and the gaps; returns the start."""
    chosen, bounds = one_per_state(greedy, gaps.shape[1]), allocator.bounds
    inverse, noise = 1.0 / np.maximum(gaps**2, 1e-9).ravel(), noise.ravel()
    weight = (2.0 + 8.0 * 2.618 * noise) * inverse
    price = 4.0 * np.maximum(1.0, 4.0 * 2.618 * noise) * 199.0**2
    top = inverse[~chosen].max()
    bounds.slope[:] = np.where(chosen, price, 0.0)
    bounds.base[:] = np.where(chosen, price * top, weight)
    bounds.weight[:] = np.where(chosen, 0.0, weight * inverse)
    bounds.pole[:] = np.where(chosen, -1.0, inverse - top)
    bounds.limit[0] = np.inf
    return np.sqrt((weight * inverse)[~chosen].sum() / price[chosen].sum())


def least_mass(allocator, transitions):
    """min over q of the linear programme: a grid, then a bounded search on log q or log-odds."""
    num_states, size = transitions.shape[0], allocator.flow.shape[0]
    flow = np.repeat(np.eye(num_states), size // num_states, axis=1) - transitions.reshape(size, num_states).T
    bounds, limit = allocator.bounds, allocator.bounds.limit[0]
    tight = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}

    def mass(u):
        q = np.exp(u) if limit == np.inf else limit / (1.0 + np.exp(-u))
        low = bounds.slope * q + bounds.base + bounds.weight / (q - bounds.pole)
        scale = low.sum()
        answer = linprog(np.ones(size), A_eq=flow[:-1], b_eq=-(flow @ (low / scale))[:-1], options=tight)
        assert answer.status == 0
        return (1.0 + answer.fun) * scale

    grid = np.linspace(-25.0, 25.0, 26)
    middle = grid[np.argmin([mass(u) for u in grid])]
    return minimize_scalar(mass, bounds=(middle - 2.0, middle + 2.0), options={"xatol": 1e-7}, method="bounded").fun


def instance(kind, num_states, num_actions, number):
    rng = np.random.default_rng([number, num_states, num_actions])
    transitions = river(num_states, num_actions, (2, 20, 200, 2000)[number % 4], (0.0, 0.1, 0.5)[number % 3], rng)
    allocator = make_allocator(num_states, num_actions)
    greedy = rng.integers(num_actions, size=num_states)
    gaps = rng.gamma(0.5, 2.0, size=(num_states, num_actions)) + 1e-4
    noise = rng.gamma(0.5, 20.0, size=gaps.shape)
    if kind == "nas":
        return allocator, transitions, nas_bounds(allocator, (2 + 16 * noise) / gaps**2, 2e4 / gaps.min() ** 2, greedy)
    if number % 2:  # half of the states never visited
        gaps[num_states // 2 :] = noise[num_states // 2 :] = 0.0
    return allocator, transitions, obpi_bounds(allocator, noise, gaps, greedy)


@pytest.mark.parametrize("kind", ["nas", "o-bpi"])
@pytest.mark.parametrize(("num_states", "num_actions"), [(5, 2), (12, 3)])
def test_agrees_with_a_linear_programme(kind, num_states, num_actions):
    for number in range(3):
        allocator, transitions, q = instance(kind, num_states, num_actions, number)
        assert solve(allocator, transitions, q) <= TOLERANCE
        assert allocator.optimum[0] == pytest.approx(least_mass(allocator, transitions), rel=1e-7)


@pytest.mark.parametrize("kind", ["nas", "o-bpi"])
def test_weights_are_a_circulation_at_every_size(kind):
    for num_states, num_actions in [(2, 2), (5, 2), (20, 2), (50, 2), (49, 3)]:
        for number in range(6):
            allocator, transitions, q = instance(kind, num_states, num_actions, number)
            assert solve(allocator, transitions, q) <= TOLERANCE, (num_states, num_actions, number)
            weights = allocator.weights
            assert weights.min() > 0.0 and weights.sum() == pytest.approx(1.0)
            assert np.abs(weights.sum(1) - np.einsum("saj,sa->j", transitions, weights)).max() < 1e-7


@pytest.mark.parametrize("smallest", [1e-16, 1e-8, 1.0])
def test_gaps_of_any_size(smallest):
    rng = np.random.default_rng(1)
    transitions = river(20, 2, 50, 0.2, rng)
    gaps = np.full((20, 2), 1.0)
    gaps[rng.integers(20, size=5)] = smallest
    allocator = make_allocator(20, 2)
    q = nas_bounds(allocator, 100.0 / gaps**2, 2e4 / smallest**2, np.zeros(20, int))
    assert solve(allocator, transitions, q) <= TOLERANCE
    assert np.isfinite(allocator.weights).all()


def test_a_model_that_falls_apart_has_a_closed_form():
    """Without a way from one half to the other a flow equation follows from the rest: its pivot vanishes."""
    transitions = np.zeros((4, 2, 4))
    for s in range(4):
        transitions[s, 0, s] = transitions[s, 1, s ^ 1] = 1.0
    allocator = make_allocator(4, 2)
    q = nas_bounds(allocator, np.full((4, 2), 3.0), 5.0, np.zeros(4, int))
    assert solve(allocator, transitions, q) <= TOLERANCE
    # Every pair circulates at its bound: 12 / q + 20 / (1 - q) is least at (sqrt 12 + sqrt 20)^2.
    assert allocator.optimum[0] == pytest.approx((np.sqrt(12.0) + np.sqrt(20.0)) ** 2, rel=1e-7)


def test_an_unusable_answer_leaves_the_weights_alone():
    allocator, transitions, q = instance("nas", 5, 2, 0)
    allocator.bounds.weight[3] = np.nan
    assert not solve(allocator, transitions, q) <= USABLE
    assert (allocator.weights == 0.1).all()


def test_both_engines_agree_bit_for_bit():
    for kind in ("nas", "o-bpi"):
        compiled, transitions, q = instance(kind, 12, 3, 1)
        plain, _, _ = instance(kind, 12, 3, 1)
        assert solve(compiled, transitions, q) == solve.python(plain, transitions, q)
        assert (compiled.weights == plain.weights).all() and (compiled.optimum == plain.optimum).all()
