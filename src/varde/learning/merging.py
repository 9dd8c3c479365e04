"""The experience of another learner, as turns to replay: all of them from a file, their sums from memory."""

from __future__ import annotations

import math
import os
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from .._files import StoreError
from ..rows import END, Rows
from .loop import NOWHERE

if TYPE_CHECKING:
    from .learner import Learner

Turn = tuple[int, int, int, int, int, int, float]  # the columns of ``store.TURN``

Told = tuple[Sequence[Hashable], Sequence[Sequence[Hashable]], Iterable[Turn], int | None]


def told_in(path: str | os.PathLike[str]) -> Told:
    """Names, actions and turns of a learner in a file, and its horizon."""
    if not os.path.isfile(path):
        raise StoreError(f"there is no file {path}: write a Learner, or the name of a store")
    from .store import Store  # sqlite is imported only where there is a file

    store = Store(path)
    try:
        states, (turns, _) = store.states(), store.history()
        return (
            [name for name, _, _ in states],
            [legal for _, legal, _ in states],
            turns.tolist(),
            store.settings()["horizon"],
        )
    finally:
        store.close()


def told_by(other: Learner) -> Told:
    """The same for a learner in memory, which keeps sums: rewards with the same mean and variance."""
    with other.use.lock:
        seen, end = other.seen, other.atlas.end
        names, legal = list(other.atlas.called), list(other.atlas.legal)
    if end < 0:
        names, legal, end = [*names, None], [*legal, ()], len(names)
    return names, legal, turns_of(seen, end), other.horizon


def turns_of(seen: Rows, end: int) -> Iterator[Turn]:
    for s, count in enumerate(seen.starts.tolist()):
        for _ in range(count):
            yield 0, NOWHERE, s, -1, 0, 1, 0.0
    owners = seen.owners.tolist()
    for pair, s in enumerate(owners):
        rows = slice(seen.rows[pair], seen.rows[pair + 1])
        counts = seen.counts[rows]
        paired = 2 * (counts // 2).sum()
        apart = math.sqrt(seen.squares[pair] / paired) if paired else 0.0
        for to, count, mean in zip(seen.to[rows].tolist(), counts.tolist(), seen.means[rows].tolist(), strict=True):
            after, action = end if to == END else to, pair - int(seen.first[s])
            for sign in [1.0, -1.0] * (count // 2) + [0.0] * (count % 2):
                yield 0, s, s, action, after, 0, mean + sign * apart
