"""Results that depend on each other are noticed, and independent ones hardly ever."""

import doctest

import numpy as np
import pytest

import varde
from varde.certainty import assumptions as module
from varde.certainty.assumptions import Calls, diagnose

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


def found_in(values, *calls, **how):
    """The factors, and the notes by kind."""
    factors, notes = diagnose(values, [f"o{i}" for i in range(len(values))], *calls, **how)
    return factors, {note.code: note for note in notes if note.severity == "warning"}


def test_independent_results_are_hardly_ever_called_anything():
    """All tests of the order together: at most 1 % of answers."""
    alarms = 0
    for kind, draw in INDEPENDENT.items():
        rng = np.random.default_rng([1, len(kind)])
        for _ in range(200):
            size, n = int(rng.integers(2, 9)), int(rng.integers(5, 120))
            alarms += bool(found_in([draw(rng, n) for _ in range(size)])[1].keys() - {"tail"})
    assert alarms <= 16


def test_correlation_is_noticed_and_counts_for_what_it_costs():
    rng = np.random.default_rng(3)
    factors, notes = found_in([autoregressive(rng, 300, 0.6) for _ in range(5)])
    assert notes["correlated"].size == pytest.approx(0.6, abs=0.08) and factors.mean() == pytest.approx(4.0, rel=0.25)
    assert not found_in([autoregressive(rng, 300, -0.6) for _ in range(5)])[1], "which costs nothing"


def test_one_dependent_option_among_others_counts_alone():
    rng = np.random.default_rng(4)
    factors, notes = found_in([*rng.normal(size=(5, 300)), autoregressive(rng, 300, 0.7)])
    assert notes["correlated"].options == ("o5",)
    assert factors[:5].tolist() == [1.0] * 5 and factors[5] > 3.0


def test_a_trend_is_noticed_in_either_direction():
    rng = np.random.default_rng(5)
    for sign in (-1.0, 1.0):
        factors, notes = found_in([rng.normal(size=80) + sign * np.linspace(0.0, 2.5, 80) for _ in range(3)])
        assert np.sign(notes["trend"].size) == sign and factors.min() > 10.0


def test_cases_in_turn_are_counted_and_named():
    rng = np.random.default_rng(12)
    factors, notes = found_in([np.tile(rng.normal(size=7), 9) + 0.1 * rng.normal(size=63) for _ in range(2)])
    assert "Results 7 apart are alike" in notes["cycle"].text and factors == pytest.approx([9.0, 9.0], rel=0.15)


def test_an_option_that_is_clearly_worse_neither_hides_nor_adds_anything():
    """Six bad results once limited the steps that were looked at to two, for all options."""
    rng = np.random.default_rng(14)
    in_turn = [np.tile(rng.normal(size=8), 9) + 0.3 * rng.normal(size=72) for _ in range(2)]
    factors, notes = found_in(in_turn)
    with_it, more = found_in([*in_turn, rng.normal(-500.0, 3.0, 6)])
    assert notes == more and "cycle" in notes and with_it[:2].tolist() == factors.tolist()
    worse = np.linspace(-90.0, -80.0, 50)
    assert found_in([*rng.normal(size=(2, 50)), worse])[1]["trend"].options == ("o2",)


@pytest.mark.parametrize("cases, rounds", [(60, 2), (50, 8), (100, 3)])
def test_cases_far_apart_are_noticed(cases, rounds):
    """A file appended twice, or many cases in turn, of which each has one of two results."""
    rng = np.random.default_rng(15)
    factors, notes = found_in([np.tile((rng.random(cases) < p) * 1.0, rounds) for p in (0.5, 0.6)])
    assert f"Results {cases} apart are alike" in notes["cycle"].text
    assert factors == pytest.approx([rounds, rounds], rel=0.01)


def test_results_that_all_get_better_are_a_drift_where_they_were_asked_for_in_turn():
    rising = [np.arange(30.0), np.arange(30.0) + 0.5]
    assert "sorted" in found_in(rising)[1] and "trend" in found_in(rising, adaptive=True)[1]


def test_calls_that_time_out_or_are_overtaken_cost():
    x = [np.random.default_rng(i).normal(size=60) for i in range(2)]
    factors, notes = found_in(x, Calls(failed=[10, 0], slow=[10, 0]))
    assert factors[0] == pytest.approx(1.0 + 240.0 * (10.0 / 70.0) ** 2) and "failures" in notes
    factors, notes = found_in(x, Calls(pending=[20, 4], late=[0, 0]))
    assert factors.max() == 1.0 and notes["pending"].size == pytest.approx(0.25)
    assert found_in(x, Calls(pending=[20, 4], late=[9, 0]))[0][0] > 4.0


def test_one_result_that_carries_the_mean_is_named():
    rng = np.random.default_rng(13)
    steady, wild = rng.normal(2.0, 1.0, 100), rng.normal(size=100)
    wild[40] = 60.0
    assert "A few of 100 results of o1 are far better" in found_in([steady, wild])[1]["tail"].text
    assert "tail" not in found_in([steady, rng.normal(size=100)])[1]


def test_results_that_are_equal_at_an_end_are_named_as_an_assumption():
    """Slow calls written down as the limit, or a number that stands for none; zeros and scores are what they are."""
    rng = np.random.default_rng(16)

    def cut(*values):
        notes = diagnose(values, "ab")[1]
        return [(note.options, note.severity) for note in notes if note.code == "cut"]

    costs, steady = -rng.lognormal(0.0, 1.0, 100), rng.normal(-1.6, 0.1, 100)
    assert cut(np.maximum(costs, -2.5), steady) == [(("a",), "assumption")] and not cut(costs, steady)
    assert not cut(np.minimum(costs + 1.0, 0.0), steady), "zero is where numbers end"
    assert not cut(np.maximum(np.rint(costs), -2.0), steady), "a grid"
    steady[:4] = 999.0
    assert cut(costs, steady) == [(("b",), "assumption")]


def test_options_with_cases_in_common_have_no_more_alarms():
    """The same cases for all, given as lists: one result each, so that all rise and fall together by chance."""
    alarms = 0
    for seed in range(300):
        rng = np.random.default_rng(seed)
        cases = rng.normal(size=40)
        alarms += bool(found_in([cases + 0.5 * rng.normal(size=40) for _ in range(5)])[1])
    assert alarms <= 6


def test_numbers_from_a_cache_are_counted_once():
    rng = np.random.default_rng(6)
    cached = [rng.choice(rng.normal(size=8), 40) for _ in range(2)]
    factors, notes = found_in([rng.normal(size=40), *cached])
    assert notes["repeated"].options == ("o1", "o2") and factors[0] == 1.0
    assert factors[1] == 40 / np.unique(cached[0]).size


def test_unequal_failures_are_noticed():
    rng = np.random.default_rng(7)
    values = list(rng.normal(size=(3, 40)))
    assert (found_in(values, Calls([4, 2, 5]))[0] == 1.0).all()
    factors, notes = found_in(values, Calls([0, 0, 25]))
    assert "o2 more often than others" in notes["failures"].text and factors[2] > 10.0 and factors[0] == 1.0


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
    assert {"correlated", "trend"} & {note.code for note in found.notes} and "count for less" in str(found)
    selector = varde.Selector(["a", "b"], 300, seed=1)
    clean = results_of(selector, lambda asked: plain.normal() + 0.5 * (asked.name == "b"))
    assert not [note for note in clean.notes if note.severity == "warning"]
    wide, narrow = ((row := one[one.best]).high - row.low for one in (found, clean))
    assert wide > 2.0 * narrow and found["a"].n == len(found.values["a"]), "the results are all shown"


def test_numbers_with_limits_have_their_own_notes():
    """Latency that rises gets worse, and its note says that it is the latency."""
    selector, rng = (
        varde.Selector(["a", "b"], 60, goal=varde.Best("gain", latency="<= 5"), seed=1),
        np.random.default_rng(1),
    )
    for t in range(60):
        asked = selector.ask()
        selector.tell(asked, {"gain": rng.normal(), "latency": 1.0 + 0.02 * t + 0.1 * rng.normal()})
    (note,) = (note for note in selector.recommend().notes if note.code == "trend")
    assert "a and b (latency) get worse" in note.text


def test_an_answer_names_the_options_that_fail_more_often():
    selector = varde.Selector(["a", "b"], 80, seed=1)
    rng = np.random.default_rng(9)
    while (asked := selector.ask()) is not None:
        value = rng.normal()
        if asked.name == "b" and value < 0.0:
            selector.fail(asked, "too slow")
        else:
            selector.tell(asked, value)
    assert "b more often than others" in str(selector.recommend())
