"""What the tests of searches share."""

import numpy as np


def same_tree(a, b):
    nodes, edges, outcomes = a.used
    assert a.used.tolist() == b.used.tolist()
    for name, used in (("node", nodes), ("values", nodes), ("edge", edges), ("scores", edges)):
        assert np.array_equal(getattr(a, name)[:used], getattr(b, name)[:used]), name
    assert np.array_equal(a.outcome[1:outcomes], b.outcome[1:outcomes])
