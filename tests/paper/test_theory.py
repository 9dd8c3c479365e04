"""The theorems as measurements: targets by hand, and verdicts that can fail."""

import math

import numpy as np
import pytest

from varde import VarDE
from varde.bandits import Bernoulli
from varde.beliefs.noise import Floor
from varde.decisions import LogSumExp
from varde.environments import river_swim, synthetic_tree
from varde.environments.synthetic_tree import root_value, root_values
from varde.learning import PAPER
from varde.paper import GROUPS, error_decay, q_convergence, variance_decay
from varde.paper.decision_runs import Shares, decisions_and_counts
from varde.paper.logarithms import logarithm
from varde.paper.tree_search import TEXT
from varde.random import key

from ..studies.results import rows_from
from .test_claims import runs


def test_the_theorems_are_a_group_of_the_paper():
    assert GROUPS["theory"] == ("variance-decay", "error-decay", "error-decay-trees", "q-convergence")
    assert set(GROUPS["theory"]) < set(GROUPS["all"])


# -- variance decay ------------------------------------------------------------------------------


def test_shares_and_constant_by_hand():
    """Two coins: w = 1/(1 + e^-2) and its rest, deviations 0.5 and 0.3."""
    arms = variance_decay.Arms(Bernoulli(np.array([0.5, 0.1])), np.array([0.5, 0.3]), 0.01, 2)
    shares, constant = variance_decay.target(arms, 0.2)
    weight = 1.0 / (1.0 + math.exp(-2.0))
    parts = 0.5 * weight, 0.3 * (1.0 - weight)
    assert shares == pytest.approx([part / sum(parts) for part in parts]) and constant == pytest.approx(sum(parts) ** 2)


def test_no_floor_is_above_a_variance():
    """Else the rule's target would not be p*."""
    for arms in variance_decay.instances().values():
        assert (arms.deviations**2 >= arms.floor * (1.0 - 1e-9)).all()


def test_the_rule_comes_to_its_shares_and_its_constant():
    arms = variance_decay.instances()["Three arms"]
    rule = VarDE(LogSumExp(0.1), Floor(arms.floor), arms.warm)
    found = (
        variance_decay.decay(rule, arms, 0.1, True, key(0), 0, 6).mean(axis=0).reshape(len(variance_decay.STEPS), -1)
    )
    spread, away, *shares = found[-1]
    assert 0.6 < spread < 1.5 and away < 0.2 and found[0, 1] > 5.0
    assert np.array(shares) == pytest.approx(100.0 * variance_decay.target(arms, 0.1)[0], abs=0.2)


def test_an_allocation_fixed_beforehand_is_kept_to():
    _, counts = decisions_and_counts(
        Shares(np.array([0.7, 0.2, 0.1])), LogSumExp(0.1), variance_decay.BANDIT, (10, 1000), key(0), 0, 1
    )
    assert counts[0, 0].tolist() == [7, 2, 1] and counts[0, 1] == pytest.approx([700, 200, 100], abs=1)


def decayed(spread=1.0, uniform=2.0, far=8.0, near=2.0, early=1.0, noise=0.05):
    means, width = {}, len(variance_decay.STEPS)
    for tau in variance_decay.TEMPERATURES:
        for problem in (variance_decay.label(name, tau) for name in variance_decay.instances()):
            means |= {
                (problem, "VarDE"): [early] * (width - 1) + [spread],
                (problem, "VarDE: distance"): [far] * (width - 1) + [near],
                (problem, "Uniform"): [uniform] * width,
            }
    rows = rows_from(runs(means, 50, noise), variance_decay.STEPS)
    return [claim.holds for claim in variance_decay.findings(rows)[:4]]


def test_verdicts_on_the_variance_follow_the_numbers():
    assert decayed() == ["holds"] * 4
    assert decayed(early=0.5)[0] == "does not hold"  # t Var still grows
    assert decayed(spread=1.3)[1] == "does not hold" and decayed(spread=1.15)[1] == "undecided"
    assert decayed(spread=0.7)[1] == "does not hold"
    assert decayed(near=7.0)[2] == "does not hold"
    assert decayed(uniform=0.9)[3] == "does not hold" and decayed(uniform=1.0)[3] == "undecided"
    assert decayed(noise=1.0)[:2] == ["undecided"] * 2


# -- error decay ---------------------------------------------------------------------------------


def told(error, count=20_000, steps=range(250, 8001, 250)):
    """A run that is wrong stays so until it finds out: errors of one run are correlated, as they are in fact."""
    luck = np.random.default_rng(0).uniform(size=(count, 1))
    wrong = (luck < [error(t) for t in steps]).astype(float)
    return error_decay.exponential(rows_from({("P", "A"): wrong}, tuple(steps), True), "P", "A")


def test_an_exponential_is_told_from_a_power():
    assert told(lambda t: 0.5 * math.exp(-t / 1000)).holds == "holds"
    assert told(lambda t: math.sqrt(200 / t) * math.exp(-t / 1500)).holds != "does not hold"  # as in large deviations
    power = told(lambda t: 0.5 * 250 / t)
    assert power.holds == "does not hold" and "late rate 0.3" in power and power.reason
    assert told(lambda t: 0.2).holds == "does not hold"  # it does not fall at all
    few = told(lambda t: 0.5 * math.exp(-t / 20))
    assert few.holds == "undecided" and "too few errors" in few
    assert told(lambda t: 0.5 * math.exp(-t / 1000), count=200).holds == "undecided"


def test_the_logarithm_of_a_mean_run_by_run():
    """Its mean is the logarithm, its error that of the logarithm."""
    rng = np.random.default_rng(0)
    values = rng.uniform(1.0, 3.0, 2000)
    made = logarithm(values)
    again = [math.log(rng.uniform(1.0, 3.0, 2000).mean()) for _ in range(2000)]
    assert made.mean() == pytest.approx(math.log(values.mean()))
    assert made.std() / math.sqrt(2000) == pytest.approx(np.std(again), rel=0.1)


def test_the_best_move_of_a_synthetic_tree():
    tree = synthetic_tree(4, 2)
    assert root_values(tree).max() == root_value(tree) and root_values(tree).shape == (4,)
    algorithm, as_run = error_decay.tree_rules()[f"{TEXT}, tau 0.5"]
    wrong = error_decay.wrong_moves(algorithm, tree, as_run, (20, 2000), key(0), 0, 60)
    assert 0.3 < wrong[:, 0].mean() <= 1.0 and wrong[:, 1].mean() < 0.2


# -- convergence of Q ----------------------------------------------------------------------------


def test_q_comes_to_the_best_values():
    world = river_swim(5)
    best = q_convergence.best_pairs(world)
    values = best.max(axis=1)
    assert best[0, 0] == pytest.approx(0.05 + 0.99 * values[0])
    assert best[4, 1] == pytest.approx(1.0 + 0.99 * (0.7 * values[3] + 0.3 * values[4]))
    found = q_convergence.distances(PAPER, world, key(0), 0, 1).reshape(-1, 3)
    assert found[0, 0] > 10.0 and found[-1, 0] < 1.0 and found[-1, 1] == 100.0 and found[-1, 2] > found[0, 2]


def learned(late=0.5, more=3.0, optimal=100.0, noise=0.02):
    means, flat = {}, [1.0] * (len(q_convergence.STEPS) - 1)
    for problem in q_convergence.WORLDS:
        means[problem, "VarDE-Q"] = [2.0, *flat[1:], late / 2.0]
        means[problem, f"VarDE-Q: {q_convergence.VISITS}"] = [*flat, 1.0 + more]
    made = runs(means, 10, noise)
    for problem in q_convergence.WORLDS:
        right = np.full((10, len(flat) + 1), 100.0)
        right[0, -1] = optimal
        made[problem, f"VarDE-Q: {q_convergence.OPTIMAL}"] = right
    return [claim.holds for claim in q_convergence.findings(rows_from(made, q_convergence.STEPS))[:3]]


def test_verdicts_on_convergence_follow_the_numbers():
    assert learned() == ["holds"] * 3
    assert learned(late=1.9)[0] == "does not hold" and learned(noise=0.4)[0] == "undecided"
    assert learned(more=0.0)[1] == "does not hold"
    assert learned(optimal=0.0)[2] == "does not hold"
