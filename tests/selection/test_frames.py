"""A selection as a data frame."""

import numpy as np
import pytest

from varde.selection import Selection
from varde.selection.evidence import Evidence

NAMES = ["東京", "b", "broken", "untried"]


@pytest.fixture(scope="module")
def found():
    values = [np.array([1.0, 2.0, 3.0]), np.array([8.0, 9.0]), np.array([]), np.array([])]
    return Selection.of(Evidence(NAMES, NAMES, values, failing={"broken": "no memory"}))


def test_a_line_per_option_in_pandas(found):
    pytest.importorskip("pandas", reason="no pandas: pip install varde[pandas]")
    frame = found.to_pandas()
    assert frame.index.name == "option" and list(frame.index) == NAMES
    assert frame.loc["東京", "n"] == 3 and frame.loc["東京", "mean"] == 2.0 and np.isnan(frame.loc["untried", "mean"])
    assert frame.loc["broken", "verdict"] == "failing" and frame.loc["broken", "failure"] == "no memory"
    assert frame["n"].dtype.kind == "i" and frame["p_best"].dtype.kind == "f"


def test_a_line_per_option_in_polars(found):
    polars = pytest.importorskip("polars", reason="no polars: pip install varde[polars]")
    frame = found.to_polars()
    assert frame["option"].to_list() == NAMES and frame.schema["n"] == polars.Int64
    assert frame.filter(polars.col("verdict") == "best")["option"].to_list() == [found.best_name]


@pytest.mark.parametrize("name", ["pandas", "polars"])
def test_a_line_per_result(found, name):
    pytest.importorskip(name)
    frame = getattr(found, f"to_{name}")(values=True)
    assert list(frame.columns) == ["option", "number", "value"]
    assert [list(frame[column]) for column in frame.columns] == [
        ["東京"] * 3 + ["b"] * 2,
        [0, 1, 2, 0, 1],
        [1.0, 2.0, 3.0, 8.0, 9.0],
    ]


@pytest.mark.parametrize("name", ["pandas", "polars"])
def test_without_the_library_it_says_what_to_install(found, monkeypatch, name):
    def missing(wanted, *_):
        raise ImportError(wanted)

    monkeypatch.setattr("varde.show.answer.import_module", missing)
    with pytest.raises(ImportError, match=rf"pip install 'varde\[{name}\]"):
        getattr(found, f"to_{name}")()
