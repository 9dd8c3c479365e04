"""Aggregates over problems: right values, intervals that hold the truth, nothing lost to outliers."""

import numpy as np
import pytest

from varde.studies.aggregates import improvement, interquartile_mean, of_problems, profile, scores_of

from .results import rows_from


def test_the_interquartile_mean_is_that_of_the_middle_half():
    assert interquartile_mean(np.arange(8.0)) == pytest.approx(3.5) == interquartile_mean(np.array([1, 3, 4, 6.0]))
    assert interquartile_mean(np.array([0.0, 1.0, 2.0, 3.0, 1e9])) == pytest.approx((0.75 * 1 + 2 + 0.75 * 3) / 2.5)
    table = np.random.default_rng(0).normal(size=(4, 10))
    assert interquartile_mean(table, axis=1) == pytest.approx([float(interquartile_mean(line)) for line in table])
    stats = pytest.importorskip("scipy.stats")
    values = np.random.default_rng(1).normal(size=40)
    assert interquartile_mean(values) == pytest.approx(stats.trim_mean(values, 0.25))


def test_intervals_hold_the_truth():
    rng, held = np.random.default_rng(2), []
    truth = float(interquartile_mean(np.concatenate([rng.normal(k, 1.0, 200_000) for k in range(3)])))
    for seed in range(60):
        found = of_problems({str(k): rng.normal(k, 1.0, 20) for k in range(3)}, draws=300, seed=seed)
        held.append(found.low <= truth <= found.high)
    assert np.mean(held) > 0.85


def test_profiles_fall_and_the_better_is_above():
    rng = np.random.default_rng(3)
    good, bad = ({p: rng.normal(level, 0.1, 30) for p in "ab"} for level in (0.8, 0.3))
    one, other = (profile(scores, (0.0, 0.5, 1.0), 200) for scores in (good, bad))
    assert [round(point.value, 1) for point in one] == [1.0, 1.0, 0.0] and other[1].value < 0.1
    assert all(point.low <= point.value <= point.high for point in one)


def test_the_probability_of_improvement():
    rng = np.random.default_rng(4)
    same = {p: rng.normal(size=50) for p in "abc"}
    found = improvement(same, {p: rng.normal(size=50) for p in "abc"}, 300)
    assert found.low < 0.5 < found.high
    assert improvement({"a": np.ones(9)}, {"a": np.zeros(9)}, 10) == (1.0, 1.0, 1.0)
    assert improvement({"a": np.ones(9)}, {"a": np.ones(9)}, 10).value == 0.5


def test_scores_come_from_rows():
    rows = rows_from({("p", "a"): np.array([[1.0, 2.0], [3.0, 4.0]]), ("q", "a"): np.ones((2, 2))}, (1, 2))
    assert {problem: some.tolist() for problem, some in scores_of(rows, "a").items()} == {
        "p": [2.0, 4.0],
        "q": [1.0, 1.0],
    }


def test_improvement_by_counting_pairs():
    a, b = {"p": np.array([1.0, 2.0, 2.0, 5.0])}, {"p": np.array([2.0, 0.0, 3.0])}
    assert improvement(a, b).value == np.mean([(x > y) + 0.5 * (x == y) for x in a["p"] for y in b["p"]])
    many = {"p": np.arange(20_000.0)}
    assert improvement(many, many, draws=3).value == 0.5  # all pairs at once would take gigabytes


SCORES = {"p": [0.2, 0.9, 0.4, 0.4, 0.7, 0.1, 0.8, 0.6], "q": [0.5, 0.5, 1.0, 0.3, 0.0, 0.9, 0.6, 0.2]}
OTHERS = {"p": [0.4, 0.3, 0.1, 0.5, 0.2, 0.6, 0.4, 0.0], "q": [0.5, 0.1, 0.7, 0.2, 0.4, 0.3, 0.5, 0.6]}


def test_the_same_scores_give_the_numbers_of_rliable():
    """Its values, and its intervals from 10,000 draws or more; it cuts whole scores, so four divides their number."""
    mine, other = ({p: np.array(some) for p, some in scores.items()} for scores in (SCORES, OTHERS))
    assert of_problems(mine, draws=20_000) == pytest.approx(RLIABLE["middle"], abs=0.013)
    assert improvement(mine, other, draws=20_000) == pytest.approx(RLIABLE["improvement"], abs=0.013)
    assert [at.value for at in profile(mine, (0.0, 0.25, 0.5, 0.75), 10)] == RLIABLE["profile"]


RLIABLE = {
    "middle": (0.5, 0.325, 0.7),
    "improvement": (0.640625, 0.4414, 0.8242),
    "profile": [0.9375, 0.75, 0.4375, 0.25],
}
