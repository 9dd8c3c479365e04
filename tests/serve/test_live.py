"""The page is there for every goal, whatever fails, and reading it is not noticed by those who write."""

import sqlite3

import pytest

import varde

pytest.importorskip("starlette", reason="no server: pip install varde[serve]")

from varde.selection.log import read_only
from varde.serve.live import Live

GOALS = [
    (varde.Top(2, "max"), {}, lambda draw: draw.seed),
    (varde.Quantile(0.9, "min"), {}, lambda draw: draw.seed),
    (varde.Best("profit", "max", latency="<= 2"), {}, lambda draw: {"profit": draw.seed, "latency": 1.0}),
    ("max", {"items": list(range(9))}, lambda draw: float(draw.item > 3)),
    ("max", {"costs": [1, 2, 2, 1]}, lambda draw: draw.seed),
    ("min", {"crn": True}, lambda draw: draw.seed),
]


@pytest.mark.parametrize(("goal", "settings", "value"), GOALS, ids=lambda given: str(given)[:20])
def test_every_goal_has_a_page_that_follows_the_store(tmp_path, goal, settings, value):
    path = tmp_path / "s.sqlite"
    with varde.Selector(list("abcd"), budget=60, goal=goal, store=path, **settings) as selector:
        live = Live(varde.Selector.open(read_only(path)))
        live.look()
        assert live.title == "No results yet"
        for draw in selector.ask(24):
            selector.tell(draw, value(draw))
        live.look()
        found = selector.recommend()
        assert live.title == found.goal_record.headline(found)


def test_looking_writes_nothing_and_waits_for_nobody(tmp_path):
    path = tmp_path / "s.sqlite"
    with varde.Selector(["a", "b"], 40, store=path) as selector:
        selector.tell_many({"a": [1.0, 2.0], "b": [3.0, 4.0]})
        before = selector.events()
        with sqlite3.connect(path, isolation_level=None) as writer:
            writer.execute("BEGIN IMMEDIATE")  # as a selection in the middle of a change
            watched = varde.Selector.open(read_only(path))
            live = Live(watched)
            live.look()
            writer.execute("ROLLBACK")
        assert "4 of 40 spent" in live.html
        with pytest.raises(varde.StoreError, match="opened for reading"):
            watched.ask()
        assert selector.events() == before


def test_nothing_is_made_again_while_nothing_happens():
    selector = varde.Selector(["a", "b"], budget=20)
    selector.tell("a", 1.0)
    live = Live(selector)
    live.look()
    html, version = live.html, live.version
    live.look()
    assert live.html is html
    selector.tell("b", 1.0)
    live.look()
    assert live.version != version


def test_a_pause_and_its_hostile_reason_are_shown():
    selector = varde.Selector(["a", "b"], budget=20)
    live = Live(selector)
    while (draw := selector.ask(wait=False)) is not None:
        selector.fail(draw, "<b>no</b>")
    live.look()
    assert "paused: 3 calls of 2 options failed" in live.html and "&lt;b&gt;no&lt;/b&gt;" in live.html


def test_that_nothing_has_worked_is_said_in_a_sentence():
    selector = varde.Selector(["a", "b"], budget=20, calls=varde.Calls(retries=0))
    live = Live(selector)
    for draw in selector.ask(2):
        selector.fail(draw, "no memory")
    live.look()
    assert '<p class="caution">No call has worked' in live.html


def test_a_store_that_is_gone_is_said_on_the_page(tmp_path):
    path = tmp_path / "s.sqlite"
    varde.Selector(["a", "b"], store=path).close()
    selector = varde.Selector.open(read_only(path))
    live = Live(selector)
    selector._journal.record.log.log.close()
    live.look()
    assert "was closed" in live.html
