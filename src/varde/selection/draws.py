"""A draw: one evaluation of one option, with its own seed.

The seed of replicate r of an option is a function of (seed of the selection, name of the option, r) and nothing else:
not of the order of the draws, the number of workers, or whether the program was stopped in between.  With common
random numbers the name is left out, so replicate r of every option has the same seed.

With a fixed test set replicate r of every option is the same item, the r-th of one common shuffled order.

Seeds are 31 bits, which C, numpy, torch and a shell all take.  Two replicates of one option never share one: the seeds
of an option are a keyed permutation of 0 .. 2**31 - 1.
"""

from __future__ import annotations

import typing
from typing import TYPE_CHECKING, Any, Generic, NamedTuple

from ..random import key

BITS = 0x7FFFFFFF
MOST = 65_536  # options whose keys are remembered


if TYPE_CHECKING:
    from typing_extensions import TypeVar  # with a default, as in Python 3.13

    T = TypeVar("T", default=Any)
else:
    T = typing.TypeVar("T")


class Draw(NamedTuple, Generic[T]):
    """What to evaluate: ``option`` with ``seed``.  Answer with ``tell(draw, value)`` or ``fail(draw)``."""

    id: int  # enough to answer with
    option: T
    name: str
    seed: int
    replicate: int  # which draw of this option it is, from 0
    item: Any = None  # what to judge it on, where there is a fixed test set
    item_name: str | None = None
    context: Any = None  # where to evaluate it, where the decision depends on that


class Seeds:
    """The seed of every draw that can ever be made."""

    def __init__(self, seed: int, crn: bool):
        self.seed, self.crn = seed, crn
        self.keys: dict[str, tuple[int, ...]] = {}

    def __call__(self, name: str, replicate: int) -> int:
        owner = "" if self.crn else name
        words = self.keys.get(owner)
        if words is None:
            if len(self.keys) >= MOST:
                self.keys = {}
            what = ("common draws",) if self.crn else ("draws", name)
            words = self.keys[owner] = tuple(int(word) for word in key(self.seed, "select", *what))
        return permuted(words, replicate)


def shuffled(seed: int, size: int) -> list[int]:
    """The items by number, in the order in which every option sees them."""
    words = tuple(int(word) for word in key(seed, "select", "items"))
    return sorted(range(size), key=lambda item: permuted(words, item))


def permuted(words: tuple[int, ...], number: int) -> int:
    """``number`` under the permutation of 31-bit words that ``words`` stand for.

    Adding a constant, multiplying by an odd one and xoring with the own upper bits can each be undone.
    """
    x = (number + words[0]) & BITS
    x ^= x >> 16
    x = (x * (words[1] | 1)) & BITS
    x ^= x >> 15
    x = ((x ^ (words[2] & BITS)) * 0x2C1B3C6D) & BITS
    x ^= x >> 13
    x = ((x + words[3]) * 0x297A2D39) & BITS
    return x ^ (x >> 16)
