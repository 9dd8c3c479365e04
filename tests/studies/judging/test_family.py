"""Tests of statements about many numbers: how often they are wrong on ties, and that leads are found."""

import numpy as np
import pytest

from tests.long import times
from varde.studies.claims import all_of, compared, one_of, some_of
from varde.studies.judging.family import decide_all, decide_any, decide_some, holm, prove_all, refute_all

RIVALS, STEPS = 6, 30


def curves(rng, runs, rows, kind="normal", smooth=0.9):
    """[rows, runs, steps]: exact ties, checkpoints correlated."""
    noise = rng.normal(size=(rows, runs, STEPS))
    for step in range(1, STEPS):
        noise[..., step] = smooth * noise[..., step - 1] + np.sqrt(1 - smooth**2) * noise[..., step]
    return {"normal": noise, "0/1": (noise > 1.0).astype(float), "skewed": np.exp(noise)}[kind]


def throughout(values):
    """The first against each of the others at every step."""
    return (values[:1] - values[1:]).transpose(1, 0, 2).reshape(values.shape[1], -1)


@pytest.mark.parametrize("kind", ["normal", "0/1", "skewed"])
@pytest.mark.parametrize("runs", [10, 100])
def test_on_ties_a_claim_about_180_numbers_is_rarely_decided(kind, runs):
    rng = np.random.default_rng(runs)
    words = [decide_all(throughout(curves(rng, runs, 1 + RIVALS, kind))).word for _ in range(times(15, 40))]
    assert words.count("holds") == 0 and words.count("does not hold") <= times(4, 6)  # 5 % of them is 0.75, 2


def test_leads_are_proved_and_lags_refuted():
    rng = np.random.default_rng(0)
    values = curves(rng, 100, 1 + RIVALS)
    values[0] += 1.0
    assert decide_all(throughout(values)).word == "holds"
    values[0] -= 1.5
    found = decide_all(throughout(values))
    assert found.word == "does not hold" and found.p == 0.001
    assert decide_all(throughout(values)[:4]).word == "undecided"  # too few runs


def test_one_column_behind_is_found_among_many_and_named():
    rng = np.random.default_rng(1)
    met = rng.normal(1.0, 1.0, (50, 40))
    met[:, 17] -= 2.0
    found = decide_all(met)
    assert (found.word, found.worst) == ("does not hold", 17)


def test_ties_to_the_last_bit_say_nothing_and_are_in_nobodys_way():
    """Two rows without an error in ten runs: one of them may well err three times as often as the other."""
    met = np.zeros((20, 3))
    assert decide_all(met).word == "undecided" and refute_all(met) == 1.0 and prove_all(met) == 1.0
    assert decide_any([met, met]).word == "undecided" and decide_some(1, met).word == "undecided"
    met[:, 1] = np.random.default_rng(0).normal(2.0, 1.0, 20)
    assert decide_all(met).word == "holds"


def test_a_constant_row_against_skewed_ones_is_no_failure():
    """Signs alone call it one in nine of ten cases."""
    rng, wrong = np.random.default_rng(2), 0
    for _ in range(60):
        rivals = np.exp(rng.normal(size=(10, RIVALS))) - np.exp(0.5)
        wrong += decide_all(-rivals).word == "does not hold"
    assert wrong <= 6


def test_a_part_that_is_the_same_in_every_run_hides_no_other():
    behind = np.random.default_rng(9).normal(-1.0, 0.3, (30, 1))
    assert decide_all(np.hstack([behind, np.full((30, 1), 0.01)])).word == "does not hold"


def test_one_group_of_several():
    rng = np.random.default_rng(3)
    good, bad = rng.normal(1.0, 1.0, (100, 5)), rng.normal(-1.0, 1.0, (100, 5))
    assert decide_any([bad, good, bad])[::3] == ("holds", 1)
    assert decide_any([bad, bad]).word == "does not hold"
    assert decide_any([rng.normal(size=(100, 5)), bad]).word == "undecided"


def test_at_least_so_many():
    rng = np.random.default_rng(4)
    met = rng.normal([2.0, 2.0, -2.0, -2.0, -2.0], 1.0, (20, 5))
    assert [decide_some(least, met).word for least in (1, 2, 3)] == ["holds", "holds", "does not hold"]
    assert decide_some(2, met[:4]).word == "undecided"


def test_a_tie_to_the_last_bit_is_not_refuted_among_several():
    met = np.random.default_rng(11).normal([0.0, 0.0, -2.0], [0.0, 1.0, 1.0], (50, 3))
    assert decide_some(2, met).word == "undecided" and decide_some(3, met).word == "does not hold"


@pytest.mark.parametrize(("runs", "word"), [(5, "undecided"), (25, "undecided"), (29, "holds")])
def test_no_errors_prove_a_low_error_rate_only_if_they_are_many(runs, word):
    """0.9^28 is above 5 %, 0.9^29 below."""
    met = np.full((runs, 1), 0.1)
    assert decide_all(met, span=(-0.9, 0.1)).word == word
    assert decide_all(-met, span=(-0.1, 0.9)).word == {"holds": "does not hold"}.get(word, word)
    assert decide_all(met).word == "holds"  # all that is known without a span: it is met in every run


def test_more_runs_than_groups_decide_alike_and_offsets_do_not_matter():
    rng = np.random.default_rng(5)
    met = rng.normal(0.2, 1.0, (5000, 4))
    assert decide_all(met).word == "holds" and decide_all(-met).word == "does not hold"
    far = (1e9 + met) - 1e9
    assert decide_all(far).word == "holds"


def test_a_smaller_level_takes_more():
    met = np.random.default_rng(6).normal(0.3, 1.0, (30, 1))
    p = decide_all(met).p
    assert decide_all(met, p * 1.2).word == "holds" and decide_all(met, p * 0.4).word == "undecided"


def test_evidence_names_the_least_part_and_the_runs():
    rng = np.random.default_rng(7)
    parts = {"against A": rng.normal(3.0, 1.0, (50, 2)), "against B": rng.normal(-3.0, 1.0, (50, 2))}
    word, evidence = all_of(parts, (10, 2000))
    assert word == "does not hold" and evidence.startswith("weakest: against B at ")
    assert "2 of 4 comparisons favour it on average; 50 runs, p = 0.001" in evidence
    assert all_of({"a": np.ones(3)}) == ("undecided", "too few runs: 3")
    assert one_of({"mine": {"x": np.ones(9)}, "yours": {"x": -np.ones(9)}})[0] == "holds"
    assert some_of(1, {"x": np.ones(9), "y": -np.ones(9)})[0] == "holds"


def test_rows_are_ahead_behind_the_same_or_beyond_what_the_runs_tell():
    rng = np.random.default_rng(8)
    groups = {name: {"x": rng.normal(mean, sd, 40)} for name, mean, sd in TRUTHS}
    groups["tied"] = {"x": np.ones(40), "y": np.zeros(40)}
    words = compared(groups, 0.1)
    assert words == {"far": "ahead", "low": "behind", "near": "same", "wild": "cannot tell", "tied": "same"}


TRUTHS = (("far", 1.0, 0.5), ("low", -1.0, 0.5), ("near", 0.0, 0.05), ("wild", 0.0, 1.0))


def test_corrected_for_several():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06]) and holm([0.9, 0.8]) == [1.0, 1.0]


def test_what_is_no_number_decides_nothing_and_size_does_not_matter():
    rng = np.random.default_rng(10)
    lead = rng.normal(5.0, 1.0, 30)
    broken = {"lost": np.where(np.arange(30) == 3, np.nan, -lead), "x": -lead}
    assert all_of(broken) == ("undecided", "lost is not a finite number in 1 of 30 runs")
    assert [all_of({"x": size * lead}).word for size in (1e-200, 1e200)] == ["holds", "holds"]
    assert all_of({"x": np.zeros(30)}) == ("undecided", "equal in every run; 30 runs")
    assert all_of({"x": np.ones(0)}).evidence == "too few runs: 0"
    with pytest.raises(ValueError, match="there are no parts"):
        all_of({})
    with pytest.raises(ValueError, match="least is 2 of 1 parts: write 1 to 1"):
        some_of(2, {"x": lead})
