"""Results that share a replicate: what they have in common, and what is left."""

import numpy as np
import pytest

from varde.certainty import assess, from_values, paired
from varde.certainty.paired import precision, split

RECORD = (
    7.203205412163848,
    [0.1281178344829335, 0.11123944480681879, 0.12525306458246646],
    [0.010676486206911195, 0.01585657507812044, 0.03379646168037387],
)


def pair(values, rows, items=0):
    return paired.pair(from_values(values), values, rows, items)


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
    assert pair(*together(0.0, 1.0, rows=7)) is None and pair(*together(0.0, 1.0, rows=8)) is not None
    assert pair(*together(0.0, 0.5, 1.0, rows=4)) is None and pair(*together(0.0, 0.5, 1.0, rows=5)) is not None
    assert pair([np.ones(9), np.ones(9)], [np.arange(9)] * 2) is None, "no value differs"
    values, rows = together(0.0, 1.0)
    assert pair(values, [rows[0], rows[1] + 1000]) is None, "no replicate is shared"
    untried = pair([*values, np.array([])], [*rows, np.array([], int)])
    assert untried.means[:2] == pytest.approx(pair(values, rows).means), "nothing is known of the third"


def test_an_irrelevant_option_lends_no_noise():
    values, rows = together(0.0, 0.3)
    alone = pair(values, rows).split
    values.append(-1000.0 + 100.0 * np.random.default_rng(0).normal(size=60))
    found = pair(values, [*rows, np.arange(60)]).split
    assert found.noise[:2] == pytest.approx(alone.noise, rel=0.01)
    flat, owner, row = np.concatenate(values), np.repeat([0, 1, 2], 60), np.tile(np.arange(60), 3)
    assert split(flat, owner, row, 3).noise[0] > 10.0 * alone.noise[0], "as it would if it were relevant"


def test_many_options_are_compared_with_the_most_promising():
    values, rows = together(*np.linspace(0.0, 1.0, 600), rows=12, common=1.0, noise=0.3)
    some, every = pair(values, rows), pair_of_all(values, rows)
    assert some.errors == pytest.approx(every.errors, rel=0.1)
    assert some.means - some.means.max() == pytest.approx(every.means - every.means.max(), abs=0.02)


def pair_of_all(values, rows):
    most, paired.MOST = paired.MOST, 10_000
    try:
        return pair(values, rows)
    finally:
        paired.MOST = most


def test_what_was_found_is_on_record():
    """Fails when a constant is changed."""
    values, rows = together(0.0, 0.5, 1.0, rows=12, counts=[12, 9, 5])
    found = pair(values, rows)
    assert found.split.common == pytest.approx(RECORD[0], rel=1e-6)
    assert found.split.noise == pytest.approx(RECORD[1], rel=1e-6)
    assert found.errors == pytest.approx(RECORD[2], rel=1e-6)


# -- how sure it is then ---------------------------------------------------------------------------


def judged(values, rows, items=0):
    sample = from_values(values)
    sample = sample._replace(left=1.0 - sample.counts / items) if items else sample
    return assess(sample, pairs=paired.pair(sample, values, rows, items))


def test_pairs_sharpen():
    values, rows = together(0.0, 0.3, -3.0, counts=[60, 60, 20])
    apart, compared = assess(from_values(values)), judged(values, rows)
    assert apart.chances.max() < 0.8 and compared.chances.max() > 0.95
    assert compared.gap[2] < apart.gap[2] / 3
    assert compared.lows.tolist() == apart.lows.tolist(), "intervals are of one option at a time"
    strangers = judged(values, [row + 1000 * i for i, row in enumerate(rows)])
    assert strangers.chances.tolist() == apart.chances.tolist()


def test_pairs_recommend():
    """The better option met the harder replicates; its mean is lower, and it is taken."""
    rng = np.random.default_rng(0)
    hard = np.concatenate([np.zeros(30), np.full(30, -5.0)]) + rng.normal(size=60)
    values = [hard + 1.0 + 0.1 * rng.normal(size=60), hard[:30] + 0.1 * rng.normal(size=30)]
    assert values[0].mean() < values[1].mean()
    found = judged(values, [np.arange(60), np.arange(30)])
    assert found.best == 0 and found.chances[0] > 0.99 and found.gap[1] == pytest.approx(1.0, abs=0.1)


@pytest.mark.parametrize("size", [6, 30])
@pytest.mark.parametrize("common", [0.0, 2.0])
def test_pairs_do_not_overstate(size, common):
    """Near-ties under common random numbers, which may have nothing in common: the chance stated stays honest."""
    stated, right = [], []
    for seed in range(150):
        means = np.random.default_rng(seed).normal(size=2) * 0.3
        found = judged(*together(*means, rows=size, common=common, noise=0.7, seed=seed))
        stated.append(found.chances.max())
        right.append(means[found.best] == means.max())
    stated, right = np.array(stated), np.array(right)
    said = stated[stated > 0.8]
    error = np.sqrt((said * (1.0 - said)).sum()) / said.size
    assert right[stated > 0.8].mean() > said.mean() - 2.5 * error


def test_all_judged_is_certain_and_equals_share():
    table = np.random.default_rng(1).integers(0, 2, (3, 40)).astype(float)
    table[2] = table[1][::-1]
    found = judged(list(table), [np.arange(40)] * 3, items=40)
    means = table.mean(axis=1)
    assert found.lows == pytest.approx(means, abs=1e-4) and found.highs == pytest.approx(means, abs=1e-4)
    wins = means == means.max()
    assert found.chances == pytest.approx(wins / wins.sum(), abs=1e-15) and found.regret == 0.0
    assert found.gap[2] < 1e-4
    clear = judged([np.repeat([0.0, 1.0], [n, 40 - n]) for n in (10, 11)], [np.arange(40)] * 2, items=40)
    assert clear.chances.tolist() == [1.0, 0.0] and clear.verdicts == ["best", "rejected"]


def test_a_hopeless_option_changes_nothing():
    values, rows = together(0.0, 0.1, 0.2)
    plain = judged(values, rows)
    more = judged([*values, -1000.0 + np.random.default_rng(0).normal(size=60)], [*rows, np.arange(60)])
    assert more.chances[:3] == pytest.approx(plain.chances, abs=0.01)
    assert more.highs[:3] - more.lows[:3] == pytest.approx(plain.highs - plain.lows, rel=0.02)
