"""The paper's statements: its own words, one record each, and answers that follow the numbers."""

from collections import Counter

import numpy as np
import pytest

from varde.paper import (
    FITTED,
    GROUPS,
    PARTS,
    STATEMENTS,
    STUDIES,
    ablation,
    approximation,
    decision_functions,
    laws,
    sensitivity,
    synthetic_trees,
    table_1,
    tree_search,
)
from varde.paper.answers import CONTRADICTED, IN_PART, STATED
from varde.paper.reading import LEADING
from varde.studies import Outcome

from ..studies.results import made_runs, rows_from
from .sentences import LIST, plain

NOT_BOUNDED = ("BAI.3", "BAI.4", "BAI.5", "BAI.6")


@pytest.mark.parametrize("statement", STATEMENTS, ids=lambda one: one.place)
def test_every_sentence_is_in_the_paper(statement):
    assert plain(statement.sentence) in plain(LIST.read_text(encoding="utf-8"))


def test_a_sentence_that_is_not_in_the_paper_would_be_noticed():
    assert plain("VarDE is the best algorithm of all") not in LIST.read_text(encoding="utf-8")


def test_every_statement_stands_once_and_is_answered():
    assert Counter(one.kind for one in STATEMENTS) == {"law": 11, "limit": 9, "table": 6, "picture": 12, "summary": 2}
    assert len({one.sentence for one in STATEMENTS}) == 40
    for one in STATEMENTS:
        assert one.place and one.measured and one.threshold and one.answers and set(one.answers) <= set(GROUPS["all"])
        assert "Taxi" not in one.sentence and len(one.sentence) > 25


def test_limits_are_measured_where_their_assumptions_hold():
    for one in (one for one in STATEMENTS if one.kind == "limit"):
        assert one.covers and not any(name in one.covers for name in NOT_BOUNDED)
        for name in one.answers:
            assert not {cell.problem.split(",")[0] for cell in STUDIES[name]().cells} & set(NOT_BOUNDED)


@pytest.mark.parametrize("name", STUDIES)
def test_what_is_in_the_paper_has_its_place(name):
    assert bool(STUDIES[name]().place) == (name not in PARTS["Not of the paper"])


def test_the_largest_fitted_choice_comes_first():
    assert LEADING.label in FITTED[0][1] and len(FITTED) == 16 and all(len(line) == 3 for line in FITTED)


# -- answers follow the numbers ----------------------------------------------------------------------


def test_the_lowest_error_of_table_1():
    def answered(**changes):
        errors = {**dict.fromkeys(table_1.TABLE_1, 0.20), "VarDE 0.1": 0.10, **changes}
        errors |= {table_1.short(tau): 0.3 for tau in table_1.TEMPERATURES}
        means = {(problem, name): [error] for problem in table_1.PROBLEMS for name, error in errors.items()}
        return table_1.lowest_of_all(rows_from(made_runs(means, noise=0.001), (1,), True))

    assert answered().grade == STATED and "ahead in 44 of 44" in answered().words
    assert "one is lowest on all four" in answered().words and "errs in 30.0 % on BAI.1" in answered().words
    assert answered(SR=0.05).grade == IN_PART and "SR" in answered(SR=0.05).words
    rivals = {name: 0.05 for name in table_1.TABLE_1 if name not in table_1.VARDE}
    assert answered(**rivals).grade == CONTRADICTED


@pytest.mark.parametrize(("ours", "grade"), [((9, 9, 9, 9), STATED), ((9, 9, 9, 11), IN_PART)])
def test_better_than_either_component(ours, grade):
    means = {("BAI.5", name): [10.0] * 4 for name in ablation.RULES} | {("BAI.5", "VarDE"): ours}
    found = ablation.better_than_either(rows_from(made_runs(means), ablation.STEPS, True))
    assert found.grade == grade and f"by more than chance in {sum(n < 10 for n in ours)} of 4" in found.words


def test_sensitivity_on_the_published_numbers_and_on_others():
    def grades(change):
        means = {
            ("BAI.5", sensitivity.label(tau, floor)): [change(error, i) / 100.0]
            for tau, line in sensitivity.SENSITIVITY.items()
            for i, (floor, error) in enumerate(zip(sensitivity.SENSITIVITY_FLOORS, line, strict=True))
        }
        rows = rows_from(made_runs(means, 100, 0.0), (1,), True)
        return [sensitivity.more_to_temperature(rows).grade, sensitivity.stable_near_the_best(rows).grade]

    assert grades(lambda error, i: error) == [STATED, STATED]
    assert grades(lambda error, i: 10.0 * i + 0.01 * error) == [IN_PART, IN_PART]


def test_approximation_on_the_published_numbers_and_on_others():
    def grades(change=lambda x: x):
        means = {
            ("BAI.4", f"VarDE {tau:g}: shortfall %"): [change(numbers[3]) for numbers in table.values()]
            for tau, table in approximation.APPROXIMATION.items()
        }
        rows = rows_from(made_runs(means, noise=0.0), (20, 400, 600, 900))
        return [answer(rows).grade for answer in (approximation.underestimates, approximation.tighter)]

    assert grades() == [STATED, STATED]
    assert grades(lambda x: 49.0) == [CONTRADICTED, CONTRADICTED]


def test_columns_are_means_of_absolute_differences():
    from varde.beliefs.noise import Floor
    from varde.decisions import LogSumExp
    from varde.paper.approximation import COLUMNS, measure
    from varde.random import key
    from varde.rule import VarDE

    out = measure(VarDE(LogSumExp(0.15), Floor(0.1), 2), key(0), 0, 40).reshape(40, -1, len(COLUMNS))
    assert (out[..., 2] == np.abs(out[..., 0] - out[..., 1])).all() and (out[..., 1] > out[..., 0]).any()
    assert (out[..., 3] >= 0.0).all()


def test_competitive_decision_functions():
    """Two functions or more beside the best, on both instances."""
    few, some = ["LogSumExp", "Power Mean"], ["LogSumExp", "Power Mean", "Nesterov"]

    def grade(*near):
        means = {
            (problem, name): [0.05 if name in good else 0.11]
            for problem, good in zip(decision_functions.PROBLEMS, near, strict=True)
            for name in decision_functions.DECISIONS
        }
        return decision_functions.competitive(rows_from(made_runs(means, noise=0.0), (1,), True)).grade

    assert [grade(some, some), grade(some, few), grade(few, few)] == [STATED, IN_PART, CONTRADICTED]


def test_highest_throughout_has_a_grade_for_each_reading_against_rivals_under_the_same():
    def answered(mine, printed=0.1):
        means = {("FrozenLake", name): [0.2, 0.3] for name in (*tree_search.RIVALS, tree_search.BY_VALUE)}
        means |= {("FrozenLake", f"{name}, rollout"): [0.15, 0.15] for name in tree_search.RIVALS}
        means |= {("FrozenLake", tree_search.OWN): mine, ("FrozenLake", tree_search.AS_PRINTED): [printed] * 2}
        return tree_search.highest_throughout(rows_from(made_runs(means, 20, 0.001), (1000, 2000)))

    led = answered([0.1, 0.4])
    assert (led.grade, led.fitted) == (CONTRADICTED, IN_PART) and "as printed ahead in 0 of 12" in led.words
    assert "in 6 of 12 comparisons" in led.words and "of all from 2,000 on" in led.words
    both = answered([0.4, 0.4], 0.2)  # below the kept rivals, above those that expand one node a trial
    assert (both.grade, both.fitted) == (STATED, STATED) and "as printed ahead in 12 of 12" in both.words
    assert answered([0.1, 0.1]).fitted == CONTRADICTED


@pytest.mark.parametrize(
    ("printed", "led", "grade"), [(0.5, 0.5, STATED), (0.5, 0.95, IN_PART), (0.95, 0.95, CONTRADICTED)]
)
def test_a_test_that_varde_fails_as_well_is_not_met(printed, led, grade):
    names = {
        **dict.fromkeys(synthetic_trees.RIVALS, 0.95),
        synthetic_trees.AS_PRINTED: printed,
        synthetic_trees.LED: led,
    }
    names |= {f"{name}{tree_search.ROLLOUT}": 0.95 for name in synthetic_trees.RIVALS}
    rows = [
        Outcome("k=200, d=2", name, "", step, 10, value, 0.01)
        for name, late in names.items()
        for step, value in ((100, 1.0), (1000, late))
    ]
    assert synthetic_trees.unstable(rows).grade == grade


@pytest.mark.parametrize("sizes", [synthetic_trees.SIZES, synthetic_trees.SIZES[::3]])
def test_the_lowest_error_of_a_root_is_counted_over_the_sizes_that_were_measured(sizes):
    """A first look has two of four."""
    forms = {synthetic_trees.AS_PRINTED: 0.1, synthetic_trees.LED: 0.3}
    rivals = [f"{name}{end}" for name in synthetic_trees.RIVALS for end in ("", tree_search.ROLLOUT)]
    names = {**dict.fromkeys(rivals, 0.2), **forms}
    rows = [
        Outcome(synthetic_trees.size_name(size), f"{name}{report}", "", 1000, 25, value, 0.01)
        for size in sizes
        for name, value in names.items()
        for report in ("", f": {synthetic_trees.BEST}")
    ]
    found = synthetic_trees.lowest_error(rows)
    assert (found.grade, found.fitted) == (STATED, CONTRADICTED)
    assert f"as printed ahead in {6 * len(sizes)} of {6 * len(sizes)}" in found.words


def test_a_law_with_a_broken_case_is_false():
    row = Outcome("random cases", "Lemma 4.1", "", 1, 400, 0.0, 0.1)
    assert laws.holds("Lemma 4.1", "", [row]).grade == "holds"
    assert laws.holds("Lemma 4.1", "", [row._replace(value=0.25)])[:2] == (
        "false as printed",
        "1 of 400 cases break it",
    )
    assert laws.tree_pulls([]).grade == "false as printed"
