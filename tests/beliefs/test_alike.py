"""The belief about options that resemble each other."""

import numpy as np

from varde.beliefs.alike import Data, Likelihood, Posterior, prior
from varde.beliefs.features import rows_of, space_of


def test_the_gradient_is_that_of_the_likelihood():
    rng = np.random.default_rng(0)
    space = space_of(rows_of([str(i) for i in range(15)], rng.random((15, 2)).tolist()))
    every = np.arange(15)
    apart = space.squares(every, every)
    for squares in (apart, apart[:0]):  # the second: strangers
        loss = Likelihood(squares, rng.normal(size=15), 0.5 + rng.random(15), 20.0, 15.0)
        at = prior(len(squares))[0] + 0.3
        steps = 1e-5 * np.eye(at.size)
        slopes = [(loss(at + step)[0] - loss(at - step)[0]) / 2e-5 for step in steps]
        np.testing.assert_allclose(loss(at)[1], slopes, rtol=1e-5, atol=1e-7)


def test_an_odd_option_keeps_its_own_mean():
    space = space_of(rows_of([str(i) for i in range(30)], list(range(30))))
    means = np.zeros(30)
    means[11] = 8.0
    belief = Posterior(space, Data(np.full(30, 4.0), means, np.full(30, 3.0)), prior(1)[0])
    assert belief.marginal(np.arange(30))[0].argmax() == 11
    assert belief.marginal(np.arange(30))[0][11] > 6.0
