"""A paper as a record: what it takes, what it refuses, what its studies know of it."""

import pickle

import numpy as np
import pytest

from varde.studies import Cell, Claim, Paper, Study, above, below, claims, highest, lowest
from varde.studies.rows import NoValuesError, Rows

from .results import rows_from


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


def test_claims_come_before_the_findings_of_a_study():
    mine = study("a", findings=lambda rows: ["a line"])
    several = [lambda rows: Claim("first", "holds"), lambda rows: [Claim("second", "undecided"), "more"]]
    found = Paper("Title", [mine], claims={"a": several}).studies["a"]().findings(Rows([]))
    assert found == ["first: holds", "second: undecided", "more", "a line"]


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (("", [study("a")]), ValueError, "write the title of the paper"),
        (("T", []), ValueError, "T has no studies"),
        (("T", [study("a"), study("a")]), ValueError, "two studies are called 'a'"),
        (("T", {"One": [study("a")], "Two": [study("a")]}), ValueError, "T has two studies called 'a'"),
        (("T", [3]), TypeError, r"3, a int: write varde.studies.Study\(...\)"),
        (("T", [study("a")], {"b": [lowest("Ours", "x")]}), ValueError, "'b', which is not a study: write one of a"),
        (("T", [study("a")], {"a": ["'the lowest'"]}), TypeError, "write a list of lowest"),
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
    ("test", "holds"),
    [
        (lowest("A", "says"), "holds"),
        (lowest("A", "says", throughout=True), "holds"),
        (lowest("B", "says", reason="it rains"), "does not hold"),
        (highest("C", "says", problems=["q"]), "holds"),
        (below("A", 1.5, "says"), "holds"),
        (below("B", 1.5, "says"), "does not hold"),
        (above("C", 2.5, "says"), "holds"),
        (above("C", 3.0, "says", by="as printed"), "undecided"),
    ],
)
def test_what_papers_usually_claim(test, holds):
    claim = test(measured(A=1.0, B=2.0, C=3.0))
    assert claim.claim == "says" and claim.holds == holds and "60 runs" in claim.evidence


def test_a_reason_is_given_where_a_claim_does_not_hold():
    rows = measured(A=1.0, B=2.0)
    assert lowest("B", "says", reason="it rains")(rows).reason == "it rains"
    assert lowest("A", "says", reason="it rains")(rows).reason == ""


def test_few_runs_without_an_error_leave_the_error_rate_open():
    key = ("p", "A")
    for runs, holds in ((10, "undecided"), (40, "holds")):
        rows = rows_from({key: np.zeros((runs, 1)), ("p", "B"): np.zeros((runs, 1))}, (1,))
        rows.percent, rows.span = True, (0.0, 100.0)
        assert below("A", 10.0, "says")(rows).holds == holds and lowest("A", "says")(rows).holds == "undecided"


def test_shares_are_compared_in_points():
    assert "against B +100 points" in lowest("A", "says")(measured(percent=True, A=1.0, B=2.0)).evidence


@pytest.mark.parametrize(
    ("test", "words"),
    [
        (lowest("Z", "says"), "no algorithm 'Z' in the study: write one of A, B"),
        (lowest("A", "says", problems=["r"]), "A is not measured on 'r': write some of p, q"),
    ],
)
def test_a_claim_about_what_was_not_measured(test, words):
    with pytest.raises(ValueError, match=words):
        test(measured(A=1.0, B=2.0))


def test_a_claim_takes_the_values_of_the_runs():
    with pytest.raises((NoValuesError, ValueError)):
        lowest("A", "says")(Rows([]))


def test_a_claim_that_fails_is_a_line_of_its_own_and_survives_a_copy():
    def odd(rows):
        raise KeyError("odd")

    kept = Paper("P", [study("s", findings=lambda rows: ["a", 1])], {"s": [odd, lambda rows: None, lambda rows: "b"]})
    lines = kept.studies["s"]().findings(Rows([]))
    assert lines[2:4] == ["b", "a"] and [line.claim for line in lines if isinstance(line, Claim)] == [
        "odd",
        "claim 2",
        "findings",
    ]
    assert "it returns None: return a Claim" in lines[1] and "it returns 1" in lines[4]
    copied = pickle.loads(pickle.dumps(lines[0]))
    assert copied == "odd: not tested (KeyError: 'odd')" and isinstance(copied.error, KeyError)


def test_a_test_without_its_claim_is_noticed():
    kept = Paper("P", [study("s")], {"s": [lambda rows: claims.Tested("holds", "so much")]})
    [line] = kept.studies["s"]().findings(Rows([]))
    assert line.holds == "not tested" and "return Claim('what is claimed', *all_of(...))" in line
