"""What kind of results these are, and what that makes of them."""

import numpy as np
import pytest
from scipy import stats

from varde.certainty import KINDS, assess, from_values
from varde.certainty.jumps import sizes
from varde.certainty.kinds import recognise
from varde.certainty.two_values import rates


def kind_of(*values, relevant=None, **more):
    arrays = [np.array(x, dtype=float) for x in values]
    return recognise(from_values(arrays, **more), np.ones(len(arrays)) if relevant is None else np.array(relevant))


def test_two_values_are_counts():
    assert kind_of([0, 0, 1], [0]).name == "two values" and kind_of([5, 5, 7], [7]).ends == (5.0, 7.0)
    assert kind_of([0, 1, 0], []).name == "numbers", "three results are too few to tell"
    assert kind_of([0, 0, 1, 1], [0.5, 1], [0.5, 0.5]).name == "numbers"


def test_mostly_one_value():
    found = kind_of([0, 0, 0, 2.5, 0], [0, 1.5, 0, 0])
    assert found.name == "mostly one value" and found.ends == (0.0, 2.5) and found.fits.all()
    assert kind_of([0, 0, -3, -1], [0, -2, 0, 0]).ends == (0.0, -3.0), "as costs"


@pytest.mark.parametrize(
    ("zeros", "kind"), [(29, "numbers"), (30, "mostly one value")], ids=["less than 30 %", "30 % or more"]
)
def test_what_is_mostly(zeros, kind):
    values = np.concatenate([np.zeros(zeros), 1.0 + np.arange(100.0 - zeros)])
    assert kind_of(values[::2], values[1::2]).name == kind


def test_a_common_value_in_the_middle_is_no_end():
    assert kind_of([0, 0, 0, 2, -1], [0, 1, 0, -3]).name == "numbers"
    assert kind_of([0, 0, 0, 1, 1, 1, 1, 2], [0, 1, 1, 3]).name == "numbers", "the commonest is 1"


def test_the_common_value_is_had_by_several_options_and_left_by_one():
    assert kind_of([0, 0, 0, 0], [1, 2, 3]).name == "numbers"
    assert kind_of([0, 0, 0, 0], [0, 0], [1, 2, 3]).name == "numbers"
    assert kind_of([0, 0, 0, 1, 2]).name == "mostly one value", "or there is one option only"


def test_hopeless_options_do_not_decide():
    assert kind_of([0, 1, 0], [1, 1, 0], [-8, -9], relevant=[1, 1, 0.49]).fits.tolist() == [True, True, False]
    assert kind_of([0, 1, 0], [1, 1, 0], [-8, -9], relevant=[1, 1, 0.5]).name == "numbers"


def test_a_silent_core_asks_whoever_had_the_same_value():
    found = kind_of([1, 1, 1], [1, 0, 0, 0], relevant=[1, 0])
    assert found.name == "two values" and found.ends == (0.0, 1.0)


def test_bounds_tell_what_was_never_seen():
    assert kind_of([0, 0, 0], [0, 0], bounds=(0.0, 1.0)).ends == (0.0, 1.0)
    assert kind_of([0, 0.5, 0], [0, 0], bounds=(0.0, 1.0)).name == "numbers"


def test_the_kind_that_somebody_knows_is_taken():
    assert kind_of([0, 0, 1, 1], [0, 1], kind="numbers").name == "numbers"
    assert kind_of([0, 1], [], kind="two values").name == "two values"
    assert kind_of([1, 2, 3, 4], [5, 6], kind="mostly one value").name == "mostly one value"
    assert kind_of([0, 0.5, 1], [1], kind="two values").name == "numbers", "there are three"
    assert kind_of([0, 0], [0], kind="mostly one value").name == "numbers", "nothing is known of its jumps"


@pytest.mark.parametrize(("hits", "tries"), [(0, 20), (1, 20), (7, 20), (20, 20), (3, 500)])
def test_intervals_of_rates_are_those_of_clopper_and_pearson(hits, tries):
    values = [np.repeat([1.0, 0.0], [hits, tries - hits]), np.array([0.0, 1.0])]
    found = assess(from_values(values, bounds=(0.0, 1.0)))
    low = stats.beta.ppf(0.025, hits, tries - hits + 1) if hits else 0.0
    high = stats.beta.ppf(0.975, hits + 1, tries - hits) if hits < tries else 1.0
    assert (found.lows[0], found.highs[0]) == pytest.approx((low, high), abs=4e-4)


def test_the_prior_of_rates_is_half_a_result_of_the_rarer_value():
    sample = from_values([np.repeat([1.0, 0.0], [3, 7]), np.repeat([1.0, 0.0], [0, 10])])
    belief, _, _ = rates(sample, np.ones(2), (0.0, 1.0), np.arange(2))
    rate = 3.5 / 21.0
    assert belief.a == pytest.approx([3.5, 0.5]) and belief.b == pytest.approx([7.0 + 0.5 / rate * (1 - rate), 12.5])
    alone, _, _ = rates(sample, np.array([1.0, 0.0]), (0.0, 1.0), np.arange(2))
    rate = 3.5 / 11.0
    assert alone.a[1] == pytest.approx(0.5) and alone.b[1] == pytest.approx(10.0 + 0.5 / rate * (1.0 - rate))


def test_rates_are_drawn_together_as_far_as_their_spread_allows():
    """Twenty with three of ten and one with nine of ten: what stands out moves by a standard error."""
    few = [np.repeat([1.0, 0.0], [3, 7])] * 20 + [np.repeat([1.0, 0.0], [9, 1])]
    belief, _, _ = rates(from_values(few), np.ones(21), (0.0, 1.0), np.arange(21))
    rate = 69.5 / 211.0
    middle = belief.a / (belief.a + belief.b)
    assert middle[20] == pytest.approx(0.9 - np.sqrt(rate * (1 - rate) / 10.0)) and belief.a[0] + belief.b[0] > 30.0


def test_one_jump_more_is_always_possible():
    """Six jumps are lent: w = (S2 + 6 biased typical) / (S1 + 6 typical)."""
    sample = from_values([np.array([0.0] * 8 + [4.0, 1.0]), np.array([0.0] * 9 + [2.0]), np.zeros(10)])
    belief, lows, highs = sizes(sample, np.ones(3), (0.0, 4.0), np.arange(3))
    typical, biased = 7.0 / 3.0, 21.0 / 7.0
    sums, powers = np.array([5.0, 2.0, 0.0]), np.array([17.0, 4.0, 0.0])
    one_more = (powers + 6 * biased * typical) / (sums + 6 * typical)
    prior = one_more * 30.0 / 7.0
    mean, tried = (sums + one_more) / (10.0 + prior), 10.0 + prior
    assert belief.shape * belief.scale == pytest.approx(mean)
    assert belief.shape * belief.scale**2 == pytest.approx((powers - sums**2 / 10.0 + one_more**2) / tried**2)
    assert lows[2] == 0.0 and highs[2] > biased / 10.0 and 0.0 < lows[0] < 0.5 < highs[0]


def test_where_only_hopeless_options_jumped_they_tell_how_it_would_be():
    values = [np.zeros(30), np.zeros(30), -np.array([0.0, 3.0, 4.0, 5.0, 3.5, 4.5, 3.0, 5.5])]
    found = assess(from_values(values))
    assert found.kind == "mostly one value" and found.chances[:2] == pytest.approx([0.5, 0.5], abs=0.01)
    assert np.isfinite(found.lows).all() and found.lows[0] < 0.0 == found.highs[0]


def test_intervals_of_jumps_are_those_of_fay_and_feuer():
    sample = from_values([np.array([0.0] * 8 + [4.0, 1.0]), np.zeros(10)])
    _, lows, highs = sizes(sample, np.ones(2), (0.0, 4.0), np.arange(2))
    event = (17.0 + 6 * 3.4 * 2.5) / (5.0 + 6 * 2.5)
    low = stats.gamma.ppf(0.025, 0.25 / 0.145, scale=0.145 / 0.5)
    mean, var = (5.0 + event) / 10.0, (14.5 + event**2) / 100.0
    assert lows[0] == pytest.approx(low, abs=0.02)
    assert highs[0] == pytest.approx(stats.gamma.ppf(0.975, mean**2 / var, scale=var / mean), rel=0.01)


def test_costs_mirror_rewards():
    values = [np.array([0.0] * 8 + [4.0, 1.0]), np.array([0.0] * 9 + [2.0])]
    up, down = from_values(values), from_values([-x for x in values])
    for (a, b), (c, d) in zip(
        (sizes(up, np.ones(2), (0.0, 4.0), np.arange(2))[1:],),
        (sizes(down, np.ones(2), (0.0, -4.0), np.arange(2))[1:],),
        strict=True,
    ):
        assert d == pytest.approx(-a) and c == pytest.approx(-b)


def test_there_are_three_kinds():
    assert KINDS == ("numbers", "two values", "mostly one value")
