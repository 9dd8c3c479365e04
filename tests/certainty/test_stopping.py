"""Stopping keeps its promise at every look, and the naive rule does not."""

import doctest
import math

import numpy as np
import pytest

from varde.certainty import comparing
from varde.certainty import stopping as rules
from varde.certainty.comparing import DESIGNS, GRID, better, pair_up, promising, shared, two_bets
from varde.certainty.stopping import Results, Stop, all_apart, threshold

from ..benched import stopping


def draws(means, n, seed, sd=1.0):
    rng = np.random.default_rng(seed)
    return [mean + sd * rng.normal(size=n) for mean in means]


def test_docstring_examples():
    outcome = doctest.testmod(rules)
    assert outcome.attempted > 0 and outcome.failed == 0


# -- the promise -----------------------------------------------------------------------------------

NEAR_TIES = [("Gaussian, unequal noise", None), ("zero-inflated", None), ("rare successes", (0.0, 1.0))]


@pytest.mark.parametrize("kind, bounds", NEAR_TIES)
@pytest.mark.parametrize("size", [2, 5])
def test_promise_holds_on_near_ties(kind, bounds, size):
    """At 0.3 it shows: the wrong answers are not far below what is allowed."""
    found = stopping.watch(Stop(0.3, bounds=bounds).satisfied, kind, 0.02, size, 40, 150, 3)
    assert found["wrong"] <= 0.3 + 2.0 * math.sqrt(0.3 * 0.7 / 40)


def test_a_posterior_threshold_looked_at_all_the_time_is_often_wrong():
    assert stopping.watch(stopping.naive, "Gaussian", 0.02, 2, 40, 150, 3)["wrong"] > 0.2


@pytest.mark.parametrize("size", [2, 4, 5])
def test_it_stops_where_there_is_something_to_see(size):
    found = stopping.watch(Stop(0.05).satisfied, "Gaussian", 1.0, size, 10, 400, 4)
    assert found["stopped"] == 1.0 and found["wrong"] == 0.0


@pytest.mark.parametrize("size", [2, 5])
def test_a_margin_ends_a_tie(size):
    """All options equal: with a margin any answer is right, and it comes; without one it hardly ever does."""
    found = stopping.watch(Stop(0.05, margin=0.5).satisfied, "Gaussian", 0.0, size, 10, 3000, 5, margin=0.5)
    assert found["stopped"] > 0.8
    assert stopping.watch(Stop(0.05).satisfied, "Gaussian", 0.0, size, 10, 300, 5)["stopped"] <= 0.2


def test_a_margin_is_never_exceeded_more_often_than_promised():
    """One option is better by a little more than the margin: to stop at another is wrong."""
    found = stopping.watch(Stop(0.1, margin=0.3).satisfied, "Gaussian", 0.35, 2, 40, 400, 6, margin=0.3)
    assert found["wrong"] <= 0.1 + 2.0 * math.sqrt(0.1 * 0.9 / 40)


# -- how much is needed ----------------------------------------------------------------------------


def test_thresholds():
    within, plain = Stop(0.05, bounds=(0, 1)), Stop(0.05)
    assert threshold(within, 2) == pytest.approx(math.log(20)) and threshold(within, 11) == pytest.approx(math.log(200))
    assert threshold(plain, 3) == pytest.approx(math.log(40)) and sum(share for *_, share in DESIGNS) == 1.0
    assert threshold(plain, 11, matched=True) == pytest.approx(math.log(200))
    x = math.exp(threshold(plain, 11))
    ranks = [(1.0 + math.log(x)) / x] + [(1.0 + 1.0 / (r - 2)) / x for r in range(3, 12)]
    assert sum(ranks) == pytest.approx(0.05)


@pytest.mark.parametrize("margin", [0.0, 0.1])
@pytest.mark.parametrize("size", [5, 11])
def test_thresholds_bound_the_highest_points_of_independent_bets(margin, size):
    """The worst that is allowed: highest points with P(sup >= y) = 1/y exactly."""
    rng = np.random.default_rng(7)
    x = math.exp(threshold(Stop(0.1, margin), size))
    up, down = 1.0 / rng.random((2, 40_000, size))
    if margin:  # only the best option, 0, has to be got past
        wrong = (down[:, :1] * up[:, 1:] >= x).any(axis=1)
    else:  # options in order, best first: all better ones
        least = np.minimum.accumulate(down, axis=1)[:, :-1]
        wrong = (least * up[:, 1:] >= x).any(axis=1)
    assert 0.05 < wrong.mean() < 0.1 + 3.0 * math.sqrt(0.09 / 40_000)


# -- recorded numbers: each constant changes one of them ---------------------------------------------

WAVE = np.sin(np.arange(1.0, 401.0))
PLACES = np.array([-0.5, 0.2, 0.6, 1.5])
RECORDED = {
    "Gaussian": (None, [1.0 + WAVE[:90], 0.3 + 1.5 * WAVE[100:140]]),
    "tosses": ((0, 1), [np.append(1.0, WAVE[:90] > -0.5), np.append(1.0, WAVE[100:140] > 0.5)]),
    "tosses that did not begin so": ((0, 1), [np.append(0.5, WAVE[:90] > -0.5), np.append(0.5, WAVE[100:140] > 0.5)]),
    "spread": ((0, 1), [0.5 + 0.1 * WAVE[:90], 0.4 + 0.1 * WAVE[100:140]]),
}
NUMBERS = {
    "Gaussian": ([43.513791, 16.05381, 3.619585, -1.373203], [-1.734693, -0.287176, 1.539712, 9.636025]),
    "tosses": ([38.598552, 7.92522, 1.600204, -1.533733], [-1.270319, 0.099613, 1.894035, 18.297446]),
    "tosses that did not begin so": (
        [40.341141, 6.945525, 1.256863, -0.967568],
        [-0.806346, -0.107273, 1.094227, 15.833052],
    ),
    "spread": ([24.564075, 10.888036, 3.595483, -0.697314], [-0.471524, 0.286698, 1.818256, 7.867247]),
}


LEADS = [0.415871, 0.751486, 0.822044, 1.139896, 1.256637]


@pytest.mark.parametrize("kind", RECORDED)
def test_two_bets_as_recorded(kind):
    bounds, values = RECORDED[kind]
    first, second = two_bets(Stop(bounds=bounds), Results.of(values), 0, 1, PLACES)
    assert first == pytest.approx(NUMBERS[kind][0], abs=1e-5) and second == pytest.approx(NUMBERS[kind][1], abs=1e-5)


def test_designs_as_recorded(monkeypatch):
    """The lead from which on 120 results each are enough for a design with its share of delta."""
    x, y = np.random.default_rng(17).normal(size=(2, 120))
    leads = []
    for design in DESIGNS:
        monkeypatch.setattr(comparing, "DESIGNS", (design,))
        low, high = 0.0, 9.0
        for _ in range(40):
            lead = (low + high) / 2.0
            enough = better(Stop(), Results.of([x + lead, y]), 0, 1, 3.0, True)
            low, high = (low, lead) if enough else (lead, high)
        leads.append(high)
    assert leads == pytest.approx(LEADS, abs=1e-5)


def test_four_options_are_compared_by_differences_and_five_by_products():
    four, five = (Results.of([WAVE + i for i in range(size)]) for size in (4, 5))
    assert rules.is_paired(Stop(), four) and not rules.is_paired(Stop(), five)
    assert not rules.is_paired(Stop(bounds=(-9, 9)), four)


# -- the same answer ---------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [2, 5])
@pytest.mark.parametrize("bounds, matched", [(None, False), (None, True), ((-4.0, 6.0), False), ((-4.0, 6.0), True)])
def test_what_is_remembered_saves_work_and_changes_nothing(size, bounds, matched):
    stop, memory = Stop(0.05, bounds=bounds), {}
    values = [np.clip(x, -4.0, 6.0) for x in draws([1.5] + [0.0] * (size - 1), 60, 8)]
    answers = []
    for n in range(2, 60):
        shown = [x[: n - i % 2] for i, x in enumerate(values)]
        results = Results.of(shown, [np.arange(x.size) for x in shown] if matched else None)
        answers.append(stop.satisfied(results))
        results.memory = memory
        assert stop.satisfied(results) == answers[-1]
    assert answers[-1] and not answers[0]


@pytest.mark.parametrize("bounds", [None, (0.0, 1.0)])
def test_the_quick_look_never_says_no_where_the_long_one_may_say_yes(bounds):
    rng = np.random.default_rng(16)
    for trial in range(150):
        n = rng.integers(3, 200, 2)
        if trial % 3:
            values = [np.clip(rng.normal(0.5 * rng.random(), 0.1, k), 0.0, 1.0) for k in n]
        else:
            values = [(rng.random(k) < rng.random()) * 1.0 for k in n]
        results, stop = Results.of(values), Stop(0.05, 0.05 * (trial % 2), bounds)
        first, second = two_bets(stop, results, results.best, 1 - results.best, GRID)
        quick = promising(stop, results, results.best, 1 - results.best)
        assert quick >= (first[1:] + second[:-1]).min() or np.ptp(results.means) == 0


def test_unit_zero_and_sign():
    for size in (2, 5):
        values = draws([1.0] + [0.0] * (size - 1), 80, 9)
        for margin in (0.0, 0.2):
            for n in (10, 20, 40, 80):
                shown = [x[:n] for x in values]
                plain = Stop(margin=margin).satisfied(Results.of(shown))
                for unit, zero in ((1000.0, 1e6), (1e-100, 0.0), (1e149, 0.0)):
                    moved = Results.of([unit * x + zero for x in shown])
                    assert Stop(margin=unit * margin).satisfied(moved) == plain
    coins = [(np.random.default_rng(i).random(300) < p) * 1.0 for i, p in enumerate((0.1, 0.5))]
    turned = Stop(bounds=(0.0, 1.0)).facing("min")
    assert turned.bounds == (-1.0, 0.0) and turned.satisfied(Results.of([-x for x in coins]))
    assert Stop().facing("min") == Stop() and Stop(bounds=(0, 1)).facing("max").bounds == (0, 1)


@pytest.mark.parametrize("size", [2, 5])
def test_too_few_results_and_none_alike(size):
    stop, rest = Stop(), [np.zeros(50)] * (size - 1)
    assert not stop.satisfied(Results.of([np.array([1.0]), *rest]))
    assert not stop.satisfied(Results.of([np.zeros(500), *rest])), "equal is not better"
    assert stop.satisfied(Results.of([np.ones(50), *rest]))
    assert not stop.satisfied(Results.of([np.ones(50)]))


# -- common random numbers ---------------------------------------------------------------------------


def test_common_random_numbers_need_fewer_results():
    values = [5.0 * draws([0.0], 60, 10)[0] + x for x in draws([1.0, 0.0, 0.0], 60, 11)]
    shared = [np.arange(60)] * 3
    assert Stop().satisfied(Results.of(values, shared))
    shuffled = [x[np.random.default_rng(i).permutation(60)] for i, x in enumerate(values)]
    assert not Stop().satisfied(Results.of(shuffled)), "hidden in the noise that all share"
    assert not Stop().satisfied(Results.of(values, [np.arange(60) + 1000 * i for i in range(3)])), "nothing is shared"


def test_replicates_are_paired_whatever_order_they_came_in():
    rng = np.random.default_rng(12)
    values, orders = draws([1.0, 0.0], 40, 12), [rng.permutation(40) for _ in range(2)]
    first, second = shared(Results.of([x[o] for x, o in zip(values, orders, strict=True)], orders), 0, 1)
    assert (first - second).tolist() == (values[0] - values[1]).tolist()


def test_results_are_paired_in_the_order_they_came():
    first, second = np.arange(9.0), np.array([1.0, 0.0, 2.0])
    assert pair_up(first, second, 1, 1).tolist() == [-1.0, 1.0, 0.0]
    assert pair_up(first, second, 4, 1).tolist() == [0.5, 5.5]
    assert pair_up(second, first, 1, 2).tolist() == [0.5, -2.5, -2.5]


def test_promise_under_common_random_numbers():
    found = [stopping.matched(correlation, 2, 12, 100, 13, gap=0.02) for correlation in (0.0, 0.9)]
    assert sum(row["crn"]["wrong"] for row in found) <= 3


# -- other questions ---------------------------------------------------------------------------------


@pytest.mark.parametrize("bounds", [None, (-5.0, 7.0)])
def test_the_best_two_apart_from_the_others(bounds):
    results = Results.of([np.clip(x, -5.0, 7.0) for x in draws([2.0, 2.1, 0.0, 0.1], 200, 14)])
    stop = Stop(bounds=bounds)
    assert all_apart(stop, results, [0, 1], [2, 3]) and all_apart(stop, results, [1, 0], [3, 2])
    assert not all_apart(stop, Results.of([results.values(i) for i in range(4)]), [0, 2], [1, 3])


# -- what is refused -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"delta": 0.0}, "delta is 0.0: write the chance"),
        ({"delta": 0.95}, "delta is 0.95, but it is the chance of a wrong answer: did you mean 0.05?"),
        ({"delta": 0.5}, "did you mean"),
        ({"margin": -1.0}, "margin is -1.0: write a difference"),
        ({"bounds": (1.0, 0.0)}, "bounds is"),
        ({"margin": math.nan}, "margin is nan"),
    ],
)
def test_bad_settings(settings, message):
    with pytest.raises(ValueError, match=message):
        Stop(**settings)


def test_results_outside_the_bounds():
    for values in ([[2.0, 3.0], [0.0, 1.0]], [[2.0, 2.0], [2.0, 2.0]], [[1.0] * 30, [-9.0] * 30]):
        with pytest.raises(ValueError, match="outside the bounds"):
            Stop(bounds=(0, 1)).satisfied(Results.of(values))
