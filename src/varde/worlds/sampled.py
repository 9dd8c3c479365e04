"""Sampled actions: too many to list, or continuous.  A state has slots, which get their actions when first taken."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any

import numpy as np

from ..check import shown
from .function import Sample, SimulationError

SLOTS, AT_START = 4, 16  # of a new state, and of the root: few, since most states are seen once
MOST = 64  # most slots of a state
TRIES = 20  # draws for an action that the state does not have yet
EDGE = 0.25  # probability of either bound of an interval: the best force is often the largest


class Slots(Sequence[Any]):
    """The actions of a state, one per slot; those that were asked for have a name.

    The first is the action that led to the state, ``by``, if one did.
    """

    __slots__ = ("names", "rng", "sample", "size", "state")

    def __init__(self, state: Any, size: int, sample: Sample, rng: np.random.Generator, by: Hashable = None):
        self.state, self.size, self.sample, self.rng = state, size, sample, rng
        self.names: dict[int, Hashable] = {} if by is None else {0: by}

    @property
    def full(self) -> bool:
        """Whether all slots are used and there may be more."""
        return len(self.names) == self.size < MOST

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, slot: Any) -> Any:
        if slot not in self.names:
            if not 0 <= slot < self.size:
                raise IndexError(slot)
            self.names[slot] = self._drawn()
        return self.names[slot]

    def _drawn(self) -> Hashable:
        taken = set(self.names.values())
        for _ in range(TRIES):
            try:
                action = self.sample(self.state, self.rng)
                if action not in taken:
                    break
            except Exception as error:
                words = f"{type(error).__name__}: {error}"
                if isinstance(error, TypeError) and "unhashable" in str(error):
                    words = f"it returned {shown(action)}: return a number, a string or a tuple of numbers"
                raise SimulationError(f"sample_action failed in state {shown(self.state)}: {words}") from error
        return action

    def __iter__(self) -> Iterator[Any]:
        """Those that have a name."""
        return iter([self.names[slot] for slot in sorted(self.names)])

    def __contains__(self, action: object) -> bool:
        return action in self.names.values()

    def index(self, action: Any, *bounds: Any) -> int:
        """Its slot; an action that has none gets a free one."""
        for slot, name in self.names.items():
            if name == action:
                return slot
        free = next((slot for slot in range(self.size) if slot not in self.names), None)
        if free is None:
            raise ValueError(f"{action!r} is not among the actions drawn so far: write one of {[*self.names.values()]}")
        self.names[free] = action
        return free


def of_box(space: Any) -> Sample:
    """Actions of a Gymnasium Box as tuples of numbers: between the bounds, and often at one of them."""
    low, high = np.ravel(space.low).astype(float), np.ravel(space.high).astype(float)
    bounded = np.isfinite(low) & np.isfinite(high)

    def sample(state: Any, rng: np.random.Generator) -> tuple[float, ...]:
        drawn, where = rng.random(low.size), rng.random(low.size)
        free = np.clip(rng.standard_normal(low.size), low, high)
        inside = np.where(bounded, low + np.where(bounded, high - low, 0.0) * drawn, free)
        at = np.where(where < EDGE, low, np.where(where > 1.0 - EDGE, high, inside))
        return tuple(np.where(np.isfinite(at), at, inside).tolist())

    return sample


def is_box(space: Any) -> bool:
    """Whether the action space is continuous."""
    return type(space).__name__ == "Box" and getattr(space, "dtype", np.dtype(int)).kind == "f"
