"""The page is there for every goal, and whatever fails."""

import json
import re

import pytest

import varde

pytest.importorskip("starlette", reason="no server: pip install varde[serve]")

from varde.serve.live import AT_ONCE, Live
from varde.serve.operations import OPERATIONS

GOALS = [
    (varde.Top(2, "max"), {}, lambda draw: draw.seed),
    (varde.Quantile(0.9, "min"), {}, lambda draw: draw.seed),
    (varde.Best("profit", "max", latency="<= 2"), {}, lambda draw: {"profit": draw.seed, "latency": 1.0}),
    ("max", {"items": list(range(9))}, lambda draw: float(draw.item > 3)),
    ("max", {"costs": [1, 2, 2, 1]}, lambda draw: draw.seed),
    ("min", {"crn": True}, lambda draw: draw.seed),
]


@pytest.mark.parametrize(("goal", "settings", "value"), GOALS, ids=lambda given: str(given)[:20])
def test_every_goal_has_a_page_and_answers_that_are_json(tmp_path, goal, settings, value):
    with varde.Selector(list("abcd"), budget=60, goal=goal, store=tmp_path / "s.sqlite", **settings) as selector:
        live = Live(selector)
        live.look()
        assert live.title == "No results yet"
        for draw in selector.ask(24):
            selector.tell(draw, value(draw))
        live.look()
        found = selector.recommend()
        assert live.title == found.goal_record.headline(found)
        assert "How the intervals narrow" in live.html
        for operation in OPERATIONS.values():
            if operation.method == "GET":
                assert json.dumps(operation.carry_out(selector, {}), allow_nan=False)


def test_nothing_is_made_again_while_nothing_happens(monkeypatch):
    selector = varde.Selector(["a", "b"], budget=20)
    selector.tell("a", 1.0)
    live = Live(selector)
    live.look()
    live.look()
    assert live.version == 1
    selector.tell("b", 1.0)
    live.look()
    assert live.version == 2


def test_a_pause_and_its_hostile_reason_are_shown():
    selector = varde.Selector(["a", "b"], budget=20)
    live = Live(selector)
    while (draw := selector.ask(wait=False)) is not None:
        selector.fail(draw, "<b>no</b>")
    live.look()
    assert "paused: 3 calls of 2 options failed" in live.html
    assert "&lt;b&gt;no&lt;/b&gt;" in live.html


def test_that_nothing_has_worked_is_said_in_a_sentence():
    selector = varde.Selector(["a", "b"], budget=20, calls=varde.Calls(retries=0))
    live = Live(selector)
    for draw in selector.ask(2):
        selector.fail(draw, "no memory")
    live.look()
    assert '<p class="caution">No call has worked' in live.html


def test_names_are_told_apart_whatever_their_length_and_direction(tmp_path):
    names = [f"rate=0.{i}00, a long name that ends as all the others do" for i in range(3)]
    selector = varde.Selector(["שלום", *names], budget=40, store=tmp_path / "s.db")
    live = Live(selector)
    for draw in selector.ask(30):
        selector.tell(draw, 100.0 * (draw.name == "שלום") + draw.seed / 2**31)
    live.look()
    named = re.search(r'<p class="legend">.*?</p>', live.html, re.DOTALL)[0]
    labels = re.findall(r"<bdi>(.*?)</bdi>", named)
    assert len(labels) == len(set(labels)) == 3 and "שלום" in labels


# -- how the intervals narrowed --------------------------------------------------------------------


@pytest.fixture
def live(tmp_path):
    with varde.Selector(["a", "b", "c"], budget=300, store=tmp_path / "s.sqlite") as selector:
        yield Live(selector)


def told(live, n):
    for draw in live.selector.ask(n):
        live.selector.tell(draw, {"a": 1.0, "b": 2.0, "c": 0.0}[draw.name] + draw.seed / 2**31)
    return live.selector.recommend()


def grown(live):
    """How many looks it takes until all points are there."""
    live.look()
    looks = 1
    while not live.whole:
        live.look()
        looks += 1
    return looks


def shown(found):
    return {row.name: (row.estimate, row.low, row.high) for row in found.rows if row.n > 1}


def test_a_point_of_the_past_is_the_recommendation_of_that_time(live):
    then, number = told(live, 10), 10
    while number not in live.past.points:  # the next point of a curve
        then, number = told(live, 1), number + 1
        grown(live)
    told(live, 90)
    fresh = Live(live.selector)
    assert 1 < grown(fresh) <= 1 + len(fresh.past.points) // AT_ONCE
    assert fresh.past.points[number] == live.past.points[number] == shown(then)
    assert fresh.html.count('class="band"') == 3
    early, late = (fresh.past.points[x]["b"] for x in (number, max(fresh.past.points)))
    assert late[2] - late[1] < early[2] - early[1]


def test_points_are_made_once(live):
    told(live, 100)
    grown(live)
    first = dict(live.past.points)
    told(live, 100)
    grown(live)
    assert all(live.past.points[number] is point for number, point in first.items())
    assert 20 < len(live.past.points) < 40


def test_counts_and_summaries_are_part_of_the_past(live):
    told(live, 6)
    then = {}
    for k in range(12):
        live.selector.tell_many({"a": {"successes": 40 + k, "trials": 100}, "b": {"mean": 2.0, "sem": 0.1, "n": 50}})
        then[8 + 2 * k] = shown(live.selector.recommend())
    grown(live)
    both = then.keys() & live.past.points.keys()
    assert both and all(live.past.points[number] == then[number] for number in both)
    assert live.past.totals[-1] == 6 + 12 * 150
    assert ">1000<" in live.html or ">1,000<" in live.html or ">1500<" in live.html  # results, not lines of a file
