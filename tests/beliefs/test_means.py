"""The belief about true means: closed forms, and what must hold whatever the data."""

import math

import numpy as np
import pytest
from scipy import stats

from varde.beliefs.means import Beliefs, believe, relevance, spread_of
from varde.beliefs.samples import from_values
from varde.certainty import assess

RNG = np.random.default_rng
KINDS = {
    "Gaussian": lambda rng, n: rng.normal(rng.normal(), 1.0, n),
    "0/1": lambda rng, n: (rng.random(n) < rng.uniform(0.1, 0.9)).astype(float),
    "ratings": lambda rng, n: np.clip(np.rint(rng.normal(rng.uniform(2.5, 4.5), 1.0, n)), 1.0, 5.0),
    "mostly zero": lambda rng, n: (rng.random(n) < rng.uniform(0.1, 0.4)) * rng.exponential(size=n),
    "constant": lambda rng, n: np.full(n, round(rng.normal(), 1)),
    "never failed": lambda rng, n: np.ones(n),
}


def some(kind, rng):
    """A few options; of those that never failed only the first."""
    n = int(rng.integers(3, 40))
    values = [KINDS[kind](rng, n) for _ in range(int(rng.choice([2, 3, 8])))]
    return [values[0], *(KINDS["0/1"](rng, n) for _ in values[1:])] if kind == "never failed" else values


def hopeless(rng, values, how):
    """Far below: constant, tried once, or noisy."""
    low, high = min(x.min() for x in values), max(x.max() for x in values)
    span = max(high - low, 1.0)
    below = low - span * 10.0 ** rng.uniform(1.5, 9.0)
    if how == "once":
        return np.array([below])
    n = int(rng.integers(2, 50))
    return (
        np.full(n, below) if how == "constant" else below + span * 10.0 ** rng.uniform(-2.0, 0.0) * rng.normal(size=n)
    )


@pytest.mark.parametrize("how", ["constant", "once", "noisy"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_hopeless_option_changes_no_other_chance(kind, how):
    rng = RNG(len(kind) * 10 + len(how))
    for _ in range(25):
        values = some(kind, rng)
        before, after = assess(from_values(values)), assess(from_values([*values, hopeless(rng, values, how)]))
        if not math.isnan(before.regret):
            assert after.chances[:-1] == pytest.approx(before.chances, abs=0.01) and after.chances[-1] < 0.01
            assert after.lows[:-1] == pytest.approx(before.lows) and after.highs[:-1] == pytest.approx(before.highs)


def test_one_that_always_fails_beside_one_that_never_did():
    """What was seen: P fell from > 99.9 % to 22 %, and another option got 78 %."""
    values = [np.ones(30), np.repeat([1.0, 0.0], [18, 12])]
    before, after = (assess(from_values(x)).chances for x in (values, [*values, np.full(30, -1000.0)]))
    assert before[0] > 0.96 and after[0] == pytest.approx(before[0], abs=0.001)


def test_a_far_noisy_option_lends_nothing():
    """Four results around -500 took the chance of a clear winner from 99 to 65 %."""
    rng = RNG(705)
    values = [np.ones(120), (rng.random(120) < 0.55).astype(float)]
    rng.normal(size=120)
    before, after = (assess(from_values(x)) for x in (values, [*values, rng.normal(-500.0, 90.0, 4)]))
    assert before.chances[0] == pytest.approx(0.992, abs=0.001) == after.chances[0]
    assert after.lows[0] == pytest.approx(before.lows[0]) and relevance(from_values(values)).tolist() == [1.0, 0.0]


def test_two_gaussian_options_are_compared_as_by_a_test():
    rng = RNG(2)
    values = [rng.normal(mean, 1.0, 200) for mean in (0.0, 0.2)]
    exact = stats.ttest_ind(*values, alternative="less").pvalue
    assert assess(from_values(values)).chances[1] == pytest.approx(1.0 - exact, abs=0.02)


def test_relevance_fades_between_two_and_three_and_a_quarter_deviates():
    rng = RNG(3)
    base = rng.normal(size=4000)
    base = (base - base.mean()) / base.std()
    gaps = np.array([0.0, 1.9, 2.625, 3.3, 50.0])
    found = relevance(from_values([base - gap * math.sqrt(2.0 / 4000.0) for gap in gaps]))
    assert found == pytest.approx([1.0, 1.0, 0.5, 0.0, 0.0], abs=0.01)


def test_noise_is_shared_by_those_that_matter():
    rng = RNG(4)
    few, many, far = rng.normal(0.0, 1.0, 3), rng.normal(0.0, 1.0, 200), rng.normal(-500.0, 30.0, 200)
    known = believe(from_values([few, many, far]))
    own, others = few.var(ddof=1), many.var(ddof=1)
    assert known.alone.scales[0] ** 2 * 3 == pytest.approx((5.0 * others + 2.0 * own) / 7.0)
    assert known.alone.freedom[0] == pytest.approx(7.0)


def test_beliefs_can_be_turned_round():
    known = Beliefs(np.zeros(4), np.ones(4), np.array([2.0, 8.0, 30.0, np.inf]), np.array([0.0, 0.5, -1.5, 0.2]))
    deviates = np.array([-3.0, -1.0, 0.0, 1.0, 3.0])
    x = known.quantile(deviates)
    for i in range(4):
        again = np.exp(known.take(np.array([i])).log_cdf(x[:, i])[:, 0])
        assert again == pytest.approx(stats.norm.cdf(deviates), abs=1e-5)


def test_the_spread_of_true_means_is_found():
    """Paule and Mandel: the weighted squares are as many as the degrees of freedom, before caution is added."""
    rng = RNG(5)
    errors = rng.uniform(0.1, 0.5, 400)
    means = rng.normal(3.0, 2.0, 400) + np.sqrt(errors) * rng.normal(size=400)
    spread, center = spread_of(means, errors, np.ones(400))
    assert spread == pytest.approx(4.0, rel=0.2) and center == pytest.approx(3.0, abs=0.3)
    assert ((means - center) ** 2 / (spread + errors)).sum() == pytest.approx(399.0, rel=0.01)
    assert math.isinf(spread_of(means[:1], errors[:1], np.ones(1))[0])


def test_a_high_outlier_moves_by_one_standard_error_at_most():
    values = [np.tile([-1.0, 1.0], 10)] * 7 + [np.tile([-1.0, 1.0], 10) + 0.45]
    sample = from_values(values)
    known = believe(sample)
    shift = sample.means - known.compared.centers
    assert (shift <= known.compared.scales + 1e-12).all() and shift[-1] > 0.0 and (shift[:-1] <= 0.0).all()


def test_an_untried_option_is_like_the_relevant_ones():
    rng = RNG(6)
    known = believe(from_values([rng.normal(5.0, 1.0, 30), rng.normal(5.2, 1.0, 30), np.zeros(0)])).compared
    assert known.centers[2] == pytest.approx(5.1, abs=0.3) and 0.8 < known.scales[2] < 1.5 and known.freedom[2] == 5.0
