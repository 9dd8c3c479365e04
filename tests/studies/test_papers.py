"""A paper as a record: what it takes, what it refuses, what its studies know of it."""

import pickle

import numpy as np
import pytest

from varde.studies import Answer, Cell, Outcome, Paper, Statement, Study, above, below, highest, lowest
from varde.studies.rows import NoValuesError, Rows
from varde.studies.statements import together

from .results import rows_from

ROWS = Rows([Outcome("p", "Ours", "", 1, 10, 0.0, 0.0)])


def study(name, **more):
    return Study(name, name, [Cell("p", "Ours", "", (1,), abs)], 10, **more)


def test_studies_are_given_as_a_list_or_by_part_and_know_their_paper():
    flat = Paper("Title", [study("a"), study("b")], method="Ours")
    assert flat.outline.parts == {"Title": ("a", "b")}
    made = flat.studies["b"]()
    assert made.paper == flat.outline and made.method == "Ours" and made.in_a_paper
    parts = Paper("Title", {"One": [study("a")], "Two": {"b": lambda: study("b")}}, further=[study("c", method="x")])
    assert parts.outline.parts == {"One": ("a",), "Two": ("b",)} and list(parts.studies) == ["a", "b", "c"]
    assert not parts.studies["c"]().in_a_paper and parts.studies["c"]().method == "x"


def test_answers_come_before_the_findings_of_a_study():
    mine = study("a", findings=lambda rows: ["a line"])
    said = [Statement("first", "table", {"a": lambda rows: Answer("as stated", "3 of 3")})]
    found = Paper("Title", [mine], said).studies["a"]().findings(ROWS)
    assert found == ['"first": as stated (3 of 3)', "a line"] and found[0].number == 1


def test_a_statement_is_one_line_however_many_studies_answer_it():
    grades = {"a": "as stated", "b": "contradicted"}
    answers = {name: lambda rows, grade=grade: Answer(grade, grade[:2]) for name, grade in grades.items()}
    paper = Paper("Title", [study("a"), study("b")], [Statement("all", "picture", answers)])
    [line] = together(line for name in grades for line in paper.studies[name]().findings(ROWS))
    assert (line.grade, line.words) == ("in part", "as; co")


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (("", [study("a")]), ValueError, "write the title of the paper"),
        (("T", []), ValueError, "T has no studies"),
        (("T", [study("a"), study("a")]), ValueError, "two studies are called 'a'"),
        (("T", {"One": [study("a")], "Two": [study("a")]}), ValueError, "T has two studies called 'a'"),
        (("T", [3]), TypeError, r"3, a int: write varde.studies.Study\(...\)"),
        (
            ("T", [study("a")], [Statement("x", "law", {"b": abs})]),
            ValueError,
            "'b', which is not a study: write one of a",
        ),
        (("T", [study("a")], ["the lowest"]), TypeError, "write a list"),
    ],
)
def test_a_paper_that_makes_no_sense_is_refused(arguments, error, words):
    with pytest.raises(error, match=words):
        Paper(*arguments)


STEPS = (10, 20)


def measured(percent=False, **means):
    """Runs of some algorithms on two problems, at two steps."""
    rng = np.random.default_rng(1)
    runs = {(problem, name): rng.normal(level, 0.1, (60, 2)) for problem in ("p", "q") for name, level in means.items()}
    rows = rows_from(runs, STEPS)
    rows.percent, rows.unit = percent, "points" if percent else ""
    return rows


@pytest.mark.parametrize(
    ("ask", "grade"),
    [
        (lowest("A"), "as stated"),
        (lowest("A", throughout=True), "as stated"),
        (lowest("B"), "in part"),
        (lowest("C"), "contradicted"),
        (highest("C", problems=["q"]), "as stated"),
        (below("A", 1.5), "as stated"),
        (below("B", 1.5), "contradicted"),
        (above("C", 2.5), "as stated"),
    ],
)
def test_what_papers_usually_say(ask, grade):
    found = ask(measured(A=1.0, B=2.0, C=3.0))
    assert found.grade == grade and "comparison" in found.words


def test_a_tie_contradicts_nothing():
    assert below("C", 3.0)(measured(C=3.0)).grade != "contradicted"
    rows = rows_from({("p", "A"): np.zeros((9, 1)), ("p", "B"): np.zeros((9, 1))}, (1,))
    assert lowest("A")(rows).grade == "in part"


def test_shares_are_compared_in_points():
    assert "against B +1e+02 ± 2 points" in lowest("A")(measured(percent=True, A=1.0, B=2.0)).words


def test_one_run_is_no_comparison():
    rows = rows_from({("p", "A"): np.zeros((1, 1)), ("p", "B"): np.ones((1, 1))}, (1,))
    assert lowest("A")(rows).grade == "too few runs"


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lowest("Z"), "no algorithm 'Z' in the study: write one of A, B"),
        (lowest("A", problems=["r"]), "A is not measured on 'r': write some of p, q"),
    ],
)
def test_an_answer_about_what_was_not_measured(ask, words):
    with pytest.raises(ValueError, match=words):
        ask(measured(A=1.0, B=2.0))


def test_an_answer_takes_the_values_of_the_runs():
    with pytest.raises((NoValuesError, ValueError)):
        lowest("A")(Rows([]))


def odd(rows):
    raise KeyError("odd")


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (odd, "KeyError: 'odd'"),
        (lambda rows: None, "it returns None: return varde.studies.Answer"),
        (lambda rows: Answer("fine", ""), "the grade is 'fine': write one of as stated"),
        (lambda rows: Answer("holds", ""), "the grade is 'holds'"),
    ],
)
def test_an_answer_that_fails_is_a_line_of_its_own_and_survives_a_copy(ask, words):
    kept = Paper("P", [study("s", findings=lambda rows: ["a", 1])], [Statement("all", "table", {"s": ask})])
    line, last = kept.studies["s"]().findings(ROWS)
    assert line.grade == last.grade == "not tested" and words in line and "it returns 1" in last
    assert line.error is not None and pickle.loads(pickle.dumps(line)) == line


@pytest.mark.parametrize(
    ("arguments", "words"),
    [(("", "law"), "write the paper's sentence"), (("a", "rule"), "kind is 'rule': write one of law"),
     (("a", "law", [abs]), "write {study: lowest")],
)  # fmt: skip
def test_a_statement_that_makes_no_sense_is_refused(arguments, words):
    with pytest.raises((ValueError, TypeError), match=words):
        Statement(*arguments)
