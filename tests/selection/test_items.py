"""A fixed test set: every option is judged on the same items."""

import itertools
import json
import re
import shutil
import sqlite3
import subprocess

import numpy as np
import pytest

import varde
from tests.noted import noted
from varde.selection.draws import shuffled
from varde.selection.selector import AlreadyToldError

PROMPTS = ["short", "steps", "polite"]


def answers(items, *rates, seed=0):
    """A table of right and wrong answers by option and item; what is easy is easy for all."""
    rng = np.random.default_rng(seed)
    easy = rng.random(len(items))
    return {
        (prompt, item): float(0.5 * easy[i] + 0.5 * rng.random() < rate)
        for prompt, rate in zip(PROMPTS, rates, strict=True)
        for i, item in enumerate(items)
    }


def spend(selector, table, most=10**6):
    for _ in range(most):
        draw = selector.ask()
        if draw is None:
            break
        selector.tell(draw, table[draw.name, draw.item])


def test_every_option_meets_every_item_once_in_the_same_order():
    items = list(range(20))
    selector, seen = varde.Selector(PROMPTS, items=items), {name: [] for name in PROMPTS}
    while (draw := selector.ask()) is not None:
        assert draw.item_name == str(draw.item) and draw.replicate == len(seen[draw.name])
        seen[draw.name].append(draw.item)
        selector.tell(draw, float(draw.seed % 7))
    assert selector.done and selector.spent == 60
    assert seen["short"] == seen["steps"] == seen["polite"] and sorted(seen["short"]) == items != seen["short"]


def test_the_order_comes_from_the_seed():
    assert shuffled(3, 100) == shuffled(3, 100) != shuffled(4, 100) and sorted(shuffled(3, 100)) == list(range(100))
    firsts = [shuffled(seed, 5)[0] for seed in range(500)]
    assert min(firsts.count(item) for item in range(5)) > 60


def test_a_larger_budget_ends_when_all_is_judged():
    table = answers(range(10), 0.3, 0.5, 0.9)
    found = varde.select(lambda prompt, item: table[prompt, item], varde.Selector(PROMPTS, 10_000, items=range(10)))
    assert found.spent == 30
    assert varde.select(lambda prompt, item: table[prompt, item], varde.Selector(PROMPTS, items=range(10))).spent == 30


def test_a_small_budget_is_kept():
    table = answers(range(200), 0.3, 0.5, 0.9)
    found = varde.select(lambda prompt, item, seed: table[prompt, item], varde.Selector(PROMPTS, 60, items=range(200)))
    assert found.spent == 60 and found.best_name == "polite"


def test_items_may_be_objects_with_names():
    cases = {"one": object(), "two": [1, 2], "three": {"q": "?"}}
    met = {}

    def judge(prompt, item):
        met[id(item)] = item
        return 1.0

    varde.select(judge, varde.Selector(PROMPTS, items=cases))
    assert set(met) == {id(case) for case in cases.values()}


@pytest.mark.parametrize(
    ("items", "names"),
    [
        ([3, 1, 2], ["3", "1", "2"]),
        (["a", "b"], ["a", "b"]),
        (["a", "a"], ["0", "1"]),
        ([{"q": 1}, {"q": 2}], ["0", "1"]),
        (["x" * 500, "y"], ["0", "1"]),
        (["line\nbreak", "y"], ["0", "1"]),
        (np.arange(2), ["0", "1"]),
    ],
)
def test_names_of_items(items, names):
    draws = varde.Selector(PROMPTS, items=items).ask(3 * len(names))
    assert {draw.item_name for draw in draws} == set(names)


@pytest.mark.parametrize(
    ("items", "error"), [([], ValueError), ("abc", TypeError), (3, TypeError), ({1: 2}, TypeError)]
)
def test_what_is_no_test_set_is_refused_in_words(items, error):
    with pytest.raises(error, match=r": write"):
        varde.Selector(PROMPTS, items=items)


def test_batches_do_not_hand_out_more_than_there_is():
    selector = varde.Selector(PROMPTS, items=range(7))
    draws = selector.ask(100)
    assert len(draws) == 21 and len({(draw.name, draw.item) for draw in draws}) == 21
    assert selector.ask() is None and not selector.done
    for draw in draws:
        selector.tell(draw, 1.0)
    assert selector.done


def test_an_item_that_fails_for_an_option_is_missing_there_and_blocks_nothing():
    table = answers(range(12), 0.3, 0.5, 0.9)
    selector, calls = varde.Selector(PROMPTS, items=range(12)), []
    while (draw := selector.ask()) is not None:
        calls.append((draw.name, draw.item))
        if (draw.name, draw.item) == ("steps", 5):
            selector.fail(draw, "no answer")
        else:
            selector.tell(draw, table[draw.name, draw.item])
    assert calls.count(("steps", 5)) == 2, "tried again once"
    assert selector.done and selector.spent == 35 and not selector.failing
    found = selector.recommend()
    assert found.missing == {"steps": ["5"]} and not found.settled and found.stopped == "budget"
    assert "1 judgement failed, and" in noted(found) and found.to_dict()["missing"] == {"steps": ["5"]}
    assert {draw: calls.count(draw) for draw in calls if draw != ("steps", 5)} == dict.fromkeys(
        (pair for pair in itertools.product(PROMPTS, range(12)) if pair != ("steps", 5)), 1
    )


@pytest.mark.parametrize("workers", [1, 4])
def test_an_option_that_always_fails_is_left_out(workers):
    def judge(prompt, item):
        if prompt == "short":
            raise RuntimeError("no")
        return float(item % 3)

    found = varde.select(judge, varde.Selector(PROMPTS, items=range(9)), workers=workers)
    assert found.spent == 18 and found.rows[0].verdict == "failing"


def test_when_everything_fails_on_the_last_item_it_ends():
    selector = varde.Selector(PROMPTS, items=["only"], calls=varde.Calls(retries=10, backoff=0.01))
    for _ in range(20):
        draw = selector.ask()
        if draw is None:
            break
        selector.fail(draw)
    assert selector.done and selector.remaining == np.inf and not selector.pending


def test_a_result_needs_its_item():
    selector = varde.Selector(PROMPTS, items=range(5))
    with pytest.raises(ValueError, match="the item that this result is for"):
        selector.tell("short", 1.0)
    draw = selector.ask()
    assert selector.tell(draw.name, 1.0)
    with pytest.raises(AlreadyToldError):
        selector.tell(draw, 1.0)


def test_an_option_added_later_meets_the_same_items():
    selector = varde.Selector(PROMPTS, items=range(6))
    draws = selector.ask(6)
    selector.add_option("new")
    later = selector.ask(100)
    ours = [draw.item for draw in later if draw.name == "new"]
    first = [draw.item for draw in [*draws, *later] if draw.name == "short"]
    assert ours == first and len(ours) == 6


# -- in a file -------------------------------------------------------------------------------------


def test_a_selection_in_a_file_goes_on_with_its_items(tmp_path):
    items, table = [f"case {i}" for i in range(30)], answers([f"case {i}" for i in range(30)], 0.3, 0.5, 0.9)
    straight = varde.Selector(PROMPTS, 60, items=items)
    spend(straight, table)
    with varde.Selector(PROMPTS, 60, items=items, store=tmp_path / "s.db") as selector:
        spend(selector, table, 25)
        lost = selector.ask()
        selector.release(lost)
    with varde.Selector.open(tmp_path / "s.db") as selector:
        assert selector.ask() == lost
        selector.tell(lost, table[lost.name, lost.item])
        spend(selector, table, 4)
    with varde.Selector(PROMPTS, 60, items=items, store=tmp_path / "s.db") as selector:
        spend(selector, table)
        assert selector.recommend().to_dict() == straight.recommend().to_dict()


def test_another_test_set_is_refused(tmp_path):
    store = tmp_path / "s.db"
    varde.Selector(PROMPTS, items=["a", "b", "c"], store=store).close()
    for other in (["a", "b"], ["a", "b", "d"], ["b", "a", "c"], {"a": "a", "b": "b", "c": "C"}, None):
        with pytest.raises(ValueError, match="write"):
            varde.Selector(PROMPTS, items=other, store=store)
    varde.Selector(PROMPTS, items=["a", "b", "c"], store=store).close()
    varde.Selector.open(store, items=["a", "b", "c"]).close()
    plain = tmp_path / "p.db"
    varde.Selector(PROMPTS, store=plain).close()
    with pytest.raises(ValueError, match="0 items"):
        varde.Selector(PROMPTS, items=["a"], store=plain)


def test_items_that_json_cannot_hold_are_given_again(tmp_path):
    store, cases = tmp_path / "s.db", {"x": object(), "y": (1, 2)}
    varde.Selector(PROMPTS, items=cases, store=store).close()
    with pytest.raises(ValueError, match="only the names of its items"):
        varde.Selector.open(store)
    with varde.Selector.open(store, items=cases) as selector:
        assert selector.ask().item in cases.values()


def test_two_processes_share_the_items_of_a_file(tmp_path):
    store = tmp_path / "s.db"
    with varde.Selector(PROMPTS, items=range(8), store=store) as one, varde.Selector.open(store) as two:
        seen = []
        for selector in itertools.cycle((one, two, two)):
            draw = selector.ask()
            if draw is None:
                break
            seen.append((draw.name, draw.item))
            (two if selector is one else one).tell(draw.id, 1.0)
        assert len(seen) == len(set(seen)) == 24 and one.done and two.done


def can_recover(path):
    """Whether there is an sqlite3 here that recovers anything: Debian's 3.40 does not."""
    if shutil.which("sqlite3") is None:
        return False
    subprocess.run(["sqlite3", path, "CREATE TABLE t (x); INSERT INTO t VALUES ('found')"], check=True)
    return "found" in subprocess.run(["sqlite3", path, ".recover"], capture_output=True, text=True, check=False).stdout


def test_of_a_damaged_file_sqlite_saves_the_results(tmp_path):
    store, saved = tmp_path / "s.db", tmp_path / "saved.db"
    table = answers(range(400), 0.3, 0.5, 0.9)
    with varde.Selector(PROMPTS, 600, items=range(400), store=store) as selector:
        spend(selector, table)
    broken = bytearray(store.read_bytes())
    middle = len(broken) * 3 // 4 // 4096 * 4096
    broken[middle : middle + 4096] = bytes(4096)
    store.write_bytes(broken)
    with pytest.raises(varde.StoreError, match=r"damaged .*sqlite3 \S+ .recover \| sqlite3 NEW") as caught:
        varde.Selector.open(store)
    if can_recover(tmp_path / "healthy.db"):
        advised = re.search(r"sqlite3 \S+ .recover \| sqlite3 NEW", str(caught.value))[0]
        subprocess.run(advised.replace("NEW", str(saved)), shell=True, check=True)
        with sqlite3.connect(saved) as db:
            rows = db.execute("SELECT name, replicate, value FROM results").fetchall()
        db.close()
        assert 400 < len(rows) < 600
        fresh = varde.Selector(PROMPTS)
        assert fresh.tell_many([(name, result) for name, _, result in rows]).counted == len(rows)


def test_many_items_and_options_are_no_trouble(tmp_path):
    names = [f"option {i}" for i in range(40)]
    rng = np.random.default_rng(0)
    easy, good = rng.random(10_000), rng.random(40)
    with varde.Selector(names, 360, items=range(10_000), store=tmp_path / "s.db") as selector:
        while draws := selector.ask(90):
            for draw in draws:
                selector.tell(draw, float(easy[draw.item] < good[int(draw.name.split()[1])]))
        assert selector.spent == 360
    with varde.Selector.open(tmp_path / "s.db") as selector:
        assert selector.recommend().spent == 360


# -- what is known then ------------------------------------------------------------------------------


def judge_all(*rates, items=40, **settings):
    table = answers(range(items), *rates)
    return table, varde.select(
        lambda prompt, item: table[prompt, item], varde.Selector(PROMPTS, items=range(items), **settings)
    )


def test_when_all_is_judged_the_answer_is_certain():
    table, found = judge_all(0.3, 0.5, 0.8)
    assert found.settled and found.stopped == "sure" and found.p_right == 1.0 and found.expected_regret == 0.0
    for row in found.rows:
        mean = np.mean([table[row.name, item] for item in range(40)])
        assert row.mean == pytest.approx(mean) and row.low == pytest.approx(mean, abs=1e-3) == row.high
    assert found.sentence.endswith("judged on all items.") and "±" not in found.sentence


def test_equal_options_share_when_all_is_judged():
    found = varde.select(lambda prompt, item: float(item % 2), varde.Selector(PROMPTS, items=range(10)))
    assert found.settled and found.stopped == "sure" and found.p_right == pytest.approx(1 / 3)
    assert "level with" in found.sentence and found.sentence.endswith("take either.")


def test_results_can_be_had_by_item():
    table, found = judge_all(0.3, 0.5, 0.8, budget=60)
    judged = found.by_item()
    assert sum(map(len, judged.values())) == 60
    assert all(judged[name][item] == table[name, int(item)] for name in PROMPTS for item in judged[name])
    data = json.loads(json.dumps(found.to_dict()))
    assert dict(zip(data["items"]["short"], data["values"]["short"], strict=True)) == judged["short"]
    frame = found._columns(values=True)
    assert {(o, i): v for o, i, v in zip(frame["option"], frame["item"], frame["value"], strict=True)} == {
        (name, item): value for name in PROMPTS for item, value in judged[name].items()
    }
    with pytest.raises(ValueError, match="begin with items"):
        varde.select(lambda prompt: 1.0, PROMPTS, 30).by_item()


def test_the_leader_is_what_is_recommended():
    table = answers(range(100), 0.5, 0.55, 0.6, seed=3)
    selector = varde.Selector(PROMPTS, items=range(100))
    for step in range(150):
        draw = selector.ask()
        selector.tell(draw, table[draw.name, draw.item])
        if step % 10 == 9:
            assert selector.leader == selector.recommend().best_name


def test_stop_ends_early_and_when_all_is_known():
    _, found = judge_all(0.1, 0.2, 0.9, items=300, stop=varde.Stop(0.05, bounds=(0, 1)))
    assert found.stopped == "sure" and found.best_name == "polite" and found.spent < 450
    _, found = judge_all(0.5, 0.5, 0.5, items=12, stop=0.05)
    assert found.stopped == "sure" and found.spent == 36


def test_smaller_may_be_better():
    table = answers(range(60), 0.2, 0.5, 0.9)
    found = varde.select(
        lambda prompt, item: table[prompt, item], varde.Selector(PROMPTS, 100, items=range(60), goal="min")
    )
    assert found.best_name == "short"


def test_costs_are_paid_per_judgement():
    table = answers(range(30), 0.2, 0.5, 0.9)
    selector = varde.Selector(PROMPTS, 100, items=range(30), costs=[1, 2, 5])
    spend(selector, table)
    assert selector.spent <= 100 and selector.spent > 95


def test_a_function_without_a_parameter_item_is_refused():
    with pytest.raises(TypeError, match=r"has no parameter named item: write one"):
        varde.select(lambda prompt: 1.0, varde.Selector(PROMPTS, items=range(3)))
