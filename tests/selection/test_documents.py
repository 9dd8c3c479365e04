"""The page how-sure.md: its tables come from the results files, and these keep what it promises."""

import doctest
import importlib
import math
import sys
from pathlib import Path
from statistics import NormalDist

import pytest
from scipy.stats import binom

import varde.selection  # noqa: F401  (its examples are run)

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture
def tables(monkeypatch):
    monkeypatch.syspath_prepend(DOCS / "tables")
    return importlib.import_module("how_sure_tables")


def test_every_table_is_there(tables):
    text = (DOCS / "how-sure.md").read_text()
    assert {name for name in tables.TABLES if f"<!-- end of {name} -->" in text} == set(tables.TABLES)
    assert text.count("<!-- end of") == len(tables.TABLES)


def test_docstring_examples():
    outcome = doctest.testmod(sys.modules["varde.selection.result"])
    assert outcome.attempted > 0 and outcome.failed == 0


def test_recorded_calibration(tables):
    """No bin of chances is overconfident beyond Monte Carlo error, nor is a size or a kind of results above 90 %.

    Each at 5 % for all bins, sizes or kinds together.  A kind has few trials above 90 %, some of them one: its errors
    are judged by the binomial distribution.
    """
    found = tables.results("confidence")
    kinds = found["kinds"].values()
    assert found["problems"] >= 2_000 and len(kinds) == 35
    bins = [line["z"] for line in found["reliability"]["varde"]]
    sizes = [size["varde"]["above"]["z"] for size in found["sizes"].values()]
    assert all(min(some) > NormalDist().inv_cdf(0.05 / len(some)) for some in (bins, sizes))
    assert min(as_many_errors(kind["varde"]["above"]) for kind in kinds) > 0.05 / len(kinds)
    ours, textbook = (found["all"][name] for name in ("varde", "textbook"))
    assert ours["log"] < textbook["log"] and ours["brier"] < textbook["brier"]
    assert abs(ours["above"]["z"]) < 2.0 < abs(textbook["above"]["z"])
    assert ours["covered"] > 0.94 and ours["leader"] > 0.94


def as_many_errors(line):
    """The chance of as many errors as were observed, or more, if the stated chances are right."""
    errors = round(line["n"] * (1.0 - line["observed"])) if line["n"] else 0
    return float(binom.sf(errors - 1, line["n"], 1.0 - line["stated"])) if errors else 1.0


def test_recorded_stopping(tables):
    found = tables.results("stopping")
    for row in found["ties"]:
        assert row["stop"]["wrong"] <= 0.05 + 2.0 * math.sqrt(0.05 * 0.95 / found["ties_runs"])
    for row in found["costs"]:
        assert row["stop"]["wrong"] <= 3
