"""A world discovered state by state: names in Python, numbers and arrays for the kernels.

A world that gives one transition at a time has no table.  ``Discovered`` gives every state a number and a row at its
first visit, in the record that kernels read (``record.World``): a table whose outcomes must be asked for.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Hashable, Sequence
from dataclasses import is_dataclass
from typing import Any

import numpy as np

from .._compile import in_python
from ..arrays import arrays_of
from ..check import LARGEST, shown
from .function import SimulationError, asked, failed, finite, listing, mover_at, unpack
from .record import MOST_ACTIONS, World, empty

PER_STATE = 130  # bytes of the entries in lists and dictionaries
ROOM = 256  # states to begin with: a search has to be told when they move


class Discovered:
    """The states visited so far, by number: their names in ``states``, the names of their actions in ``legal``.

    >>> known = Discovered(["left", "right"])
    >>> known.meet("shore"), known.meet("island"), known.meet("shore")
    (0, 1, 0)
    >>> known.states, known.legal[1]
    (['shore', 'island'], ('left', 'right'))

    ``actions`` is a list for all states or a function of the state.  ``key`` makes a hashable name from a state that is
    not hashable.  ``player`` says who moves in a state of a game, 0 or 1.  ``knowledge`` is asked about every new
    state; the values of those in ``fresh`` by ``appraise``.  ``slots``, in place of ``actions``, makes slots for the
    actions of a state, given its number and the action that led to it.  ``moved`` is set when the record was
    replaced by a longer one, or when more actions are known than before: users of the record must make room.
    """

    def __init__(
        self,
        actions: Sequence[Hashable] | Callable[[Any], Sequence[Hashable]],
        key: Callable[[Any], Hashable] | None = None,
        player: Callable[[Any], int] | None = None,
        knowledge: Any = None,
        slots: Callable[[Any, int, Hashable], Any] | None = None,
    ):
        self.actions, self.slots = listing(actions), slots
        self.recalled: set[int] = set()  # states of which only the name is known
        self.key, self.player, self.knowledge = key, player, knowledge
        self.fresh: list[int] = []  # states not appraised yet
        self.states: list[Any] = []
        self.legal: list[tuple[Hashable, ...]] = []
        self.numbers: dict[Hashable, int] = {}
        self.ended: dict[Hashable, int] = {}  # states in which an episode ended
        self.labels: dict[Hashable, int] = {}  # action -> which one of the whole world
        self.widest, self.moved = 0, False
        self._listed: Any = ()  # the last list of actions that was checked, its names and labels
        self._names: tuple[Hashable, ...] = ()
        self._labels: list[int] = []
        self._pairs = 0
        self._free: list[int] = []  # free numbers of dropped states
        self._write_to(World(*empty(ROOM, 4 * ROOM, 1)))

    def _write_to(self, record: World) -> None:
        """Memory views, which are faster to write to than arrays."""
        self.record, views = record, in_python(record)
        self._rows, self._slots = views.states, views.pairs.label

    def meet(self, state: Any, over: bool = False, by: Hashable = None) -> int:
        """The number of a state, assigned at its first visit, ``by`` an action; terminal ones are separate."""
        numbers = self.ended if over else self.numbers
        name = self.name(state)
        try:
            found = numbers.get(name)
        except TypeError as error:
            parts = name if type(name) is tuple else (name,)  # the state may come with the time
            kind = next((type(part).__name__ for part in parts if is_dataclass(part)), None)
            frozen = "" if kind is None else f"write @dataclass(frozen=True) above class {kind}, or "
            raise TypeError(
                f"the state {shown(name)} cannot be hashed: {frozen}return something like a tuple, a string or a "
                "number, or write key=... to make such a thing of a state"
            ) from error
        if found is None:
            found = self._add(state, over, by)
            numbers[name] = found
        return found

    def _add(self, state: Any, over: bool, by: Hashable = None) -> int:
        if over:
            return self._add_with(state, ())
        if self.slots is None:
            return self._add_with(state, asked("the actions", self.actions, state))
        self._name_later(asked("sample_action", self.slots, state, len(self.states), by))
        return self._enter(state)

    def _add_with(self, state: Any, listed: Any) -> int:
        """Add a state whose actions are known."""
        if listed is not self._listed or type(listed) is list:
            self._check(state, listed)
        return self._enter(state)

    def _enter(self, state: Any) -> int:
        """Give a state a number and pairs, those of a dropped state if there is one and they suffice."""
        names, again = self._names, bool(self._free)
        sign = -1 if self.player is not None and names and mover_at(self.player, state) else 1
        weights = self.weights(state, names)  # before anything is stored, since it may fail
        number = self._free[-1] if again else len(self.states)
        if again and len(names) <= self._rows.width[number]:
            pair = self._rows.first[number]
        else:
            pair, self._pairs = self._pairs, self._pairs + len(names)
        last = pair + len(names)
        if number == len(self._rows.width) or last > len(self._slots):
            self._enlarge(number + 1, last)
        rows = self._rows
        rows.width[number], rows.first[number], rows.sign[number] = len(names), pair, sign
        if weights is not None:
            self.record.pairs["prior"][pair:last] = weights
        if self.knowledge is not None and self.knowledge.value is not None:
            rows.value[number] = np.nan
            if names:
                self.fresh.append(number)
        for i, label in enumerate(self._labels):
            self._slots[pair + i] = label
        if again:
            self.states[number], self.legal[number] = state, names
            self._free.pop()
        else:
            self.states.append(state)
            self.legal.append(names)
        return number

    def forget(self, kept: np.ndarray) -> None:
        """Drop the states whose numbers are not ``kept``; new states reuse them."""
        for numbers in (self.numbers, self.ended):
            for name in [name for name, number in numbers.items() if not kept[number]]:
                number = numbers.pop(name)
                self.states[number], self.legal[number] = None, ()
                self._free.append(number)

    @property
    def bytes(self) -> int:
        """The approximate memory of names and arrays."""
        some = [state for state in self.states[:: max(len(self.states) // 64, 1)] if state is not None]
        own = sum(map(_bytes_of, some)) / max(len(some), 1)
        living = len(self.numbers) + len(self.ended)
        return int(living * own + len(self.states) * PER_STATE + sum(array.nbytes for array in arrays_of(self.record)))

    def weights(self, state: Any, names: Sequence[Hashable]) -> Any:
        """The prior of the actions of a state, 1 on average; None if there is none."""
        if self.knowledge is None or self.knowledge.prior is None or not names:
            return None
        return self.knowledge.weights(state, names)

    def appraise(self) -> None:
        """Ask for the values of the states that are new since the last time."""
        fresh = self.fresh
        self.record.states["value"][fresh] = self.knowledge.values([self.states[number] for number in fresh])
        self.fresh = []

    def listed(self, state: Any) -> Sequence[Hashable]:
        """The actions of a state that gets no number; one of them where they are sampled."""
        if self.slots is not None:
            return [self.slots(state, 1, None)[0]]
        return tuple(asked("the actions", self.actions, state))

    def _check(self, state: Any, listed: Any) -> None:
        """Check the actions of a state and label them; the same list again costs nothing, unless it can change."""
        where = f"state {shown(state)} has the actions {shown(listed, 200)}"
        try:
            names = () if isinstance(listed, (str, bytes)) else tuple(listed)
            distinct = len(set(names))
        except TypeError as error:
            raise TypeError(f"{where}: write a list of names, such as ['left', 'right']") from error
        if isinstance(listed, (str, bytes)):  # which would be one action for each letter
            raise TypeError(f"{where}: write a list of names, such as [{listed!r}]")
        if distinct < len(names) or len(names) > MOST_ACTIONS:
            found = "one of them twice" if distinct < len(names) else f"{len(names)}"
            raise ValueError(f"{where}, {found}: write each once, {MOST_ACTIONS:,} at most")
        if names != self._names or not names:
            known = len(self.labels)
            numbers = [self.labels.setdefault(name, len(self.labels)) for name in names]
            self.moved = self.moved or len(self.labels) > known or len(names) > self.widest
            self._labels = numbers
            self.widest = max(self.widest, len(names))
        self._listed, self._names = listed, names

    def _name_later(self, slots: Any) -> None:
        """Label actions whose names are not known yet by their slots."""
        if len(slots) > self.widest:
            self.labels = {slot: slot for slot in range(len(slots))}
            self.widest, self.moved = len(slots), True
        self._listed = self._names = slots
        self._labels = list(range(len(slots)))

    def _add_slots(self, number: int, slots: Any) -> None:
        """Double the slots of a state that has none free: its pairs move to where there is room."""
        if not slots.full:
            return
        size = 2 * slots.size
        pair, last = self._pairs, self._pairs + size
        if last > len(self._slots):
            self._enlarge(number + 1, last)
        self._pairs = last
        slots.size = size
        self._name_later(slots)
        for i, label in enumerate(self._labels):
            self._slots[pair + i] = label
        self._rows.first[number], self._rows.width[number] = pair, size

    def _enlarge(self, states: int, pairs: int) -> None:
        """Make room, at least twice as much where it does not suffice."""
        has = len(self.record.states), len(self.record.pairs)
        size = [n if n >= wanted else max(2 * n, wanted) for n, wanted in zip(has, (states, pairs), strict=True)]
        longer = World(*empty(size[0], size[1], 1))
        longer.states[: has[0]], longer.pairs[: has[1]] = self.record.states, self.record.pairs
        self._write_to(longer)
        self.moved = True

    @property
    def names(self) -> list[Hashable]:
        """What identifies the states, by number: themselves, or their ``key``."""
        found = [*self.states]
        for name, number in (*self.numbers.items(), *self.ended.items()):
            found[number] = name
        return found

    def steps(self, step: Callable[..., Any], rng: Any) -> Callable[[int, int], tuple[int, float, bool]]:
        """``step`` by numbers, checked: (state, action) -> (state, reward, cut); a state that is over has no actions.

        ``cut`` says that the episode was cut short there (Gymnasium's ``truncated``), which ends no world.
        """
        states, legal, numbers, key = self.states, self.legal, self.numbers, self.key

        def go(s: int, a: int) -> tuple[int, float, bool]:
            try:
                answer = step(states[s], legal[s][a], rng)
                if type(answer) is tuple and len(answer) == 3 and key is None:
                    successor, reward, over = answer
                    try:
                        number = numbers.get(successor, s) if over is False else s
                    except TypeError:  # cannot be hashed
                        number = s
                    if number != s and type(reward) is float and -LARGEST <= reward <= LARGEST:
                        return number, reward, False
                return self.take(answer, s, a)
            except SimulationError:
                raise
            except Exception as error:
                raise failed(error, *self.pair(s, a)) from error

        return go

    def take(self, answer: Any, s: int, a: int) -> tuple[int, float, bool]:
        """What a step returned, checked: the number of the successor, the reward, whether it was cut."""
        successor, reward, over, cut = unpack(answer)
        number = None
        if not over:
            with contextlib.suppress(TypeError):  # ``meet`` says what is wrong
                number = self.numbers.get(self.name(successor))
        before = self.states[s]
        if self.slots is not None:
            self._add_slots(s, self.legal[s])
        if number is None:
            if self.numbers.get(self.name(before)) != s:
                raise ValueError("the step changed the state it was given: let it change a copy")
            number = self.meet(successor, over, self.legal[s][a])
        elif successor is before and (number != s or (self.key is None and looks_the_same(before))):
            raise ValueError("the step returned the state it was given, perhaps changed: let it change a copy")
        return number, finite(reward, *self.pair(s, a)), cut

    def name(self, state: Any) -> Any:
        """What identifies a state."""
        return state if self.key is None else asked("key", self.key, state)

    def pair(self, s: int, a: int) -> tuple[Any, Hashable]:
        """The names of a state and of one of its actions."""
        return self.states[s], self.legal[s][a]

    def mend(self) -> None:
        """Repair after an interrupt, which may have come while a state was added."""
        whole = min(len(self.states), len(self.legal))
        del self.states[whole:], self.legal[whole:]
        self.fresh = [number for number in self.fresh if number < whole]


def looks_the_same(state: Any) -> bool:
    """Whether a state that is identified by object identity may have changed unnoticed."""
    by_identity: Any = object.__hash__
    return type(state).__hash__ is by_identity and bool(getattr(state, "__dict__", None))


def _bytes_of(thing: Any) -> int:
    """The approximate memory of a state, with what it directly holds."""
    held = thing if isinstance(thing, (tuple, list, frozenset)) else getattr(thing, "__dict__", {}).values()
    return sys.getsizeof(thing) + sum(map(sys.getsizeof, held))
