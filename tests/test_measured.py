"""The result of every measure, as numbers, text and in a notebook."""

import math

import numpy as np
import pytest

from varde.measured import Measured


def measured(runs=100, points=1, answers=True, **more):
    values = np.where(np.arange(runs)[:, None] % 4 == 0, 0.5, 1.0) * np.ones((runs, points))
    at = np.arange(1, points + 1) * 10
    return Measured(values, at, 1.0, (values < 1.0).astype(int) if answers else None, **more)


def test_the_standard_error_is_that_of_the_mean():
    assert measured().stderr[-1] == pytest.approx(np.std([0.5] * 25 + [1.0] * 75, ddof=1) / 10.0)
    assert math.isnan(measured(1).stderr[0])


def test_text_says_what_the_runs_were_worth_with_margins():
    assert (
        measured().sentence
        == "100 runs, 10 samples each: value 0.875 ± 0.043 of 1; 25.00 ± 8.49 % of the answers are wrong."
    )
    assert "wrong" not in str(measured(answers=False))
    assert measured(1).sentence.startswith("1 run, 10 samples each: value 0.5 of 1;")
    assert "complete when it was interrupted" in measured(stopped="interrupted").sentence
    assert repr(measured(points=3)) == "<Measured: 100 runs after 10 to 30 samples, value 0.875 ± 0.043>"


def test_a_long_curve_is_shown_in_a_few_lines_the_last_among_them():
    lines = str(measured(points=10_000)).splitlines()
    assert len(lines) == 11 and lines[-1].split()[0] == "100,000"


def test_in_a_notebook_it_is_a_small_table():
    page = measured(points=500)._repr_html_()
    assert 'aria-label="values after so many samples"' in page
    assert page.count("<tr") == 9 and "25.00 ± 8.49" in page and len(page) < 3_000 and "<script" not in page
