"""Stopping keeps its promise at every look, and the naive rule does not."""

import math

import numpy as np
import pytest

from varde.selection.stopping import Stop, bounded_bet, gaussian_bet, threshold

from ..benched import stopping


def moments(values):
    counts = np.array([len(x) for x in values], dtype=float)
    means = np.array([np.mean(x) for x in values])
    return counts, means, np.array([np.sum((x - np.mean(x)) ** 2) for x in values])


def running(draws):
    n = np.arange(1.0, draws.shape[1] + 1.0)
    means = np.cumsum(draws, axis=1) / n
    return np.broadcast_to(n, draws.shape), means, np.maximum(np.cumsum(draws**2, axis=1) - n * means**2, 0.0)


@pytest.mark.parametrize("sd", [0.01, 1.0, 300.0])
def test_gaussian_bet_is_won_as_rarely_as_it_says(sd):
    counts, means, squares = running(5.0 * sd + sd * np.random.default_rng(1).normal(size=(2000, 400)))
    top = gaussian_bet(counts, means, squares, np.full((*means.shape, 1), 5.0 * sd)).max(axis=(1, 2))
    for x in (5.0, 20.0):
        assert (top >= math.log(x)).mean() < 1.0 / x + 3.0 * math.sqrt(1.0 / x / 2000)


@pytest.mark.parametrize("mean", [0.5, 0.9, 0.02])
@pytest.mark.parametrize("coarse", [True, False])
def test_bounded_bet_is_won_as_rarely_as_it_says(mean, coarse):
    """Successes and failures, and anything else between 0 and 1."""
    rng = np.random.default_rng(2)
    draws = (rng.random((1000, 300)) < mean).astype(float) if coarse else rng.beta(mean, 1.0 - mean, (1000, 300))
    counts, means, _ = running(draws)
    top = bounded_bet(counts, means, np.full((*means.shape, 1), mean)).max(axis=(1, 2))
    for x in (5.0, 20.0):
        assert (top >= math.log(x)).mean() < 1.0 / x + 3.0 * math.sqrt(1.0 / x / 1000)


NEAR_TIES = [
    ("Gaussian", None),
    ("Gaussian, unequal noise", None),
    ("Student, 3 degrees", None),
    ("lognormal costs", None),
    ("zero-inflated", None),
    ("rare successes", (0.0, 1.0)),
]


@pytest.mark.parametrize("kind, bounds", NEAR_TIES)
def test_promise_holds_on_near_ties(kind, bounds):
    found = stopping.watch(stopping.promised(Stop(0.1, bounds=bounds)), kind, 0.02, 2, 150, 300, 3)
    assert found["wrong"] <= 0.1 + 3.0 * math.sqrt(0.1 * 0.9 / 150)
    naive = stopping.watch(stopping.naive(0.1), kind, 0.02, 2, 150, 300, 3)
    assert naive["wrong"] > 0.3, "a posterior threshold, looked at all the time, is often wrong"


def test_it_stops_where_there_is_something_to_see():
    found = stopping.watch(stopping.promised(Stop(0.05)), "Gaussian", 1.0, 3, 100, 500, 4)
    assert found["stopped"] == 1.0 and found["wrong"] == 0.0


def test_a_margin_ends_a_tie():
    """All options equal: with a margin any answer is right, and it comes; without one it hardly ever does."""
    rule = stopping.promised(Stop(0.05, margin=0.5))
    found = stopping.watch(rule, "Gaussian", 0.0, 3, 60, 1500, 5, margin=0.5)
    assert found["stopped"] > 0.95
    assert stopping.watch(stopping.promised(Stop(0.05)), "Gaussian", 0.0, 3, 60, 500, 5)["stopped"] <= 0.1


def test_a_margin_is_never_exceeded_more_often_than_promised():
    """One option is better by a little more than the margin: to stop at another is wrong."""
    rule = stopping.promised(Stop(0.1, margin=0.3))
    found = stopping.watch(rule, "Gaussian", 0.35, 2, 150, 600, 6, margin=0.3)
    assert found["wrong"] <= 0.1 + 3.0 * math.sqrt(0.1 * 0.9 / 150)


@pytest.mark.parametrize(
    "stop", [Stop(0.05), Stop(0.2, 0.1), Stop(0.05, 0.0, (0.0, 1.0)), Stop(0.1, 0.05, (-0.2, 1.2))]
)
def test_one_at_a_time_as_in_batches(stop):
    rng = np.random.default_rng(8)
    answers = []
    for _ in range(60):
        gap, n = rng.uniform(0.0, 0.6), int(rng.integers(5, 300))
        values = [np.clip(rng.normal(0.4 + gap * (i == 1), 0.2, n), 0.0, 1.0) for i in range(4)]
        state = moments(values)
        answers.append(stop.satisfied(*state))
        assert answers[-1] == bool(stopping.promised(stop)(*(x[None] for x in state))[0])
    assert 5 < sum(answers) < 59


def test_unit_zero_and_sign():
    rng = np.random.default_rng(9)
    values = [rng.normal(i == 0, 1.0, 80) for i in range(3)]
    for margin in (0.0, 0.2):
        for n in (10, 20, 40, 80):
            plain = Stop(margin=margin).satisfied(*moments([x[:n] for x in values]))
            moved = Stop(margin=1000.0 * margin).satisfied(*moments([1000.0 * x[:n] + 1e6 for x in values]))
            assert plain == moved
    coins = [(rng.random(300) < p).astype(float) for p in (0.1, 0.5)]
    turned = Stop(bounds=(0.0, 1.0)).facing("min")
    assert turned.bounds == (-1.0, 0.0) and turned.satisfied(*moments([-x for x in coins]))
    assert Stop().facing("min") == Stop() and Stop(bounds=(0, 1)).facing("max").bounds == (0, 1)


def test_too_few_results_and_none_alike():
    stop = Stop()
    assert not stop.satisfied(*moments([np.array([1.0, 1.1]), np.array([0.0])]))
    assert not stop.satisfied(*moments([np.ones(500), np.ones(500)])), "equal is not better"
    assert stop.satisfied(*moments([np.ones(50), np.zeros(50)]))


def test_threshold():
    assert threshold(Stop(0.05, bounds=(0, 1)), 2) == pytest.approx(math.log(20))
    x = math.exp(threshold(Stop(0.05), 11))
    assert (1.0 + math.log(x)) / x == pytest.approx(0.005)


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"delta": 0.0}, "delta is 0.0: write the chance"),
        ({"delta": 1.0}, "delta is 1.0"),
        ({"margin": -1.0}, "margin is -1.0: write a difference"),
        ({"bounds": (1.0, 0.0)}, "bounds is"),
        ({"margin": math.nan}, "margin is nan"),
    ],
)
def test_bad_settings(settings, message):
    with pytest.raises(ValueError, match=message):
        Stop(**settings)


def test_results_outside_the_bounds():
    with pytest.raises(ValueError, match="outside the bounds"):
        Stop(bounds=(0, 1)).satisfied(*moments([np.array([2.0, 3.0]), np.array([0.0, 1.0])]))
