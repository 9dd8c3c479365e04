"""Models of the noise: closed forms, scalars and arrays alike."""

import math

import numpy as np
import pytest

from varde.beliefs import Equal, Floor, Pooled
from varde.beliefs.noise import own_variance, pools, shrunk_variance
from varde.check import problem_with


def test_the_floor_is_the_least_variance():
    assert own_variance(Floor(0.1), 9.0, 6.0, 4) == 2.0
    assert own_variance(Floor(0.1, ddof=0), 9.0, 6.0, 4) == 1.5
    assert own_variance(Floor(0.1), 9.0, 0.0, 1) == own_variance(Floor(0.1), 9.0, 0.0, 0) == 0.1


def test_equal_noise_is_one():
    assert own_variance(Equal(), 9.0, 6.0, 4) == 1.0


def test_pooled_noise_is_shrunk_towards_the_common_one():
    assert own_variance(Pooled(prior=5.0), 2.0, 6.0, 4) == (10.0 + 6.0) / 8.0
    assert shrunk_variance(5.0, 2.0, 6.0, 4) == 2.0
    assert own_variance(Pooled(), 2.0, 6e6, 10**6) == pytest.approx(6.0, rel=1e-4)


@pytest.mark.parametrize("model", [Floor(0.2), Equal(), Pooled()])
def test_arrays_are_taken_component_by_component(model):
    squares, counts = np.array([0.0, 1.0, 5.0]), np.array([1, 2, 9])
    one_by_one = [own_variance(model, 0.7, *pair) for pair in zip(squares, counts, strict=True)]
    assert own_variance(model, 0.7, squares, counts).tolist() == one_by_one


def test_who_looks_at_the_others():
    assert [pools(model) for model in (Floor(), Equal(), Pooled())] == [False, False, True]


@pytest.mark.parametrize(
    ("model", "word"),
    [
        (Floor(0.0), "least"),
        (Floor(math.nan), "least"),
        (Floor(ddof=2), "ddof"),
        (Pooled(prior=-1.0), "prior"),
        (Pooled(rare=math.nan), "rare"),
    ],
)
def test_bad_settings_are_named(model, word):
    assert word in problem_with(model)
