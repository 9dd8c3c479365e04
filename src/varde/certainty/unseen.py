"""Never seen is not impossible: what may not have come yet, and what that does to a mean.

After n results, an outcome of a kind not seen so far has a chance that is Beta(1, n): 1/(n + 1) on average, and in a
share rho of worlds there is one at all.  Its expected squared effect on a mean m is that of a result at the edge of
what is possible, y:

    share of it    rho / ((n + 1)(n + 2))          variance    2 share (y - m)^2
"""

from __future__ import annotations

from typing import Any

LEVEL = 0.95  # of what was possible to see


def missable(count: Any, level: float = LEVEL) -> Any:
    """The largest share of results that may not have shown in ``count``, with a chance of ``level``; takes arrays."""
    return 1.0 - (1.0 - level) ** (1.0 / count)


def unseen_variance(count: Any, mean: Any, edge: Any, rho: Any = 1.0) -> Any:
    """The variance of a mean from an outcome at the ``edge`` that never came in ``count`` results; takes arrays.

    >>> round(unseen_variance(10, 1.0, 0.0), 4)
    0.0152
    """
    return 2.0 * rho / ((count + 1.0) * (count + 2.0)) * (edge - mean) ** 2
