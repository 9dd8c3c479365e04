"""All problems of a study together: measured once, kept in the results file, shown on the page."""

import numpy as np
import pytest

from varde.studies import Cell, run
from varde.studies.figure import Figure
from varde.studies.pooled import pooled, pooled_from
from varde.studies.report import load, write_report
from varde.studies.study import Study

from .results import put, rows_from

STUDY = Study("races", "Races", (), 8, pooled="higher", method="Ours", span=(0.0, 1.0))


def races():
    """Two problems on which one algorithm is ahead of another, and a third that only one problem has."""
    rng = np.random.default_rng(0)
    runs = {
        (problem, name): rng.uniform(low, low + 0.5, (8, 1))
        for problem in ("p", "q")
        for name, low in {"Ours": 0.5, "Other": 0.0}.items()
    }
    return rows_from({**runs, ("p", "Odd"): np.ones((8, 1))}, (10,))


def test_the_method_is_compared_with_every_other_over_all_problems():
    found = pooled(STUDY, races())
    assert [one.algorithm for one in found.standings] == ["Ours", "Other"] and found.method == "Ours"
    ours, other = found.standings
    assert ours.middle.low > other.middle.high and ours.behind is None and other.behind.value == 1.0
    assert ours.shares[20] > other.shares[20] and ours.shares[-1] == other.shares[-1] == 0.0


@pytest.mark.parametrize(("better", "chance"), [("higher", 1.0), ("lower", 0.0)])
def test_a_study_says_which_values_are_better(better, chance):
    study = Study("races", "Races", (), 8, pooled=better, method="Ours")
    assert pooled(study, races()).standings[1].behind.value == chance


def test_it_is_left_out_where_it_makes_no_sense():
    assert pooled(Study("races", "Races", (), 8), races()) is None
    assert pooled(Study("r", "R", (), 8, pooled="higher", figure=Figure(shown=("Ours",))), races()) is None
    assert pooled(STUDY, list(races())) is None


def test_the_page_shows_it_from_the_results_file_alone(tmp_path):
    put(tmp_path, STUDY, races(), [])
    [result] = load(tmp_path)[0]
    assert result.pooled == pooled(STUDY, races())
    page, text, _ = (path.read_text() for path in write_report(tmp_path))
    assert "All problems together" in page and "Ours is better" in page and "Performance profiles" in page
    assert "| Other | 0." in text


@pytest.mark.parametrize("given", [None, 3, {}, {"method": "", "levels": [1], "standings": [{}]}])
def test_whatever_else_a_file_says_is_left_out(given):
    assert pooled_from(given) is None


def test_one_run_has_no_error():
    cells = [
        Cell(problem, name, "", (1,), lambda key, first, runs: np.ones((runs, 1))) for problem in "pq" for name in "ab"
    ]
    study = Study("s", "", cells, 2, pooled="higher")
    assert pooled(study, run(study, 1)) is None and pooled(study, run(study, 2)) is not None
