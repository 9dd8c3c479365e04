"""The law by which a baseline draws its actions, computed again from the formulas of the paper that it is from."""

import numpy as np
import pytest

from varde.environments import forked_river_swim, river_swim
from varde.learning import MFBPI
from varde.learning.checks import check_algorithm
from varde.learning.mf_bpi import fill_bound
from varde.learning.run import Driver, task_of
from varde.random import key, stream

DISCOUNT = 0.99


@pytest.fixture(params=[(river_swim(6), 300), (forked_river_swim(5), 3_000)], ids=["river", "forked"])
def run(request):
    """A run of MF-BPI, as far as it came."""
    table, steps = request.param
    walk = Driver(check_algorithm(MFBPI()), task_of(table, DISCOUNT, steps), stream(key(3, "laws")), table.model)
    walk.go(steps)
    return walk.run


@pytest.mark.parametrize("level", [0.1, 0.55, 0.93])
def test_mf_bpi_draws_by_the_minimiser_of_its_bound_over_all_pairs(run, level):
    """Russo and Proutiere 2023: min over w of max h/w + C/(D_b^2 min_s w(s, b)), over the simplex of all pairs."""
    q, m = (np.quantile(of, level, axis=2) for of in (run.memory.q, run.memory.m))
    phi2 = ((1.0 + 5.0**0.5) / 2.0) ** 2
    states = np.arange(len(q))
    best = q.argmax(1)
    others = np.ones(q.shape, bool)
    others[states, best] = False
    gaps = np.maximum(q.max(1, keepdims=True) - q, 1e-8)
    h = np.where(others, (2.0 + 8.0 * phi2 * m) / gaps**2, 0.0)
    least = gaps[others].min() * (1.0 - DISCOUNT) / (1.0 + DISCOUNT)
    ceiling = max(4.0, 16.0 * DISCOUNT**2 * phi2 * m[states, best].max())
    h[states, best] = np.sqrt(ceiling / least**2 * h[others].sum() / len(q))
    members = run.memory.q.shape[2] - 1
    place = int(level * members)
    for s in states:
        fill_bound(MFBPI(), run.memory, run.task, run.seen, s, place, level * members - place)
        np.testing.assert_allclose(run.memory.row, h[s], rtol=1e-9)
