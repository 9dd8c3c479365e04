"""The paper's listings by hand, and the engines against them, choice by choice, in Python and compiled."""

import inspect
import math
import re
from typing import NamedTuple

import numpy as np
import pytest

import varde
from varde.bandits import measure
from varde.bandits.problems import pull
from varde.environments import river_swim
from varde.learning import PAPER
from varde.learning.checks import check_algorithm
from varde.learning.run import Driver, task_of
from varde.paper import algorithms
from varde.paper.algorithms import OPEN, score, varde_bai, varde_mcts, varde_q_learning, welford
from varde.paper.reading import LITERAL, PRINTED
from varde.planning import Search
from varde.random import key, normal, stream, uniform
from varde.worlds.record import num_actions, step


def test_every_open_line_is_marked_where_it_is():
    text = inspect.getsource(algorithms).split("\n}\n", 1)[1]
    marked = {int(number) for group in re.findall(r"\[([\d, ]+)\]", text) for number in group.split(",")}
    assert set(OPEN) - marked == {5}  # about states as such, not about a line


# -- Algorithm 4 ---------------------------------------------------------------------------------


def test_welford_gives_mean_and_variance_with_divisor_n():
    x, state = np.random.default_rng(0).normal(3.0, 2.0, 50), (0, 0.0, 0.0)
    for value in x:
        state = welford(*state, float(value))
    assert state == pytest.approx((50, x.mean(), x.var()))


# -- Algorithm 1 ---------------------------------------------------------------------------------


def test_scores_rank_as_the_printed_ratio_does():
    rng = np.random.default_rng(1)
    for _ in range(500):
        mean, variance, N, tau = (
            rng.normal(size=6),
            rng.exponential(size=6),
            rng.integers(1, 40, 6),
            rng.uniform(0.1, 2),
        )
        w = np.exp(mean / tau) / np.exp(mean / tau).sum()
        printed = w**2 * np.maximum(variance, 0.01) / (N * (N + 1))
        ours = [score(*arm, tau, 0.01) for arm in zip(mean, variance, N, strict=True)]
        assert int(np.argmax(ours)) == int(np.argmax(printed))
    assert score(-9.0, 0.0, 0, 0.1, 0.01) == math.inf


def test_without_noise_arms_are_pulled_in_proportion_to_their_weights():
    mean, tau = [0.3, 0.2, 0.0], 0.2
    best, pulled = varde_bai(lambda i: mean[i], 3, tau, 1, 0.01, 3000)
    w = np.exp(np.array(mean) / tau)
    assert best == 0 and pulled[:3] == [0, 1, 2]
    assert np.bincount(pulled) / 3000 == pytest.approx(w / w.sum(), abs=2e-3)


def test_at_equal_means_arms_are_pulled_in_proportion_to_their_deviations():
    pulls = [0, 0]

    def alternate(i):
        pulls[i] += 1
        return (3.0, 1.0)[i] * (-1) ** pulls[i]

    varde_bai(alternate, 2, 1e6, 2, 1e-9, 4000)
    assert pulls[0] / 4000 == pytest.approx(0.75, abs=2e-3)


class Recorded(NamedTuple):
    """Arms that pay what is written in a table, and note who was pulled."""

    means: np.ndarray  # [K]
    rewards: np.ndarray  # [K, T]
    pulls: np.ndarray  # [K] so far
    order: np.ndarray  # [T + 1] the arms pulled; their number is last


@pull.of(Recorded)
def recorded_reward(bandit, arm, rng):
    bandit.order[bandit.order[-1]] = arm
    bandit.order[-1] += 1
    bandit.pulls[arm] += 1
    return bandit.rewards[arm, bandit.pulls[arm] - 1]


@pytest.mark.parametrize("engine", ["python", "compiled"])
@pytest.mark.parametrize("rewards", ["bernoulli", "normal", "tied"])
def test_the_bandit_engine_makes_every_choice_of_algorithm_1(rewards, engine):
    """Arms come in pairs with the same rewards where they are tied: the first of them is taken."""
    rng = np.random.default_rng(7)
    for K, tau, eta, floor, T in ((4, 0.1, 1, 0.01, 300), (10, 0.05, 2, 0.01, 400), (20, 0.15, 5, 0.1, 500)):
        mean = rng.uniform(0.1, 0.5, K)
        paid = rng.random((K, T)) < mean[:, None] if rewards != "normal" else rng.normal(mean[:, None], 0.3, (K, T))
        scale = np.linspace(1.0, 1.01, K)  # ties of arms that are not alike would be broken by rounding
        if rewards == "tied":
            mean, paid, scale = (np.repeat(some[::2], 2, axis=0) for some in (mean, paid, scale))
        if rewards != "normal":
            paid = paid * scale[:, None]
        follow = [iter(row) for row in paid.tolist()]
        best, pulled = varde_bai(lambda i, follow=follow: next(follow[i]), K, tau, eta, floor, T)
        rule = varde.VarDE(varde.decisions.LogSumExp(tau), varde.beliefs.Floor(floor, ddof=0), warm_start=eta)
        for _ in range(2):  # the first time a bandit of this type is seen, it is tried out
            bandit = Recorded(mean, paid.astype(float), np.zeros(K, int), np.zeros(T + 1, int))
            found = measure(rule, bandit, T, runs=1, shuffle=False, workers=1, engine=engine)
        assert bandit.order[:T].tolist() == pulled
        assert found.answers[0, -1] == best


# -- Algorithm 2 ---------------------------------------------------------------------------------


def one_move(rewards):
    """A root whose actions end the episode, each with a fixed reward."""
    return {"actions": lambda s: range(len(rewards)) if s == "root" else [], "step": lambda s, a: (rewards[a], "end")}


def test_the_printed_tree_draws_values_to_zero_since_an_expansion_pays_nothing():
    settings = {"H": 1, "gamma": 1.0, "tau": 0.3, "floor": 0.01}
    _, Q, N = varde_mcts("root", **one_move([1.0, 0.5]), T=400, **settings)
    for a, reward in enumerate((1.0, 0.5)):
        n = N["root", a]
        assert Q["root", a] == pytest.approx(reward * (n - 1) / n if n > 1 else reward)
    best, Q, _ = varde_mcts("root", **one_move([1.0, 0.5]), T=50, counted=True, **settings)
    assert best == 0 and Q == {("root", 0): 1.0, ("root", 1): 0.5}


@pytest.mark.parametrize("counted", [False, True])
def test_two_moves_by_hand(counted):
    """s0 -(a: 1)-> s1 -(a: 2, b: 4)-> end, discount 1/2, rollouts take the first action."""
    moves = {("s0", "a"): (1.0, "s1"), ("s1", "a"): (2.0, "end"), ("s1", "b"): (4.0, "end")}
    tree = {
        "actions": lambda s: [a for state, a in moves if state == s],
        "step": lambda s, a: moves[s, a],
        "H": 2,
        "gamma": 0.5,
        "tau": 1.0,
        "floor": 0.01,
        "counted": counted,
    }
    assert varde_mcts("s0", T=1, **tree)[1] == {("s0", "a"): 1.0 + 0.5 * 2.0}
    _, Q, N = varde_mcts("s0", T=3, **tree)
    assert N["s0", "a"] == 3 and Q["s1", "b"] == 4.0
    # As printed two of three rewards are in the mean, and s1 was never passed while it had something to expand.
    assert Q["s0", "a"] == pytest.approx(1.0 + 0.5 * 4.0 if counted else 2.0 / 3.0)


class Written(NamedTuple):
    """States with two successors of each action, of which some states have none; every transition is written down."""

    means: np.ndarray  # [S, A, 2] reward with each successor
    noise: float  # deviation about it
    successors: np.ndarray  # [S, A, 2]
    widths: np.ndarray  # [S] how many actions there are
    log: np.ndarray  # [n, 4] state, action, successor, reward
    length: np.ndarray  # [1] of the log so far


@num_actions.of(Written)
def written_widths(world):
    return world.widths


@step.of(Written)
def written_step(world, state, action, rng):
    way = 1 if uniform(rng) < 0.7 else 0
    after, reward = world.successors[state, action, way], world.means[state, action, way] + world.noise * normal(rng)
    line = world.log[world.length[0]]
    line[0], line[1], line[2], line[3] = state, action, after, reward
    world.length[0] += 1
    return after, reward


ALL_ALIKE = np.full(12, 3)
MIXED = np.array([3, 1, 2, 0, 3, 2, 1, 3, 2, 3, 0, 3])  # two states end the episode


@pytest.mark.parametrize("engine", ["python", "compiled"])
@pytest.mark.parametrize(
    ("literal", "widths", "discount", "noise", "grid"),
    [
        (False, ALL_ALIKE, 0.9, 0.3, 0.0),
        (False, MIXED, 1.0, 0.3, 0.0),
        (False, MIXED, 1.0, 0.0, 0.5),
        (False, MIXED, 0.5, 0.0, 1.0),
        (True, ALL_ALIKE, 0.9, 0.0, 0.0),
        (True, MIXED, 1.0, 0.0, 0.0),
        (True, MIXED, 1.0, 0.0, 0.5),
    ],
    ids=["plain", "ends", "ties", "all the same", "listed", "listed, ends", "listed, ties"],
)
def test_the_tree_search_makes_every_choice_of_algorithm_2(literal, widths, discount, noise, grid, engine, monkeypatch):
    """Rewards on a grid have ties, of which any may be taken: a score is rounded, and what was taken comes first."""
    monkeypatch.setattr(algorithms, "score", lambda *values: round(score(*values), 9))
    rng, chosen = np.random.default_rng(3), 0
    T, H = 400, 4
    for tau, floor in ((0.3, 0.01), (1.0, 0.2)):
        means = rng.random((12, 3, 2))
        means = (means / grid).round() * grid if grid else means
        successors = np.array([rng.permutation(12)[:2] for _ in range(36)]).reshape(12, 3, 2)
        search = None
        for _ in range(2):  # the first time a world of this type is seen, it is tried out
            world = Written(means, noise, successors, widths, np.zeros(((T + 10) * H, 4)), np.zeros(1, int))
            reading = LITERAL if literal else PRINTED
            search = Search(reading.varde(tau, floor), world, 0, H, discount, keep=reading.keep, engine=engine)
            search.run(T, stream(key(5)))
        settings = {"T": T, "H": H, "gamma": discount, "tau": tau, "floor": floor}
        chosen += follow_the_log(world, search, settings, literal)
    assert chosen > 800


def follow_the_log(world, search, settings, literal):
    """Algorithm 2 with what happened in the fast search: its choices, how many were checked, and the values at last."""
    log = iter(world.log[: world.length[0]].tolist())
    upcoming = [next(log)]
    checked = [0, 0]  # transitions, of which expansions and rollouts

    def actions(s):
        """Those of a state, the one that was taken next before the others."""
        taken = int(upcoming[0][1]) if upcoming[0] and upcoming[0][0] == s[-1] else 0
        return sorted(range(world.widths[s[-1]]), key=lambda a: a != taken)

    def take(s, a):
        state, action, after, reward = upcoming[0]
        assert (s[-1], a) == (state, action)
        upcoming[0] = next(log, None)
        checked[0] += 1
        return reward, (*s, a, int(after))

    def as_logged(s):
        checked[1] += 1
        return int(upcoming[0][1])

    def unsampled(actions):
        assert as_logged(None) in actions
        return int(upcoming[0][1])

    _, Q, N = varde_mcts((0,), actions, take, unsampled=unsampled, rollout=as_logged, counted=not literal, **settings)
    assert upcoming == [None]
    rows = np.sort(search.tree.edges[search.edges()], order="action")
    assert rows["q"] == pytest.approx([Q[(0,), a] for a in range(3)], rel=1e-9)
    assert rows["count"].tolist() == [N[(0,), a] for a in range(3)]
    return checked[0] - checked[1]


# -- Algorithm 3 ---------------------------------------------------------------------------------


def test_the_first_visit_forgets_the_initial_value():
    Q, _ = varde_q_learning(0, lambda s: [0], lambda s, a: (1.0, 0), T=20, gamma=0.9, tau=0.1, floor=0.1)
    assert Q[0, 0] == pytest.approx(10.0)  # y = 1 + 0.9 * 10 each time
    Q, _ = varde_q_learning(0, lambda s: [0], lambda s, a: (0.0, 0), T=2, gamma=0.9, tau=0.1, floor=0.1)
    assert Q[0, 0] == pytest.approx(1 / 12 * 9.0 + 11 / 12 * 8.1)


def test_the_actions_of_a_state_are_tried_in_order_and_the_best_is_found():
    Q, taken = varde_q_learning(
        0, lambda s: [0, 1, 2], lambda s, a: (float(a == 2), 0), T=200, gamma=0.5, tau=0.1, floor=0.1
    )
    assert taken[:3] == [0, 1, 2] and Q[0, 2] == pytest.approx(2.0, abs=1e-6)


def uneven(actions=(3, 1, 2, 1)):
    """A ring whose states have one to three actions, of which the first two are alike."""
    size, moves = len(actions), {}
    for s, width in enumerate(actions):
        on, back = (s + 1) % size, (s - 1) % size
        ways = [[(0.5, on, 0.0), (0.5, s, 0.0)]] * 2 + [[(0.7, back, 0.4), (0.3, on, 0.9)]]
        moves[s] = dict(enumerate(ways[:width] if width > 1 else [[(0.5, on, 1.0), (0.5, 0, 0.2)]]))
    return varde.tabulate(moves, 0, bernoulli=True)


@pytest.mark.parametrize(
    ("world", "discount"),
    [(river_swim(5), 0.99), (river_swim(8), 0.99), (uneven(), 0.9), (uneven((2, 3, 1)), 0.5)],
    ids=["river of 5", "river of 8", "uneven", "uneven, near-sighted"],
)
def test_the_learner_makes_every_choice_of_algorithm_3(world, discount):
    """Compiled; in Python step by step in tests/learning/test_agents.py."""
    T = 3000
    tour = Driver(check_algorithm(PAPER), task_of(world, discount, T), stream(key(1)), world.model)
    chosen = []

    def as_learnt(s, a):
        before = tour.run.seen.rewards.counts.copy()
        assert int(tour.run.now.state[0]) == s
        totals = tour.run.seen.rewards.means * before
        tour.go(1)
        pair = np.argwhere(tour.run.seen.rewards.counts > before)[0]
        assert int(tour.run.now.step[0]) == len(chosen) + 1
        chosen.append(int(pair[-1]))
        after = tour.run.seen.rewards
        return float((after.means * after.counts - totals)[tuple(pair)].round(9)), int(tour.run.now.state[0])

    actions = [range(len(world.legal(state))) for state in world.states]
    Q, taken = varde_q_learning(0, actions.__getitem__, as_learnt, T=T, gamma=discount, tau=0.1, floor=0.1)
    assert taken == chosen
    q = getattr(tour.run.memory, "q", tour.run.memory)
    for (s, a), value in Q.items():
        assert q[s, a] == pytest.approx(value, rel=1e-9)
