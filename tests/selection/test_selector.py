"""Ask and tell, without a file."""

import inspect
import subprocess
import sys
import time

import numpy as np
import pytest

import varde
from tests.noted import noted
from varde.random import key
from varde.selection.draws import BITS, permuted

NAMES = ["a", "b", "c", "d", "e"]


def noise(draw, scale=1.0):
    return scale * np.random.default_rng(draw.seed).normal()


def run(selector, value, batch=1):
    """Names in the order of the asks."""
    asked = []
    while draws := selector.ask(batch):
        for draw in draws:
            asked.append(draw.name)
            selector.tell(draw, value(draw))
    return asked


def quality(draw):
    return NAMES.index(draw.name) + 2.0 * noise(draw)


# -- the algorithm -------------------------------------------------------------------------------


def test_the_best_is_found_and_the_budget_kept():
    selector = varde.Selector(NAMES, budget=150)
    asked = run(selector, quality)
    assert len(asked) == 150 and selector.done and selector.ask() is None and selector.ask(3) == []
    assert (selector.spent, selector.remaining, selector.budget, selector.pending) == (150, 0, 150, [])
    assert selector.leader == "e" == selector.recommend().best_name
    assert asked.count("e") > asked.count("a")


def coin(draw):
    return float(np.random.default_rng(draw.seed).random() < 0.3 + 0.1 * NAMES.index(draw.name))


@pytest.mark.parametrize("value", [quality, coin])
@pytest.mark.parametrize(
    ("goal", "change"),
    [
        ("max", lambda y: 1000.0 * y),
        ("max", lambda y: y + 1e6),
        ("max", lambda y: 1e-9 * y),
        ("min", lambda y: -y),
        ("min", lambda y: 1e6 - 1000.0 * y),
    ],
)
def test_unit_zero_and_direction_do_not_matter(value, goal, change):
    plain = run(varde.Selector(NAMES, budget=300, seed=3), value, 4)
    other = run(varde.Selector(NAMES, budget=300, seed=3, goal=goal), lambda draw: change(value(draw)), 4)
    assert plain == other


def test_equal_results_are_allocated_equally():
    asked = run(varde.Selector(NAMES, budget=100), lambda draw: 0.25)
    assert {asked.count(name) for name in NAMES} == {20}


def test_a_batch_is_planned_as_single_asks_are():
    together, single = varde.Selector(NAMES, budget=200, seed=1), varde.Selector(NAMES, budget=200, seed=1)
    while draws := together.ask(7):
        one_by_one = [single.ask() for _ in draws]
        assert draws == one_by_one
        for draw in draws:
            together.tell(draw, quality(draw))
            single.tell(draw, quality(draw))


def test_it_works_with_results_under_way_late_and_missing():
    means = dict(zip(NAMES, [0.0, 1.0, 2.0, 3.0, 6.0], strict=True))
    selector = varde.Selector(NAMES, budget=120, calls=varde.Calls(retries=4))
    random, under_way = np.random.default_rng(5), []
    while not selector.done:
        under_way += selector.ask(int(random.integers(1, 6)))
        random.shuffle(under_way)
        for _ in range(int(random.integers(1, 6))):
            if under_way:
                draw = under_way.pop()
                if draw.name == "b":
                    selector.fail(draw, "never works")
                elif draw.name == "c" and draw.replicate % 5 == 0 and random.random() < 0.5:
                    selector.fail(draw, "now and then")
                else:
                    selector.tell(draw, means[draw.name] + noise(draw))
    assert selector.leader == "e" and selector.spent == 120 and list(selector.failing) == ["b"]


def test_ask_and_tell_never_import_numba():
    code = """
import sys, varde
selector = varde.Selector(["a", "b", "c"], budget=30)
while (draw := selector.ask()) is not None:
    selector.tell(draw, draw.seed / 2**31)
selector.recommend()
assert not {"numba", "scipy", "matplotlib", "sqlite3"} & set(sys.modules), set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], check=True)


# -- seeds ---------------------------------------------------------------------------------------


def test_seeds_depend_on_option_and_replicate_alone():
    first, second = varde.Selector(NAMES, 200, seed=9), varde.Selector(NAMES[::-1], 300, seed=9)
    seen = {}
    for selector, batch in ((first, 1), (second, 8)):
        while draws := selector.ask(batch):
            for draw in draws:
                assert seen.setdefault((draw.name, draw.replicate), draw.seed) == draw.seed
                assert 0 <= draw.seed <= BITS
                selector.tell(draw, quality(draw))
    assert len(set(seen.values())) == len(seen)
    other = varde.Selector(NAMES, 200, seed=10).ask()
    assert other.seed != seen["a", 0]


def test_common_random_numbers_leave_the_option_out():
    draws = varde.Selector(NAMES, 100, crn=True).ask(15)
    assert len({draw.seed for draw in draws}) == 3
    assert all(len({d.seed for d in draws if d.replicate == r}) == 1 for r in range(3))


def test_seeds_of_an_option_never_repeat():
    words = tuple(int(word) for word in key(0, "any"))
    assert len({permuted(words, number) for number in range(200_000)}) == 200_000
    # A permutation of 31 bits: the steps can be undone, so far-away numbers cannot meet either.
    far = [permuted(words, number) for number in range(BITS - 1000, BITS + 1)]
    assert not set(far) & {permuted(words, number) for number in range(200_000)}


# -- results late, twice, never --------------------------------------------------------------------


def test_a_second_result_is_refused_and_the_first_kept():
    selector = varde.Selector(NAMES, 50)
    draw = selector.ask()
    assert selector.tell(draw, 1.0)
    for again in (draw, draw.id):
        with pytest.raises(varde.AlreadyToldError, match="draw 1 already has its result"):
            selector.tell(again, 2.0)
    with pytest.raises(varde.AlreadyToldError):
        selector.fail(draw)
    assert selector.spent == 1 and selector.recommend().values["a"].tolist() == [1.0]


def test_a_result_by_name_answers_the_oldest_draw_or_counts_as_one_more():
    selector = varde.Selector(["a", "b"], 30)
    first, _, second = selector.ask(3)
    selector.tell("a", 1.0)
    assert [draw.id for draw in selector.pending] == [2, 3]
    with pytest.raises(varde.AlreadyToldError):
        selector.tell(first, 5.0)
    selector.tell(second, 2.0)
    before = selector.remaining
    selector.tell("a", 3.0)
    assert selector.spent == 3 and selector.remaining == before - 1
    assert selector.recommend().values["a"].tolist() == [1.0, 2.0, 3.0]
    with pytest.raises(ValueError, match="there is no option 'z': write one of 'a', 'b'"):
        selector.tell("z", 1.0)


def test_results_nobody_asked_for_are_a_warm_start_too():
    selector = varde.Selector(["a", "b", "c"], 30)
    for _ in range(3):
        selector.tell("b", 1.0)
    assert [draw.name for draw in selector.ask(6)] == ["a", "c"] * 3


def test_a_lost_draw_expires_and_its_late_result_counts_once(monkeypatch):
    now = [1000.0]
    monkeypatch.setattr(time, "time", lambda: now[0])
    selector = varde.Selector(["a", "b"], 8, calls=varde.Calls(expire=60.0))
    lost, other = selector.ask(2)
    selector.tell(other, 0.0)
    now[0] += 59.0
    assert selector.ask().id == 3
    now[0] += 2.0
    selector.tell(selector.ask(), 0.0)  # another option first
    again = selector.ask()
    assert again == lost  # the same ticket and seed
    assert selector.tell(lost, 1.0)  # whoever is first
    assert selector.tell(again, 1.0) is False
    assert selector.spent == 3


def test_what_never_comes_back_does_not_go_on_for_ever(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(time, "time", lambda: now[0])
    selector = varde.Selector(["a", "b", "c"], 60, calls=varde.Calls(expire=10.0))
    handed, steps = {}, 0
    while not selector.done and steps < 1000:
        steps += 1
        draw = selector.ask()
        now[0] += 11.0
        if draw is not None:
            handed.setdefault(draw.name, []).append(draw)
            if draw.name != "b":
                selector.tell(draw, 1.0 + noise(draw))
    assert (
        selector.failing == {"b": "3 of 3 calls failed, last: no result within 10 s"}
        and selector.spent == 60
        and len(handed["b"]) == 3
    )
    assert selector.tell(handed["b"][0], 50.0)  # very late: taken, and the option with it
    assert selector.failing == {} and selector.leader == "b" and selector.spent == 61


def test_a_released_draw_is_handed_out_again_unharmed():
    selector = varde.Selector(["a", "b"], 20, calls=varde.Calls(retries=0))
    draw = selector.ask()
    selector.release(draw)
    assert selector.pending == [] and selector.ask() == draw and selector.failing == {}


# -- failures --------------------------------------------------------------------------------------


def test_a_failed_draw_is_tried_again_then_replaced():
    selector = varde.Selector(["a", "b"], 20)
    for draw in selector.ask(2):
        selector.tell(draw, 1.0)
    draw = selector.ask()
    selector.fail(draw, "disk full")
    assert selector.remaining == 17
    selector.tell(selector.ask(), 1.0)  # another option first
    assert selector.ask() == draw
    selector.fail(draw.id, OSError("disk full"))
    instead = selector.ask()
    assert (instead.name, instead.replicate) == ("a", 2) and instead.seed != draw.seed


def test_an_option_that_has_not_worked_is_tried_with_other_seeds_first():
    selector = varde.Selector(["a", "b"], 20)
    tried = []
    for _ in range(3):
        assert selector.failing == {}
        tried.append(selector.ask())
        selector.fail(tried[-1], OSError("disk full"))
        selector.tell(selector.ask(), 1.0)  # another option in between
    assert [(draw.name, draw.replicate) for draw in tried] == [("a", 0), ("a", 1), ("a", 2)]
    assert selector.failing == {"a": "3 of 3 calls failed, last: OSError: disk full"} and selector.spent == 3
    assert {draw.name for draw in selector.ask(3)} <= {"b"}


def test_what_failed_is_made_good_when_the_option_works():
    selector = varde.Selector(["a", "b"], 20)
    failed = selector.ask()
    selector.fail(failed)
    for _ in range(2):
        selector.tell(selector.ask(), 1.0)
    assert selector.ask() == failed


def test_failures_are_not_averaged_in():
    selector = varde.Selector(["a", "b"], 20)
    failed = set()
    while (draw := selector.ask()) is not None:
        if draw.replicate == 2 and draw.name not in failed:
            selector.fail(draw)
            failed.add(draw.name)
        else:
            selector.tell(draw, 5.0)
    assert all((values == 5.0).all() for values in selector.recommend().values.values())
    assert selector.spent == 20


def test_a_success_in_between_clears_the_record():
    selector = varde.Selector(["a", "b"], 60, calls=varde.Calls(retries=1))
    failed = set()
    while (draw := selector.ask()) is not None:
        if draw.name == "a" and draw.replicate % 2 and draw.id not in failed:
            selector.fail(draw)
            failed.add(draw.id)
        else:
            selector.tell(draw, noise(draw))
    assert len(failed) > 3 and selector.failing == {} and selector.spent == 60


def test_when_one_option_is_left_it_gets_its_warm_start_and_that_is_all():
    selector = varde.Selector(["a", "b"], 100, calls=varde.Calls(retries=0))
    while not selector.done:
        draw = selector.ask()
        if draw.name == "a":
            selector.fail(draw)
        else:
            selector.tell(draw, noise(draw))
    assert selector.spent == 3 and selector.recommend().best_name == "b"


# -- costs, budget, more options ---------------------------------------------------------------------


def test_the_budget_is_never_exceeded_and_cheap_options_are_drawn_more():
    costs = {"a": 1.0, "b": 5.0, "c": 0.7}
    selector = varde.Selector(list(costs), budget=200.5, costs=costs)
    spent, counts = 0.0, dict.fromkeys(costs, 0)
    while draws := selector.ask(3):
        for draw in draws:
            spent += costs[draw.name]
            counts[draw.name] += 1
            selector.tell(draw, noise(draw))
    assert spent <= 200.5 + 1e-9 and selector.spent == pytest.approx(spent) and spent > 199.8 and selector.done
    assert counts["c"] > 1.5 * counts["b"]


def test_without_a_budget_it_goes_on():
    selector = varde.Selector(["a", "b"])
    assert len(selector.ask(500)) == 500 and not selector.done and selector.remaining == float("inf")
    with pytest.raises(ValueError, match="no budget to add to"):
        selector.add_budget(10)


def test_options_and_budget_can_grow():
    selector = varde.Selector(["a", "b"], budget=40)
    run(selector, noise)
    assert selector.done
    selector.add_option({"size": 3})
    selector.add_option(object(), name="thing")
    selector.add_budget(60)
    assert not selector.done and selector.budget == 100
    asked = run(selector, lambda draw: noise(draw) + 3.0 * (draw.name == "size=3"))
    assert len(asked) == 60 and min(asked.count("size=3"), asked.count("thing")) >= 1
    assert set(asked[:2]) == {"size=3", "thing"} and selector.leader == "size=3"
    assert selector.recommend().best == {"size": 3}


def test_a_stopping_rule_ends_it():
    class Enough:
        def satisfied(self, results):
            return results.counts.sum() >= 30 and results.means[1] > results.means[0]

    selector = varde.Selector(["a", "b"], budget=200, goal="min", stop=Enough(), seed=2)
    run(selector, lambda draw: (draw.name == "a") + 100.0)
    assert selector.done and selector.spent == 30 and selector.leader == "b"


@pytest.mark.parametrize("goal", ["max", "min"])
def test_stop_by_the_chance_of_a_wrong_answer(goal):
    sign = 1.0 if goal == "max" else -1.0
    for stop in (0.05, varde.Stop(0.05, margin=2.0), varde.Stop(0.01, bounds=(-11.0, 11.0))):
        selector = varde.Selector(["a", "b"], budget=3000, goal=goal, stop=stop)
        run(selector, lambda draw: sign * (5.0 * (draw.name == "b") + noise(draw)))
        assert selector.done and selector.leader == "b" and selector.spent < 3000
    with pytest.raises(TypeError, match=r"write stop=varde.Stop\(0\.05, margin=1\.0\)"):
        varde.Selector(["a", "b"], 100, margin=1.0)
    with pytest.raises(ValueError, match="stop is 3"):
        varde.Selector(["a", "b"], 100, stop=3)
    with pytest.raises(ValueError, match=r"stop is 0\.95, but .* did you mean 0\.05\?"):
        varde.Selector(["a", "b"], 100, stop=0.95)


@pytest.mark.parametrize("goal", ["max", "min"])
def test_stop_under_common_random_numbers_sees_through_the_noise_that_all_share(goal):
    """The noise is the seed's, so the difference has none; without common seeds it is never sure."""
    spent = {}
    for crn in (True, False):
        selector = varde.Selector(["a", "b", "c"], budget=400, goal=goal, stop=0.05, crn=crn)
        run(selector, lambda draw: (draw.name == "b") * (0.3 if goal == "max" else -0.3) + 10.0 * noise(draw))
        spent[crn] = selector.spent
    assert spent[True] < 60 and spent[False] == 400


@pytest.mark.parametrize(
    "goal, chosen",
    [
        (varde.Top(2), {"c", "d"}),
        (varde.Top(2, "min"), {"a", "b"}),
    ],
)
def test_stop_promises_other_answers_too(goal, chosen):
    selector = varde.Selector({"a": 0.0, "b": 0.0, "c": 6.0, "d": 6.0}, 3000, goal=goal, stop=0.05)
    run(selector, lambda draw: draw.option + noise(draw))
    assert selector.done and selector.spent < 3000 and set(selector.recommend().chosen) == chosen


def test_no_promise_is_made_about_a_quantile():
    with pytest.raises(ValueError, match="guarantee for means"):
        varde.Selector(["a", "b"], 100, goal=varde.Quantile(0.9), stop=0.05)


def close_second(draw):
    return {"d": -0.2, "e": 0.0}.get(draw.name, -2.0) + noise(draw)


def test_with_a_stop_the_budget_does_not_change_the_draws():
    few, many, unlimited = (
        run(varde.Selector(NAMES, budget, stop=0.05), close_second) for budget in (300, 100_000, None)
    )
    assert len(few) == 300 and many[:300] == few and many == unlimited
    assert sum(many.count(name) for name in "de") > 0.7 * len(many)


def test_it_keeps_the_warm_start_it_was_given_with_a_stop_too():
    asked = run(varde.Selector(NAMES, 300, warm_start=9, stop=0.05), close_second)
    assert asked[:45] == 9 * NAMES and asked.count("a") < 15


@pytest.mark.parametrize(("budget", "each"), [(300, 3), (30, 3), (29, 2), (8, 1)])
def test_the_warm_start_is_three_of_each_or_half_of_the_budget(budget, each):
    asked = run(varde.Selector(NAMES, budget), close_second)
    assert asked[: 5 * each] == each * NAMES and asked[: 5 * each + 5] != (each + 1) * NAMES


def test_an_option_that_is_taken_out_has_no_say_in_stopping():
    selector = varde.Selector(["a", "b", "c"], budget=2000, stop=0.05)
    for spent in (200, 240):
        while selector.spent < spent and not selector.done:
            draw = selector.ask()
            selector.tell(draw, 3.0 * (draw.name != "a") + noise(draw))
        if spent == 200:
            assert not selector.done, "b and c are level"
            selector.remove_option("c")
    assert selector.done and selector.leader == "b"


# -- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), 1e200, "0.5", None, [1.0, 2.0], 1j])
def test_results_that_are_no_numbers_are_refused_and_the_draw_stays(value):
    selector = varde.Selector(NAMES, 50)
    draw = selector.ask()
    with pytest.raises((TypeError, ValueError), match="result of a is"):
        selector.tell(draw, value)
    assert selector.pending == [draw] and selector.spent == 0
    selector.tell(draw, np.float32(0.5))
    selector.tell(selector.ask(), True)
    assert selector.spent == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"options": ["a", "b", "a"]}, "two options are called 'a'"),
        ({"options": {"a", "b"}}, "a set, whose order differs between processes: write a list"),
        ({"options": ["a"]}, "two or more"),
        ({"options": []}, "two or more"),
        ({"options": "ab"}, "write a list"),
        ({"options": 3}, "write a list"),
        ({"options": {1: "a", 2: "b"}}, "keys are strings"),
        ({"budget": 4}, "each of 5 options is drawn 1 time.s. first: write 5 or more"),
        ({"budget": 14, "warm_start": 3}, "5 options is drawn 3 time.s. first: write 15 or more"),
        ({"budget": -1}, "budget is -1"),
        ({"budget": float("nan")}, "budget is nan"),
        ({"goal": "best"}, 'write "max" or "min"'),
        ({"costs": [1, 2, 3, 4, -5]}, "cost of 'e' is -5: write a finite number"),
        ({"costs": [1, 2]}, "2 costs for 5 options"),
        ({"costs": {"a": 1.0}}, "nothing for 'b'"),
        ({"costs": {"z": 1.0}}, "'z', which is not an option"),
        ({"algorithm": varde.bandits.UCBE()}, "options are chosen by VarDE"),
        ({"warm_start": 0}, "warm_start is 0: write how often"),
        ({"seed": "x"}, "write a whole number"),
        ({"calls": {"retries": 1}}, r"calls is \{'retries': 1\}: write varde.Calls"),
        ({"calls": 3}, "calls is 3: write varde.Calls"),
    ],
)
def test_bad_input_is_answered_with_what_to_write(arguments, words):
    with pytest.raises((TypeError, ValueError), match=words):
        varde.Selector(**{"options": NAMES, "budget": 100, **arguments})


def test_bad_answers():
    selector = varde.Selector(NAMES, 50)
    selector.ask()
    for wrong in (0, 2, 99, -1):
        with pytest.raises(ValueError, match=f"there is no draw {wrong}"):
            selector.tell(wrong, 1.0)
    for wrong in (None, True):
        with pytest.raises(TypeError, match="write a draw"):
            selector.tell(wrong, 1.0)
    with pytest.raises(ValueError, match="n is 0"):
        selector.ask(0)
    with pytest.raises(ValueError, match="no results yet"):
        selector.recommend()
    with pytest.raises(ValueError, match="there is an option 'a' already"):
        selector.add_option("a")


# -- options removed -------------------------------------------------------------------------------


def test_a_removed_option_is_neither_asked_for_nor_recommended():
    selector = varde.Selector(NAMES, budget=100)
    first = selector.ask(10)
    for draw in first[:5]:
        selector.tell(draw, 100.0 if draw.name == "e" else quality(draw))
    selector.remove_option("e")
    assert selector.leader != "e" and selector.removed == ("e",)
    for draw in first[5:]:
        selector.tell(draw, quality(draw))
    assert "e" not in run(selector, quality) and selector.spent == 100
    found = selector.recommend()
    assert (
        found.best_name != "e" and found.rows[4].verdict == "removed" and found.rows[4].n == 2 == len(found.values["e"])
    )
    assert "removed" in str(found) and "removed" in found.to_html() and found.to_dict()["rows"][4]["p_best"] == 0.0


def test_draws_of_a_removed_option_are_answered_and_not_handed_out_again():
    selector = varde.Selector(NAMES, budget=100)
    draws = [draw for draw in selector.ask(15) if draw.name == "b"]
    selector.fail(draws[0], "once")
    selector.remove_option("b")
    selector.fail(draws[1], "again")
    selector.release(draws[2])
    assert "b" not in {draw.name for draw in selector.ask(10)}
    assert selector.tell(draws[2], 1.0) and selector.tell("b", 2.0) and selector.tell("a", 1.0) and not selector.failing
    assert [row.n for row in selector.recommend().rows] == [1, 2, 0, 0, 0]


def test_a_removed_option_comes_back_with_its_results():
    selector = varde.Selector(NAMES, budget=200, seed=5)
    for _ in range(40):
        draw = selector.ask()
        selector.tell(draw, quality(draw))
    before = len(selector.recommend().values["e"])
    selector.remove_option("e")
    for _ in range(20):
        draw = selector.ask()
        selector.tell(draw, quality(draw))
    with pytest.raises(ValueError, match="give it another name"):
        selector.add_option({"another": "object"}, name="e")
    selector.add_option("e")
    assert selector.removed == () and "e" in run(selector, quality)
    assert selector.recommend().best_name == "e" and selector.recommend().rows[4].n > before


def test_what_cannot_be_removed_is_refused():
    selector = varde.Selector(["a", "b"], budget=20)
    with pytest.raises(ValueError, match="there is no option 'c': write one of 'a', 'b'"):
        selector.remove_option("c")
    selector.remove_option("a")
    with pytest.raises(ValueError, match="there is no option 'a'"):
        selector.remove_option("a")
    with pytest.raises(ValueError, match="the last option"):
        selector.remove_option("b")
    with pytest.raises(ValueError, match="there is an option 'b' already"):
        selector.add_option("b")


@pytest.mark.parametrize("option", ["", {}, np.str_("")], ids=repr)
def test_an_option_without_a_name_is_refused_when_it_is_added_too(tmp_path, option):
    with varde.Selector(["a", "b"], store=tmp_path / "s.db") as selector:
        with pytest.raises(ValueError, match="has no name: write name="):
            selector.add_option(option)
        selector.add_option(option, "empty")
    assert list(varde.Selector.open(tmp_path / "s.db").options) == ["a", "b", "empty"]


def test_help_shows_its_arguments():
    parameters = inspect.signature(varde.Selector).parameters
    assert list(parameters)[:2] == ["options", "budget"] and {"goal", "store", "stop"} < set(parameters)


def test_it_prints_as_one_line_that_says_where_it_stands(tmp_path):
    selector = varde.Selector(["a", "b" * 90, "c"], 1200, goal="min", store=tmp_path / "s.db")
    assert repr(selector) == f"<Selector: 3 options, goal 'min', 0 of 1,200 spent, in {tmp_path / 's.db'}>"
    second = selector.ask(2)[1]
    with varde.Selector.open(tmp_path / "s.db") as other:
        other.tell(second.id, -1.0)
    for line in ("1 of 1,200 spent, 1 pending, 'bbb", "...' leads, in "):
        assert line in repr(selector) and "\n" not in repr(selector)
    selector.close()
    assert "1 of 1,200 spent" in repr(selector), "and when it is closed"
    assert repr(varde.Selector(["a", "b"])) == "<Selector: 2 options, goal 'max', 0 spent>"
    assert "goal Top(2, 'max')" in repr(varde.Selector(["a", "b", "c"], goal=varde.Top(2)))


def test_what_ended_the_search_is_said_as_it_is():
    selector = varde.Selector(["a", "b"], 8)
    while (draw := selector.ask()) is not None:
        selector.tell(draw, float(draw.replicate))
        assert selector.recommend().stopped == ("not yet" if selector.spent < 8 else "budget")
    selector.add_budget(1)
    assert selector.recommend().stopped == "not yet" and selector.recommend("seconds").stopped == "seconds"
    endless = varde.Selector(["a", "b"])
    endless.tell("a", 1.0)
    assert endless.recommend().stopped == "not yet"
    with pytest.raises(ValueError, match="'budget' or 'seconds' or"):
        endless.recommend("soon")


def test_an_option_that_is_a_number_is_not_taken_for_the_id_of_a_draw():
    selector = varde.Selector([1, 2, 3], 30)
    first, second = selector.ask(2)
    for told in (lambda: selector.tell(second.option, 1.0), lambda: selector.tell_many([(np.int64(2), 1.0)])):
        with pytest.raises(ValueError, match=r"2 is an option, and may be the id of a draw: write tell\(draw"):
            told()
    selector.tell("2", 1.0)
    assert selector.pending == [first] and selector.tell_many([{"draw": first.id, "value": 2.0}]).counted == 1
    with pytest.raises(ValueError, match="there is no draw 17"):
        selector.tell(17, 1.0)
    texts = varde.Selector(["1", "2"], 30)  # as on a command line: a number is the id of a draw
    assert texts.tell(texts.ask().id, 1.0)


def test_where_smaller_is_better_the_promise_names_the_bounds_of_the_results():
    selector = varde.Selector(["a", "b"], goal="min", stop=0.05, calls=varde.Calls(bounds=(0, 1)))
    selector.tell_many({"a": [0.1, 0.2] * 20, "b": [0.8, 0.9] * 20})
    assert "proved for results between 0 and 1" in noted(selector.recommend())


@pytest.mark.parametrize("setting", [{}, {"goal": "min"}, {"crn": True}, {"alike": True}], ids=str)
def test_stop_watched_ends_where_the_chance_to_stop_by_is_high(setting, tmp_path):
    """It depends on the results alone: a file goes on as a selection that never stopped."""
    options = [1.0, 1.1, 1.2, 3.0] if setting.get("goal") != "min" else [3.0, 3.1, 3.2, 1.0]

    def play(selector, most):
        while selector.spent < most and (draw := selector.ask()) is not None:
            selector.tell(draw, draw.option + np.random.default_rng(draw.seed).normal())
        return selector

    whole = play(varde.Selector(options, 2_000, stop="watched", seed=3, **setting), 2_000).recommend()
    assert whole.stopped == "sure" and whole.p_watched >= 0.95 and whole.best == options[-1] and whole.spent < 500
    [note] = [note for note in whole.notes if note.code == "ended"]
    assert "measured, not proved" in note.text
    with varde.Selector(options, 2_000, stop="watched", seed=3, store=tmp_path / "a.db", **setting) as first:
        play(first, whole.spent // 2)
    with varde.Selector.open(tmp_path / "a.db", stop="watched") as second:
        assert play(second, 2_000).recommend().spent == whole.spent


def test_results_of_0_and_1_bound_themselves_until_one_is_neither():
    def told(last, **more):
        selector = varde.Selector(["a", "b"], stop=0.05, **more)
        for number in range(30):
            for name, value in (("a", 1.0), ("b", number % 5 == 0)):
                selector.tell_many([{"option": name, "value": float(value)}])
        selector.tell_many([{"option": "b", "value": last}])
        return selector.recommend()

    assert told(0.0).notes == told(0.0, calls=varde.Calls(bounds=(0, 1))).notes
    assert "between 0 and 1" in " ".join(note.text for note in told(0.0).notes)
    assert "Gaussian" in " ".join(note.text for note in told(0.25).notes)
