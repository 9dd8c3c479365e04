"""The page how-sure.md: its tables come from the results files, and these keep what it promises."""

import doctest
import importlib
import math
import sys
from pathlib import Path

import pytest

import varde.selection  # noqa: F401  (its examples are run)

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture
def tables(monkeypatch):
    monkeypatch.syspath_prepend(DOCS / "tables")
    return importlib.import_module("how_sure_tables")


def test_every_table_is_there():
    assert (DOCS / "how-sure.md").read_text().count("<!-- end of") == 6


def test_docstring_examples():
    outcome = doctest.testmod(sys.modules["varde.selection.result"])
    assert outcome.attempted > 0 and outcome.failed == 0


def test_recorded_calibration(tables):
    """Above 90 % no kind is overconfident beyond Monte Carlo error; there are 35 of them, each with and without."""
    found = tables.results("confidence")
    assert found["problems"] >= 3_000 and len(found["kinds"]) >= 8
    assert all(line["z"] > -2.0 for line in found["reliability"]["varde"])
    for told in found["kinds"].values():
        assert all(
            told[name]["varde"]["above"]["z"] is None or told[name]["varde"]["above"]["z"] > -3.0 for name in told
        )
    now, before = (found["all"][name] for name in ("varde", "before"))
    assert (
        now["log"] < before["log"] and now["sure"] > before["sure"] and now["covered"] > 0.94 and now["leader"] > 0.94
    )


def test_recorded_stopping(tables):
    found = tables.results("stopping")
    for row in found["ties"]:
        assert row["stop"]["wrong"] <= 0.05 + 2.0 * math.sqrt(0.05 * 0.95 / found["ties_runs"])
    for row in found["costs"]:
        assert row["stop"]["wrong"] <= 3
