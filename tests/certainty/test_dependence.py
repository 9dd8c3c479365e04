"""Results that depend on each other are noticed, and independent ones hardly ever."""

import doctest

import numpy as np
import pytest

import varde
from varde.certainty import dependence as module
from varde.certainty.dependence import dependence

INDEPENDENT = {
    "Gaussian": lambda rng, n: rng.normal(size=n),
    "Cauchy": lambda rng, n: rng.standard_cauchy(n),
    "0/1": lambda rng, n: (rng.random(n) < 0.5).astype(float),
    "rare 1": lambda rng, n: (rng.random(n) < 0.05).astype(float),
    "ratings": lambda rng, n: rng.choice([1.0, 2.0, 3.0, 4.0, 5.0], n, p=[0.05, 0.1, 0.2, 0.3, 0.35]),
    "rounded": lambda rng, n: rng.normal(size=n).round(1),
    "mostly zero": lambda rng, n: (rng.random(n) < 0.2) * rng.exponential(size=n),
    "capped": lambda rng, n: np.minimum(rng.normal(0.5, 1.0, n), 1.0),
}


def autoregressive(rng, n, rho):
    x = rng.normal(size=n)
    for t in range(1, n):
        x[t] = rho * x[t - 1] + np.sqrt(1.0 - rho * rho) * x[t]
    return x


def test_docstring_examples():
    outcome = doctest.testmod(module)
    assert outcome.attempted > 0 and outcome.failed == 0


@pytest.mark.parametrize("kind", INDEPENDENT)
def test_independent_results_are_left_alone(kind):
    rng = np.random.default_rng(len(kind))
    for _ in range(150):
        size, n = int(rng.integers(2, 9)), int(rng.integers(5, 120))
        found = dependence([INDEPENDENT[kind](rng, n) for _ in range(size)])
        assert (found.factors == 1.0).all() and not found.repeated


def test_correlation_is_noticed_and_counts_for_what_it_costs():
    rng = np.random.default_rng(3)
    found = dependence([autoregressive(rng, 300, 0.6) for _ in range(5)])
    assert found.correlated == pytest.approx(0.6, abs=0.08) and found.factors.mean() == pytest.approx(4.0, rel=0.25)
    assert dependence([autoregressive(rng, 300, -0.6) for _ in range(5)]).correlated == 0.0, "which costs nothing"


def test_twenty_correlated_results_are_enough_to_notice():
    rng = np.random.default_rng(11)
    found = [dependence([autoregressive(rng, 20, 0.8) for _ in range(3)]) for _ in range(40)]
    assert sum(each.correlated > 0.0 for each in found) > 28


def test_one_dependent_option_among_others_counts_alone():
    rng = np.random.default_rng(4)
    found = dependence([*rng.normal(size=(5, 300)), autoregressive(rng, 300, 0.7)])
    assert found.factors[:5].tolist() == [1.0] * 5 and found.factors[5] > 3.0


def test_drift_is_noticed_in_either_direction():
    rng = np.random.default_rng(5)
    for sign in (-1.0, 1.0):
        found = dependence([rng.normal(size=80) + sign * np.linspace(0.0, 2.5, 80) for _ in range(3)])
        assert np.sign(found.drifting) == sign and found.factors.min() > 10.0


def test_numbers_from_a_cache_are_counted_once():
    rng = np.random.default_rng(6)
    cached = [rng.choice(rng.normal(size=8), 40) for _ in range(2)]
    found = dependence([rng.normal(size=40), *cached])
    assert found.repeated == (1, 2) and found.factors[0] == 1.0
    assert found.factors[1] == 40 / np.unique(cached[0]).size
    twice = dependence([np.repeat(rng.normal(size=20), 2), rng.normal(size=40)])
    assert twice.repeated == (0,) and twice.factors.tolist() == [2.0, 1.0]


def test_unequal_failures_are_noticed():
    rng = np.random.default_rng(7)
    values = list(rng.normal(size=(3, 40)))
    assert dependence(values, [4, 2, 5]).failing == ()
    found = dependence(values, [0, 0, 25])
    assert found.failing == (2,) and found.factors[2] > 10.0 and found.factors[0] == 1.0


def results_of(selector, draw):
    while (asked := selector.ask()) is not None:
        selector.tell(asked, draw(asked))
    return selector.recommend()


def test_an_answer_names_what_was_noticed_and_is_less_sure():
    rng = np.random.default_rng(8)
    state, plain = {}, np.random.default_rng(8)

    def correlated(asked):
        state[asked.name] = 0.9 * state.get(asked.name, 0.0) + np.sqrt(0.19) * rng.normal()
        return state[asked.name] + 0.5 * (asked.name == "b")

    found = results_of(varde.Selector(["a", "b"], 300, seed=1), correlated)
    assert "The results of an option are not independent: successive ones are correlated" in found.sentence
    selector = varde.Selector(["a", "b"], 300, seed=1)
    clean = results_of(selector, lambda asked: plain.normal() + 0.5 * (asked.name == "b"))
    assert "independent" not in clean.sentence
    wide, narrow = ((row := one[one.best]).high - row.low for one in (found, clean))
    assert wide > 2.0 * narrow and found["a"].n == len(found.values["a"]), "the results are all shown"


def test_an_answer_names_the_options_that_fail_more_often():
    selector = varde.Selector(["a", "b"], 80, seed=1)
    rng = np.random.default_rng(9)
    while (asked := selector.ask()) is not None:
        value = rng.normal()
        if asked.name == "b" and value < 0.0:
            selector.fail(asked, "too slow")
        else:
            selector.tell(asked, value)
    assert "b fails more often than others" in selector.recommend().sentence
