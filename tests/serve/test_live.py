"""The page is there for every goal, and whatever fails."""

import json
import re

import pytest

import varde

pytest.importorskip("starlette", reason="no server: pip install varde[serve]")

from varde.serve.answers import ANSWERS
from varde.serve.live import Live
from varde.serve.once import Once

GOALS = [
    (varde.Top(2, "max"), {}, lambda draw: draw.seed),
    (varde.Above(0.5), {}, lambda draw: draw.seed / 2**31),
    (varde.Quantile(0.9, "min"), {}, lambda draw: draw.seed),
    (varde.Best("profit", "max", latency="<= 2"), {}, lambda draw: {"profit": draw.seed, "latency": 1.0}),
    ("max", {"items": list(range(9))}, lambda draw: float(draw.item > 3)),
    ("max", {"costs": "returned"}, lambda draw: (draw.seed, 2.0)),
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
        assert " style=" not in live.html
        for operation, answer in ANSWERS:
            if operation.method == "GET":
                assert json.dumps(answer(Once(selector), {}, ""), allow_nan=False)


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


def test_names_are_told_apart_whatever_their_length_and_direction():
    names = [f"rate=0.{i}00, a long name that ends as all the others do" for i in range(3)]
    selector = varde.Selector(["שלום", *names], budget=40)
    live = Live(selector)
    for draw in selector.ask(30):
        selector.tell(draw, 100.0 * (draw.name == "שלום") + draw.seed / 2**31)
    live.look()
    named = re.search(r'<figure class="shares">.*?</figure>', live.html, re.DOTALL)[0]
    labels = re.findall(r"<span><bdi>(.*?)</bdi> ", named)
    assert len(labels) == len(set(labels)) == 3 and "שלום" in labels
