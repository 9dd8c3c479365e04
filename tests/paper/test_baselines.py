"""The laws of baselines, from the formulas of the papers that they come from.

UCB-E, UGapE and Continuous Rejects are compared pull by pull with their formulas in ``tests/bandits``, the law of
MF-BPI is in ``tests/learning/test_laws.py``, and what trees keep of MENTS, RENTS, TENTS, DENTS, BTS and UCT, node by
node, in ``tests/planning/test_formulas.py``; here is what those leave.
"""

import math

import numpy as np
import pytest

from varde.bandits import SequentialHalving, SuccessiveRejects, measure
from varde.environments import forked_river_swim, river_swim, sailing
from varde.learning import OBPI, PSRL, QUCB, MDPNaS
from varde.learning.psrl import draw_model
from varde.planning import BTS, DENTS, MENTS, RENTS, TENTS, UCT, Search
from varde.random import key, stream
from varde.worlds.solve import make_dense

from ..learning.test_agents import Walk
from .test_algorithms import Recorded

TRIALS, REPEATS, FAR = 60, 400, 4.5  # standard errors, of some forty shares


# -- bandits: how often each arm is pulled ---------------------------------------------------------------


def counts_of(algorithm, rewards):
    """Pulls of each arm of a bandit that pays what is written."""
    (arms, budget), means = rewards.shape, rewards.mean(axis=1)
    for _ in range(2):  # the first time a bandit of this type is seen, it is tried out
        bandit = Recorded(means, rewards, np.zeros(arms, int), np.zeros(budget + 1, int))
        measure(algorithm, bandit, budget, runs=1, shuffle=False, workers=1, engine="python")
    return np.bincount(bandit.order[:budget], minlength=arms)


SIZES = [(4, 90), (7, 150), (10, 400), (33, 1000)]


@pytest.mark.parametrize(("arms", "budget"), SIZES)
def test_sequential_halving(arms, budget):
    """Karnin et al. 2013: t = floor(T / (|S| ceil(log2 K))) pulls each, and ceil(|S| / 2) of the highest averages stay.

    An average is that of a round; what rounding leaves is shared by the last two.
    """
    rewards = np.random.default_rng(arms).normal(size=(arms, budget))
    rounds, pulled, alive = math.ceil(math.log2(arms)), np.zeros(arms, int), np.arange(arms)
    while len(alive) > 2:
        each = budget // (len(alive) * rounds)
        averages = np.array([rewards[i, pulled[i] : pulled[i] + each].mean() for i in alive])
        pulled[alive] += each
        alive = alive[averages.argsort()[len(alive) // 2 :]]
    found = counts_of(SequentialHalving(), rewards)
    assert np.delete(found, alive).tolist() == np.delete(pulled, alive).tolist() and np.ptp(found[alive]) <= 1


@pytest.mark.parametrize(("arms", "budget"), SIZES)
def test_successive_rejects(arms, budget):
    """Audibert et al. 2010: in phase k each arm gets up to n_k = ceil(T / (logbar(K) (K + 1 - k))) pulls.

    Then the worst goes.  With T for their T - K, which the printed error rates do not fit.
    """
    rewards = np.random.default_rng(arms).normal(size=(arms, budget))
    log_bar, pulled, alive = 0.5 + sum(1.0 / i for i in range(2, arms + 1)), np.zeros(arms, int), list(range(arms))
    for k in range(1, arms - 1):
        pulled[alive] = math.ceil(budget / (log_bar * (arms + 1 - k)))
        alive.remove(min(alive, key=lambda i: rewards[i, : pulled[i]].mean()))
    found = counts_of(SuccessiveRejects(), rewards)
    assert np.delete(found, alive).tolist() == np.delete(pulled, alive).tolist() and np.ptp(found[alive]) <= 1


# -- tree search: how often the next trial takes each action of the root ------------------------------


def softmax(x):
    shares = np.exp(x - x.max())
    return shares / shares.sum()


def sparsemax(x):
    """Xiao et al.'s projection on the simplex: theta such that the positive parts of x - theta sum to 1."""
    low, high = x.min() - 1.0, x.max()
    for _ in range(100):
        theta = 0.5 * (low + high)
        low, high = (theta, high) if np.maximum(x - theta, 0.0).sum() > 1.0 else (low, theta)
    return np.maximum(x - theta, 0.0)


TAU, EPSILON = 2.0, 0.9
LAWS = {
    BTS(TAU, EPSILON): lambda q, entropy: softmax(q / TAU),
    MENTS(TAU, EPSILON): lambda q, entropy: softmax(q / TAU),
    RENTS(TAU, EPSILON): lambda q, entropy: softmax(q / TAU),  # the root has no parent's policy
    TENTS(TAU, EPSILON): lambda q, entropy: sparsemax(q / TAU),
    DENTS(TAU, EPSILON): lambda q, entropy: softmax((q + entropy / math.sqrt(1.0 + TRIALS)) / TAU),
}


@pytest.mark.parametrize("algorithm", LAWS, ids=lambda one: type(one).__name__)
def test_boltzmann_searches_draw_by_their_policy_mixed_with_uniform(algorithm):
    """Painter et al. 2023: lambda = min(1, epsilon / ln(N + 1)); N counts the trial at hand."""
    world, counts = sailing(4), []
    search = Search(algorithm, world.model, world.start, 12, engine="compiled")
    for again in range(REPEATS):
        search.restart()
        search.run(TRIALS, stream(key(0, "same")))
        tree = search.tree
        edges = search.edges()
        before = tree.edges[edges].copy()
        search.run(1, stream(key(again, "other")))
        counts.append(search.tree.edges["count"][search.edges()] - before["count"])
    assert (before["count"] > 0).all()
    entropy = before["entropy"] if "entropy" in before.dtype.names else np.zeros(len(before))
    mixed = min(1.0, EPSILON / math.log(TRIALS + 2.0))
    expected = (1.0 - mixed) * LAWS[algorithm](before["q"], entropy) + mixed / len(before)
    errors = np.sqrt(expected * (1.0 - expected) / REPEATS)
    assert np.abs(np.mean(counts, axis=0) - expected).max() < FAR * errors.max() and expected.std() > 0.02


@pytest.mark.parametrize("keep", [True, False])
def test_rents_weighs_by_what_the_parent_offered_at_every_node_of_a_trial(keep):
    """Dam et al. 2021: V = tau ln sum_a pi_parent(a) exp(q(a) / tau), also where an action is new."""
    world, tau, checked, opened = sailing(4), 0.7, 0, 0
    search = Search(RENTS(tau, 0.3), world.model, world.start, 8, keep=keep, engine="python")
    rng = stream(key(0, "offers"))
    search.run(300, rng)
    for _ in range(100):
        edges, nodes, used = search.tree.edges.copy(), search.tree.nodes.copy(), search.tree.used[0]
        search.run(1, rng)
        tree, offered = search.tree, None
        for node in search.trials_now.path["node"][:8]:
            ended = offered is not None and node == 0  # what follows in the path is of earlier trials
            if ended or node >= used or tree.nodes["visits"][node] == nodes["visits"][node] or not nodes["tried"][node]:
                break
            rows = np.arange(tree.nodes["width"][node]) + tree.nodes["first"][node]
            labels = tree.edges["label"][rows].astype(int).tolist()
            factors = np.array([1.0 if offered is None else offered.get(label, 0.0) for label in labels])
            after = np.where(tree.edges["count"][rows] > 0, tree.edges["q"][rows], 0.0)
            assert tree.nodes["value"][node] == pytest.approx(tau * np.log(factors @ np.exp(after / tau)))
            old = edges[rows]
            before = {int(row["label"]): row["q"] for row in old if row["count"]}
            weights = factors * np.exp(np.array([before.get(label, 0.0) for label in labels]) / tau)
            share = min(1.0, 0.3 / math.log(nodes["visits"][node] + 2.0))
            mixed = (1.0 - share) * weights / weights.sum() + share / len(rows)
            offered = dict(zip(labels, mixed, strict=True))
            checked, opened = checked + 1, opened + (nodes["tried"][node] < tree.nodes["tried"][node])
    assert checked > 200 and opened > 5


def test_uct_explores_uniformly_with_its_epsilon_and_else_takes_the_highest_bound():
    """Kocsis and Szepesvari 2006, with THTS's epsilon."""
    world, taken = sailing(4), []
    search = Search(UCT(5.0, 0.4), world.model, world.start, 12, engine="compiled")
    for again in range(REPEATS):
        search.restart()
        search.run(TRIALS, stream(key(0, "same")))
        before = search.tree.edges[search.edges()].copy()
        search.run(1, stream(key(again, "other")))
        taken.append(search.tree.edges["count"][search.edges()] - before["count"])
    bounds = before["q"] + 5.0 * np.sqrt(math.log(TRIALS + 1) / before["count"])
    expected = np.where(bounds == bounds.max(), 0.6, 0.0) + 0.4 / len(before)
    assert np.abs(np.mean(taken, axis=0) - expected).max() < FAR * math.sqrt(0.25 / REPEATS)


# -- learning ------------------------------------------------------------------------------------------


def test_q_ucb_adds_its_bonus_to_a_target_that_is_cut_off():
    """Jin et al. 2018, discounted: alpha = (H + 1)/(H + N), bonus c H sqrt(ln(S A (t + 1) / delta) / N)."""
    walk, horizon = Walk(QUCB(delta=0.01, scale=0.5), river_swim(4)), 100.0
    q, visits = np.full((4, 2), horizon), np.zeros((4, 2), int)
    for t in range(400):
        s, a, reward, after = walk.step()
        visits[s, a] += 1
        bonus = 0.5 * horizon * math.sqrt(math.log(q.size * (t + 1) / 0.01) / visits[s, a])
        rate = (horizon + 1.0) / (horizon + visits[s, a])
        q[s, a] += rate * (reward + 0.99 * min(horizon, q[after].max()) + bonus - q[s, a])
    assert walk.memory == pytest.approx(q) and q.max() > horizon


@pytest.mark.parametrize(("agent", "prior"), [(PSRL(), 1.0), (MDPNaS(sampling=True), 0.5)])
def test_posterior_samplers_draw_from_dirichlet_and_beta(agent, prior):
    """Osband et al. 2013: Dirichlet on successors, Beta on rewards; PS-MDP-NaS has Jeffreys' priors."""
    walk, draws = Walk(agent, river_swim(3)), 1500
    for _ in range(40):
        walk.step()
    seen, model = walk.seen, make_dense(3, 2)
    rng, rows, rewards = stream(key(1, "draws")), [], []
    for _ in range(draws):
        draw_model(seen, prior, model, walk.task, rng)
        rows.append(model.transitions.copy())
        rewards.append(model.rewards.copy())
    count = np.array([[seen.rewards.counts[s, a] for a in range(2)] for s in range(3)], float)
    ones = np.array([[seen.rewards.means[s, a] * count[s, a] for a in range(2)] for s in range(3)])
    share, total = (ones + prior) / (count + 2.0 * prior), count + 2.0 * prior
    variance = share * (1.0 - share) / (total + 1.0)
    assert np.abs(np.mean(rewards, axis=0) - share).max() < FAR * math.sqrt(variance.max() / draws)
    assert np.var(rewards, axis=0) == pytest.approx(variance, rel=0.25)
    weight = count + 3.0 * prior
    mean = np.mean(rows, axis=0)
    spread = mean * (1.0 - mean) / (weight[..., None] + 1.0)
    assert np.var(rows, axis=0) == pytest.approx(spread, rel=0.3, abs=1e-3) and np.allclose(mean.sum(axis=-1), 1.0)
    seen_often = mean * weight[..., None] - prior  # the counts of successors, whole numbers
    assert np.abs(seen_often - seen_often.round()).max() < FAR * (weight[..., None] * np.sqrt(spread / draws)).max()


def circulation(transitions, policy):
    """[S, A] shares of the pairs when one policy is followed for ever: sum_a w(s, a) = sum P(s | s', a') w(s', a')."""
    size = len(policy)
    flow = np.vstack([np.eye(size) - np.einsum("sa,sat->ts", policy, transitions), np.ones(size)])
    return np.linalg.lstsq(flow, np.eye(size + 1)[-1], rcond=None)[0][:, None] * policy


def nas_bound(memory, gamma):
    """Al Marjani et al. 2021, Theorem 1 with the closed form of H and H*: what a share costs is a bound over it."""
    model = memory.model
    p, v = model.transitions, np.zeros(len(model.rewards))
    for _ in range(4000):
        v = (model.rewards + gamma * p @ v).max(axis=1)
    mean = p @ v
    noise, span = p @ v**2 - mean**2, np.maximum(v.max() - mean, mean - v.min())
    gaps = v[:, None] - model.rewards - gamma * mean
    best = gaps == gaps.min(axis=1, keepdims=True)
    least, rest = gaps[~best].min(), 1.0 - gamma
    hard = 2.0 / gaps[~best] ** 2 + np.maximum(
        16.0 * noise[~best] / gaps[~best] ** 2, 6.0 * (span[~best] / gaps[~best]) ** (4.0 / 3.0)
    )
    wide = max(16.0 * noise[best].max() / (least * rest) ** 2, 6.0 * (span[best].max() / (least * rest)) ** (4.0 / 3.0))
    easy = 2.0 / (least * rest) ** 2 + min(27.0 / (least**2 * rest**3), wide)
    return lambda w: (hard / w[~best]).max() + (easy / w[best]).max()


def obpi_bound(memory, gamma):
    """Russo and Proutiere 2023, with the Q and M that were learned."""
    phi2, q, m = (3.0 + math.sqrt(5.0)) / 2.0, memory.q, memory.m
    best = np.zeros(q.shape, bool)
    best[np.arange(len(q)), memory.best] = True
    squared = np.maximum((q[best][:, None] - q) ** 2, 1e-9)
    ratio = ((1.0 + gamma) / (1.0 - gamma)) ** 2

    def bound(w):
        of_best = (4.0 * np.maximum(1.0, 4.0 * phi2 * m[best]) * ratio / w[best]).max()
        return (((2.0 + 8.0 * phi2 * m) / w + of_best) / squared)[~best].max()

    return bound


@pytest.mark.parametrize(
    ("agent", "bound_of"),
    [
        (MDPNaS(growing=False), nas_bound),
        (MDPNaS(sampling=True, growing=False), nas_bound),
        (OBPI(growing=False), obpi_bound),
    ],
    ids=["MDP-NaS", "PS-MDP-NaS", "O-BPI"],
)
@pytest.mark.parametrize("world", [river_swim(4), forked_river_swim(3)], ids=["river", "forked"])
def test_allocations_minimise_the_published_bound_over_all_circulations(agent, bound_of, world):
    """Going from the weights towards the circulation of any policy does not lower the bound, which is convex."""
    walk, rng = Walk(agent, world), np.random.default_rng(5)
    allocator, tried = walk.memory.allocator, 0
    for _ in range(900):
        before = allocator.weights.copy()
        walk.step()
        level = bound_of is nas_bound and walk.seen.rewards.counts.min() == 0  # in the model, what was never seen is
        if level or (allocator.weights == before).all():
            continue
        weights, model = allocator.weights.copy(), walk.memory.model.transitions
        bound = bound_of(walk.memory, 0.99)
        for _ in range(60):
            policy = rng.dirichlet(np.full(weights.shape[1], 10.0 ** rng.uniform(-1.0, 1.0)), len(weights)) + 1e-4
            other = circulation(model, policy / policy.sum(axis=1, keepdims=True))
            for far in (1e-4, 1e-2, 0.3):
                assert bound((1.0 - far) * weights + far * other) >= (1.0 - 1e-6) * bound(weights)
            tried += 1
    assert tried > 100
