"""The answer of ``learn``: an action for every state, and how sure each is."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ..certainty import Certificate, certify, from_estimates
from .doubt import PRIOR

CERTAIN = 0.05  # a decision that is wrong with a larger probability is called uncertain


@dataclass(frozen=True)
class Policy:
    """An action for every state, what it is estimated to be worth, and where it may still be wrong.

    ``policy[state]`` is the action; ``values``, ``doubt`` and ``visits`` are by state too.  ``doubt`` bounds the
    probability that another action is better, by the delta method on the model of the data; it is 1 where an action was
    never tried.  States in which the episode is over have no action.
    """

    states: Sequence[Hashable] = field(repr=False)  # [S] names
    legal: Sequence[Sequence[Hashable]] = field(repr=False)  # [S] the names of their actions
    choices: np.ndarray  # [S] the actions by number
    worth: np.ndarray  # [S] value in the model of the data
    doubts: np.ndarray  # [S]
    counts: np.ndarray  # [S, A] how often each pair was sampled
    gaps: np.ndarray = field(repr=False)  # [S, A] how much better the chosen action looks
    errors: np.ndarray = field(repr=False)  # [S, A] the standard error of that
    stopped: str = "budget"  # or "seconds", "interrupted", "not yet"
    key: Callable[[Any], Hashable] | None = field(default=None, repr=False)  # makes a name of a state

    @cached_property
    def index(self) -> dict[Hashable, int]:
        """The place of every state."""
        return {name: s for s, name in enumerate(self.states)}

    def __getitem__(self, state: Any) -> Hashable:
        s = self._place(state)
        return self.legal[s][self.choices[s]]

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.states)

    def __len__(self) -> int:
        return len(self.states)

    def __contains__(self, state: object) -> bool:
        return state in self.index

    def keys(self) -> Sequence[Hashable]:
        return self.states

    @property
    def spent(self) -> int:
        """Steps."""
        return int(self.counts.sum())

    @cached_property
    def values(self) -> dict[Hashable, float]:
        """What following the policy from a state is estimated to be worth."""
        return dict(zip(self.states, self.worth.tolist(), strict=True))

    @cached_property
    def doubt(self) -> dict[Hashable, float]:
        """The probability that another action is better, at most."""
        return dict(zip(self.states, self.doubts.tolist(), strict=True))

    @cached_property
    def visits(self) -> dict[Hashable, dict[Hashable, int]]:
        """How often each action was taken."""
        counts = zip(self.states, self.legal, self.counts.tolist(), strict=True)
        return {name: dict(zip(legal, row[: len(legal)], strict=True)) for name, legal, row in counts}

    def certificate(self, state: Hashable) -> Certificate:
        """How sure the action in ``state`` is: the chance of each to be the best, and what is lost on average.

        The gaps share the error of the chosen action, which counts as known here; their chances multiplied are
        a lower bound of its own (Slepian).
        """
        s = self._place(state)
        legal = self.legal[s]
        mine = slice(0, len(legal))
        counts = np.where(
            self.counts[s, mine] > 0, self.counts[s, mine] + PRIOR, 0.0
        )  # the noise is drawn to an average
        taken = int(self.choices[s])
        sample = from_estimates(-self.gaps[s, mine], self.errors[s, mine], counts)
        sample = sample._replace(left=(np.arange(len(legal)) != taken).astype(float))
        return certify(legal, sample, taken, self.stopped, self.spent)

    @property
    def uncertain(self) -> list[Hashable]:
        """The states whose action is the best with less than 95 % certainty, most doubtful first."""
        order = np.argsort(-self.doubts, kind="stable")
        return [self.states[s] for s in order if self.doubts[s] > CERTAIN]

    @property
    def unseen(self) -> list[Hashable]:
        """The states in which no action was ever tried."""
        return [name for name, row in zip(self.states, self.counts, strict=True) if not row.any()]

    def __str__(self) -> str:
        lines = [f"a policy for {len(self.states)} states from {self.spent} steps"]
        lines[0] += {"interrupted": " (interrupted)", "seconds": " (out of time)"}.get(self.stopped, "")
        uncertain, unseen = self.uncertain, self.unseen
        if uncertain:
            more = f" and {len(uncertain) - 10} more" if len(uncertain) > 10 else ""
            lines.append(f"uncertain in {len(uncertain)}: {', '.join(map(str, uncertain[:10]))}{more}")
        else:
            lines.append("no state is uncertain: every action is the best with probability 95 % or more")
        if unseen:
            lines.append(f"{len(unseen)} of them never visited")
        return "\n".join(lines)

    def _place(self, state: Any) -> int:
        if self.key is not None and not (isinstance(state, Hashable) and state in self.index):
            state = self.key(state)
        if state not in self.index:
            raise KeyError(
                f"{state!r} is not one of the {len(self.states)} states with actions that were met"
                + (f", such as {self.states[0]!r}" if self.states else "")
            )
        return self.index[state]
