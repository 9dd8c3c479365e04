"""How sure: what must hold whatever the data."""

import math

import numpy as np
import pytest

from varde.certainty import certify, confidence, from_estimates, gather, judge, pair_up, sceptical


def draws(*means, n=40, noise=1.0, seed=0):
    rng = np.random.default_rng(seed)
    return [mean + noise * rng.normal(size=n) for mean in means]


@pytest.mark.parametrize("unit, zero", [(1000.0, 0.0), (1e-6, 0.0), (1.0, 1e6), (7.0, -300.0)])
def test_neither_unit_nor_zero_matters(unit, zero):
    values = draws(0.0, 0.2, 0.4)
    plain, moved = confidence(gather(values)), confidence(gather([unit * x + zero for x in values]))
    assert moved.chances == pytest.approx(plain.chances, abs=1e-6)
    assert moved.regret == pytest.approx(unit * plain.regret, rel=1e-4)
    assert moved.highs == pytest.approx(unit * plain.highs + zero) and moved.verdicts == plain.verdicts


def test_more_samples_make_it_surer():
    sure = [confidence(gather(draws(0.0, 0.5, n=n, seed=3))).chances.max() for n in (10, 100, 1000)]
    assert sure == sorted(sure) and sure[-1] > 0.999


def test_equal_and_single_values():
    tied = confidence(gather([np.ones(5), np.ones(5), np.ones(5)]))
    assert tied.chances == pytest.approx([1 / 3] * 3) and tied.regret == 0.0
    once = confidence(gather([np.array([1.0]), np.array([0.0])]))
    assert 0.5 < once.chances[0] < 0.95, "one value each says nothing about the noise"
    three = confidence(gather([np.ones(3), np.zeros(3)]))
    assert three.chances[0] < 1.0 and three.lows[0] < 1.0 < three.highs[0], (
        "equal values do not prove the absence of noise"
    )
    untried = confidence(gather([*draws(0.0, 1.0), np.array([])]))
    assert untried.best == 1 and untried.verdicts[2] == "possible" and untried.highs[2] == math.inf


def test_scepticism():
    for fair in (np.full(4, 0.25), np.array([0.4, 0.35, 0.25]), np.array([1.0, 0.0])):
        assert sceptical(fair).tolist() == fair.tolist()
    grown = sceptical(np.array([0.99, 0.008, 0.002]))
    assert 0.9 < grown[0] < 0.99 and grown.sum() == pytest.approx(1.0) and grown[1] == pytest.approx(4.0 * grown[2])
    stated = [sceptical(np.array([p, 1.0 - p]))[0] for p in np.linspace(0.5, 1.0, 50)]
    assert stated == sorted(stated) and stated[0] == 0.5
    assert 0.0 < sceptical(np.array([1.0, 1e-40]))[1] < 1e-37


def test_rejected_ones_hold_the_best_rarely():
    chances = np.array([0.02, 0.9, 0.02, 0.04, 0.02])
    assert judge(chances, 1) == ["rejected", "best", "rejected", "possible", "possible"]
    assert judge(np.full(1000, 0.001), 0).count("rejected") == 50, "together, not one by one"


def test_pairs_sharpen():
    rng = np.random.default_rng(5)
    common = 3.0 * rng.normal(size=60)
    values = [common + 0.4 * rng.normal(size=60) + mean for mean in (0.0, 0.3)]
    values.append(common[:20] + 0.4 * rng.normal(size=20) - 3.0)
    replicates = [np.arange(x.size) for x in values]
    apart = confidence(gather(values))
    pairs = pair_up(values, replicates, apart.best)
    assert pairs.counts.tolist() == [60, 60, 20] and pairs.correlations[0] == pytest.approx(0.98, abs=0.02)
    together = confidence(gather(values), pairs)
    assert apart.chances.max() < 0.8 and together.chances.max() > 0.95
    assert together.gap[2] < apart.gap[2] / 3
    strangers = pair_up(values, [np.arange(x.size) + 100 * i for i, x in enumerate(values)], 1)
    assert not strangers.correlations.any()
    few = [x[:4] for x in values]
    assert not pair_up(few, [np.arange(4)] * 3, 1).correlations.any(), "four pairs show nothing"


@pytest.mark.parametrize("size", [6, 30])
@pytest.mark.parametrize("common", [0.0, 2.0])
def test_pairs_do_not_overstate(size, common):
    """Near-ties under common random numbers, which may have nothing in common: the chance stated stays honest."""
    wrong = expected = 0.0
    for seed in range(400):
        rng = np.random.default_rng(seed)
        shared, gap = common * rng.normal(size=size), rng.choice([0.02, 0.5, 1.0])
        values = [shared + 0.5 * rng.normal(size=size) + mean for mean in (0.0, gap)]
        evidence = gather(values)
        found = confidence(evidence, pair_up(values, [np.arange(size)] * 2, int(np.argmax(evidence.means))))
        if found.chances.max() > 0.9:
            wrong, expected = wrong + (found.best == 0), expected + 1.0 - found.chances.max()
    assert expected > 0.0 and wrong <= expected + 3.0 * math.sqrt(expected)


def test_numbers_stay_as_they_were():
    """Recorded when the calibration was measured: each constant of the model moves one of them."""
    spikes = [np.array([0.0] * 8 + [4.0]), np.array([0.0] * 8 + [1.0]), np.array([0.0, 0.3, 0.0])]
    found = confidence(gather(spikes))
    assert found.chances == pytest.approx([0.53187224, 0.18003992, 0.28808784], abs=1e-8)
    assert found.regret == pytest.approx(0.1921854489743348)
    assert found.lows == pytest.approx([-0.4127289, -0.47048556, -1.11745266])
    assert found.gap == pytest.approx((2, 0.34444444444444444, 1.5374674747854302))


def test_certificate_of_estimates():
    beliefs = from_estimates(np.array([1.0, 0.0]), np.array([0.3, 0.3]), np.array([50, 50]))
    sure = certify(["left", "right"], beliefs, 0, "budget", 100)
    assert sure.p_best["left"] == sure.p_right and sum(sure.p_best.values()) == pytest.approx(1.0)
    assert 0.93 < sure.p_right < 0.99 and 0.0 < sure.loss < 0.01
    assert sure.stopped == "budget" and sure.spent == 100
