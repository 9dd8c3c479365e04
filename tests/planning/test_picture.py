"""The root and the best line on a page that stands alone."""

import re

import pytest

from varde import Planner, plan, tabulate
from varde.environments import taxi
from varde.planning import UCT

HOSTILE = "<script>alert(1)</script>\"'&"


@pytest.fixture(scope="module")
def move():
    return plan(taxi(), (0, 0, "R", "Y"), 3000, horizon=20)


def test_the_page_stands_alone(move, tmp_path):
    text = move.to_html()
    assert move.to_html(tmp_path / "page.html") is None, "a notebook would show all of it"
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == text
    assert "http://" not in text and "https://" not in text and "src=" not in text
    assert "<h1>Take pickup</h1>" in text and "ahead of" in text.lower()
    assert len(re.findall("<li[ >]", text)) == text.count("</li>")


def test_every_action_of_the_root_is_there_with_its_simulations(move):
    shown = re.findall(r'title="([a-z]+): ([\d,]+) simulations?, value', move._repr_html_())
    first = {name: int(count.replace(",", "")) for name, count in shown[: len(move.visits)]}
    assert first == {name: count for name, count in move.visits.items() if count}


def test_the_best_line_is_what_the_recommended_actions_led_to():
    """Three steps to the right pay; on the way there is nothing else worth a visit."""
    chain = tabulate({i: {"left": [(1.0, 0, 0.0)], "right": [(1.0, i + 1, float(i == 2))]} for i in range(3)} | {3: {}})
    found = plan(chain, 0, 400, horizon=4, discount=0.9)
    assert [(step.state, step.action) for step in found.line[:3]] == [(0, "right"), (1, "right"), (2, "right")]
    taken = found.line[0].taken()
    assert taken.n == found["right"].n and taken.p_best == pytest.approx(found["right"].p_best)
    text = found.to_html()
    assert text.count('class="state"') == len(found.line) and text.count('class="taken"') >= 3


def test_very_many_actions_and_outcomes_make_small_pages():
    def step(state, action, rng):
        return (*state, action, int(rng.integers(1000))), float(rng.random())

    found = plan(step, (), 1000, horizon=5, actions=list(range(60)))
    assert len(found.to_html()) < 60_000 and "more actions" in found.to_html()


def test_names_are_shown_as_they_are():
    table = tabulate({HOSTILE: {HOSTILE: [(0.5, "b", 1.0), (0.5, HOSTILE, 0.0)], "wait": [(1.0, "b", 0.0)]}, "b": {}})
    text = plan(table, HOSTILE, 300, horizon=4).to_html()
    assert HOSTILE not in text and "<script>alert" not in text and "&lt;script&gt;alert(1)" in text


def test_a_search_of_a_world_of_python_is_shown_too():
    class Odd:
        def __repr__(self):
            raise RuntimeError("not to be printed")

        def __hash__(self):
            return 1

        def __eq__(self, other):
            return isinstance(other, Odd)

    def step(state, action, rng):
        return [0, 1, Odd()][int(rng.integers(3))], rng.normal() + action

    text = plan(step, 0, 200, horizon=3, actions=[0, 1]).to_html()
    assert "a Odd that cannot be printed" in text


def test_what_a_move_shows_stays_when_the_planner_goes_on():
    from varde import Planner

    planner = Planner(taxi(), horizon=20)
    first = planner((0, 0, "R", "Y"), budget=500)
    page = first.to_html()
    planner((4, 0, "taxi", "Y"), budget=500)
    assert first.to_html() == page


def test_without_variances_there_are_values_and_shares(move):
    text = plan(taxi(), (0, 0, "R", "Y"), 500, horizon=20, algorithm=UCT()).to_html()
    assert "P(best)</span>" not in text and 'class="span"' not in text and 'class="mark"' in text


def test_where_the_other_player_moves_is_said():
    def step(pile, take, rng):
        return pile - take, 0.0 if pile > take else (1.0 if take == 1 else -1.0), pile <= take

    move = Planner(step, horizon=6, actions=lambda pile: [1, 2][:pile], player=lambda pile: pile % 2)(4, 400)
    assert "the other player moves" in move.to_html()
