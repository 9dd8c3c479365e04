"""Parts: what a decision compares, such as the arms of a bandit, the edges of a node, the pairs of a policy.

A record with cases of these verbs can be weighed by a decision and sampled by the rule.  A decision that is a smooth
function of the estimates reads them from an array, ``parts.estimates``.
"""

from __future__ import annotations

from .._compile import verb


@verb
def size(parts):
    """How many there are."""


@verb
def estimate(parts, i):
    """The estimate of part ``i``, by which it is ahead of others or behind."""


@verb(fallback=True)
def expected(parts, i):
    """The mean that part ``i`` is believed to have, where that is not the estimate."""
    return estimate(parts, i)


@verb
def error(parts, i):
    """The variance of that."""


@verb
def noise(parts, i):
    """The variance of one more sample of part ``i``."""


@verb
def samples(parts, i):
    """N_i, pending samples included; 0 for a part that is not compared."""


@verb(fallback=True)
def complete(parts):
    """Whether every part has samples: a constant, so that compiled code need not check."""
    return False
