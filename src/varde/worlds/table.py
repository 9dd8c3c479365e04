"""Tables: a world that is sampled inside the kernel, with names for its states and actions."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..check import shown
from .function import mover_at
from .record import World, world_of


@dataclass(frozen=True)
class Table:
    """A world that is sampled inside the kernel, the names of its states and actions, and where episodes start."""

    model: World
    states: Sequence[Hashable]  # [S] names
    actions: Sequence[Hashable]  # names of the labels
    start: int = 0  # the one state to plan from unless another is named
    index: Mapping[Hashable, int] = field(default_factory=dict, repr=False)  # name -> state; empty: names are numbers
    starts: Mapping[int, float] = field(default_factory=dict, repr=False)  # state -> probability; empty: ``start``
    horizon: int | None = None  # how far to look ahead, and
    discount: float | None = None  # the discount factor, if the user gives none

    def __post_init__(self) -> None:
        object.__setattr__(self, "model", world_of(self.model))
        if not self.starts:
            object.__setattr__(self, "starts", {self.start: 1.0})

    def state(self, name: Hashable) -> int:
        """The number of a state, from its name."""
        if isinstance(name, Hashable) and name in self.index:
            return self.index[name]
        if not self.index and isinstance(name, (int, np.integer)) and 0 <= name < len(self.states):
            return int(name)
        raise ValueError(
            f"{shown(name)} is not a state of this model: write one of its {len(self.states)} states, "
            f"such as {self.states[0]!r}"
        )

    def legal(self, state: int) -> list[Hashable]:
        """The names of the legal actions of ``state``, in order."""
        first, width = self.model.states[state][["first", "width"]].tolist()
        return [self.actions[label] for label in self.model.pairs["label"][first : first + width].tolist()]

    def mover(self, state: int) -> int:
        """The player who moves in ``state``: 0, or 1 for the second player of a game."""
        return int(self.model.states["sign"][state] < 0)

    def with_players(self, player: Callable[[Any], int]) -> Table:
        """The table as a game; ``player`` says who moves in a state, by its name."""
        states = self.model.states.copy()
        widths = states["width"].tolist()
        movers = [mover_at(player, name) if width else 0 for name, width in zip(self.states, widths, strict=True)]
        states["sign"] = 1 - 2 * np.array(movers)
        return replace(self, model=self.model._replace(states=states))

    def starting_at(self, name: Hashable) -> Table:
        """The same table with ``state`` as its only start."""
        return replace(self, start=self.state(name), starts={})


def numbered(model: Any) -> Table:
    """A user's model: states and actions are called by their numbers, and the first state is the start."""
    record = world_of(model)
    return Table(record, range(len(record.states)), range(int(record.pairs["label"].max(initial=-1)) + 1))
