import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from varde.moments import clear, make_moments, observe, variance


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=60))
def test_agrees_with_two_passes(samples):
    moments = make_moments(3)
    for x in samples:
        observe(moments, 1, x)
    scale = 1.0 + np.max(np.abs(samples))
    assert moments.counts.tolist() == [0, len(samples), 0]
    assert abs(moments.means[1] - np.mean(samples)) < 1e-9 * scale
    for ddof in (0, 1):
        assert abs(variance(moments, 1, ddof) - np.var(samples, ddof=ddof)) < 1e-9 * scale**2


def test_too_few_samples_have_no_variance():
    moments = make_moments(1)
    assert variance(moments, 0, 0) == variance(moments, 0, 1) == 0.0
    observe(moments, 0, 5.0)
    assert variance(moments, 0, 1) == 0.0


def test_large_offset_keeps_its_digits():
    moments = make_moments(1)
    for x in (1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16):
        observe(moments, 0, x)
    assert variance(moments, 0, 1) == 30.0


def test_tables_and_clearing():
    moments = make_moments((2, 3))
    observe(moments, (1, 2), 4.0)
    assert moments.means[1, 2] == 4.0
    clear(moments)
    assert not moments.means.any() and not moments.counts.any()
