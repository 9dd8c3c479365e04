"""``Policy``, the result of ``learn``: an action for every state, its value, and how sure all this is."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, overload

import numpy as np

from ...certainty import Certificate
from ...rows import END, Rows
from ..certificate import Certified, certificate
from ..certificate.certify import LEVELS
from ..within import Within

CERTAIN = 0.05  # a decision that is wrong with a larger probability is called uncertain
Interval = tuple[float, float]


@dataclass(frozen=True, repr=False, eq=False)
class Policy:
    """A learned policy: an action for every state, its estimated value, and where it may still be wrong.

    >>> import varde
    >>> policy = varde.learn(varde.environments.river_swim(5), 10_000, discount=0.99)
    >>> policy[0], policy.uncertain
    ('right', [])
    >>> policy
    <Policy: 5 states, 10,000 steps, within 1 % of the best with a chance of 99.2 %>

    ``policy[state]`` is the action; ``values``, ``intervals``, ``doubt``, ``chances`` and ``visits`` are also by state.
    ``doubt`` is the chance that another action is better by more than 0.1 % of the range of all values; it is 1 where
    an action was never tried.  States in which the episode is over have no action.
    """

    states: Sequence[Hashable]  # [S] names
    legal: Sequence[Sequence[Hashable]]  # [S] the names of their actions
    choices: np.ndarray  # [S] the actions by number
    seen: Rows  # the experience it was learned from
    discount: float
    stopped: str = "budget"  # or "sure", "seconds", "interrupted", "not yet"
    key: Callable[[Any], Hashable] | None = None  # gives a state its name
    shape: tuple[int, int] | None = None  # rows and columns of a world whose states are numbered cells
    unknown_states: list[Any] = field(default_factory=list)  # states never visited for which a call asked for an action

    # -- what to do --------------------------------------------------------------------------------

    @cached_property
    def index(self) -> dict[Hashable, int]:
        """The place of every state."""
        return {name: s for s, name in enumerate(self.states)}

    def __getitem__(self, state: Any) -> Hashable:
        s = self._place(state)
        if s < 0:
            raise KeyError(
                f"{state!r} is not one of the {len(self.states)} states visited that have actions"
                + (f", such as {self.states[0]!r}" if self.states else "")
                + ": policy(state) returns policy.fallback there, policy.get(state, default) an action of yours"
            )
        return self.legal[s][self.choices[s]]

    def get(self, state: Any, default: Any = None) -> Any:
        """Return the action, or ``default`` in a state that was never visited."""
        s = self._place(state)
        return default if s < 0 else self.legal[s][self.choices[s]]

    def __call__(self, state: Any) -> Hashable:
        """Return the action; in a state never visited the fallback, and the state is added to ``unknown_states``.

        A call takes a state as the world shows it, while square brackets look for a name first; the two may differ if
        ``key`` maps numbers to numbers.
        """
        s = self._numbered(state if self.key is None else self.key(state))
        if s < 0:
            self.unknown_states.append(state)
            return self.fallback
        return self.legal[s][self.choices[s]]

    @cached_property
    def fallback(self) -> Hashable:
        """The most common action, each state counted as often as it was visited."""
        often: dict[Hashable, int] = {}
        for names, choice, count in zip(self.legal, self.choices.tolist(), self.state_counts.tolist(), strict=True):
            often[names[choice]] = often.get(names[choice], 0) + count
        return max(often, key=often.__getitem__)

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.states)

    def __len__(self) -> int:
        return len(self.states)

    def __contains__(self, state: object) -> bool:
        return self._numbered(state) >= 0

    def keys(self) -> Sequence[Hashable]:
        return self.states

    def _place(self, state: Any) -> int:
        s = self._numbered(state)
        return s if s >= 0 or self.key is None else self._numbered(self.key(state))

    def _numbered(self, name: Any) -> int:
        try:
            return self.index.get(name, -1)
        except TypeError:  # something in it cannot be hashed
            return -1

    # -- what it is worth --------------------------------------------------------------------------

    @cached_property
    def certified(self) -> Certified:
        """The certificate behind values, intervals and chances."""
        return certificate(self.seen, self.discount, self.choices)

    @property
    def value(self) -> float:
        """The estimated value of the policy where episodes begin."""
        return self.certified.value[0]

    @property
    def interval(self) -> Interval:
        """The 95 % interval of ``value``."""
        return self.certified.value[1:]

    @cached_property
    def values(self) -> dict[Hashable, float]:
        """The estimated value of the policy by state."""
        return dict(zip(self.states, self.certified.solved.values.tolist(), strict=True))

    @cached_property
    def intervals(self) -> dict[Hashable, Interval]:
        """By state: the 95 % interval of the value."""
        lows, highs = self.certified.intervals
        return dict(zip(self.states, zip(lows.tolist(), highs.tolist(), strict=True), strict=True))

    # -- how sure ----------------------------------------------------------------------------------

    @property
    def doubts(self) -> np.ndarray:
        """[S] ``doubt`` as an array."""
        return self.certified.doubts

    @cached_property
    def doubt(self) -> dict[Hashable, float]:
        """By state: the chance that another action is better by more than 0.1 % of the range of all values."""
        return dict(zip(self.states, self.doubts.tolist(), strict=True))

    @cached_property
    def chances(self) -> dict[Hashable, dict[Hashable, float]]:
        """By state and action: the chance that the action is the best."""
        return self._by_action(self.certified.chances.tolist())

    @property
    def p_right(self) -> float:
        """The chance that no policy is better, where episodes begin, by more than 1 % of the range of all values.

        This is judged from the actions tried; ``untested_gain`` is what the others might add.
        """
        return self.certified.p_good

    @property
    def untested_gain(self) -> float:
        """What an action never tried might add where episodes begin, if it led to the best that was seen."""
        return self.certified.untested_gain

    def settled(self, within: Within) -> bool:
        """Whether the policy is as good as ``within`` asks for."""
        return self.certified.settled(within)

    @property
    def expected_loss(self) -> float:
        """The expected loss against the best policy where episodes begin, given the data."""
        return self.certified.loss

    def certificate(self, state: Hashable) -> Certificate:
        """How sure the action in ``state`` is: the chance that each action is the best, and the expected loss."""
        action = self[state]
        s = self._place(state)
        chances = self.chances[self.states[s]]
        return Certificate(chances, chances[action], self.certified.regret(s), self.stopped, self.spent)

    @property
    def uncertain(self) -> list[Hashable]:
        """The states whose action is the best with a chance below 95 %, most doubtful first."""
        return [self.states[s] for s in self.by_doubt if self.doubts[s] > CERTAIN]

    @cached_property
    def by_doubt(self) -> list[int]:
        """The states by number, most doubtful first; ties by visits."""
        return np.lexsort((-self.certified.reach, -self.doubts)).tolist()

    # -- what was done, and what more would do -------------------------------------------------------

    @property
    def spent(self) -> int:
        """The number of steps it was learned from."""
        return int(self.seen.counts.sum())

    @cached_property
    def counts(self) -> np.ndarray:
        """[S, A] how often each action was taken."""
        widths = np.diff(self.seen.first)
        table = np.zeros((widths.size, widths.max(initial=0)), np.int64)
        table[np.arange(table.shape[1]) < widths[:, None]] = self.seen.tried
        return table

    @cached_property
    def state_counts(self) -> np.ndarray:
        """[S] how often an action was taken in each state."""
        return self.counts.sum(1)

    @cached_property
    def visits(self) -> dict[Hashable, dict[Hashable, int]]:
        """How often each action was taken."""
        return self._by_action(self.seen.tried.tolist())

    @property
    def untried_states(self) -> list[Hashable]:
        """The states in which no action was ever tried."""
        return [self.states[s] for s in np.flatnonzero(self.state_counts == 0).tolist()]

    def most_useful(self, many: int = 10) -> list[tuple[Hashable, Hashable]]:
        """Where more data would help: (state, action) by how much one more sample lowers the expected loss."""
        helps, owners = self.certified.helps, self.seen.owners
        found = [p for p in np.argsort(-helps, kind="stable")[:many].tolist() if helps[p] > 0.0]
        return [(self.states[s], self.legal[s][p - self.seen.first[s]]) for p in found for s in [int(owners[p])]]

    @property
    def more_budget(self) -> dict[float, float]:
        """About how many more steps ``p_right`` of 95 % and 99 % would take; infinite beyond 1000 times those made."""
        return {level: self.certified.forecast(level) for level in LEVELS}

    def _by_action(self, column: list[Any]) -> dict[Hashable, dict[Hashable, Any]]:
        first = self.seen.first.tolist()
        return {
            name: dict(zip(legal, column[first[s] : first[s + 1]], strict=True))
            for s, (name, legal) in enumerate(zip(self.states, self.legal, strict=True))
        }

    # -- as text, page and file ----------------------------------------------------------------------

    @property
    def sentence(self) -> str:
        """The value of the policy, how sure it is, and what would settle it, in a sentence."""
        from .text import sentence

        return sentence(self)

    def __repr__(self) -> str:
        from .text import brief

        return brief(self)

    def __str__(self) -> str:
        from .text import as_text

        return as_text(self)

    @overload
    def to_html(self) -> str: ...
    @overload
    def to_html(self, path: str | Path) -> None: ...
    def to_html(self, path: str | Path | None = None) -> str | None:
        """Write a page to ``path``, or return it without one: a map if states are cells of a grid, else a table."""
        from .picture import whole_page

        page = whole_page(self)
        if path is None:
            return page
        Path(path).write_text(page, encoding="utf-8")
        return None

    def _repr_html_(self) -> str:
        from .picture import fragment

        return fragment(self)

    def save(self, path: str | Path) -> None:
        """Write the policy to a JSON file, with the experience it was learned from.

        States and actions may be strings, numbers, or tuples of them.
        """
        from .file import write

        write(self, Path(path))

    @classmethod
    def load(cls, path: str | Path, key: Callable[[Any], Hashable] | None = None) -> Policy:
        """Read what ``save`` wrote; a ``key``, if there was one, must be given again."""
        from .file import read

        return read(Path(path), key)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Policy):
            return NotImplemented
        return (
            list(self.states) == list(other.states)
            and [tuple(names) for names in self.legal] == [tuple(names) for names in other.legal]
            and (self.discount, self.stopped, self.shape) == (other.discount, other.stopped, other.shape)
            and np.array_equal(self.choices, other.choices)
            and all(np.array_equal(a, b) for a, b in zip(self.seen, other.seen, strict=True))
        )

    __hash__: ClassVar[None] = None  # type: ignore[assignment]


def policy_of(
    seen: Rows,
    discount: float,
    states: Sequence[Hashable],
    legal: Sequence[Sequence[Hashable]],
    choices: np.ndarray | None = None,
    stopped: str = "budget",
    key: Callable[[Any], Hashable] | None = None,
) -> Policy:
    """The best policy of the model of the data, or the one given by ``choices``, an action number for each state.

    States without actions, where episodes are over, are left out.
    """
    kept = np.flatnonzero(np.diff(seen.first) > 0)
    number = np.full(seen.first.size, END)
    number[kept] = np.arange(kept.size)
    seen = seen._replace(
        first=np.append(seen.first[kept], seen.first[-1]), to=number[seen.to], starts=seen.starts[kept]
    )
    sure = certificate(seen, discount) if choices is None else None
    chosen = sure.choices if sure is not None else np.asarray(choices)[kept]
    names = [states[s] for s in kept.tolist()]
    policy = Policy(names, [tuple(legal[s]) for s in kept.tolist()], chosen, seen, float(discount), stopped, key)
    if sure is not None:
        policy.__dict__["certified"] = sure  # found already
    return policy
