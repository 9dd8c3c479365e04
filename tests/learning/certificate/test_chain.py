"""Linear equations of a chain, exactly and by iteration."""

import numpy as np
import pytest

from varde.learning.certificate import chain as chains
from varde.learning.certificate.chain import Chain


def random_chain(size=40, discount=0.97, seed=0):
    rng = np.random.default_rng(seed)
    to = rng.integers(0, size + 1, 3 * size)
    chances = rng.dirichlet(np.ones(3), size).reshape(-1)
    return Chain(np.arange(0, 3 * size + 1, 3), to, chances, discount), rng


@pytest.mark.parametrize("exact", [0, 256])
@pytest.mark.parametrize("columns", [(), (5,)])
def test_solutions_are_those_of_a_dense_solver(monkeypatch, exact, columns):
    monkeypatch.setattr(chains, "EXACT", exact)
    chain, rng = random_chain()
    b = rng.normal(size=(40, *columns))
    np.testing.assert_allclose(chain.solve(b), np.linalg.solve(chain.matrix, b), rtol=1e-8)
    np.testing.assert_allclose(chain.visits(b), np.linalg.solve(chain.matrix.T, b), rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("exact", [0, 256])
def test_a_walk_that_ends_by_and_by_is_solved_without_discount(monkeypatch, exact):
    """One step to the right with a chance of 1/2: it takes 2 (n - s) steps."""
    monkeypatch.setattr(chains, "EXACT", exact)
    n = 50
    to = np.stack([np.arange(n), np.arange(1, n + 1)], axis=1).reshape(-1)
    chain = Chain(np.arange(0, 2 * n + 1, 2), to, np.full(2 * n, 0.5), 1.0 - 1e-9)
    np.testing.assert_allclose(chain.solve(np.ones(n)), 2.0 * np.arange(n, 0, -1), rtol=1e-5)
