import numpy as np

from varde.arrays import first_largest, largest, refill, smallest


def test_extremes_and_ties():
    values = np.array([1.0, 5.0, -2.0, 5.0])
    assert (largest(values), smallest(values), first_largest(values)) == (5.0, -2.0, 1)
    assert first_largest(np.array([-np.inf])) == 0


def test_larger_arrays_take_over_what_the_smaller_ones_held():
    small, large = (np.ones(2), (np.ones((1, 2)),)), (np.zeros(3), (np.zeros((2, 3)),))
    row, (table,) = refill(large, small)
    assert row.tolist() == [1, 1, 0] and table.tolist() == [[1, 1, 0], [0, 0, 0]]
