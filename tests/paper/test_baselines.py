"""The laws of baselines, from the formulas of the papers that they come from.

UCB-E, UGap-E, Successive and Continuous Rejects and Sequential Halving are compared pull by pull with a plain form in
``tests/bandits``, MF-BPI's and NaS's proportions with their programs in ``tests/learning``; here is what those leave.
"""

import math

import numpy as np
import pytest

from varde.environments import river_swim, sailing
from varde.learning import PSRL, QUCB, MDPNaS
from varde.learning.psrl import draw_model
from varde.planning import BTS, DENTS, MENTS, RENTS, TENTS, UCT, Search
from varde.random import key, stream
from varde.worlds.solve import make_dense

from ..learning.test_agents import Walk

TRIALS, REPEATS, FAR = 60, 400, 4.5  # standard errors, of some forty shares


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
