"""How sure: what must hold whatever the data."""

import math

import numpy as np
import pytest

from varde.beliefs.student import DEVIATE
from varde.certainty import Sample, assess, believe, from_values, judge

RNG = np.random.default_rng


def draws(*means, n=40, noise=1.0, seed=0):
    rng = RNG(seed)
    return [mean + noise * rng.normal(size=n) for mean in means]


def spiky(rng, size, n):
    return [(rng.random(n) < rate) * rng.exponential(size=n) for rate in rng.uniform(0.05, 0.4, size)]


MAKERS = {
    "Gaussian": lambda rng, size, n: [rng.normal(mean, 1.0, n) for mean in rng.normal(size=size)],
    "unequal noise": lambda rng, size, n: [
        rng.normal(m, s, n) for m, s in zip(rng.normal(size=size), np.exp(rng.normal(size=size)), strict=True)
    ],
    "lognormal": lambda rng, size, n: [mean + np.exp(rng.normal(size=n)) for mean in rng.normal(size=size)],
    "Bernoulli": lambda rng, size, n: [(rng.random(n) < rate).astype(float) for rate in rng.uniform(0.1, 0.9, size)],
    "mostly zero": spiky,
}
HOPELESS = {
    "-1000, quiet": (-1000.0, 0.1),
    "-100, noisy": (-100.0, 10.0),
    "-1e6": (-1e6, 1.0),
    "-1e100": (-1e100, 1e90),
}


@pytest.mark.parametrize("hopeless", HOPELESS, ids=str)
@pytest.mark.parametrize("kind", MAKERS, ids=str)
def test_irrelevant_options_do_not_matter(kind, hopeless):
    rng = RNG(len(kind) + len(hopeless))
    for size in (2, 3, 10):
        for n in (5, 20, 100):
            values = MAKERS[kind](rng, size, n)
            before = assess(from_values(values))
            after = assess(from_values([*values, rng.normal(*HOPELESS[hopeless], rng.choice([5, 50]))]))
            assert after.best == before.best and after.chances[size] < 0.01
            assert after.chances[:size] == pytest.approx(before.chances, abs=0.01)
            assert (after.highs - after.lows)[:size] == pytest.approx(before.highs - before.lows, rel=0.02)


def test_ten_clear_options_and_one_that_diverged():
    values = draws(*np.arange(10.0), n=50, noise=0.1)
    before, after = assess(from_values(values)), assess(from_values([*values, -1000 + 0.1 * RNG(1).normal(size=50)]))
    assert before.chances[9] > 0.99 and after.chances[9] == pytest.approx(before.chances[9], abs=1e-4)
    assert after.lows[:10] == pytest.approx(before.lows) and after.highs[:10] == pytest.approx(before.highs)


@pytest.mark.parametrize("kind", MAKERS, ids=str)
@pytest.mark.parametrize(("unit", "zero"), [(1000.0, 0.0), (2.0**-40, 0.0), (1.0, 4096.0), (7.0, -300.0)])
def test_neither_unit_nor_zero_matters(kind, unit, zero):
    values = MAKERS[kind](RNG(3), 4, 12)
    plain, moved = assess(from_values(values)), assess(from_values([unit * x + zero for x in values]))
    assert moved.chances == pytest.approx(plain.chances, abs=1e-6)
    assert moved.regret == pytest.approx(unit * plain.regret, rel=1e-4)
    assert moved.highs == pytest.approx(unit * plain.highs + zero) and moved.verdicts == plain.verdicts


@pytest.mark.parametrize("kind", MAKERS, ids=str)
def test_chances_add_up_to_one_and_order_does_not_matter(kind):
    values = MAKERS[kind](RNG(5), 7, 9)
    found, turned = assess(from_values(values)), assess(from_values(values[::-1]))
    assert found.chances.sum() == pytest.approx(1.0) and (found.chances >= 0.0).all()
    assert turned.chances[::-1] == pytest.approx(found.chances, abs=1e-9)


def test_intervals_of_scores_stay_within_their_bounds():
    values = [np.array([0.8, 0.9, 1.0]), np.array([0.5, 0.9, 1.0]), np.array([])]
    free, bound = assess(from_values(values)), assess(from_values(values, bounds=(0.0, 1.0)))
    assert free.highs[0] > 1.0 and free.lows[0] < 0.0 and (bound.lows[0], bound.highs[0]) == (0.0, 1.0)
    assert (bound.lows[2], bound.highs[2]) == (0.0, 1.0) and (free.lows[2], free.highs[2]) == (-math.inf, math.inf)


def test_more_samples_make_it_surer():
    sure = [assess(from_values(draws(0.0, 0.5, n=n, seed=3))).chances.max() for n in (10, 100, 1000)]
    assert sure == sorted(sure) and sure[-1] > 0.999


# -- edge cases ------------------------------------------------------------------------------------


def test_one_option_is_the_best():
    found = assess(from_values([np.array([1.0, 2.0, 3.0])]))
    assert found.chances.tolist() == [1.0] and found.regret == 0.0 and found.gap is None
    assert found.lows[0] < 2.0 < found.highs[0]


def test_where_nobody_was_tried_all_are_equal():
    found = assess(from_values([np.array([])] * 4))
    assert found.chances.tolist() == [0.25] * 4 and math.isnan(found.regret) and np.isinf(found.highs).all()


def test_what_was_never_tried_may_be_the_best():
    found = assess(from_values([*draws(0.0, 1.0, noise=0.01), np.array([])]))
    assert found.best == 1 and 0.1 < found.chances[2] <= 0.5 + 1e-12 and found.verdicts[2] == "possible"
    assert found.highs[2] == math.inf


def test_one_result_alone_says_nothing():
    found = assess(from_values([np.array([5.0]), np.array([]), np.array([])]))
    assert found.chances == pytest.approx([1 / 3] * 3) and math.isnan(found.regret) and np.isinf(found.highs).all()
    once = assess(from_values([np.array([1.0]), np.array([0.0])]))
    assert once.chances[0] == 0.5 and once.highs[0] > 10.0


def test_one_result_among_others_borrows_their_noise():
    found = assess(from_values([*draws(0.0, 0.0, n=20), np.array([0.5])]))
    assert np.isfinite(found.highs[2]) and found.highs[2] - found.lows[2] > 4.0, "five degrees of freedom"


def test_equal_values_say_nothing_unless_the_bounds_do():
    blank = assess(from_values([np.zeros(20)] * 3))
    assert blank.chances == pytest.approx([1 / 3] * 3) and math.isnan(blank.regret) and np.isinf(blank.lows).all()
    known = assess(from_values([np.zeros(20)] * 3, bounds=(0.0, 1.0)))
    assert known.chances == pytest.approx([1 / 3] * 3) and known.regret > 0.0
    assert known.lows.tolist() == [0.0] * 3 and known.highs == pytest.approx([0.168] * 3, abs=5e-4)


def test_constant_options_are_told_apart_by_their_lead():
    few, many = (assess(from_values([np.full(n, m) for m in (0.3, 0.5, 0.7)])) for n in (4, 30))
    assert few.chances[2] == pytest.approx(0.8) and many.chances[2] == pytest.approx(30 / 31), "the most they can show"


def test_a_constant_option_among_noisy_ones_borrows_noise_that_fades():
    width = []
    for n in (5, 50, 500):
        found = assess(from_values([np.full(n, 0.5), *draws(0.0, 0.3, n=40)]))
        width.append((found.highs - found.lows)[0])
    assert width[0] > 4.0 * width[1] > 16.0 * width[2] > 0.0, "faster than the root of N"


def test_exact_ties_have_equal_chances():
    found = assess(from_values([np.array([0.0, 1.0, 2.5])] * 3))
    assert found.best == 0 and found.chances == pytest.approx([1 / 3] * 3) and found.gap[1] == 0.0


def test_a_known_mean_has_no_error():
    values = draws(0.0, 0.3, n=40)
    sample = from_values(values)._replace(left=np.array([1.0, 0.0]))
    found = assess(sample)
    assert found.highs[1] - found.lows[1] < 1e-4 and found.chances[1] > assess(from_values(values)).chances[1]
    both = assess(sample._replace(left=np.zeros(2)))
    assert both.chances[1] > 0.999999 and both.regret < 1e-6
    counted = from_values([np.repeat([1.0, 0.0], [6, 4]), np.repeat([1.0, 0.0], [5, 5])])
    assert assess(counted._replace(left=np.zeros(2))).chances[0] > 0.999999


def test_the_leader_was_chosen_for_being_high():
    """The low end of its interval goes down by as much as its mean is shrunk; the others' stay."""
    sample = from_values(draws(*np.zeros(12), n=60, seed=4))
    known, found = believe(sample), assess(sample)
    lows, highs = known.alone.quantile(np.array([-DEVIATE, DEVIATE]))
    best, shrunk = sample.leader, sample.means - known.compared.centers
    assert shrunk[best] > 0.1 and found.lows[best] == pytest.approx(lows[best] - shrunk[best])
    others = np.arange(12) != best
    assert found.lows[others] == pytest.approx(lows[others]) and found.highs == pytest.approx(highs)


def test_an_interval_allows_for_what_may_have_been_missed():
    """30 of 30 beside 18 of 30 has the interval of Clopper and Pearson; so has 0 of 20 if there are bounds."""
    found = assess(from_values([np.ones(30), np.repeat([1.0, 0.0], [18, 12])]))
    assert found.lows[0] == pytest.approx(0.025 ** (1 / 30)) and found.highs[0] >= 1.0
    none = assess(from_values([np.zeros(20), np.zeros(20)], bounds=(0.0, 1.0)))
    assert none.highs == pytest.approx([1.0 - 0.025 ** (1 / 20)] * 2) and none.chances.tolist() == [0.5, 0.5]


# -- what is made of it ----------------------------------------------------------------------------


def test_rejected_ones_hold_the_best_rarely():
    chances = np.array([0.02, 0.9, 0.02, 0.04, 0.02])
    assert judge(chances, 1) == ["rejected", "best", "rejected", "possible", "possible"]
    assert judge(np.full(1000, 0.001), 0).count("rejected") == 50, "together, not one by one"


def test_the_margin_of_a_lead_is_made_of_two_intervals():
    found = assess(from_values(draws(0.0, 0.4, 0.1)))
    rival, lead, margin = found.gap
    means = from_values(draws(0.0, 0.4, 0.1)).means
    assert found.best == 1 and lead == pytest.approx(means[1] - means[rival])
    assert margin == pytest.approx(math.hypot(means[1] - found.lows[1], found.highs[rival] - means[rival]))


def test_moments_are_enough_for_numbers():
    values = draws(0.0, 0.3, 0.1, n=15)
    full = from_values(values)
    moments = Sample(full.counts, full.means, full.squares, full.cubes, full.lows, full.highs)
    assert assess(moments).chances == pytest.approx(assess(full).chances)


def test_numbers_stay_as_they_were():
    """Recorded when the calibration was measured: each constant of the model moves one of them."""
    rng = RNG(42)
    skewed = [mean + np.exp(rng.normal(size=n)) for mean, n in ((0.3, 12), (0.0, 9), (0.5, 7), (-2.0, 15), (0.1, 2))]
    found = assess(from_values([*skewed, np.array([])]))
    recorded = [0.16108674, 0.10146242, 0.32876588, 0.0009786, 0.07894048, 0.32876588]
    assert found.chances == pytest.approx(recorded, abs=1e-6)
    assert (found.regret, found.gap[2]) == pytest.approx((0.4098962768, 1.1610347144), rel=1e-6)
