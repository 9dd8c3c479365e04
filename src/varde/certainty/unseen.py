"""Never seen is not impossible: what may not have come yet, and what that does to a mean.

After n results an outcome of a kind not seen so far has a share x that is Beta(1, n), and a share rho of all worlds has
one at all.  Where the range of results is known it lies at the edge of what is possible, D away from the mean m:

    chance that it moves the mean by more than d    rho (1 - d/D)^n,  0 if D <= d
    expected squared effect on the mean             rho E[x^2] D^2 = 2 rho D^2 / ((n + 1)(n + 2))

Options state the first, planning adds the second to the variance of values, learning draws such outcomes and limits its
chance by the first.  Where the range is not known there is only the rule of three: ``missable``, and a note.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from .assumptions import Note

RHO = 0.03  # share of actions with an outcome never seen, in planning, where it adds to a variance
SHARE = 0.1  # of options: with .03 all statements of 95 % about rare disasters were wrong, with .1 there are none
LEVEL = 0.95  # of what was possible to see


def missable(count: Any, level: float = LEVEL) -> Any:
    """The largest share of results that may not have shown in ``count``, with a chance of ``level``; takes arrays."""
    return 1.0 - (1.0 - level) ** (1.0 / count)


def unseen_variance(count: Any, mean: Any, edge: Any, rho: Any = RHO) -> Any:
    """The variance of a mean from an outcome at the ``edge`` that never came in ``count`` results; takes arrays.

    >>> round(unseen_variance(10, 1.0, 0.0, rho=1.0), 4)
    0.0152
    """
    return 2.0 * rho / ((count + 1.0) * (count + 2.0)) * (edge - mean) ** 2


def unseen_chance(count: Any, need: Any, room: Any, rho: Any = SHARE) -> Any:
    """The chance that an outcome ``room`` away from the mean, never seen in ``count`` results, moves it by ``need``.

    Takes arrays.

    >>> float(unseen_chance(10, 0.0, 1.0)), float(unseen_chance(10, 1.0, 0.5))
    (0.1, 0.0)
    """
    far = np.asarray(room) > need
    return np.where(far, rho * (1.0 - np.divide(need, room, out=np.ones(far.shape), where=far)) ** count, 0.0)


def unseen(
    options: tuple[str, ...], count: int, of: str, slack: Mapping[str, float], effect: str = "costs"
) -> Note | None:
    """What may be missing from ``count`` results ``of`` an option; ``slack``: by how much a number must move.

    >>> unseen(("b", "a"), 247, "the 247 results of b", {"": 0.534}).size  # an event in 1 of 82, by the rule of three
    43.8
    """
    slack = {name: lead for name, lead in slack.items() if lead > 0.0}
    if not slack or count < 1:
        return None
    times = max(2, math.floor(1.0 / missable(count)))
    sizes = {name: float(f"{lead * times:.3g}") for name, lead in slack.items()}
    moves = [f"{f'moves {name} by' if name else effect} more than {size:,.10g}" for name, size in sizes.items()]
    text = f"Something that happens in 1 of {times:,} cases may be missing from {of}"
    text = f"{text}; if it {' or '.join(moves)} each time, the answer changes."
    return Note("unseen", options, next(iter(sizes.values())), text, "assumption")
