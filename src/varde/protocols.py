"""Types of what users write: decisions, bandits, algorithms, stopping rules, worlds.

Settings of every kind are records: a ``NamedTuple`` whose type selects the code (``@verb.of(Record)``), in Python and
in compiled code alike.  mypy checks that a record is passed; ``varde.testing`` checks that it keeps its contract.
The protocol of a store is ``varde.selection.log.EventLog``.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Protocol, SupportsFloat, runtime_checkable

import numpy as np

__all__ = ["Algorithm", "Bandit", "Decision", "Environment", "Record", "Stopping", "World"]


@runtime_checkable
class Record(Protocol):
    """An immutable record of numbers, arrays of numbers and other records.

    >>> import varde
    >>> isinstance(varde.decisions.LogSumExp(0.1), Record), isinstance("ucb", Record)
    (True, False)
    """

    @property
    def _fields(self) -> tuple[str, ...]: ...


class Decision(Record, Protocol):
    """What to decide from estimates: has a case of ``weigh``, or of ``value`` and ``influence`` (``varde.decisions``).

    >>> import varde
    >>> from typing import NamedTuple
    >>> from varde.decisions import influence, value
    >>> class Total(NamedTuple):
    ...     scale: float = 1.0
    >>> @value.of(Total)
    ... def total(decision, values, weights):
    ...     return decision.scale * values.sum()
    >>> @influence.of(Total)
    ... def constant(decision, values, weights):
    ...     weights[:] = decision.scale
    >>> float(varde.decisions.evaluate(Total(2.0), [1.0, 2.0]))
    6.0
    """


class Bandit(Record, Protocol):
    """A bandit problem: has a case of ``pull`` and, without a field ``means``, of ``true_means`` (``varde.bandits``).

    >>> import numpy as np
    >>> from typing import NamedTuple
    >>> from varde.bandits.problems import pull
    >>> from varde.random import uniform
    >>> class Dice(NamedTuple):
    ...     means: np.ndarray
    >>> @pull.of(Dice)
    ... def throw(bandit, arm, rng):
    ...     return 2.0 * bandit.means[arm] * uniform(rng)
    """


class Algorithm(Record, Protocol):
    """Chooses the next sample: has cases of the verbs of its family.

    For bandits ``select`` (``varde.bandits.loop``), for tree search ``columns``, ``select`` and ``update``
    (``varde.planning.trial``), for learning ``act`` (``varde.learning.loop``); the other verbs are optional.

    >>> from typing import NamedTuple
    >>> from varde.bandits.loop import select
    >>> class RoundRobin(NamedTuple):
    ...     pass
    >>> @select.of(RoundRobin)
    ... def next_in_turn(algorithm, memory, arms, t, rng):
    ...     return t % arms.counts.size
    """


class Stopping(Protocol):
    """A stopping rule for selections, checked after every result; ``varde.Stop`` is one.

    >>> class Enough:
    ...     def satisfied(self, results):
    ...         return results.counts.min() >= 30
    """

    def satisfied(self, results: Any, /) -> bool:
        """Whether to stop, given the count, mean and sum of squared deviations of the results of each option.

        ``results`` is a ``varde.certainty.stopping.Results``, in which larger is better whatever the goal.
        """
        ...


@runtime_checkable
class World(Protocol):
    """A simulator that gives one transition at a time, for ``varde.plan`` and ``varde.learn``.

    >>> class Coin:
    ...     start = 0
    ...     def actions(self, state):
    ...         return ["toss", "stop"] if state < 3 else []
    ...     def step(self, state, action, rng):
    ...         heads = float(rng.random() < 0.5)
    ...         return (state + 1, heads, False) if action == "toss" else (state, 0.0, True)
    >>> isinstance(Coin(), World)
    True

    States are hashable (or come with ``key``), and a step must change nothing but ``rng``.  ``step`` returns
    (state, reward), (state, reward, over) or Gymnasium's five.  Optional: ``start``, a state or a function of a
    Generator; ``player(state)``, who moves in a game of two: 0, whose rewards ``step`` returns, or 1; ``horizon``, the
    steps after which an episode is over at the latest.
    """

    def actions(self, state: Any, /) -> Sequence[Hashable]:
        """The legal actions; none where the episode is over."""
        ...

    def step(self, state: Any, action: Any, rng: np.random.Generator, /) -> Sequence[Any]:
        """One transition."""
        ...


class Environment(Protocol):
    """A Gymnasium environment."""

    @property
    def unwrapped(self) -> Any: ...

    @property
    def action_space(self) -> Any: ...

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode."""
        ...

    def step(self, action: Any, /) -> tuple[Any, SupportsFloat, bool, bool, dict[str, Any]]:
        """Observation, reward, terminated, truncated, info."""
        ...
