"""Results that share a replicate: what they have in common, and what is left."""

import numpy as np
import pytest

from varde.certainty import replicates
from varde.certainty.replicates import pair, precision, split

RECORD = (
    7.203205412163848,
    [0.1281178344829335, 0.11123944480681879, 0.12525306458246646],
    [0.010676486206911195, 0.01585657507812044, 0.03379646168037387],
)


def together(*means, rows=60, common=3.0, noise=0.4, seed=5, counts=None):
    """Results of options that go up and down together, and the replicates they belong to."""
    rng = np.random.default_rng(seed)
    shared = common * rng.normal(size=rows)
    counts = counts or [rows] * len(means)
    values = [shared[:n] + mean + noise * rng.normal(size=n) for mean, n in zip(means, counts, strict=True)]
    return values, [np.arange(n) for n in counts]


def test_the_common_part_is_taken_out():
    values, rows = together(0.0, 0.3, -3.0, rows=200, counts=[200, 200, 100])
    found = pair(values, rows)
    assert found.split.common == pytest.approx(9.0, rel=0.2)
    assert found.split.noise.mean() == pytest.approx(0.16, rel=0.15)
    assert found.means[1] - found.means[0] == pytest.approx(values[1].mean() - values[0].mean()), "on the same rows"
    assert abs(found.means[2] - found.means[0] + 3.0) < 0.3 < abs(values[2].mean() - values[0].mean() + 3.0)
    assert (found.errors < 0.004).all(), "raw means have an error variance of .045"


def test_without_a_common_part_nothing_changes():
    values, rows = together(0.0, 0.3, 0.6, common=0.0, noise=1.0, rows=400)
    found = pair(values, rows)
    assert found.means == pytest.approx([x.mean() for x in values], abs=0.01)
    assert found.errors * 400 == pytest.approx([x.var() for x in values], rel=0.1)


@pytest.mark.parametrize("factor, shift", [(1000.0, 0.0), (1e-6, 0.0), (1.0, 1e6), (7.0, -300.0)])
def test_neither_unit_nor_zero_matters(factor, shift):
    values, rows = together(0.0, 0.3, 1.0, counts=[60, 50, 20])
    plain, moved = pair(values, rows), pair([factor * x + shift for x in values], rows)
    assert moved.means == pytest.approx(factor * plain.means + shift, rel=1e-6)
    assert moved.errors == pytest.approx(factor**2 * plain.errors, rel=1e-5)


def test_two_options_have_a_closed_form():
    """n shared replicates of N: Var(mu_b - mu_j) = v/n + s_b^2/(s_b + tau)/N, v = s_j + tau s_b/(tau + s_b)."""
    tau, noise, n, many = 2.0, np.array([0.5, 0.8]), 7, 30
    seen = np.zeros((many, 2))
    seen[:, 0], seen[:n, 1] = 1.0 / noise[0], 1.0 / noise[1]
    found = np.linalg.inv(precision(seen, 1.0 / tau + seen.sum(axis=1)))
    wanted = (noise[1] + tau * noise[0] / (tau + noise[0])) / n + noise[0] ** 2 / (noise[0] + tau) / many
    assert found[0, 0] + found[1, 1] - 2.0 * found[0, 1] == pytest.approx(wanted)
    assert found[0, 1] == pytest.approx(tau / many)


def test_an_option_judged_on_all_items_is_known_exactly():
    values, rows = together(0.0, 0.3, 0.6, counts=[60, 60, 20])
    found, endless = pair(values, rows, items=60), pair(values, rows)
    assert found.errors[:2].tolist() == [0.0, 0.0] and found.means[:2] == pytest.approx([x.mean() for x in values[:2]])
    assert found.errors[2] == pytest.approx(endless.errors[2] - found.split.noise[2] / 60)


def test_errors_on_a_fixed_set_are_what_they_say():
    """Over random orders of one fixed table, the error of a difference is on average what was stated."""
    rng = np.random.default_rng(3)
    table = (rng.random((200, 2)) < np.array([0.7, 0.6]) * (0.2 + 1.1 * rng.random((200, 1)))).astype(float)
    truth = table.mean(axis=0)
    actual, stated = [], []
    for _ in range(400):
        order = rng.permutation(200)
        found = pair([table[order[:150], 0], table[order[:100], 1]], [np.arange(150), np.arange(100)], items=200)
        actual.append((found.means[0] - found.means[1] - truth[0] + truth[1]) ** 2)
        stated.append(found.errors.sum())
    assert np.mean(stated) == pytest.approx(np.mean(actual), rel=0.2)


def test_too_little_says_nothing():
    values, rows = together(0.0, 1.0, rows=4)
    assert pair(values, rows) is None, "four shared replicates"
    assert pair(*together(0.0, 1.0, rows=replicates.SHARED)) is not None
    assert pair([np.ones(9), np.ones(9)], [np.arange(9)] * 2) is None, "no value differs"
    values, rows = together(0.0, 1.0)
    assert pair(values, [rows[0], rows[1] + 1000]) is None, "no replicate is shared"
    untried = pair([*values, np.array([])], [*rows, np.array([], int)])
    assert np.isnan(untried.means[2]) and np.isfinite(untried.means[:2]).all()


def test_an_irrelevant_option_lends_no_noise():
    values, rows = together(0.0, 0.3)
    values.append(-1000.0 + 100.0 * np.random.default_rng(0).normal(size=60))
    rows.append(np.arange(60))
    alone = split(np.concatenate(values[:2]), np.repeat([0, 1], 60), np.tile(np.arange(60), 2), 2)
    noisy = pair(values, rows, relevance=np.array([1.0, 1.0, 0.0])).split
    assert noisy.noise[:2] == pytest.approx(alone.noise, rel=0.01)
    assert pair(values, rows).split.noise[0] > 10.0 * alone.noise[0]


def test_many_options_are_compared_with_the_most_promising():
    values, rows = together(*np.linspace(0.0, 1.0, 600), rows=12, common=1.0, noise=0.3)
    some, every = pair(values, rows), pair_of_all(values, rows)
    assert some.errors == pytest.approx(every.errors, rel=0.1)
    assert some.means - some.means.max() == pytest.approx(every.means - every.means.max(), abs=0.02)


def pair_of_all(values, rows):
    most, replicates.MOST = replicates.MOST, 10_000
    try:
        return pair(values, rows)
    finally:
        replicates.MOST = most


def test_what_was_found_is_on_record():
    """Fails when a constant is changed."""
    values, rows = together(0.0, 0.5, 1.0, rows=12, counts=[12, 9, 5])
    found = pair(values, rows)
    assert found.split.common == pytest.approx(RECORD[0], rel=1e-6)
    assert found.split.noise == pytest.approx(RECORD[1], rel=1e-6)
    assert found.errors == pytest.approx(RECORD[2], rel=1e-6)
