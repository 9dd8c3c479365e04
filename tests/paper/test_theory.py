"""The theorems as measurements: targets by hand, and answers that follow the numbers."""

import math

import numpy as np
import pytest

from varde import VarDE
from varde.bandits import Bernoulli
from varde.beliefs.noise import Floor
from varde.decisions import LogSumExp
from varde.environments import river_swim
from varde.learning import PAPER
from varde.paper import GROUPS, error_decay, q_convergence, variance_decay
from varde.paper.error_decay import coin_tree
from varde.random import key

from ..studies.results import made_runs, rows_from


def test_the_theorems_are_a_group_of_the_paper():
    assert GROUPS["theory"][0] == "laws"
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
    found = variance_decay.decay(rule, arms, 0.1, key(0), 0, 6).mean(axis=0).reshape(len(variance_decay.STEPS), -1)
    spread, away, first_order, missed, *shares = found[-1]
    assert 0.6 < spread < 1.5 and away < 0.2 and found[0, 1] > 5.0 and first_order == pytest.approx(1.0, abs=0.01)
    assert missed == pytest.approx(spread - first_order)
    assert np.array(shares) == pytest.approx(100.0 * variance_decay.target(arms, 0.1)[0], abs=0.2)


def decayed(spread=1.0, first=0.01, near=2.0, early=1.0, rare=2.0):
    """Grades on made-up runs whose last step is as given."""
    means, width = {}, len(variance_decay.STEPS)
    for tau in variance_decay.TEMPERATURES:
        for problem in (variance_decay.label(name, tau) for name in variance_decay.instances()):
            means |= {
                (problem, "VarDE"): [early] * (width - 1) + [spread],
                (problem, "VarDE: distance"): [8.0] * (width - 1) + [near],
                (problem, "VarDE: missed"): [0.1] * (width - 1) + [first],
                (problem, "VarDE: arm 1"): [2.0] * (width - 1) + [rare],
            }
    rows = rows_from(made_runs(means, 3, 0.0), variance_decay.STEPS)
    answers = variance_decay.decomposes, variance_decay.decays, variance_decay.tends_to_constant
    return [answer(rows).grade for answer in answers]


def test_answers_on_the_variance_follow_the_numbers():
    shown, not_shown = "shown at these sizes", "not shown at these sizes"
    assert decayed() == [shown] * 3
    assert decayed(first=0.1)[0] == not_shown  # what the first order misses does not shrink
    assert decayed(early=0.5)[1] == not_shown  # t Var still grows
    assert decayed(rare=0.5)[1] == not_shown  # an arm falls behind
    assert decayed(spread=1.3)[2] == decayed(spread=0.7)[2] == decayed(near=7.0)[2] == not_shown


# -- error decay ---------------------------------------------------------------------------------


def ratio(error, count=20_000, steps=range(250, 8001, 250)):
    """A run that is wrong stays so until it finds out: errors of one run are correlated, as they are in fact."""
    luck = np.random.default_rng(0).uniform(size=(count, 1))
    wrong = (luck < [error(t) for t in steps]).astype(float)
    return error_decay.late_rate(rows_from({("P", "A"): wrong}, tuple(steps), True), "P", "A")[0]


def test_an_exponential_is_told_from_a_power():
    assert ratio(lambda t: 0.5 * math.exp(-t / 1000)) > 0.8
    assert ratio(lambda t: math.sqrt(200 / t) * math.exp(-t / 1500)) > error_decay.SLOWER  # as in large deviations
    assert ratio(lambda t: 0.5 * 250 / t) < error_decay.SLOWER
    assert ratio(lambda t: 0.2) < error_decay.SLOWER  # it does not fall at all
    assert ratio(lambda t: 0.5 * math.exp(-t / 20)) is None  # too few errors


def test_moves_and_values_of_a_tree_with_coins_get_better():
    tree, best = coin_tree(4, 2)
    assert best.shape == (4,) and ((tree.means >= 0.0) & (tree.means <= 1.0)).all()
    found = error_decay.wrong_moves(error_decay.PRINTED.varde(0.5, 0.001), (20, 2000), key(0), 0, 60).reshape(60, 2, 2)
    (wrong, off), (wrong_later, off_later) = found.mean(axis=0)
    assert 0.3 < wrong <= 1.0 and wrong_later < 0.3 and off_later < off


# -- convergence of Q ----------------------------------------------------------------------------


def test_q_comes_to_the_best_values():
    world = river_swim(5)
    best = q_convergence.best_pairs(world)
    values = best.max(axis=1)
    assert best[0, 0] == pytest.approx(0.05 + 0.99 * values[0])
    assert best[4, 1] == pytest.approx(1.0 + 0.99 * (0.7 * values[3] + 0.3 * values[4]))
    found = q_convergence.distances(PAPER, world, key(0), 0, 1).reshape(-1, 3)
    assert found[0, 0] > 10.0 and found[-1, 0] < 1.0 and found[-1, 1] == 100.0 and found[-1, 2] > found[0, 2]


def learned(late=0.5, more=3.0, optimal=100.0):
    means, flat = {}, [1.0] * (len(q_convergence.STEPS) - 1)
    for problem in q_convergence.WORLDS:
        means[problem, "VarDE-Q"] = [2.0, *flat[1:], late / 2.0]
        means[problem, f"VarDE-Q: {q_convergence.VISITS}"] = [*flat, 1.0 + more]
        means[problem, f"VarDE-Q: {q_convergence.OPTIMAL}"] = [*flat, optimal]
    rows = rows_from(made_runs(means, 3, 0.0), q_convergence.STEPS)
    return [q_convergence.covers(rows).grade, q_convergence.converges(rows).grade]


def test_answers_on_convergence_follow_the_numbers():
    shown, not_shown = "shown at these sizes", "not shown at these sizes"
    assert learned() == [shown] * 2
    assert learned(late=1.9)[1] == learned(optimal=90.0)[1] == not_shown
    assert learned(more=0.0)[0] == not_shown
