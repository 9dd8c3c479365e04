"""``Policy``, the result of ``learn``: an action for every state, its value, and how sure all this is."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from ..._files import StoreError
from ...certainty import Certificate
from ...certainty.assumptions import Note
from ...check import refuse
from ...rows import END, Rows
from ...show import Answer, saving
from ...show.page.text import HTML
from ...show.sentence import Promise
from ...show.sheet import Entry
from ...show.words import DASH, Interval, between, called, named, number, percent
from ...worlds.spaces import hashable
from ..certificate import Certified, certificate
from ..lookout import NOTHING, Noticed
from ..within import Within
from .checking import check, undiscounted
from .reasons import notes_of, promise_of, why

UNSEEN = ("warn", "raise", "fallback")  # what a call does in a state that was never visited
CERTAIN = 0.05  # a decision that is wrong with a larger probability is called uncertain
SHOWN, LEAST = 10, 3  # states that are printed at most, if in doubt, and at least


class Decision(NamedTuple):
    """What is known of one state."""

    state: Hashable
    action: Hashable  # to take there
    n: int  # how often that was tried
    tries: int  # and all actions together
    estimate: float  # of the value of the policy from there; nan if it never acted there
    low: float  # the lower end of the 95 % interval
    high: float  # the upper end
    p_best: float  # the chance that the action is the best
    verdict: str  # certain, in doubt, or untried if it never acted there
    rival: Hashable  # the likeliest of the other actions; None if there is none
    p_rival: float

    @property
    def name(self) -> str:
        return named(self.state)

    @property
    def interval(self) -> Interval:
        return self.low, self.high


@dataclass(frozen=True, repr=False, eq=False)
class Policy(Answer["Policy"]):
    """A learned policy: an action for every state, its estimated value, and where it may still be wrong.

    >>> import varde
    >>> policy = varde.learn(varde.environments.river_swim(5), 10_000, discount=0.99)
    >>> policy[0], policy.uncertain
    ('right', [])

    ``policy[state]`` is the action; ``values``, ``intervals``, ``doubt``, ``chances`` and ``visits`` are also by state.
    ``doubt`` is the chance that another action is better by more than 0.1 % of the range of all values; it is 1 where
    an action was never tried.  States in which the episode is over have no action.
    """

    _kind: ClassVar[str] = "Policy"
    _texts: ClassVar[Sequence[str]] = ("state", "action", "rival")
    _records: ClassVar[Sequence[type]] = (Rows, Within, Noticed)
    _unit: ClassVar[str] = "steps"

    states: Sequence[Hashable]  # [S] names
    legal: Sequence[Sequence[Hashable]]  # [S] the names of their actions
    choices: np.ndarray  # [S] the actions by number
    seen: Rows  # the experience it was learned from
    discount: float
    stopped: str = "budget"  # or "sure", "seconds", "interrupted", "not yet"
    key: Callable[[Any], Hashable] | None = field(default=None, compare=False)  # gives a state its name
    keyed: str = ""  # which one it is: "function", of the user's, or "observations", which are made hashable
    timed: bool = False  # whether states are (state, step), as with a horizon
    # states never visited for which a call asked for an action
    unknown_states: list[Any] = field(default_factory=list, compare=False)
    promise: Within | float | None = None  # the rule that ended learning
    bounds: tuple[float, float] | None = None  # between which all rewards lie, if the world is a table that says so
    noticed: Noticed = NOTHING  # of the world: whether observations are states, and all of them can be reached

    @property
    def best(self) -> Policy:
        """The policy itself."""
        return self

    @property
    def best_name(self) -> str:
        return self._headline()

    # -- what to do --------------------------------------------------------------------------------

    @cached_property
    def index(self) -> dict[Hashable, int]:
        """The place of every state."""
        return {name: s for s, name in enumerate(self.states)}

    def __getitem__(self, state: Any) -> Hashable:
        s = self._place(state)
        if s < 0:
            self._named(state)  # which refuses if the key is missing
            raise KeyError(
                f"{state!r} is not one of the {len(self.states)} states visited that have actions"
                + (f", such as {self.states[0]!r}" if self.states else "")
                + ": policy(state) warns and returns policy.fallback, policy.get(state, default) an action of yours"
            )
        return self.legal[s][self.choices[s]]

    def get(self, state: Any, default: Any = None) -> Any:
        """Return the action, or ``default`` in a state that was never visited."""
        s = self._place(state)
        return default if s < 0 else self.legal[s][self.choices[s]]

    def __call__(self, state: Any, unseen: str = "warn") -> Hashable:
        """Return the action in a state as the world shows it; square brackets look for a name first.

        In a state never visited it returns the ``fallback`` and adds the state to ``unknown_states``: with a warning,
        without one if ``unseen`` is "fallback"; or it raises, if that is "raise".
        """
        s = self._numbered(self._named(state))
        if s >= 0:
            return self.legal[s][self.choices[s]]
        if unseen not in UNSEEN:
            refuse("unseen", unseen, f"one of {UNSEEN}")
        if unseen == "raise":
            return self[state]
        self.unknown_states.append(state)
        if unseen == "warn":
            warnings.warn(
                f"{state!r:.100} is not one of the {len(self.states):,} states visited, so the usual action is taken: "
                'write policy(state, unseen="raise"), or unseen="fallback" if that is meant',
                stacklevel=2,
            )
        return self.fallback

    @cached_property
    def fallback(self) -> Hashable:
        """The usual action, for states never visited; each state counts as often as it was visited."""
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
        return s if s >= 0 or self.key is None else self._numbered(self._named(state))

    def _named(self, state: Any) -> Any:
        if self.key is None and self.keyed:
            raise ValueError(
                "this policy was learned with key=, a function, which no file keeps: write "
                "varde.Policy.load(path, key=function), or policy[name] if you have the name itself"
            )
        if self.key is None:
            return state
        return (self.key(state[0]), state[1]) if self.timed else self.key(state)

    def _numbered(self, name: Any) -> int:
        try:
            return self.index.get(name, -1)
        except TypeError:  # something in it cannot be hashed
            return -1

    # -- what it is worth --------------------------------------------------------------------------

    @cached_property
    def certified(self) -> Certified:
        """The certificate behind values, intervals and chances."""
        return certificate(self.seen, self.discount, self.choices, self.bounds, self.noticed)

    @property
    def value(self) -> float:
        """The estimated value of the policy where episodes begin: the expected return, discounted."""
        return self.certified.value[0]

    @cached_property
    def episode_return(self) -> float:
        """What an episode pays on average, not discounted, by the model of the data; nan if episodes do not end."""
        return undiscounted(self)

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

        Actions never tried are taken to be like the others of their state; ``untested_gain`` is what they might add.
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
    def expected_regret(self) -> float:
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
        """The states by number, most doubtful first; ties by how likely an episode gets there."""
        return np.lexsort((-self.certified.access, -self.doubts)).tolist()

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

    def _by_action(self, column: list[Any]) -> dict[Hashable, dict[Hashable, Any]]:
        first = self.seen.first.tolist()
        return {
            name: dict(zip(legal, column[first[s] : first[s + 1]], strict=True))
            for s, (name, legal) in enumerate(zip(self.states, self.legal, strict=True))
        }

    # -- how it is shown -----------------------------------------------------------------------------

    @cached_property
    def rows(self) -> Sequence[Decision]:
        """A row per state, in the order of ``states``."""
        return self._decisions(range(len(self)))

    @property
    def notes(self) -> Sequence[Note]:
        """What else is to be said of the policy, and what it assumes."""
        return notes_of(self)

    @property
    def ranked(self) -> Sequence[Decision]:
        """The same, most doubtful first."""
        return [self.rows[s] for s in self.by_doubt]

    def _decisions(self, states: Sequence[int]) -> list[Decision]:
        """The rows of some states by number."""
        sure, first, tried = self.certified, self.seen.first, self.seen.tried
        lows, highs = sure.intervals
        found = []
        for s in states:
            pairs = slice(int(first[s]), int(first[s + 1]))
            chances, tries, taken, names = sure.chances[pairs], tried[pairs], int(self.choices[s]), self.legal[s]
            acted = bool(tries.any())
            rivals = np.where(np.arange(chances.size) == taken, -1.0, chances)
            rival = int(rivals.argmax())
            ends = (float(lows[s]), float(highs[s])) if acted else (-np.inf, np.inf)
            verdict = "untried" if not acted else "in doubt" if self.doubts[s] > CERTAIN else "certain"
            others = (names[rival], float(rivals[rival])) if len(names) > 1 else (None, 0.0)
            value, chance = float(sure.solved.values[s]) if acted else np.nan, float(chances[taken])
            tally = names[taken], int(tries[taken]), int(tries.sum())
            found.append(Decision(self.states[s], *tally, value, *ends, chance, verdict, *others))
        return found

    def _top(self, most: int) -> Sequence[Decision]:
        return self._decisions(self.by_doubt[:most])

    def _printed(self) -> Sequence[Decision]:
        return self._top(min(max(len(self.uncertain), LEAST), SHOWN))

    def _rest(self, shown: int) -> str:
        rest = len(self.uncertain) - shown
        return f"and {rest:,} more in doubt" if rest > 0 else ""

    def _headline(self, most: int = 0) -> str:
        return f"A policy for {len(self):,} state{'' if len(self) == 1 else 's'}"

    def _reasons(self, most: int) -> Sequence[str]:
        return why(self)

    def _promise(self) -> Promise | None:
        return promise_of(self)

    def _entries(self, row: Decision, decimals: int | None) -> dict[str, Entry]:
        acted, rival = row.verdict != "untried", DASH
        if row.rival is not None:
            never = self.visits[row.state][row.rival] == 0
            rival = f"{called(row.rival)}, never tried" if never else f"{called(row.rival)} ({percent(row.p_rival)})"
        return {
            "state": row.name,
            "action": called(row.action) if acted else DASH,
            "P(best)": percent(row.p_best),
            "rival": rival,
            "value": number(row.estimate, decimals),
            "95 % interval": between(row.interval, decimals),
            "tries": f"{row.n:,} of {row.tries:,}",
        }

    def _drawn(self, brief: bool) -> HTML:
        from ...show.states import contents

        return contents(self, brief)

    def _axes(self) -> tuple[str, str, str, float | None]:
        return "discounted value", "tries", "P(best)", None

    def _about(self) -> dict[str, Any]:
        paid = self.episode_return
        return {
            "value": self.value,
            "discount": self.discount,
            "episode_return": paid if np.isfinite(paid) else None,
            "untested_gain": self.untested_gain if np.isfinite(self.untested_gain) else None,
        }

    # -- kept ----------------------------------------------------------------------------------------

    def _state(self) -> dict[str, Any]:
        """A key is a function, which a file cannot hold."""
        return super()._state() | {"legal": [tuple(names) for names in self.legal], "states": list(self.states)}

    @classmethod
    def load(cls, path: str | Path, key: Callable[[Any], Hashable] | None = None) -> Self:
        """Read what ``save`` wrote; a ``key``, if there was one, must be given again to call the policy."""
        state = saving.read(cls._kind, Path(path), cls._records)
        policy = cls._of_state(state, path)
        try:
            check(policy)
        except (TypeError, ValueError, IndexError, AttributeError) as error:
            raise StoreError(f"{path} is damaged ({error}): use a copy, or learn again") from error
        if key is not None and policy.keyed != "function":
            raise ValueError(f"{path} was learned without key=: leave it out")
        object.__setattr__(policy, "key", hashable if policy.keyed == "observations" else key)
        return policy


def policy_of(
    seen: Rows,
    discount: float,
    states: Sequence[Hashable],
    legal: Sequence[Sequence[Hashable]],
    stopped: str = "budget",
    key: Callable[[Any], Hashable] | None = None,
    bounds: tuple[float, float] | None = None,
    timed: bool = False,
    noticed: Noticed = NOTHING,
) -> Policy:
    """The best policy of the model of the data; states without actions, where episodes are over, are left out."""
    kept = np.flatnonzero(np.diff(seen.first) > 0)
    number = np.full(seen.first.size, END)
    number[kept] = np.arange(kept.size)
    seen = seen._replace(
        first=np.append(seen.first[kept], seen.first[-1]), to=number[seen.to], starts=seen.starts[kept]
    )
    sure = certificate(seen, discount, None, bounds, noticed)
    names = [states[s] for s in kept.tolist()]
    actions = [tuple(legal[s]) for s in kept.tolist()]
    kind = "" if key is None else "observations" if key is hashable else "function"
    about = {"key": key, "keyed": kind, "timed": timed, "bounds": bounds, "noticed": noticed}
    policy = Policy(names, actions, sure.choices, seen, float(discount), stopped, **about)  # type: ignore[arg-type]
    policy.__dict__["certified"] = sure  # found already
    return policy
