"""Verdicts on published numbers: three words, how often they are wrong, and how many more runs would decide."""

import math
from dataclasses import replace

import numpy as np
import pytest

from varde.studies.judging.intervals import share_ends
from varde.studies.judging.verdict import in_words, judged, summarise, verdict
from varde.studies.study import Cell, Outcome, Study

STUDY = Study("s", "", (), 1, percent=True, published_runs=20_000)


def shares(ones, runs, published, study=STUDY):
    low, high = share_ends(np.array([ones]), runs)
    row = Outcome("p", "a", "", 1, runs, 100.0 * ones / runs, 1.0, published, unit=0.01)
    return row._replace(low=100.0 * low[0], high=100.0 * high[0])


def test_the_margin_is_rounding_and_what_is_practically_the_same_and_the_papers_own_error():
    sigma = 100.0 * math.sqrt(0.15 * 0.85)
    expected = 0.005 + 0.02 * 15.0 + 3.0 * sigma / math.sqrt(20_000)
    assert verdict(STUDY, shares(3000, 20_000, 15.0)).margin == pytest.approx(expected)
    assert verdict(replace(STUDY, absolute=1.0), shares(3000, 20_000, 15.0)).margin == pytest.approx(expected + 0.7)
    high = verdict(STUDY, shares(17_000, 20_000, 85.0)).margin  # 85 % is judged like 15 %
    assert high == pytest.approx(expected)
    means = Study("s", "", (), 1, published_runs=100)
    row = Outcome("p", "a", "", 1, 10_000, 5.0, 0.01, 5.0, unit=0.1)
    assert verdict(means, row).margin == pytest.approx(0.05 + 0.1 + 3.0 * 0.1, rel=1e-3)


@pytest.mark.parametrize(
    ("ones", "runs", "word"),
    [(3000, 20_000, "same"), (3400, 20_000, "different"), (3190, 20_000, "cannot tell"), (0, 1, "cannot tell"),
     (30, 200, "cannot tell"), (3, 4, "different")],
)  # fmt: skip
def test_inside_outside_or_across_the_edge(ones, runs, word):
    assert judged(STUDY, shares(ones, runs, 15.0)).verdict == word


def test_few_runs_of_values_without_a_span_cannot_tell():
    study = Study("s", "", (), 1, published_runs=100)
    row = Outcome("p", "a", "", 1, 4, 5.0, 0.001, 9.0, unit=0.1, low=4.99, high=5.01)
    assert verdict(study, row).word == "cannot tell" and in_words(study, row).startswith("too few runs")
    assert verdict(study, row._replace(runs=5)).word == "different"


def test_one_run_decides_nothing_within_a_span_either():
    """The paper's own error is unknown after one run, and an endless margin holds every interval."""
    for values in ([0.9], [0.9, 0.5, 0.1], [0.31, 0.3, 0.3, 0.29]):
        row = measured(values, span=(0.0, 1.0), published_runs=5)._replace(published=0.3, unit=0.01)
        found = verdict(Study("s", "", (), 1, span=(0.0, 1.0), published_runs=5), row)
        assert found.word == "cannot tell"
        assert found.margin <= 0.005 + 0.006 + 3.0 * 0.5 / math.sqrt(5.0) + 1e-12  # values in a span spread no more
    row = measured([0.3] * 4, span=(0.0, 1.0))._replace(published=0.99, unit=0.01)
    assert verdict(Study("s", "", (), 1, span=(0.0, 1.0), published_runs=10_000), row).word == "different"


def test_where_the_paper_does_not_say_its_runs_their_noise_may_explain_a_difference():
    study = Study("s", "", (), 1)
    row = Outcome("p", "a", "", 1, 10_000, 5.2, 0.01, 5.0, unit=0.01, low=5.18, high=5.22)
    found = verdict(study, row)
    assert found.word == "cannot tell" and found.paper_runs == pytest.approx((3.0 / (0.18 - 0.105)) ** 2, rel=0.01)
    assert f"at most {found.paper_runs:,.0f} runs" in in_words(study, row)
    assert verdict(study, row._replace(value=8.0, low=7.98, high=8.02)).word == "different"


def test_how_often_a_right_and_a_wrong_program_get_which_word():
    """15 %, 20,000 runs: a right program is the same in 89 of 100; one off by two margins is different in 93."""
    rng, margin = np.random.default_rng(1), 1.0624

    def words(off):
        ones = rng.binomial(20_000, 0.15 + off * margin / 100.0, 300)
        printed = np.round(100.0 * rng.binomial(20_000, 0.15, 300) / 20_000, 2)
        low, high = share_ends(ones, 20_000)
        rows = [
            Outcome("p", "a", "", 1, 20_000, k / 200.0, 1.0, p, unit=0.01, low=100.0 * a, high=100.0 * b)
            for k, p, a, b in zip(ones, printed, low, high, strict=True)
        ]
        found = [verdict(STUDY, row).word for row in rows]
        return found.count("same") / 3.0, found.count("different") / 3.0

    assert words(0.0) == (pytest.approx(89.0, abs=6.0), 0.0)
    assert words(2.0) == (0.0, pytest.approx(93.0, abs=6.0))


def measured(values, **how):
    study = Study("s", "", (), 1, **how)
    return next(iter(summarise(study, Cell("p", "a", "", (1,), abs), np.array(values, float)[:, None])))


def test_printed_numbers_tell_their_digits():
    printed = {("p", "a", 1): "1.220e-2", ("p", "a", 2): "66.4", ("p", "a", 3): 5.0}
    study = Study("s", "", (), 1, published=printed)
    found = [study.printed("p", "a", step) for step in (1, 2, 3, 4)]
    assert found == [
        (0.0122, pytest.approx(1e-5)),
        (66.4, pytest.approx(0.1)),
        (5.0, pytest.approx(0.01)),
        (None, None),
    ]


def test_runs_that_are_equal_or_no_numbers_are_told_as_such():
    def told(values, **how):
        cell = Cell("p", "a", "", (1,), abs)
        study = Study("s", "", [cell], 10, published={("p", "a", 1): "1.0"}, **how)
        (row,) = summarise(study, cell, np.asarray(values, float)[:, None])
        return in_words(study, row)

    assert "all runs are equal" in told([1.0] * 30)
    assert told([1.0] * 30, span=(0.0, 1.0)).startswith("cannot tell")
    assert told([1.0] * 72, span=(0.0, 1.0)).startswith("same")
    assert told([1.0, math.nan, 1.0], span=(0.0, 1.0)) == "cannot tell: some runs gave no finite number"
    assert told([1.0, math.inf, 1.0]) == told([1.0, math.nan, 1.0]) == "cannot tell: some runs gave no finite number"
