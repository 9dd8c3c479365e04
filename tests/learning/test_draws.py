"""Gamma, beta and Dirichlet draws: moments within five standard errors, and the same bits in both engines."""

import numpy as np
import pytest

from varde._compile import kernel
from varde.random import beta, dirichlet, gamma, key, stream

DRAWS = 200_000


@kernel
def gammas(shape, draws, rng):
    for i in range(draws.size):
        draws[i] = gamma(shape, rng)


@kernel
def betas(a, b, draws, rng):
    for i in range(draws.size):
        draws[i] = beta(a, b, rng)


@kernel
def dirichlets(counts, prior, draws, rng):
    for i in range(draws.shape[0]):
        dirichlet(counts, prior, draws[i], rng)


@pytest.mark.parametrize("shape", [0.1, 0.5, 1.0, 1.5, 7.0, 300.0])
def test_gamma(shape):
    draws = np.empty(DRAWS)
    gammas(shape, draws, stream(key(0, "gamma", shape)))
    assert abs(draws.mean() - shape) < 5.0 * np.sqrt(shape / DRAWS)
    # Var of the sample variance: (mu4 - var^2) / n, with mu4 = 3 a^2 + 6 a.
    assert abs(draws.var() - shape) < 5.0 * np.sqrt((2.0 * shape**2 + 6.0 * shape) / DRAWS)
    assert draws.min() >= 0.0


@pytest.mark.parametrize(("a", "b"), [(0.5, 0.5), (1.0, 1.0), (30.0, 2.0)])
def test_beta(a, b):
    draws = np.empty(DRAWS)
    betas(a, b, draws, stream(key(0, "beta", a, b)))
    variance = a * b / ((a + b) ** 2 * (a + b + 1.0))
    assert abs(draws.mean() - a / (a + b)) < 5.0 * np.sqrt(variance / DRAWS)
    assert draws.var() == pytest.approx(variance, rel=0.03)
    assert draws.min() >= 0.0 and draws.max() <= 1.0


def test_dirichlet():
    counts, draws = np.array([5, 0, 20, 1]), np.empty((DRAWS, 4))
    dirichlets(counts, 0.5, draws, stream(key(0, "dirichlet")))
    share, total = (counts + 0.5) / 28.0, 28.0
    np.testing.assert_allclose(draws.sum(1), 1.0)
    assert (abs(draws.mean(0) - share) < 5.0 * np.sqrt(share * (1.0 - share) / (total + 1.0) / DRAWS)).all()


def test_engines_agree_bit_for_bit():
    for shape in (0.3, 1.0, 4.0):
        compiled, plain = np.empty(500), np.empty(500)
        gammas(shape, compiled, stream(key(1)))
        gammas.python(shape, plain, stream(key(1)))
        assert (compiled == plain).all()
