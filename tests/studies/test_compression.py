"""The values of runs: back bit for bit, and small."""

import numpy as np
import pytest

from varde.studies.compression import packed, runs_of, unpacked

RNG = np.random.default_rng(0)
ARRAYS = {
    "bits": RNG.integers(0, 2, (7, 5)).astype(float),
    "one": np.ones((1, 1)),
    "doubles": RNG.normal(size=(13, 3)) * 1e9,
    "odd": np.array([[0.5, -1e-300], [1e300, 1.0]]),
    "a curve": np.repeat(RNG.random((10, 4)), 25, axis=1),
}


@pytest.mark.parametrize("kind", ARRAYS)
def test_what_is_packed_comes_back(kind):
    values = ARRAYS[kind]
    found = unpacked(packed(values))
    assert found.shape == values.shape and np.array_equal(found, values) and runs_of(packed(values)) == len(values)
    assert found.dtype == (np.uint8 if kind in ("bits", "one") else float)


def test_errors_over_time_take_far_less_than_a_bit_each():
    settled = RNG.integers(0, 200, 500)[:, None] > np.arange(200)
    assert len(packed(settled.astype(float))) < 500 * 200 / 8 / 5


def test_curves_that_stay_take_little():
    assert len(packed(ARRAYS["a curve"])) < 10 * 100 * 8 / 10
