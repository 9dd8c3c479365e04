"""Rewards that are mostly one lowest value: the specification's example, both engines, units, the tail."""

import math

import numpy as np
import pytest

import varde
from varde import VarDE
from varde.bandits import Gaussian, ZeroInflated
from varde.bandits.loop import begin, prepare, select, update
from varde.decisions.gap_table import GapTable, planned
from varde.decisions.jumps import jump_weight
from varde.gain import log_loss
from varde.moments import make_moments, observe
from varde.random import key, stream
from varde.rule import shrinkage

EXAMPLE = [[0.0] * 8 + [2.0, 4.0], [0.0] * 9 + [1.0], [0.0] * 10, [0.0] * 19 + [3.0]]


def table_of(values, scale=1.0, shift=0.0):
    table = GapTable(VarDE(), len(values))
    for i, column in enumerate(values):
        x = scale * np.array(column) + shift
        table.put(i, x.size, x.mean(), ((x - x.mean()) ** 2).sum(), x.min(), int((x == x.min()).sum()))
    return table


@pytest.fixture
def one_jump(monkeypatch):
    """The constants of the specification: one jump lent, whatever the jumps, its size guessed from six others."""
    monkeypatch.setattr("varde.decisions.jumps.AT_MOST", 1.0)
    monkeypatch.setattr("varde.decisions.jumps.SHARED", 6.0)


def test_the_example_of_the_specification(one_jump):
    table = table_of(EXAMPLE)
    counts = np.array([10, 10, 10, 20])
    assert table.weight == 1.0
    scores = table.noise() * shrinkage(counts)
    assert scores / scores.max() == pytest.approx([1.0, 0.127231, 0.074095, 0.037636], abs=1e-6)
    beliefs = table._believe(1.0)
    assert beliefs.variances == pytest.approx([2.59805, 0.916563, 0.9, 0.8775], abs=1e-5)
    assert beliefs.errors == pytest.approx([0.040029, 0.015427, 0.0144, 0.014327], abs=1e-6)
    assert beliefs.above == pytest.approx([0.357009, 0.158974, 0.12, 0.171429], abs=1e-6)
    batch = table.noise() * shrinkage(planned(counts, np.array([3, 0, 0, 0])))
    assert batch / batch.max() == pytest.approx([1.0, 0.314607, 0.183217, 0.093064], abs=1e-6)


def test_the_knowledge_gradient_of_the_example(one_jump):
    gains = table_of(EXAMPLE).gains(np.zeros(4), None, None)
    assert gains[:1] == pytest.approx([-2.896085], abs=1e-6)
    only = [table_of(EXAMPLE).gains(np.zeros(4), None, np.arange(4) == i)[i] for i in range(4)]
    assert only == pytest.approx([-2.896085, -5.7557, -7.121339, -13.329606], abs=1e-5)


@pytest.mark.parametrize("large", [4.0, 400.0])
def test_beliefs_are_the_formulas(large):
    """By hand; at 400 the most jumps that are lent are lent."""
    values = [[0.0] * 8 + [2.0, large], [0.0] * 9 + [1.0], [0.0] * 10, [0.0] * 19 + [3.0]]
    every = np.concatenate(values)
    typical, biased = every[every > 0].mean(), (every**2).sum() / every.sum()
    lent = min(biased / typical, 2.0)
    expected = []
    for column in map(np.array, values):
        size = ((column**2).sum() + 2.0 * typical * biased) / (column.sum() + 2.0 * typical)
        trust = column.size + lent * size / every.mean()
        more = column.var() * column.size + lent * size**2
        expected.append([(column.sum() + lent * size) / trust, more / trust**2, more / column.size])
    table = table_of(values)
    table.prepare()
    beliefs = table._believe(table.weight)
    above, errors, noise = np.array(expected).T
    assert beliefs.above == pytest.approx(above) and beliefs.errors == pytest.approx(errors)
    assert beliefs.variances == pytest.approx(np.maximum(noise, table.rows[0]))


def test_costs_and_pending_draws_enter_the_knowledge_gradient():
    table, zeros = table_of(EXAMPLE), np.zeros(4)
    assert table.gains(zeros, np.array([1.0, 1.0, 1e-4, 1.0]), None).argmax() == 2
    assert table.gains(zeros, None, np.array([False, True, True, True])).argmax() == 1
    assert table.gains(np.array([30, 0, 0, 0]), None, None).argmax() == 1


@pytest.mark.parametrize(
    ("share", "weight"), [(0.5, 0.0), (0.6, 0.0), (0.75, 0.5), (0.9, 1.0), (0.95, 1.0), (1.0, 0.0)]
)
def test_how_much_is_thought_of_jumps(share, weight):
    assert jump_weight(share) == pytest.approx(weight)


def test_powers_of_two_change_no_bit_and_a_shift_only_rounding():
    counts, plain = np.array([10, 10, 10, 20]), table_of(EXAMPLE).noise()
    assert np.array_equal(table_of(EXAMPLE, 2.0**20).noise(), 4.0**20 * plain)
    tail = table_of(EXAMPLE).gains(np.zeros(4), None, None)
    assert np.array_equal(table_of(EXAMPLE, 2.0**-30).gains(np.zeros(4), None, None), tail)
    shifted = table_of(EXAMPLE, 1.0, 1e3).noise() * shrinkage(counts)
    assert shifted / shifted.max() == pytest.approx(
        plain * shrinkage(counts) / (plain * shrinkage(counts)).max(), rel=1e-6
    )


def test_the_table_follows_the_lowest_value_whatever_the_way_there():
    rng = np.random.default_rng(0)
    for _ in range(200):
        columns = [rng.choice([0.0, 0.0, 0.0, 1.0, -1.0], rng.integers(1, 9)) for _ in range(4)]
        table = GapTable(VarDE(), 4)
        for i in [*rng.integers(0, 4, 12).tolist(), 0, 1, 2, 3]:
            x = columns[i] if i == 3 else rng.choice([0.0, 1.0, -2.0], 3)
            if i < 3:
                columns[i] = x
            table.put(i, x.size, x.mean(), ((x - x.mean()) ** 2).sum(), x.min(), int((x == x.min()).sum()))
        every = np.concatenate(columns)
        assert (table.end, table.at_end) == (every.min(), np.count_nonzero(every == every.min()))


BANDITS = {
    "zero-inflated": ZeroInflated([0.5, 0.4, 0.3, 0.3, 0.2], [0.1, 0.2, 0.1, 0.3, 0.1]),
    "Gaussian": Gaussian([0.5, 0.4, 0.3, 0.3, 0.2], [0.3, 0.3, 0.2, 0.4, 0.1]),
}


@pytest.mark.parametrize("name", BANDITS)
def test_ask_and_tell_choose_as_the_bandit_engine_does(name):
    """One by one, the tail included.  Not with 0/1 results: their exact ties are decided by rounding."""
    bandit, size, budget, rule = BANDITS[name], 5, 200, VarDE()
    for run in range(4):
        memory, arms, rng = prepare(rule, size), make_moments(size), stream(key(1), run)
        begin(rule, memory, size, budget)
        selector = varde.Selector([str(i) for i in range(size)], budget)
        for t in range(budget):
            draw, arm = selector.ask(), select(rule, memory, arms, t, rng)
            assert int(draw.name) == arm
            reward = varde.bandits.problems.pull(bandit, arm, rng)
            observe(arms, arm, reward)
            update(rule, memory, arms, arm, reward)
            selector.tell(draw, reward)


def test_an_option_that_has_shown_nothing_yet_is_not_starved():
    """One option pays rarely and much, one often and little, the third has shown nothing."""
    values = [[0.0] * 18 + [9.0], [0.0] * 8 + [1.0] * 4, [0.0] * 6]
    jumps = table_of(values)
    plain = GapTable(VarDE(), 3)
    for i, column in enumerate(values):
        plain.put(i, len(column), float(np.mean(column)), float(np.var(column) * len(column)))
    share = [t.noise()[2] / t.noise().max() for t in (jumps, plain)]
    assert share[0] > 2.0 * share[1]


@pytest.mark.parametrize("x", [0.0, 0.5, 3.0, 7.9, 8.1, 30.0])
def test_the_logarithm_of_the_expected_gain(x):
    """Against the integral of (y - x) phi(y) above x."""
    y = x + np.linspace(0.0, 12.0, 200_001)
    logs = np.log(np.maximum(y - x, 1e-300)) - 0.5 * y * y
    integral = np.exp(logs - logs.max()).sum() * (y[1] - y[0])
    assert log_loss(x) == pytest.approx(
        logs.max() + math.log(integral) - 0.5 * math.log(2 * math.pi), rel=0.01, abs=1e-3
    )
