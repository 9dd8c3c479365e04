"""The theorems as measurements: targets by hand, and verdicts that can fail."""

import math

import numpy as np
import pytest

from varde import LogSumExp, VarDE
from varde.bandits import Bernoulli
from varde.environments import river_swim, synthetic_tree
from varde.environments.synthetic_tree import root_value, root_values
from varde.experiments import Outcome
from varde.learning import PAPER
from varde.noise import Floor
from varde.paper import GROUPS, error_decay, q_convergence, variance_decay
from varde.paper.decision_runs import Shares, decisions_and_counts
from varde.paper.tree_search import TEXT
from varde.random import key


def outcome(problem, name, step, value, stderr=0.01, runs=1000):
    return Outcome(problem, name, "", step, runs, value, stderr)


def test_the_theorems_are_a_group_of_the_paper():
    assert GROUPS["theory"] == ("variance-decay", "error-decay", "q-convergence")
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


def decayed(spread=1.0, uniform=2.0, far=8.0, near=2.0, early=1.0, stderr=0.01):
    rows = []
    for tau in variance_decay.TEMPERATURES:
        for problem in (variance_decay.label(name, tau) for name in variance_decay.instances()):
            late, last = variance_decay.LATE, variance_decay.STEPS[-1]
            rows += [outcome(problem, "VarDE", late, early, stderr), outcome(problem, "VarDE", last, spread, stderr)]
            rows += [outcome(problem, "VarDE: distance", late, far), outcome(problem, "VarDE: distance", last, near)]
            rows += [outcome(problem, "Uniform", last, uniform, stderr)]
    return [claim.holds for claim in variance_decay.findings(rows)[:4]]


def test_verdicts_on_the_variance_follow_the_numbers():
    assert decayed() == ["holds"] * 4
    assert decayed(early=0.5)[0] == "does not hold"  # t Var still grows
    assert decayed(spread=1.3)[1] == "does not hold" and decayed(spread=1.15)[1] == "undecided"
    assert decayed(near=7.0)[2] == "does not hold"
    assert decayed(uniform=0.9)[3] == "does not hold" and decayed(uniform=1.0)[3] == "undecided"
    assert decayed(stderr=0.2)[:2] == ["undecided"] * 2


# -- error decay ---------------------------------------------------------------------------------


def told(error, runs=4000, steps=range(250, 8001, 250)):
    curve = [outcome("P", "A", t, 100.0 * error(t), 0.1, runs) for t in steps]
    return error_decay.exponential("x", curve, False)


def test_an_exponential_is_told_from_a_power():
    assert told(lambda t: 0.5 * math.exp(-t / 1000)).holds == "holds"
    assert told(lambda t: math.sqrt(200 / t) * math.exp(-t / 1500)).holds != "does not hold"  # as in large deviations
    power = told(lambda t: 0.5 * 250 / t)
    assert power.holds == "does not hold" and "late rate 0.3" in power and power.reason
    assert told(lambda t: 0.2).holds == "does not hold"  # it does not fall at all
    few = told(lambda t: 0.5 * math.exp(-t / 20))
    assert few.holds == "undecided" and "too few errors" in few
    assert told(lambda t: 0.5 * math.exp(-t / 1000), runs=100).holds == "undecided"


def test_the_error_of_the_ratio_of_rates():
    """Against draws: three binomials."""
    steps, shares, runs = (1000, 2500, 4000), (0.2, 0.05, 0.0125), 5000
    drawn = np.random.default_rng(0).binomial(runs, shares, (4000, 3)) / runs

    def rates(row):
        return error_decay.rates(*(outcome("", "", t, 100 * p, 0, runs) for t, p in zip(steps, row, strict=True)))

    found, exact = [rates(row) for row in drawn], rates(shares)
    assert exact[0] == pytest.approx(1.0) and np.std([ratio for ratio, _ in found]) == pytest.approx(exact[1], rel=0.1)


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


def learned(late=0.5, visits=70.0, optimal=100.0, stderr=0.01):
    rows = []
    for problem in q_convergence.WORLDS:
        for step, value, seen in ((10_000, 30.0, 20.0), (q_convergence.EARLIER, 2.0, 60.0), (10**7, late, visits)):
            rows += [outcome(problem, "VarDE-Q", step, value, stderr)]
            rows += [outcome(problem, f"VarDE-Q: {q_convergence.VISITS}", step, seen, 1.0)]
            rows += [outcome(problem, f"VarDE-Q: {q_convergence.OPTIMAL}", step, optimal)]
    rows = [row if row.step != 10**7 else row._replace(step=q_convergence.STEPS[-1]) for row in rows]
    return [claim.holds for claim in q_convergence.findings(rows)[:3]]


def test_verdicts_on_convergence_follow_the_numbers():
    assert learned() == ["holds"] * 3
    assert learned(late=1.9)[0] == "does not hold" and learned(stderr=0.5)[0] == "undecided"
    assert learned(visits=60.0)[1] == "does not hold" and learned(visits=61.0)[1] == "undecided"
    assert learned(optimal=90.0)[2] == "does not hold"
