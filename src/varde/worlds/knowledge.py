"""Knowledge given to a search: values of states, and priors of actions."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from ..check import FINITE, LARGEST, as_float, shown
from .function import SimulationError, asked

DOUBT = 0.1  # share of a prior that is spread evenly: a wrong prior delays an action but does not hide it


class Knowledge:
    """``value(state)`` and ``prior(state)``, as far as they are given.

    If a world has ``step_many``, ``value`` takes many states at once, arranged by ``many`` as they are there.
    """

    def __init__(
        self,
        value: Callable[[Any], Any] | None = None,
        prior: Callable[[Any], Mapping[Hashable, float] | Sequence[float]] | None = None,
        many: Callable[[list[Any]], Any] | None = None,
    ):
        for name, given in (("value", value), ("prior", prior)):
            if given is not None and not callable(given):
                raise TypeError(f"{name} is {shown(given)}: write a function {name}(state)")
        self.value, self.prior, self.many = value, prior, many

    def worths(self, states: list[Any]) -> list[float]:
        """The given value of each state."""
        assert self.value is not None
        if self.many is None:
            return [sound(asked("value", self.value, state), state) for state in states]
        found = asked("value", self.value, self.many(states))
        numbers = found if isinstance(found, (list, tuple)) else np.asarray(found).tolist()
        if not isinstance(numbers, (list, tuple)) or len(numbers) != len(states):
            raise SimulationError(
                f"value returned {shown(found)} for {len(states)} states, the first {shown(states[0])}: it is given "
                "many states, as step_many is; return one number for each"
            )
        return [sound(number, state) for number, state in zip(numbers, states, strict=True)]

    def weights(self, state: Any, names: Sequence[Hashable]) -> np.ndarray:
        """The prior of each action, 1 on average."""
        assert self.prior is not None
        found = asked("prior", self.prior, state)
        wanted = f"return a weight, 0 or more, for each of {shown(list(names))}"
        if isinstance(found, Mapping):
            odd = [name for name in names if name not in found] or list(set(found) - set(names))
            if odd:
                what = "leaves out" if odd[0] not in found else "names"
                raise SimulationError(f"the prior of state {shown(state)} {what} {shown(odd[0])}: {wanted}")
            found = [found[name] for name in names]
        try:
            weights = np.asarray(found, np.float64)
        except (TypeError, ValueError):
            weights = np.zeros(0)
        total = weights.sum() if weights.shape == (len(names),) else 0.0
        if not 0.0 < total <= LARGEST or not (weights >= 0.0).all():
            raise SimulationError(f"the prior of state {shown(state)} is {shown(found)}: {wanted}")
        return (1.0 - DOUBT) * len(names) * (weights / total) + DOUBT


def sound(number: Any, state: Any) -> float:
    found = as_float(number)
    if found is None or not abs(found) <= LARGEST:
        raise SimulationError(f"the value of state {shown(state)} is {shown(number)}: return {FINITE}")
    return found
