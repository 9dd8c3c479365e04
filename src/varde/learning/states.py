"""The states a learner has visited, by name: from the world, from a file, or from another learner."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from typing import Any

from ..worlds.discovered import Discovered
from ..worlds.function import Actions, unpack


class Places(Discovered):
    """The states visited, by name in ``called``; all terminal states are one."""

    def __init__(self, actions: Actions, key: Callable[[Any], Hashable] | None):
        super().__init__(actions, key)
        self.called: list[Hashable] = []
        self.end = -1

    def meet(self, state: Any, over: bool = False, by: Hashable = None) -> int:
        if over:
            if self.end < 0:
                self.end = self._add(None, True)
                self.called.append(None)
            return self.end
        number = super().meet(state)
        if number == len(self.called):
            self.called.append(self.name(state))
        elif self.recalled and number in self.recalled:
            self.states[number] = state
            self.recalled.remove(number)
        return number

    def _add(self, state: Any, over: bool, by: Hashable = None) -> int:
        if isinstance(state, float) and math.isnan(state):
            raise ValueError("the state is nan, which is not even equal to itself: give it a name")
        return super()._add(state, over, by)

    def take(self, answer: Any, s: int, a: int) -> tuple[int, float, bool]:
        found = super().take(answer, s, a)
        if self.recalled and found[0] in self.recalled:
            self.meet(unpack(answer)[0])
        return found

    def recall(self, name: Hashable, actions: Sequence[Hashable]) -> int:
        """The number of a state from its name and actions; the state itself is known when it is visited."""
        number = self.numbers.get(name)
        if number is None:
            number = self._add_with(name, actions)
            self.numbers[name] = number
            self.called.append(name)
            if self.key is not None:
                self.recalled.add(number)
        return number

    def mend(self) -> None:
        super().mend()
        whole = min(len(self.legal), len(self.called))
        del self.states[whole:], self.legal[whole:], self.called[whole:]
        for name in [name for name, number in self.numbers.items() if number >= whole]:
            del self.numbers[name]
