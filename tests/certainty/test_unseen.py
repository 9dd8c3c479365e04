"""What never came is not impossible."""

import doctest

import numpy as np
import pytest

from varde.certainty import unseen as module
from varde.certainty.unseen import missable, unseen_variance


def test_docstring_examples():
    outcome = doctest.testmod(module)
    assert outcome.attempted > 0 and outcome.failed == 0


def test_what_is_rarer_would_not_have_shown():
    """17 results: what comes in 16 % of them would have shown, with a chance of 95 %."""
    assert (1.0 - missable(17)) ** 17 == pytest.approx(0.05) and missable(np.array([40]))[0] == pytest.approx(
        0.072, abs=1e-3
    )


def test_the_variance_of_an_outcome_that_never_came():
    shares = np.random.default_rng(1).beta(1.0, 12.0, 400_000)
    assert unseen_variance(12, 3.0, -1.0) == pytest.approx(((shares * -4.0) ** 2).mean(), rel=0.02)
    assert unseen_variance(12, 3.0, -1.0, rho=0.25) == pytest.approx(0.25 * unseen_variance(12, 3.0, -1.0))
