"""What makes each agent itself, in the Python engine: formulas, schedules, tie rules, settings."""

import math

import numpy as np
import pytest

from varde._compile import in_python
from varde.arrays import first_largest
from varde.beliefs.noise import Floor
from varde.decisions import LogSumExp, Nesterov
from varde.environments import forked_river_swim, river_swim
from varde.learning import MFBPI, OBPI, PAPER, PSRL, QUCB, EpsilonQ, MDPNaS
from varde.learning.checks import check_algorithm
from varde.learning.experience import count_successors, make_experience
from varde.learning.loop import Transition, act, be_at, enter, prepare, report, think_on
from varde.learning.mf_bpi import PHI_SQUARED, quantile, rank_sort
from varde.learning.navigation import allocated_action, is_due, lengthen, make_schedule, set_costs
from varde.learning.psrl import mean_model
from varde.learning.q_learning import any_best
from varde.learning.run import begin_run, task_of
from varde.paper.algorithms import varde_q_learning
from varde.random import key, stream
from varde.rule import VarDE
from varde.worlds.record import transition
from varde.worlds.solve import iterate_policy, make_dense, make_solution


class Walk:
    """One trajectory in the Python engine, step by step."""

    def __init__(self, agent, world, budget=1000, seed=0):
        self.agent = agent = check_algorithm(agent)
        self.model = in_python(world.model)
        self.run = begin_run(agent, task_of(world, 0.99, budget), stream(key(seed, "walk")))
        self.task, self.seen, self.memory, _, self.rng, *_ = self.run
        be_at(agent, self.run, world.start)

    @property
    def s(self):
        return int(self.run.now.state[0])

    def step(self):
        s, t = self.s, int(self.run.now.step[0])
        a = act(self.agent, self.memory, self.task, self.seen, s, t, self.rng)
        after, reward = transition(self.model, s, a, self.rng)
        enter(self.agent, self.run, Transition(s, a, reward, after, t), True)
        while self.run.now.due[0]:
            think_on(self.agent, self.run)
        self.run.now.step[0] = t + 1
        return s, a, reward, after


def test_varde_q_follows_algorithm_3_choice_by_choice():
    walk = Walk(PAPER, river_swim(5))

    def as_walked(state, action):
        s, a, reward, after = walk.step()
        assert (s, a) == (state, action)
        return reward, after

    q, _ = varde_q_learning(walk.s, lambda s: [0, 1], as_walked, T=3000, gamma=0.99, tau=0.1, floor=0.1)
    assert {pair: walk.memory.q[pair] for pair in q} == pytest.approx(q, rel=1e-12)


def test_varde_q_takes_other_decisions():
    """A decision that is not separable computes its weights anew; LogSumExp chooses alike both ways."""
    walk = Walk(VarDE(Nesterov(5.0), Floor(0.1, ddof=0), 2), river_swim(4))
    for _ in range(500):
        walk.step()
    visited = walk.seen.rewards.counts[walk.seen.visits > 5]
    assert (visited >= 2).all()  # warm start
    assert VarDE(LogSumExp(0.1), Floor(0.1, ddof=0), warm_start=1) == PAPER


def test_first_visit_forgets_the_initial_value():
    walk = Walk(EpsilonQ(), river_swim(5))
    s, a, reward, _ = walk.step()
    assert walk.memory[s, a] == pytest.approx(reward + 0.99 * 100.0)


def test_q_ucb_without_bonus_is_epsilon_q():
    """Values start at H and targets never exceed it, so that the cap at H changes nothing."""
    one, other = Walk(EpsilonQ(), river_swim(5)), Walk(QUCB(scale=0.0), river_swim(5))
    for _ in range(2000):
        assert one.step() == other.step()
    theory = Walk(QUCB(scale=4.0 * math.sqrt(2.0)), river_swim(5))
    theory.step()
    assert theory.memory.max() > 1000.0


def test_ties():
    rng = stream(key(0, "ties"))
    row = np.array([1.0, 3.0, 3.0, 2.0])
    assert first_largest(row) == 1
    drawn = [any_best(row, rng) for _ in range(2000)]
    assert set(drawn) == {1, 2} and abs(np.mean(drawn) - 1.5) < 5.0 * 0.5 / math.sqrt(2000)


def test_psrl_redraws_until_the_policy_changes():
    walk = Walk(PSRL(), river_swim(3))
    walk.step()
    assert walk.memory.policy.any()  # all-left at first; thirty draws from a flat prior do not all agree with it
    policy = np.zeros(3, np.int64)
    report(walk.agent, walk.memory, walk.task, walk.seen, policy, walk.rng)
    assert (policy == walk.memory.policy).all()


def test_psrl_can_report_the_posterior_mean():
    walk = Walk(PSRL(redraws=1, report_mean=True), river_swim(3))
    for _ in range(1500):
        walk.step()
    policy = np.zeros(3, np.int64)
    report(walk.agent, walk.memory, walk.task, walk.seen, policy, walk.rng)
    model, solution = make_dense(3, 2), make_solution(3)
    mean_model(walk.seen, 1.0, model, walk.task)
    iterate_policy(model, walk.task.discounts, 2, solution)
    assert (policy == solution.policy).all()


def test_posterior_mean():
    walk = Walk(EpsilonQ(), river_swim(3))
    for _ in range(200):
        walk.step()
    model, n = make_dense(3, 2), walk.seen.rewards.counts
    mean_model(walk.seen, 0.5, model, walk.task)
    counts = np.zeros((3, 2, 3))
    for s, a in np.ndindex(3, 2):
        count_successors(walk.seen, s, a, counts[s, a])
    np.testing.assert_allclose(model.transitions, (counts + 0.5) / (n + 1.5)[:, :, None])
    np.testing.assert_allclose(model.rewards, (walk.seen.rewards.means * n + 0.5) / (n + 1.0))


def test_ensemble_starts_spread_and_stays_sorted():
    walk = Walk(MFBPI(), river_swim(4))
    even = np.tile(100.0 * np.arange(50) / 49.0, 8)
    np.testing.assert_allclose(np.sort(walk.memory.q, axis=None), np.sort(even))
    np.testing.assert_allclose(np.sort(walk.memory.m, axis=None), np.sort(100.0 * even))
    np.testing.assert_allclose(walk.memory.reported, 100.0 / 8.0)
    for _ in range(50):
        before = walk.memory.trials.copy()
        s, a, _, _ = walk.step()
        learned = walk.memory.trials - before
        assert learned.sum() == learned[s, a].sum() == 35 and learned.max() == 1
    assert (np.sort(walk.memory.q, axis=2) == walk.memory.sorted_q).all()
    assert (np.sort(walk.memory.m, axis=2) == walk.memory.sorted_m).all()


def test_quantiles_and_ranks():
    rng = np.random.default_rng(0)
    values = rng.integers(20, size=50).astype(float)  # many ties
    ranks, ordered = np.zeros(50, np.int64), np.zeros(50)
    rank_sort(values, ranks, ordered)
    assert (ordered == np.sort(values)).all() and sorted(ranks) == list(range(50))
    for u in rng.random(20):
        place = min(int(u * 49), 48)
        assert quantile(ordered, place, u * 49 - place) == pytest.approx(np.quantile(values, u))
    assert pytest.approx(2.618034, abs=1e-6) == PHI_SQUARED


def test_mf_bpi_draws_in_proportion_to_the_bound():
    """One state's law, written again from the formulas, against the frequencies of 4,000 draws at a fixed level."""
    walk = Walk(MFBPI(members=2, share=0.5, least=0.0), river_swim(3))
    walk.memory.sorted_q[:] = np.array([[[5.0] * 2, [7.0] * 2], [[3.0] * 2, [1.0] * 2], [[2.0] * 2, [9.0] * 2]])
    walk.memory.sorted_m[:] = np.array([[[4.0] * 2, [2.0] * 2], [[6.0] * 2, [1.0] * 2], [[3.0] * 2, [8.0] * 2]])
    walk.seen.visits[:] = 10**9
    ceiling = max(4.0, 16.0 * 0.99**2 * PHI_SQUARED * 8.0)
    other = (2.0 + 8.0 * PHI_SQUARED * 4.0) / 4.0
    best = math.sqrt(ceiling / (2.0 * 0.01 / 1.99) ** 2 * other / 3.0)
    share = other / (other + best)
    drawn = [act(walk.agent, walk.memory, walk.task, walk.seen, 0, 0, walk.rng) for _ in range(4000)]
    assert abs(np.mean(np.array(drawn) == 0) - share) < 5.0 * math.sqrt(share * (1 - share) / 4000)


@pytest.mark.parametrize("program", [False, True])
def test_nas_bounds_are_the_published_formulas(program):
    rng = np.random.default_rng(1)
    model, solution = make_dense(6, 3), make_solution(6)
    model.transitions[:] = rng.dirichlet(np.ones(6), size=(6, 3))
    model.rewards[:] = rng.random((6, 3))
    walk = Walk(MDPNaS(), forked_river_swim(3))
    task = walk.task._replace(discounts=np.full(6, 0.99), widths=np.full(6, 3))
    bounds = prepare(MDPNaS(), walk.task).allocator.bounds
    bounds = type(bounds)(*(np.zeros(18) for _ in range(4)), np.zeros(1))
    iterate_policy(model, task.discounts, 3, solution)
    set_costs(program, model, solution, np.zeros((2, 6, 3)), bounds, task)
    v, p = solution.values, model.transitions
    mean = p @ v
    var, sp = p @ v**2 - mean**2, np.maximum(v.max() - mean, mean - v.min())
    gap = np.abs(v[:, None] - model.rewards - 0.99 * mean)
    greedy = np.zeros((6, 3), bool)
    greedy[np.arange(6), solution.policy] = True
    least = gap[~greedy].min()
    power = (lambda x: x**4 / 3) if program else (lambda x: x ** (4 / 3))
    with np.errstate(divide="ignore"):
        hard = 2 / gap**2 + np.maximum(16 * var / gap**2, 6 * sp ** (4 / 3) / power(gap))
    span = sp[greedy].max() if program else sp[greedy].max() ** (4 / 3)
    wide = max(16 * var[greedy].max() / (least**2 * 1e-4), 6 * span / (power(least) * 0.01 ** (4 / 3)))
    easy = 2 / (least**2 * 1e-4) + min(27 / (least**2 * 1e-6), wide)
    weight = bounds.weight.reshape(6, 3)
    np.testing.assert_allclose(weight[~greedy], hard[~greedy], rtol=1e-6)
    np.testing.assert_allclose(weight[greedy], -easy, rtol=1e-6)


def test_when_an_allocation_is_due():
    schedule, seen = make_schedule(2, 2, 200), make_experience(2, 2, 64)

    def at(t):
        return Transition(0, 1, 0.0, 0, t)

    seen.rewards.counts[0, 1] = 1
    assert is_due(schedule, seen, at(7), False) and schedule.doubled[0, 1] == 1
    assert not is_due(schedule, seen, at(8), False) and is_due(schedule, seen, at(400), False)
    seen.rewards.counts[:] = 5
    assert is_due(schedule, seen, at(9), False) and schedule.doubled.tolist() == [[0, 5], [0, 0]]
    seen.rewards.counts[:] = 10
    assert is_due(schedule, seen, at(9), True) and (schedule.doubled == 10).all()
    periods = []
    for t in (0, 1000, 10_000, 100_000):
        lengthen(schedule, 200, t, 40_000)
        periods.append(int(schedule.period[0]))
    assert periods == [200, 200, 800, 1600]


def test_exploration_is_of_joint_weights():
    """(1 - eps) omega(s, .) + eps / (S A): a state with little weight is explored almost uniformly."""
    seen, rng = make_experience(2, 2, 64), stream(key(0, "joint"))
    seen.visits[:] = 100
    weights = np.array([[0.97, 0.01], [0.019, 0.001]])
    drawn = np.array([allocated_action(make_schedule(2, 2, 1), weights, seen, 1, 1e-3, rng) for _ in range(20_000)])
    law = 0.99 * weights[1] + 0.01 / 4
    share = law[1] / law.sum()
    assert abs(drawn.mean() - share) < 5.0 * math.sqrt(share * (1 - share) / 20_000)


def test_o_bpi_learns_like_one_member():
    walk = Walk(OBPI(), river_swim(3))
    q, m, n = np.zeros((3, 2)), np.zeros((3, 2)), np.zeros((3, 2))
    for _ in range(40):
        s, a, reward, after = walk.step()
        n[s, a] += 1
        alpha = 101.0 / (100.0 + n[s, a])
        q[s, a] = (1 - alpha) * q[s, a] + alpha * (reward + 0.99 * q[after].max())
        d = (reward + 0.99 * q[after].max() - q[s, a]) / 0.99
        m[s, a] = (1 - alpha**1.1) * m[s, a] + alpha**1.1 * d**2
    np.testing.assert_allclose(walk.memory.q, q)
    np.testing.assert_allclose(walk.memory.m, m, atol=1e-12)
    assert walk.memory.allocator.weights.sum() == pytest.approx(1.0)
