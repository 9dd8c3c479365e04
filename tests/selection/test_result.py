"""What a selection says, to people and to programs."""

import csv
import io
import json
import math

import numpy as np
import pytest

import varde
from tests.noted import noted
from varde import Best, Quantile
from varde.selection import Selection
from varde.selection.evidence import Evidence
from varde.show.sheet import width_of
from varde.show.words import digits, distinct, exact, lead_in_words, number, percent, short


def found(means=(1.0, 0.85, 0.0), n=50, seed=1, **more):
    rng = np.random.default_rng(seed)
    names = [f"option {chr(65 + i)}" for i in range(len(means))]
    values = [mean + rng.normal(size=n) for mean in means]
    settings = {"budget": 200, "spent": n * len(means)} | more
    return Selection.of(Evidence(names, [{"mean": mean} for mean in means], values, **settings))


def test_what_it_holds():
    result = found()
    assert result.best_name == "option A" and result.best == {"mean": 1.0}
    assert result.p_right == result.rows[0].p_best == max(row.p_best for row in result.rows)
    assert sum(row.p_best for row in result.rows) == pytest.approx(1.0)
    assert result.rows[1].n == 50 and result.rows[1].sd == pytest.approx(result.values["option B"].std(ddof=1))
    assert all(row.low < row.mean < row.high for row in result.rows)
    assert [row.verdict for row in result.rows] == ["best", "possible", "rejected"]
    assert 0.0 < result.expected_regret < 0.2
    with pytest.raises(AttributeError):
        result.chosen = ("option B",)


def test_the_row_of_an_option_by_its_name():
    result = found()
    best = result[result.best_name]
    assert best == result.rows[0] and best.interval == (best.low, best.high) and best.p_best == result.p_right
    assert result.chances == {name: result[name].p_best for name in result}
    assert Selection.of(Evidence(["2", "4"], [2, 4], [np.ones(2), np.zeros(2)]))[4].mean == 0.0
    with pytest.raises(KeyError, match="no option is called 'D'; the options are option A, option B and option C"):
        result["D"]


def test_in_words():
    text = str(found())
    first = " ".join(text.split("\n\n", maxsplit=1)[0].split("\n"))
    assert first.startswith("Take option A: after 150 of 200 evaluations it is ahead of option B by 0.")
    assert "the chance that it is the best is" in first and "1 other option may still be the best" in text
    assert "option C" in text and "rejected" in text and "95 % interval" in text
    settled = noted(found((5.0, 0.0)))
    assert "the most that 50 results can show" in settled and "The other option can be dropped." in settled


def test_a_chance_that_is_lower_than_its_margin_suggests_says_why():
    """A lead as large as its 95 % margin suggests 97.5 %; there are more rivals, or few results."""
    noise = np.random.default_rng(0).normal(size=12)
    noise = (noise - noise.mean()) / noise.std(ddof=1)
    near, far = (Selection.of(Evidence("abcd", "abcd", [noise + lead, *[noise] * 3])) for lead in (1.0, 3.0))
    assert near.gap[1] > near.gap[2] and near.p_right < 0.975 and "it allows for all rivals." in noted(near)
    assert far.p_right == 1.0 - 0.5 / 13.0 and "the most that 12 results can show." in noted(far)
    few = varde.judge({"a": [1.5, 2.5, 1.9], "b": [3.5, 4.1]})
    assert (
        "83 %" in few.sentence
        and "the most that 2 results can show. 1 other option may still be the best." in noted(few)
    )


def test_lower_is_better():
    up, down = found(), found((-1.0, -0.6, 0.0), goal="min", seed=1)
    mirrored = Selection.of(
        Evidence(list(up.values), list(up.values), [-x for x in up.values.values()], goal="min", budget=200)
    )
    assert mirrored.best_name == up.best_name and mirrored.p_right == pytest.approx(up.p_right)
    assert mirrored.rows[0].low == pytest.approx(-up.rows[0].high) and mirrored.expected_regret == pytest.approx(
        up.expected_regret
    )
    assert down.best_name == "option A" and "ahead of option B by 0." in str(down)


def test_ties_and_far_ahead():
    tied = Selection.of(Evidence(["a", "b"], "ab", [np.array([0.0, 1.0, 0.0, 1.0])] * 2, budget=8))
    assert "level with b" in str(tied) and tied.p_right == 0.5


def test_options_that_never_vary_are_pointed_out():
    constant = [np.full(3, 1.5), np.full(2, 0.5)]
    assert "gave the same result each time" in noted(Selection.of(Evidence(["a", "b"], "ab", constant)))
    for values in ([np.ones(3), np.zeros(2)], [np.full(3, 1.5), np.array([0.5, 0.6])], [np.array([1.5]), constant[1]]):
        assert "the same result" not in noted(Selection.of(Evidence(["a", "b"], "ab", values)))


def test_failing_options_are_left_out():
    values = [np.array([9.0, 9.5, 9.2]), np.array([1.0, 1.5, 1.2]), np.array([])]
    result = Selection.of(
        Evidence(["a", "b", "c"], "abc", values, budget=9, failing={"a": "ValueError: no", "c": "timeout"})
    )
    assert result.best_name == "b" and [row.verdict for row in result.rows] == ["failing", "best", "failing"]
    assert result.rows[0].mean == pytest.approx(9.233, abs=1e-3) and result.rows[0].failure == "ValueError: no"
    assert "failing: ValueError: no" in str(result) and "2 options failed" in str(result)
    alone = Selection.of(
        Evidence(["a", "c"], "ac", [values[0], values[2]], budget=9, failing={"a": "late", "c": "timeout"})
    )
    assert alone.best_name == "a", "better than nothing"
    with pytest.raises(ValueError, match=r"no option gave a result \(c: timeout\)"):
        Selection.of(Evidence(["c", "d"], "cd", [values[2], values[2]], budget=9, failing={"c": "timeout"}))


def test_untried_options_may_be_the_best():
    result = Selection.of(Evidence(["a", "b"], "ab", [np.array([1.0, 2.0, 3.0]), np.array([])], budget=9))
    assert result.rows[1].verdict == "possible" and result.rows[1].p_best > 0.05
    assert "only option that gave results" in result.sentence
    settled = Selection.of(Evidence("abc", "abc", [np.arange(9.0), np.arange(9.0) - 90.0, np.array([])], budget=27))
    assert settled.p_right < 0.95


def test_costs_are_spent():
    result = found((1.0, 0.6), costs=[2.0, 3.0], spent=None, budget=None)
    assert result.spent == 250.0 and "after 250 spent" in result.sentence


def test_common_random_numbers_are_used():
    rng = np.random.default_rng(3)
    common = 5.0 * rng.normal(size=40)
    values = [common + 0.5 * rng.normal(size=40) + mean for mean in (0.0, 0.6)]
    replicates = [np.arange(40), np.arange(40)]
    apart = Selection.of(Evidence(["a", "b"], "ab", values, budget=80, replicates=replicates))
    paired = Selection.of(Evidence(["a", "b"], "ab", values, budget=80, crn=True, replicates=replicates))
    assert apart.p_right < 0.7 and paired.p_right > 0.98 and paired.gap[2] < apart.gap[2] / 5


def test_dictionary_is_json_and_complete():
    result = found(failing={"option C": "late"})
    data = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert data["best_name"] == "option A" and data["rows"][2]["verdict"] == "failing"
    assert data["rows"][2]["low"] is None and data["sentence"] == result.sentence
    assert data["values"]["option B"] == result.values["option B"].tolist()


def test_csv(tmp_path):
    result = found(failing={"option C": 'said "no", twice\nand left'})
    text = result.to_csv()
    assert result.to_csv(tmp_path / "options.csv") is None
    assert (tmp_path / "options.csv").read_text() == text
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["option"] for row in rows] == ["option A", "option B", "option C"]
    assert float(rows[0]["mean"]) == result.rows[0].mean and rows[2]["failure"] == 'said "no", twice\nand left'
    assert rows[2]["low"] == ""


def test_many_options_stay_usable():
    """Twenty thousand, in a second; the print stays short."""
    rng = np.random.default_rng(0)
    size = 20_000
    result = Selection.of(
        Evidence([f"o{i}" for i in range(size)], range(size), list(rng.normal(size=(size, 3))), budget=3 * size)
    )
    text = str(result)
    assert len(text.splitlines()) < 25 and "and 19,985 more:" in text
    assert len(result.to_html()) < 1_000_000


def test_numbers_as_people_write_them():
    assert [percent(p) for p in (0.0, 0.0004, 0.05, 0.5, 0.973, 0.99, 0.99951, 1.0)] == [
        "< 0.1 %", "< 0.1 %", "5 %", "50 %", "97.3 %", "99 %", "> 99.9 %", "> 99.9 %",
    ]  # fmt: skip
    assert number(-1234.567, digits([0.5])) == "\u22121,234.57" and number(math.nan, 2) == "\u2013"
    assert number(1.23e-12, digits([1e-13])) == "1.23e\u221212" and number(5e7, digits([2e6])) == "50,000,000"
    assert number(-0.0, 4) == number(-1e-9, 4) == "0.0000" and number(-0.0, None) == "0"
    assert lead_in_words(1.0, 5e-9) == "1" and lead_in_words(0.25, 0.1) == "0.25\u00a0±\u00a00.10 (95 % margin)"
    assert [exact(x, 1.0) for x in (-1.3e-33, -0.5, 1 / 3, 12_345.0)] == ["0", "\u22120.5", "0.333333", "12,345"]
    assert short("a\nb") == "a b" and len(short("x" * 300)) == 40 and short(" ") == "' '"


def test_names_that_differ_only_in_the_middle_are_told_apart():
    assert distinct(["a", "b" * 50, "c\nd"], 20) == ["a", short("b" * 50, 20), "c d"]
    rates = [f"rate=0.{i}, layers={layers}, warm-up of 100 steps, cosine" for i in (1, 2) for layers in (3, 4)]
    assert distinct(rates, 20) == [
        "…0.1, layers=3, war…",
        "…0.1, layers=4, war…",
        "…0.2, layers=3, war…",
        "…0.2, layers=4, war…",
    ]
    prompts = ["x" * 500 + letter + "y" * (500 + i) + "z" * 500 for letter in "ab" for i in range(3)]
    labels = distinct(prompts, 24)
    assert len(set(labels)) == 6 and max(map(width_of, labels)) <= 24
    names = [
        f"{name} {'and so on ' * 5}" for name in ("always the same words, then A,", "always the same words, then B,")
    ]
    printed = str(Selection.of(Evidence(names, names, [[1.0, 2.0], [1.5, 2.5]])))
    assert all(f"\n…{letter}, and so on" in printed for letter in "AB")


# -- what an answer assumes ------------------------------------------------------------------------


def test_while_it_goes_on_there_is_a_second_chance_to_stop_by():
    noise = np.random.default_rng(0).normal(size=60)
    values = [noise + 0.45, noise[::-1]]
    open_, ended = (Selection.of(Evidence("ab", "ab", values, stopped=stopped)) for stopped in ("not yet", "budget"))
    assert open_.p_watched < open_.p_right < 0.999 and open_.to_dict()["p_watched"] == open_.p_watched
    assert f"The chance is {percent(open_.p_watched)} for those who look again" in noted(open_, "watched")
    assert not noted(ended, "watched") and ended.p_watched == open_.p_watched


def test_what_may_have_been_missed_is_noted_however_many_results_there_are():
    rng = np.random.default_rng(1)

    def said(n, **more):
        return Selection.of(
            Evidence("ab", "ab", [1.0 + 0.1 * rng.normal(size=n), 0.1 * rng.normal(size=n)], **more)
        ).to_json()

    assert (
        "Something that happens in 1 of 6 cases may be missing from the 17 results of a; if it costs more than "
        in said(17)
    )
    values = [value + 0.1 * rng.normal(size=n) for value, n in ((2.0, 60), (1.0, 17), (0.0, 60))]
    assert "the 17 results of b" in Selection.of(Evidence("abc", "abc", values, goal=varde.Top(2))).to_json()
    assert "1 of 167 cases" in said(500) and "Something that happens" not in said(17, bounds=(-5, 5))
    successes = [np.repeat([1.0, 0.0], [15, 2]), np.repeat([1.0, 0.0], [5, 12])]
    assert "Something that happens" not in Selection.of(Evidence("ab", "ab", successes)).to_json(), (
        "they cannot be worse than 0"
    )


def test_an_answer_that_never_varied_is_believed_half_as_much():
    """Eight of a hundred calls are disasters, and none of 17 was: stated at > 99.9 % once."""
    rng = np.random.default_rng(2)
    found = Selection.of(Evidence("abc", "abc", [np.ones(17), 4.0 + rng.random(21), 6.0 + rng.random(22)], goal="min"))
    assert found.best_name == "a" and found.p_right == pytest.approx(1.0 - 1.0 / 18.0) and "1 of 6 cases" in str(found)


def test_what_a_stopping_rule_promised_is_said():
    def play(chance, rng):
        return float(rng.random() < chance)

    arms = {"a": 0.2, "b": 0.8}
    bounded = varde.select(play, varde.Selector(arms, 4000, seed=1, stop=0.05, calls=varde.Calls(bounds=(0, 1))))
    assert bounded.stopped == "sure" and "wrong with a chance of at most 5 %" in noted(bounded)
    assert "proved for results between 0 and 1." in noted(bounded)
    rates = varde.select(play, arms, 4000, seed=1, stop=0.05)
    assert rates.spent == bounded.spent and noted(rates) == noted(bounded), "0 and 1 bound themselves"
    free = varde.select(lambda arm, rng: rng.normal(arm), arms, 4000, seed=1, stop=varde.Stop(0.01, margin=0.1))
    assert "wrong by more than 0.1 with a chance of at most 1 %, proved for results that are Gaussian" in noted(free)
    assert (
        "varde.Stop"
        not in varde.select(
            play, varde.Selector(arms, 20, seed=1, stop=0.05, calls=varde.Calls(bounds=(0, 1)))
        ).sentence
    ), "the budget did"


# -- sentences that were wrong -----------------------------------------------------------------------


def test_a_quantile_of_noisy_results_is_not_said_to_have_no_noise():
    names, values = list("abcdefghijkl"), list(np.random.default_rng(1).normal(size=(12, 20)))
    noisy = Selection.of(Evidence(names, names, values, goal=Quantile(0.9)))
    assert math.isnan(noisy.expected_regret) and "noisy" not in str(noisy)


def test_a_constant_cost_is_no_function_that_ignores_its_seed():
    rng = np.random.default_rng(2)
    costs = [np.full(40, price) for price in (3.0, 2.0)]
    goal = Best("cost", "min", quality=">= 0")
    found = Selection.of(
        Evidence("ab", "ab", costs, goal=goal, numbers={"quality": list(rng.normal(1.0, 1.0, (2, 40)))})
    )
    assert "same result" not in str(found)


def test_two_names_that_differ_in_the_middle_look_different_in_the_sentence():
    rng = np.random.default_rng(3)
    names = [
        f"You are a helpful assistant. {way} Then answer the question of the user." for way in ("Think.", "Do not.")
    ]
    found = Selection.of(Evidence(names, names, list(rng.normal(size=(2, 50)))))
    head, rest = found.sentence.split(": after")
    assert head.removeprefix("Take ") not in rest and "Think" in found.sentence and "not" in found.sentence


def test_a_margin_that_adds_nothing_is_not_printed():
    assert lead_in_words(0.05333, 7.411e-8) == "0.0533300"
    assert "±" in lead_in_words(0.05333, 7.411e-5)


def test_no_outage_is_no_pause_of_nothing():
    assert str(found().outages) == "No outage paused it."
