"""Values and gradients: closed forms, finite differences, and every scale."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import varde
from varde.decisions import Average, EntMax, LogSumExp, Nesterov, PairwiseSoftplus, PowerMean, evaluate, gradient
from varde.testing import check_decision

DECISIONS = [
    LogSumExp(0.05),
    LogSumExp(2.0),
    Average(),
    Nesterov(0.5),
    Nesterov(0.05),
    EntMax(2.0, 0.1),
    EntMax(1.5, 0.3),
    EntMax(1.01, 0.3),
    EntMax(3.0, 0.3),
    PairwiseSoftplus(0.1),
    PowerMean(5.0),
    PowerMean(1.5),
]
VALUES = st.lists(st.floats(-10, 10), min_size=1, max_size=25)


@pytest.mark.parametrize("decision", DECISIONS, ids=str)
def test_contract(decision):
    check_decision(decision)


@pytest.mark.parametrize(
    "decision", [LogSumExp(1e-6), Nesterov(1e-9), EntMax(1.5, 1e-9), PairwiseSoftplus(1e-12)], ids=str
)
def test_sharp_decisions_are_the_maximum(decision):
    values = [0.1, 0.7, -3.0, 0.2, 0.69]
    assert evaluate(decision, values) == pytest.approx(0.7, abs=1e-5)
    assert gradient(decision, values) == pytest.approx([0, 1, 0, 0, 0], abs=1e-9)


@given(VALUES)
def test_weights_lie_on_the_simplex(values):
    for decision in DECISIONS:
        if not isinstance(decision, PowerMean):
            weights = gradient(decision, values)
            assert weights.min() >= 0.0
            assert weights.sum() == pytest.approx(1.0, abs=1e-9)


@given(VALUES)
def test_soft_maxima_bound_the_maximum(values):
    top, size = max(values), len(values)
    assert top - 1e-9 <= evaluate(LogSumExp(0.3), values) <= top + 0.3 * math.log(size) + 1e-9  # Lemma 4.1
    assert top - 0.25 - 1e-9 <= evaluate(Nesterov(0.5), values) <= top
    assert top <= evaluate(PairwiseSoftplus(0.1), values) + 1e-9


def test_closed_forms():
    assert evaluate(LogSumExp(1.0), [0.0, 0.0]) == pytest.approx(math.log(2))
    assert gradient(LogSumExp(1.0), [0.0, math.log(3)]) == pytest.approx([0.25, 0.75])
    assert gradient(Nesterov(1.0), [0.5, 0.0]) == pytest.approx([0.75, 0.25])
    assert gradient(PowerMean(3.0), [1.0, 1.0]) == pytest.approx([0.5, 0.5])
    assert evaluate(PowerMean(2.0), [3.0, 4.0]) == pytest.approx(math.sqrt(12.5))
    assert evaluate(PairwiseSoftplus(0.5), [1.0, 1.0]) == pytest.approx(1.5)
    assert evaluate(Average(), [1.0, 2.0, 6.0]) == pytest.approx(3.0)


def reference_entmax(values, alpha, mu):
    """The threshold by bisection in extended precision."""
    x = np.array(values, np.longdouble)
    c, power = np.longdouble(alpha - 1) / np.longdouble(mu), np.longdouble(1) / np.longdouble(alpha - 1)
    low, high = x.max() - 1 / c, x.max()
    for _ in range(200):
        middle = (low + high) / 2
        total = (np.maximum(c * (x - middle), 0) ** power).sum()
        low, high = (middle, high) if total > 1 else (low, middle)
    p = np.maximum(c * (x - low), 0) ** power
    return (p / p.sum()).astype(float)


@pytest.mark.parametrize("alpha", [1.001, 1.05, 1.25, 1.5, 1.9999, 2.0, 2.5, 3.0, 4.0])
@given(values=st.lists(st.floats(-2, 2), min_size=2, max_size=20), mu=st.sampled_from([0.01, 0.1, 1.0, 10.0]))
def test_entmax_to_ten_digits(alpha, values, mu):
    weights = gradient(EntMax(alpha, mu), values)
    assert weights.sum() == pytest.approx(1.0, abs=1e-12)
    if alpha <= 2.0:  # beyond 2 a weight at the threshold is steeper than extended precision can place
        assert weights == pytest.approx(reference_entmax(values, alpha, mu), abs=1e-10)
    # The optimality condition: x_i - mu/(alpha-1) p_i^(alpha-1) is the same for all weights above 0.
    level = np.array(values) - mu / (alpha - 1) * weights ** (alpha - 1)
    assert np.ptp(level[weights > 0]) < 1e-10 * (1 + mu / (alpha - 1))
    if (weights == 0).any():
        assert np.max(np.array(values)[weights == 0]) <= level[weights > 0].min() + 1e-10


def test_entmax_with_two_is_a_projection():
    values = np.random.default_rng(0).normal(size=9)
    assert gradient(EntMax(2.0, 0.4), values) == pytest.approx(gradient(Nesterov(0.4), values))
    assert gradient(EntMax(2.0 + 1e-9, 0.4), values) == pytest.approx(gradient(EntMax(2.0, 0.4), values), abs=1e-7)


def test_entmax_approaches_softmax():
    values = [0.3, 0.1, -0.2]
    assert gradient(EntMax(1.0 + 1e-7, 0.2), values) == pytest.approx(gradient(LogSumExp(0.2), values), abs=1e-5)


def test_printed_forms_differ_as_the_specification_says():
    values = [0.30, 0.28, 0.17]
    # The printed constant makes mu twice as large at alpha = 2.
    assert gradient(EntMax(2.0, 0.1, printed=True), values) == pytest.approx(gradient(EntMax(2.0, 0.2), values))
    half = 0.01
    printed = 0.5 + half / math.sqrt(half**2 + 0.1**2)
    assert gradient(PairwiseSoftplus(0.1, printed=True), [0.30, 0.28]) == pytest.approx([printed, 1 - printed])
    shares = gradient(PowerMean(5.0, printed=True), values)
    assert shares.sum() == pytest.approx(1.0)
    assert shares / shares[0] == pytest.approx(gradient(PowerMean(5.0), values) / gradient(PowerMean(5.0), values)[0])


def test_softplus_carries_an_odd_one_up():
    """Five values: ((a b) (c d)) e."""
    m = PairwiseSoftplus(0.2)
    a, b, c, d, e = values = [0.1, 0.5, 0.3, -0.2, 0.4]
    nested = evaluate(m, [evaluate(m, [evaluate(m, [a, b]), evaluate(m, [c, d])]), e])
    assert evaluate(m, values) == pytest.approx(nested)


def test_power_mean_shifts_values_that_are_not_positive():
    weights = gradient(PowerMean(3.0), [-1.0, 0.0, 1.0])
    assert weights[0] == pytest.approx(0.0, abs=1e-12) and weights[2] > weights[1] > 0
    assert -1.0 <= evaluate(PowerMean(3.0), [-1.0, 0.0, 1.0]) <= 1.0


@pytest.mark.parametrize(
    "decision",
    [
        LogSumExp(0),
        LogSumExp(-1),
        LogSumExp(math.nan),
        Nesterov(0),
        EntMax(1.0),
        EntMax(2.0, 0),
        PairwiseSoftplus(0),
        PowerMean(1),
    ],
    ids=str,
)
def test_bad_parameters_are_refused(decision):
    with pytest.raises(ValueError, match=r"is .*: write a"):
        gradient(decision, [1.0, 2.0])


@pytest.mark.parametrize("values", [[], [[1.0, 2.0]], [1.0, math.nan], [math.inf]])
def test_bad_values_are_refused(values):
    with pytest.raises(ValueError, match="write"):
        varde.decisions.evaluate(LogSumExp(), values)
