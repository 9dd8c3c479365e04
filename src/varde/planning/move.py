"""What a search recommends, and why."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..certainty import Certificate, certify, from_estimates
from ..random import key as named_key
from ..random import stream
from .loop import recommend, reported_value, value_variance
from .search import Search
from .tree import COUNT, Q

SMALLEST = 1e-140  # of values: the squares of smaller ones are 0, and nothing is known of their noise


class Move(NamedTuple):
    """The action to take; ``values``, ``visits`` and ``p_best`` have one entry per legal action."""

    action: Hashable
    values: dict[Hashable, float]  # estimated value; nan where never tried
    visits: dict[Hashable, int]
    value: float  # of the state
    certificate: Certificate  # without chances, and nan, where the algorithm does not know how sure its values are

    @property
    def p_best(self) -> dict[Hashable, float]:
        """The chance of being the best action."""
        return self.certificate.p_best

    @property
    def stopped(self) -> str:
        """What ended the search: "budget", "seconds", "sure", "interrupted", or "not yet"."""
        return self.certificate.stopped

    def __str__(self) -> str:
        spent = int(self.certificate.spent)
        lines = [f"take {self.action!r} after {spent:,} simulations; the state is worth {self.value:.4g}"]
        for action in sorted(self.values, key=lambda a: np.nan_to_num(self.values[a], nan=-math.inf), reverse=True):
            sure = f"  P(best) {self.p_best[action]:.3f}" if self.p_best else ""
            lines.append(f"  {action!r:>12}  value {self.values[action]:10.4g}  taken {self.visits[action]:>8,}{sure}")
        return "\n".join(lines)


def move_of(search: Search, names: Sequence[Any], seed: int, stopped: str) -> Move:
    """What ``search`` recommends at its root, whose actions are called ``names``."""
    algorithm, tree, rows = search.algorithm, search.tree, search.edges()
    counts = tree.edge[rows, COUNT].astype(np.int64)
    values = np.where(counts > 0, tree.scores[rows, Q], np.nan)
    taken = int(recommend(algorithm, tree, 0, stream(named_key(seed, "ties"))))
    variances = np.array([value_variance(algorithm, tree, edge) for edge in range(rows.start, rows.stop)])
    top = np.abs(values[counts > 0]).max(initial=0.0)
    if np.isnan(variances[counts > 0]).any() or 0.0 < top < SMALLEST:
        certificate = Certificate({}, math.nan, math.nan, stopped, search.trials)
    else:
        certificate = certify(names, from_estimates(values, np.sqrt(variances), counts), taken, stopped, search.trials)
    return Move(
        names[taken],
        dict(zip(names, values.tolist(), strict=True)),
        dict(zip(names, counts.tolist(), strict=True)),
        float(reported_value(algorithm, tree)),
        certificate,
    )
