"""The past of a selection is what it would have said then."""

import numpy as np
import pytest

import varde
from varde.serve.history import AT_ONCE, MOST_POINTS, History


@pytest.fixture
def selector(tmp_path):
    with varde.Selector(["a", "b", "c"], budget=300, store=tmp_path / "s.sqlite") as selector:
        yield selector


def told(selector, n):
    for draw in selector.ask(n):
        selector.tell(draw, {"a": 1.0, "b": 2.0, "c": 0.0}[draw.name] + draw.seed / 2**31)
    return selector.recommend()


def grown(history):
    rounds = 1
    while not history.grow(history.selector._evidence(None)):
        rounds += 1
    return rounds


def test_a_point_of_the_past_is_the_recommendation_of_that_time(selector):
    then = told(selector, 32)
    told(selector, 90)
    history = History(selector)
    grown(history)
    assert history.points[32] == {row.name: (row.estimate, row.low, row.high) for row in then.rows}


def test_points_are_few_and_made_a_few_at_a_time(selector):
    told(selector, 200)
    history = History(selector)
    assert grown(history) >= MOST_POINTS // 2 // AT_ONCE
    assert MOST_POINTS // 2 <= len(history.points) <= MOST_POINTS
    first = history.points[64]
    found = told(selector, 20)
    assert grown(history) == 1
    assert history.points[64] is first  # not made again
    widths = [history.points[x]["b"][2] - history.points[x]["b"][1] for x in (16, 64, 192)]
    assert widths == sorted(widths, reverse=True)
    (figure,) = history.figure(found)
    assert figure.count('class="band"') == 3


def test_without_results_of_an_option_there_is_no_band(selector):
    found = told(selector, 4)
    history = History(selector)
    assert history.grow(selector._evidence(None))
    assert all(np.isfinite(end) for point in history.points.values() for ends in point.values() for end in ends)
    assert isinstance(history.figure(found), list)


def test_counts_and_summaries_are_part_of_the_past(selector):
    told(selector, 6)
    then = None
    for k in range(6):
        selector.tell_many({"a": {"successes": 40 + k, "trials": 100}, "b": {"mean": 2.0, "sem": 0.1, "n": 50}})
        then = then or selector.recommend()
    history = History(selector)
    grown(history)
    assert history.points[8] == {row.name: (row.estimate, row.low, row.high) for row in then.rows}
    assert history.totals[-1] == 6 + 6 * 150
    (figure,) = history.figure(selector.recommend())
    assert ">500<" in figure  # results, not lines of a file
