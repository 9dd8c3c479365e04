import numpy as np

from varde.arrays import first_largest, largest, smallest


def test_extremes_and_ties():
    values = np.array([1.0, 5.0, -2.0, 5.0])
    assert (largest(values), smallest(values), first_largest(values)) == (5.0, -2.0, 1)
    assert first_largest(np.array([-np.inf])) == 0
