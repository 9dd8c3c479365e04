"""Allocation where results share replicates."""

import numpy as np
import pytest

import varde
from varde.certainty import from_values, pair
from varde.certainty.paired import Split
from varde.rule import decrements, shrinkage
from varde.selection import by_pairs
from varde.selection.by_gaps import GapChooser
from varde.selection.by_pairs import Model, PairChooser
from varde.selection.by_rule import RuleChooser
from varde.selection.goals import goal_of


def table(*means, rows=400, common=1.0, noise=0.3, seed=1):
    """[K, R] results that go up and down together."""
    rng = np.random.default_rng(seed)
    return np.array(means)[:, None] + common * rng.normal(size=rows) + noise * rng.normal(size=(len(means), rows))


def play(chooser, results, steps):
    """How often each option was drawn, and in which order."""
    drawn, order = [0] * len(results), []
    for _ in range(steps):
        i = chooser.next_cold(None)
        warm = i is not None
        i = i if warm else chooser.choose(None)
        chooser.add_pending(i, warm)
        chooser.add_result(i, float(results[i, drawn[i]]), True, drawn[i])
        drawn[i] += 1
        order.append(i)
    return drawn, order


def model_of(results, counts, common, noise, items=0, extra=()):
    """After the first so many results of each option, and some more at other places."""
    owner, row = np.repeat(range(len(counts)), counts), np.concatenate([np.arange(n) for n in counts])
    owner, row = np.append(owner, [i for i, _ in extra]).astype(int), np.append(row, [r for _, r in extra]).astype(int)
    known = results[owner, row % results.shape[1]], owner, row
    return Model(varde.VarDE(), Split(common, np.array(noise)), list(range(len(counts))), items, known)


def scored(model, pending=None):
    scores = model.scores(np.zeros(model.means.size, int) if pending is None else np.array(pending), None)
    return scores / scores.max()


@pytest.mark.parametrize("pending", [[0, 0, 0], [2, 0, 1]])
def test_without_a_common_part_it_is_the_rule_on_the_gaps(pending):
    results, counts = table(0.0, 0.2, 0.3, common=0.0), [30, 20, 40]
    squares = np.array([x[:n].var() * n for x, n in zip(results, counts, strict=True)])
    means = np.array([x[:n].mean() for x, n in zip(results, counts, strict=True)])
    pooled = squares.sum() / 87.0
    noise = (5.0 * pooled + squares) / (4.0 + np.array(counts))
    wanted = decrements(varde.VarDE(), np.array(counts), means, squares)
    wanted *= shrinkage(np.array(counts) + pending) / shrinkage(np.array(counts))
    found = scored(model_of(results, counts, 1e-12, noise), pending)
    assert found == pytest.approx(wanted / wanted.max(), rel=1e-5)


def test_one_more_result_at_a_time_is_the_same_as_all_at_once():
    results = table(0.0, 0.2, 0.3)
    grown = model_of(results, [10, 12, 9], 1.0, [0.1, 0.2, 0.1])
    for i, row in ((2, 9), (0, 11), (1, 12), (0, 10), (1, 900)):
        grown.add(i, row, float(results[i, row % 400]))
    whole = model_of(results, [12, 13, 10], 1.0, [0.1, 0.2, 0.1], extra=[(1, 900)])
    assert grown.precision == pytest.approx(whole.precision) and grown.means == pytest.approx(whole.means)
    assert grown.covariance == pytest.approx(np.linalg.inv(grown.precision))
    assert grown.next.tolist() == whole.next.tolist() == [12, 13, 10]
    assert grown.counts.tolist() == whole.counts.tolist() == [12, 14, 10]


def test_what_is_pending_counts_as_if_it_were_there():
    results = table(0.0, 0.2, 0.3)
    model = model_of(results, [10, 12, 9], 1.0, [0.1, 0.2, 0.1])
    rows, others, info, covariance = model.expected(np.array([1, 0, 2]))
    later = model_of(results, [11, 12, 11], 1.0, [0.1, 0.2, 0.1])
    assert later.next.tolist() == rows.tolist() == [11, 12, 11] and covariance == pytest.approx(later.covariance)
    assert info == pytest.approx(later.info[later.next]) and others == pytest.approx(later.seen[later.next])


def test_a_rival_goes_where_the_leader_has_been():
    """With much in common a result is worth little where the other has none."""
    results = table(0.30, 0.28, common=10.0, noise=0.1)
    _, order = play(PairChooser(varde.VarDE(), 2, 5, None, goal_of("max")), results, 60)
    late = order[20:]
    assert sorted(late[:2]) == sorted(late[2:4]) == [0, 1], "in turns"
    counts = [late[:n].count(0) - late[:n].count(1) for n in range(len(late))]
    assert max(map(abs, counts)) <= 2


def test_pairs_find_the_best_more_often():
    wrong = np.zeros(2)
    for seed in range(30):
        means = np.random.default_rng(1000 + seed).normal(size=8) * 0.15
        results = table(*means, rows=300, seed=seed)
        for which, maker in enumerate((RuleChooser, PairChooser)):
            drawn, _ = play(maker(varde.VarDE(), 8, 5, None, goal_of("max")), results, 160)
            wrong[which] += pair_best(results, drawn) != means.argmax()
    assert wrong[1] < wrong[0], wrong


def pair_best(results, drawn):
    values = [x[:n] for x, n in zip(results, drawn, strict=True)]
    return int(pair(from_values(values), values, [np.arange(n) for n in drawn]).means.argmax())


def test_a_process_that_catches_up_chooses_the_same():
    """Choosing after every result, or only now: the same bits."""
    results = table(*np.linspace(0.0, 0.4, 6))
    busy = PairChooser(varde.VarDE(), 6, 3, None, goal_of("max"))
    _, order = play(busy, results, 150)
    idle, drawn = PairChooser(varde.VarDE(), 6, 3, None, goal_of("max")), [0] * 6
    for step, i in enumerate(order):
        idle.add_pending(i, step < 18)
        idle.add_result(i, float(results[i, drawn[i]]), True, drawn[i])
        drawn[i] += 1
    assert idle.choose(None) == busy.choose(None)
    same = [np.array_equal(getattr(idle.model, name), getattr(busy.model, name)) for name in ("covariance", "means")]
    assert all(same)


@pytest.mark.parametrize("factor, shift", [(4.0, 0.0), (2.0**-40, 0.0), (1.0, 1024.0)])
def test_neither_unit_nor_zero_matters(factor, shift):
    results = np.round(table(0.0, 0.1, 0.2, 0.3) * 1024.0) / 1024.0
    plain = play(PairChooser(varde.VarDE(), 4, 3, None, goal_of("max")), results, 120)
    assert play(PairChooser(varde.VarDE(), 4, 3, None, goal_of("max")), factor * results + shift, 120) == plain


def test_many_options_are_not_all_compared_with_each_other():
    results = table(*np.linspace(0.0, 1.0, 150), rows=30)
    chooser = PairChooser(varde.VarDE(), 150, 3, None, goal_of("max"))
    drawn, _ = play(chooser, results, 600)
    assert chooser.model.precision.shape == (by_pairs.MOST, by_pairs.MOST)
    assert sum(drawn[100:]) - 150 > 5 * (sum(drawn[:100]) - 300)


def test_costs_and_bars_are_heeded():
    model = model_of(table(0.3, 0.29, 0.28, 0.0), [10, 12, 9, 4], 1.0, [0.1, 0.2, 0.1, 0.1])
    nothing, prices = np.zeros(4, int), np.array([1.0, 2.0, 10.0, 0.1])
    plain, priced = (model.scores(nothing, dues) for dues in (None, prices))
    assert priced == pytest.approx(plain / prices), "nobody follows the leader here"
    assert model.pick(nothing, np.array([False, False, True, False]), None) == 2
    assert model.pick(nothing, np.zeros(4, bool), None) is None, "somebody else has to say"
    chooser = PairChooser(varde.VarDE(), 4, 3, np.array([1.0, 1.0, 10.0, 1.0]), goal_of("max"))
    drawn, _ = play(chooser, table(0.3, 0.29, 0.28, 0.0), 200)
    assert drawn[2] < 0.7 * drawn[1]
    assert chooser.choose(np.array([False, False, False, True])) == 3


def test_opening_a_replicate_is_worth_what_follows():
    """Level counts, much in common: alone a draw says next to nothing, the leader's and a rival's together do."""
    results, noise = table(0.3, 0.29, -1.0), [0.1, 0.1, 0.1]
    level, ahead = model_of(results, [10, 10, 10], 100.0, noise), model_of(results, [11, 10, 10], 100.0, noise)
    leader = int(level.means.argmax())
    scores = level.scores(np.zeros(3, int), None)
    assert scores.argmax() == leader and scores[leader] > 20.0 * np.delete(scores, leader).max()
    rival = 1 - int(ahead.means.argmax())
    assert scored(ahead).argmax() == rival


def test_unasked_results_are_nobody_s_partner():
    results = table(0.0, 0.3)
    chooser = PairChooser(varde.VarDE(), 2, 3, None, goal_of("max"))
    play(chooser, results, 40)
    for _ in range(3):
        chooser.add_result(0, 5.0, False)
    assert chooser.choose(None) in (0, 1) and chooser.model.counts.sum() == 43


def test_it_is_taken_for_common_random_numbers_only():
    for pairs, kind in ((True, PairChooser), (False, GapChooser)):
        assert type(varde.Selector(["a", "b"], crn=pairs)._journal.ledger.chooser) is kind
