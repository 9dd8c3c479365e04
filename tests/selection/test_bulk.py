"""Many results at once: values, counts, summaries; all are kept or none."""

import sqlite3

import numpy as np
import pytest

import varde
from varde.certainty import Block, from_values
from varde.selection.batches import Counts, Summary
from varde.selection.events import Batch
from varde.selection.file import File

AB, ABC = ["a", "b"], ["a", "b", "c"]
TESTED = {"a": (12, 400), "b": (31, 410), "c": (0, 50)}
GOALS = ["max", "min", varde.Top(1), varde.Top(2, "min")]


def counts(tested=TESTED):
    return {name: {"successes": hits, "trials": trials} for name, (hits, trials) in tested.items()}


def ones_and_zeros(seed=0, tested=TESTED):
    rng = np.random.default_rng(seed)
    return {name: rng.permutation(np.repeat([1.0, 0.0], [k, n - k])) for name, (k, n) in tested.items()}


def summaries(values):
    sem = {name: x.std(ddof=1) / np.sqrt(x.size) for name, x in values.items()}
    return {name: {"mean": x.mean(), "sem": sem[name], "n": x.size} for name, x in values.items()}


def numbers(seed=1, sizes=(100, 150, 80)):
    rng = np.random.default_rng(seed)
    return {name: rng.normal(5.0 + 0.2 * i, 1.0 + i, n) for i, (name, n) in enumerate(zip("abc", sizes, strict=True))}


def said(found):
    """All that it says but the raw results and the notes on their order, which counts do not have."""
    return {key: value for key, value in found.to_dict().items() if key not in ("values", "batches", "notes")}


@pytest.mark.parametrize("goal", GOALS, ids=str)
@pytest.mark.parametrize("more", [{}, {"calls": varde.Calls(bounds=(0, 1))}], ids=str)
def test_counts_say_the_same_bits_as_the_same_results_one_by_one(goal, more):
    counted, single = (varde.Selector(ABC, goal=goal, **more) for _ in range(2))
    for name, part in counts().items():
        assert counted.tell(name, **part) is True
    for name, values in ones_and_zeros().items():
        for value in values:
            single.tell(name, value)
    assert said(counted.recommend()) == said(single.recommend())
    assert [draw.name for draw in counted.ask(12)] == [draw.name for draw in single.ask(12)]
    assert (counted.spent, counted.leader) == (single.spent, single.leader)


def test_counts_may_come_in_parts_and_between_single_results():
    parts, whole = varde.Selector(ABC), varde.Selector(ABC)
    whole.tell_many(counts())
    parts.tell_many([("a", 1), ("b", {"successes": 30, "trials": 200}), ("a", {"successes": 11, "trials": 399})])
    parts.tell_many({"b": [{"successes": 0, "trials": 209}, 1.0], "c": np.zeros(50)})
    assert said(parts.recommend()) == said(whole.recommend())


def test_summaries_say_what_gaussian_values_say():
    values, summed, single = numbers(), varde.Selector(ABC), varde.Selector(ABC)
    summed.tell_many(summaries(values))
    single.tell_many(values)
    ours, theirs = summed.recommend(), single.recommend()
    for one, other in zip(ours.rows, theirs.rows, strict=True):
        assert one.n == other.n
        assert one[2:5] == pytest.approx(other[2:5])  # mean, estimate, sd
        assert one[5:8] == pytest.approx(other[5:8], abs=0.02)  # the tails are not known
    assert ours.best_name == theirs.best_name
    assert ours.batches["a"] == (Summary(*summaries(values)["a"].values()),)
    assert ours.values["a"].size == 0
    for _ in range(20):
        assert summed.ask().name == single.ask().name


def test_moments_of_parts_are_those_of_the_whole():
    values = list(numbers().values())
    whole = from_values(values)
    head, tail = [x[:40] for x in values], [x[40:] for x in values]
    blocks = [[Block(x.mean(), x.size, ((x - x.mean()) ** 2).sum())] for x in tail]
    found = from_values(head, blocks=blocks)
    for ours, theirs in zip(found[:3], whole[:3], strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)
    exact = from_values(head, blocks=[[Block(value, 1) for value in x] for x in tail])
    for ours, theirs in zip(exact[:6], whole[:6], strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)


@pytest.mark.parametrize("unit, zero", [(1024.0, 0.0), (2.0**-30, 0.0), (1.0, 2.0**20)])
def test_summaries_know_neither_unit_nor_zero(unit, zero):
    given = {"a": (5.25, 0.25, 30), "b": (5.5, 0.125, 40), "c": (4.0, 0.5, 9)}
    base, moved = varde.Selector(ABC), varde.Selector(ABC)
    for name, (mean, sem, n) in given.items():
        base.tell(name, mean=mean, sem=sem, n=n)
        moved.tell(name, mean=zero + unit * mean, sem=unit * sem, n=n)
    assert moved.recommend().certificate.chances == pytest.approx(base.recommend().certificate.chances, abs=1e-9)
    assert [draw.name for draw in moved.ask(40)] == [draw.name for draw in base.ask(40)]


@pytest.mark.parametrize("store", [False, True])
def test_of_many_results_all_are_kept_or_none(tmp_path, store):
    selector = varde.Selector(ABC, store=tmp_path / "s.sqlite" if store else None, budget=100)
    draw = selector.ask()
    rows = [("a", 1.0), (draw, 2.0), ("x", 1.0), ("b", float("nan")), (draw, 3.0), 7, ("b", {"mean": 1, "n": 3})]
    with pytest.raises(
        ValueError, match="5 of 7 results cannot be told, so none is; row 3: there is no option 'x'"
    ) as e:
        selector.tell_many(rows)
    for words in (
        "row 4: the result of b is nan",
        "row 5: draw 1 already has its result",
        "row 6: it is 7",
        "row 7: the result",
    ):
        assert words in str(e.value)
    assert (selector.spent, selector.pending) == (0, [draw])
    told = selector.tell_many(rows, skip=True)
    assert told.counted == 2
    assert [where for where, _ in told.skipped] == ["row 3", "row 4", "row 5", "row 6", "row 7"]
    assert (selector.spent, selector.pending) == (2, [])


@pytest.mark.parametrize(
    "given, problem",
    [
        ({"successes": 5}, "write successes and trials"),
        ({"successes": 5, "trials": 4}, "0 to 4"),
        ({"successes": -1, "trials": 4}, "0 to 4"),
        ({"successes": 1.5, "trials": 4}, "0 to 4"),
        ({"successes": 0, "trials": 0}, "1 or more"),
        ({"successes": 1, "trials": 2**54}, "at most"),
        ({"mean": 1.0, "sem": 0.1}, "mean, sem and n"),
        ({"mean": 1.0, "sem": -0.1, "n": 5}, "standard error"),
        ({"mean": float("inf"), "sem": 0.1, "n": 5}, "finite"),
        ({"mean": 1.0, "sem": 0.1, "n": 1}, "2 or more"),
        ({"mean": 1.0, "sem": 0.1, "n": 5, "trials": 5}, "or mean, sem and n"),
        ({"mean": 1.0, "sem": 0.1, "n": 5, "value": 5}, "a value and other fields"),
    ],
)
def test_counts_and_summaries_that_are_none_are_refused(given, problem):
    selector = varde.Selector(AB)
    with pytest.raises((TypeError, ValueError), match=problem):
        selector.tell("a", **given)
    assert selector.spent == 0


def test_within_bounds_a_standard_deviation_is_no_standard_error():
    selector = varde.Selector(AB, calls=varde.Calls(bounds=(0, 1)))
    with pytest.raises(ValueError, match=r"0.025 at most: write the standard error"):
        selector.tell("a", mean=0.5, sem=0.3, n=400)
    with pytest.raises(ValueError, match="outside bounds"):
        selector.tell("a", mean=1.5, sem=0.01, n=400)
    assert selector.tell("a", mean=0.5, sem=0.02, n=400)


@pytest.mark.parametrize(
    "settings, why",
    [
        ({"goal": varde.Quantile(0.9)}, "needs single results"),
        ({"goal": varde.Best("x")}, "needs single results"),
        ({"crn": True}, "compared result by result"),
        ({"items": [1, 2, 3]}, "compared result by result"),
        ({"stop": 0.05}, r"write varde.Stop\(..., bounds="),
    ],
)
def test_where_single_results_are_needed_counts_are_refused(settings, why):
    selector = varde.Selector(AB, **settings)
    with pytest.raises(ValueError, match=why):
        selector.tell("a", successes=1, trials=5)
    assert selector.spent == 0


@pytest.mark.parametrize("goal", ["max", "min", varde.Top(1)], ids=str)
def test_a_promise_to_stop_takes_counts_within_bounds_and_is_no_bolder(goal):
    """The first result, on which nothing is bet, is the one that helps least, since the order is not known."""
    for hits in range(14, 32):
        tested = {"a": (hits, 300), "b": (60, 400)}
        counted, single = (varde.Selector(AB, goal=goal, stop=0.05, calls=varde.Calls(bounds=(0, 1))) for _ in range(2))
        counted.tell_many(counts(tested))
        single.tell_many(ones_and_zeros(hits, tested))
        assert counted.done <= single.done
    counted.tell_many(counts({"a": (20, 9000), "b": (3000, 9000)}))
    assert counted.done


def test_a_promise_to_stop_takes_no_summaries(tmp_path):
    path = tmp_path / "s.sqlite"
    with varde.Selector(AB, store=path, stop=0.05, calls=varde.Calls(bounds=(0, 1))) as selector:
        with pytest.raises(ValueError, match="a guarantee for single results"):
            selector.tell("a", mean=0.5, sem=0.01, n=400)
        with varde.Selector.open(path) as other:  # which promises nothing
            other.tell_many({"a": {"mean": 0.5, "sem": 0.01, "n": 99}, "b": {"mean": 0.1, "sem": 0.01, "n": 99}})
        assert not selector.done
    with pytest.raises(ValueError, match="a guarantee for single results"):
        varde.Selector.open(path, stop=0.05)


def test_a_stopping_rule_of_ones_own_sees_counts_as_values():
    seen = []

    class Mine:
        def satisfied(self, results):
            seen.append([results.values(i).tolist() for i in range(results.counts.size)])
            return False

    selector = varde.Selector(AB, goal="min", stop=Mine())
    selector.tell_many([("a", {"successes": 1, "trials": 3}), ("b", 1), ("b", {"successes": 1, "trials": 2}), ("a", 1)])
    assert not selector.done
    assert seen == [[[0.0, 0.0, -1.0, -1.0], [-1.0, 0.0, -1.0]]]


def test_a_table_may_be_a_frame_or_a_list_of_dicts():
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    table = {"option": ["a", "b", "a"], "successes": [1, 2, None], "trials": [9, 9, None], "value": [None, None, 1.0]}
    rows = [dict(zip(table, cells, strict=True)) for cells in zip(*table.values(), strict=True)]
    found = []
    for given in (rows, pandas.DataFrame(table), polars.DataFrame(table, strict=False)):
        selector = varde.Selector(ABC)
        assert selector.tell_many(given).counted == 3
        found.append(said(selector.recommend()))
    assert found[0] == found[1] == found[2]


def test_options_that_are_numbers_are_known_by_their_names():
    selector = varde.Selector([10, 20])
    selector.tell_many({10: [1.0], 20: 2.0})
    selector.tell_many([{"option": 20, "value": 3.0}])
    assert selector.recommend().rows[1].n == 2


@pytest.mark.parametrize("results", [None, 3, "abc", b"a", np.array(3.0)])
def test_what_is_no_list_of_results_is_refused(results):
    with pytest.raises(TypeError, match="write pairs of option and value"):
        varde.Selector(AB).tell_many(results)


@pytest.mark.parametrize(
    "row, why", [({"value": 1}, "no option"), ({"option": "a", "valeu": 1}, "'valeu'"), ((1, 2, 3), "write \\(option")]
)
def test_a_row_that_is_none_says_so(row, why):
    with pytest.raises((TypeError, ValueError), match=f"row 2: .*{why}|row 1: .*{why}"):
        varde.Selector(AB).tell_many([row])


def test_draws_under_way_are_answered_by_values_and_not_by_counts():
    selector = varde.Selector(AB, budget=100)
    draws = selector.ask(4)
    selector.tell_many([("a", 1.0), (draws[1], 2.0), (draws[2].id, 3.0), ("b", {"successes": 1, "trials": 5})])
    assert selector.pending == draws[3:]
    assert (selector.spent, selector.remaining) == (8, 91)
    selector.tell(draws[3], successes=2, trials=3)
    assert (selector.spent, selector.pending) == (11, [])


def test_a_file_of_counts_goes_on_where_it_was(tmp_path):
    path = tmp_path / "s.sqlite"
    with varde.Selector(ABC, 5_000, store=path) as selector:
        selector.tell_many(counts(), once="monday.csv")
        selector.tell_many(summaries(numbers()))
        kept = said(selector.recommend())
    with varde.Selector.open(path) as again:
        assert said(again.recommend()) == kept
        assert again.tell_many(counts(), once="monday.csv") == (0, (), True)
        assert again.recommend().batches["a"][0] == Counts(12, 400)


@pytest.mark.parametrize("data", [{"successes": 9, "trials": 4}, {"trials": 4}, [1], "no", None])
def test_a_batch_that_cannot_have_been_is_found_in_a_file(tmp_path, data):
    path = tmp_path / "s.sqlite"
    with varde.Selector(ABC, store=path) as selector:
        selector.tell_many(counts())
        journal = selector._journal
        journal.change(lambda ledger: journal.record.write([Batch(9, 1, 0.25, data=data)]))
    with pytest.raises(varde.StoreError, match=r"event \d+ is impossible, batch"):
        varde.Selector.open(path)


def test_many_results_are_one_transaction(tmp_path, monkeypatch):
    path = tmp_path / "s.sqlite"
    with varde.Selector(AB, store=path) as selector:
        appends, append = [], File.append
        monkeypatch.setattr(File, "append", lambda log, lines: appends.append(len(lines)) or append(log, lines))
        selector.tell_many([("ab"[k % 2], float(k)) for k in range(500)], once="all")
        assert len(appends) == 1
    with sqlite3.connect(path) as db:
        assert db.execute("SELECT count(*) FROM results").fetchone() == (500,)


def test_counts_readmit_an_option_that_failed():
    selector = varde.Selector(AB, budget=100, calls=varde.Calls(retries=0))
    while not selector.failing:
        draw = selector.ask()
        selector.tell(draw, 1.0) if draw.name == "a" else selector.fail(draw, "no")
    selector.tell("b", successes=4, trials=5)
    assert not selector.failing
    assert selector.recommend().rows[1].n == 5


def test_equal_values_in_a_summary_are_equal_values():
    summed, single = varde.Selector(AB), varde.Selector(AB)
    summed.tell_many({"a": {"mean": 2.0, "sem": 0.0, "n": 5}, "b": [1.0, 3.0]})
    single.tell_many({"a": [2.0] * 5, "b": [1.0, 3.0]})
    assert said(summed.recommend()) == said(single.recommend())


def test_a_million_trials_cost_no_more_than_one():
    selector = varde.Selector(AB, calls=varde.Calls(bounds=(0, 1)))
    selector.tell_many({"a": {"successes": 10**9, "trials": 10**12}, "b": {"successes": 2 * 10**9, "trials": 10**12}})
    found = selector.recommend()
    assert (found.best_name, found.rows[0].n) == ("b", 10**12)


def test_numbers_may_be_text_as_a_csv_file_has_them():
    texts, numbers = varde.Selector(AB), varde.Selector(AB)
    told = texts.tell_many([{"option": "a", "successes": "310", "trials": "9800"}, ("b", "0.5"), ("b", " 1e0 ")])
    numbers.tell_many([{"option": "a", "successes": 310, "trials": 9800}, ("b", 0.5), ("b", 1.0)])
    assert told.counted == 3 and said(texts.recommend()) == said(numbers.recommend())
    with pytest.raises(ValueError, match=r"row 1: value is '0,5', with a decimal comma: write 0\.5"):
        texts.tell_many([("a", "0,5")])
    with pytest.raises(ValueError, match="value is 'fast': write a number"):
        texts.tell_many({"a": ["fast"]})
