"""Structured arrays are read by name in both engines; what is fetched ahead changes nothing."""

import numpy as np

from varde._compile import hint, kernel, prefetch

ROWS = np.dtype([("count", np.int32), ("value", np.float64), ("other", np.float64, (10,))], align=True)


@hint
def fetch_all(table, size):
    for row in range(-1, size + 1):  # a row that does not exist does no harm
        prefetch(table, row)


@kernel
def add_up(table, size):
    fetch_all(table, size)
    total = 0.0
    for row in range(size):
        total += table.count[row] * table.value[row]
    return total


def test_what_is_fetched_ahead_changes_nothing():
    table = np.zeros(100, ROWS)
    table["count"], table["value"] = np.arange(100), 0.5
    before = table.tobytes()
    assert add_up(table, 100) == add_up.interpret(table, 100) == 0.5 * 4950
    assert table.tobytes() == before


def test_python_has_nothing_to_fetch():
    assert fetch_all("no table", "no size") is None
