"""Knowledge given to a search: values of states, and priors of actions."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from ..check import FINITE, LARGEST, as_float, shown
from .function import SimulationError, asked

DOUBT = 0.1  # share of a prior that is spread evenly: a wrong prior delays an action but does not hide it


class Knowledge:
    """``value(state)`` and ``prior(state)``, as far as they are given."""

    def __init__(
        self,
        value: Callable[[Any], Any] | None = None,
        prior: Callable[[Any], Mapping[Hashable, float] | Sequence[float]] | None = None,
    ):
        for name, given in (("value", value), ("prior", prior)):
            if given is not None and not callable(given):
                raise TypeError(f"{name} is {shown(given)}: write a function {name}(state)")
        self.value, self.prior = value, prior

    def values(self, states: list[Any]) -> list[float]:
        """The given value of each state."""
        assert self.value is not None
        return [sound(asked("value", self.value, state), state) for state in states]

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
