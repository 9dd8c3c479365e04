"""What changed, in one test: alarms that are false are rare however few the runs, and true ones are found."""

import numpy as np
import pytest

from tests.long import times
from varde.studies.judging.changes import apart

KINDS = {
    "normal": lambda rng, size: rng.normal(size=size),
    "0/1": lambda rng, size: (rng.random(size) < 0.1).astype(float),
    "skewed": lambda rng, size: np.exp(rng.normal(size=size)),
}


def sides(rng, kind, runs, cells=20, steps=10):
    return [tuple(KINDS[kind](rng, (n, steps)) for n in (runs, runs)) for _ in range(cells)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("runs", [4, 10, 60])
def test_other_seeds_of_the_same_program_rarely_alarm(kind, runs):
    rng = np.random.default_rng(runs)
    alarms = sum(min(found.p for found in apart(sides(rng, kind, runs))) <= 0.05 for _ in range(15))
    assert alarms <= 3  # 5 % of 15 is 0.75


def test_what_was_moved_is_found_and_the_rest_is_not():
    rng = np.random.default_rng(0)
    pairs = sides(rng, "normal", 50)
    pairs[3][1][:, 7] += 2.0
    found = apart(pairs)
    assert [i for i, cell in enumerate(found) if cell.p <= 0.05] == [3] and found[3].column == 7


def test_three_runs_a_side_cannot_alarm_and_nothing_depends_on_zero_or_unit():
    rng = np.random.default_rng(1)
    small = [(np.zeros((3, 1)), np.ones((3, 1)) + 1e-3 * rng.normal(size=(3, 1)))]
    assert apart(small)[0].p > 0.05 and apart([]) == []
    pairs = sides(rng, "normal", 20, 3)
    moved = [(1e9 + 1e-3 * a, 1e9 + 1e-3 * b) for a, b in pairs]
    assert [round(cell.p, 2) for cell in apart(moved)] == [round(cell.p, 2) for cell in apart(pairs)]
    assert apart([(np.ones((9, 2)), np.ones((9, 2)))])[0].p == 1.0


def test_sides_of_other_lengths():
    rng = np.random.default_rng(2)
    found = apart(
        [
            (rng.normal(size=(300, 2)), 1.0 + rng.normal(size=(40, 2))),
            (rng.normal(size=(7, 1)), rng.normal(size=(5, 1))),
        ]
    )
    assert found[0].p <= 0.01 < found[1].p


def test_many_runs_against_few_rarely_alarm():
    """Means of 79 runs beside single ones are no exchangeable runs: one comparison in five was a false alarm."""
    rng, alarms = np.random.default_rng(3), 0
    for _ in range(times(10, 30)):
        alarms += apart([(rng.normal(size=(20_000, 1)), rng.normal(size=(100, 1)))])[0].p <= 0.05
    assert alarms <= times(3, 5)  # 5 % of them is 0.5, 1.5
    assert apart([(rng.normal(size=(20_000, 1)), 1.0 + rng.normal(size=(100, 1)))])[0].p == 0.001


def test_the_change_said_to_be_visible_is_seen_in_four_cases_of_five():
    rng, seen = np.random.default_rng(2), 0
    for _ in range(40):
        pairs = sides(rng, "normal", 30, cells=5, steps=2)
        pairs[0][1][:, -1] += apart(pairs)[0].visible
        seen += apart(pairs)[0].p <= 0.05
    assert 26 <= seen <= 38  # 32
