"""The ledger: the state of a selection as a pure function of its settings and its events in order.

A draw keeps its id until it has its result or is given up:

    live      handed out, the result is pending
    waiting   failed, expired or lost with its process: handed out again before anything new
    closed    has its result, or was given up after two attempts, and a new draw of that option takes its place;
              in an outage only probes count as attempts

To the algorithm such a draw is pending all the time, so failures and retries do not change its choices.  Results spend
the budget; live and waiting draws reserve it; failures are free.  After a failure another option is tried before the
one that failed, and in an outage one draw at a time: see failures.py.
"""

from __future__ import annotations

import math
from array import array
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..certainty import Ragged, from_values, pair
from ..check import positive
from ..rule import VarDE
from . import events
from .batches import Batch, batch_of
from .by_alike import AlikeChooser
from .by_context import ContextChooser
from .by_gaps import GapChooser
from .by_pairs import PairChooser
from .by_rule import RuleChooser
from .chooser import Chooser
from .draws import Seeds
from .failures import Failures
from .goals import Mean
from .results import Results
from .settings import Settings

ATTEMPTS = 2  # with the same seed, before another replaces it: the seed may be to blame
PROBES = 6  # with the same item in an outage, before it counts as missing: nothing can replace it
SLACK = 1e-9  # of the budget: sums of costs are rounded


def draws_of(budget: float | None, costs: list[float]) -> int:
    """How many draws a budget pays for on average; 0: unknown."""
    return 0 if budget is None else int(budget * len(costs) / sum(costs))


class ImpossibleError(ValueError):
    """An event that cannot have happened."""

    def __init__(self) -> None:
        super().__init__("is impossible")


class Ticket:
    """A draw that is live or waiting."""

    __slots__ = ("attempts", "option", "order", "replicate", "seed", "time", "worker")

    def __init__(self, option: int, replicate: int, seed: int):
        self.option, self.replicate, self.seed, self.attempts = option, replicate, seed, 0
        self.order = 0  # its place among all that were handed out
        self.time = 0.0  # when it was handed out; never later than for later draws
        self.worker = ""  # and to whom


class Next(NamedTuple):
    """A new draw of an option, or (``why`` is "again") one that was handed out before, by its id."""

    number: int
    why: str  # warm start, rule, again, instead
    probe: bool = False


class Ledger:
    """Options, draws, results and budget, after the settings with which a selection begins and the events so far."""

    chooser: Chooser  # made with the last of the options it begins with

    def __init__(self, settings: Settings):
        self.settings = settings
        self.goal, self.sign, self.least = settings.goal, settings.goal.sign, settings.goal.least
        self.priced, self.budget = settings.priced, settings.budget
        self.paired: bool = settings.crn or settings.items > 0  # results of one replicate are compared with each other
        self.seeds = Seeds(settings.seed, settings.crn)
        self.items = settings.items  # size of the fixed test set, 0 without one
        self.tests: list[tuple[int, str, list[Any] | None]] = []  # its items in their order: (number, name, [item])
        self.names: list[str] = []
        self.places: dict[str, int] = {}  # of names; made when it is asked for
        self.kept: dict[int, list[Any] | None] = {}  # [the option], unless it is its name; None: it cannot be kept
        self.costs = array("d")
        self.dearest = 0.0  # no option costs more
        self.notes: dict[str, Any] = {}
        self.results = Results(max(len(self.goal.names), 1))
        self.batches: dict[int, list[Batch]] = {}  # results without their values
        self.counted_first: set[int] = set()  # options whose first results are in a batch
        self.drawn = array("q")  # replicates handed out
        self.exhausted: set[int] = set()  # options that have had every item
        self.tickets: dict[int, Ticket] = {}  # live or waiting
        self.live: dict[int, None] = {}  # in order of handing out
        self.waiting: deque[int] = deque()  # ids; ~i: a new draw of option i
        self.given_up: dict[int, Ticket] = {}  # no result is expected, but one that comes is accepted
        self.unsure: set[int] = set()  # draws that two workers may be evaluating
        self.next_id = 1
        self.handed_out = 0
        self.failing: dict[int, None] = {}  # options left out because they keep failing
        self.failures = Failures(self.has_worked)
        self.removed: set[int] = set()  # options the user removed
        self.spent = self.reserved = 0.0  # the cost of all results, and of all pending draws

    def new_chooser(self) -> Chooser:
        """Nothing has happened to it yet."""
        settings, size = self.settings, len(self.names)
        price = np.array(self.costs) if self.priced else None
        given = VarDE(), size, settings.warm_start or 1, price, self.goal
        if settings.alike:
            draws, several = draws_of(settings.budget, self.costs[: settings.size].tolist()), settings.contexts
            return ContextChooser(*given, draws, several) if several else AlikeChooser(*given, draws)
        if not isinstance(self.goal, Mean):
            return RuleChooser(*given)
        return PairChooser(*given, self.items) if self.paired else GapChooser(*given)

    @property
    def numbers(self) -> dict[str, int]:
        """The number of every option by name."""
        for i in range(len(self.places), len(self.names)):
            self.places[self.names[i]] = i
        return self.places

    def saved(self, i: int) -> list[Any] | None:
        """[the option] in plain types; None if it is an object that cannot be kept."""
        return self.kept[i] if i in self.kept else [self.names[i]]

    def is_consistent(self) -> bool:
        """Whether all that was read refers to options, draws and results that there are."""
        size, results, drawn = len(self.names), self.results, [*self.tickets.values(), *self.given_up.values()]
        sizes = {len(results.values), len(results.replicates), *map(len, results.others)}
        options = {*self.kept, *self.batches, *self.counted_first, *self.exhausted, *self.failing, *self.removed}
        options |= {*self.failures.strikes, *self.failures.doubted, *self.chooser.excluded, *self.chooser.cold}
        options |= {ticket.option for ticket in drawn} | {~entry for entry in self.waiting if entry < 0}
        owners = np.array(results.owners)
        return (
            len(results.counts) == len(self.drawn) == size
            and sizes == {owners.size}
            and (not owners.size or 0 <= owners.min() <= owners.max() < size)
            and np.array_equal(np.bincount(owners, minlength=size), np.array(results.counts))
            and all(type(i) is int and 0 <= i < size for i in options)
            and self.live.keys() <= self.tickets.keys()
            and all(type(number) is int for number in [*self.tickets, *self.given_up, *self.waiting])
            and len(self.tests) == self.items
        )

    # -- what to hand out ------------------------------------------------------------------------

    @property
    def remaining(self) -> float:
        """What can still be handed out."""
        return np.inf if self.budget is None else max(self.budget - self.spent - self.reserved, 0.0)

    @property
    def out(self) -> set[int]:
        """The options that are neither drawn nor recommended: they fail, or were removed."""
        return self.removed | self.failing.keys()

    def allowed(self, wanted: Callable[[int], bool] | None = None) -> np.ndarray | None:
        """[K] which options may be chosen: affordable, with items left, and ``wanted``; None: all of them."""
        dear = self.priced and self.budget is not None and self.remaining < self.dearest
        if not dear and not self.exhausted and wanted is None:
            return None
        mask = np.ones(len(self.names), bool)
        if dear and self.budget is not None:
            mask = np.array(self.costs) <= self.remaining + SLACK * self.budget
        mask[[*self.out, *self.exhausted]] = False
        return mask if wanted is None else mask & np.array([wanted(i) for i in range(len(self.names))])

    def has_worked(self, i: int) -> bool:
        return self.results.counts[i] > 0 or i in self.batches

    def is_untried(self, i: int) -> bool:
        return i not in self.failures.counts

    def first_waiting(self) -> int | None:
        """The next waiting draw; draws answered in the meantime are dropped."""
        while self.waiting and self.waiting[0] > 0 and self.waiting[0] not in self.tickets:
            self.waiting.popleft()
        return self.waiting[0] if self.waiting else None

    def possible(self, allowed: np.ndarray | None) -> int | None:
        """The option of a new draw in the warm start, or -1 if the rule may choose; None: there is no new draw."""
        usable = len(self.names) - len(self.out if self.removed else self.failing)
        if usable == 0 or (allowed is not None and not allowed.any()):
            return None
        if not self.priced and self.budget is not None and self.budget - self.spent - self.reserved < 1.0:
            return None
        cold = self.chooser.next_cold(allowed) if self.chooser.cold else None
        return cold if cold is not None else -1 if usable >= self.least else None

    def new(self, allowed: np.ndarray | None, probe: bool = False, waits_for: Sequence[int] = ()) -> Next | None:
        """A new draw of one of the ``allowed`` options; of those that a stopping rule ``waits_for``, if any."""
        i = self.possible(allowed)
        if i is None or i >= 0:
            return None if i is None else Next(i, "warm start", probe)
        wanted = waits_for and [i for i in waits_for if allowed is None or allowed[i]]
        return Next(self.chooser.least_known(wanted) if wanted else self.chooser.choose(allowed), "rule", probe)

    @property
    def done(self) -> bool:
        """Whether no draw is pending and none will be handed out any more."""
        return not self.live and self.first_waiting() is None and self.possible(self.allowed()) is None

    @property
    def settled(self) -> bool:
        """Whether every option that works was judged on all items of a fixed test set."""
        out = self.out
        return self.items > 0 and all(n >= self.items for i, n in enumerate(self.results.counts) if i not in out)

    def leader(self) -> int | None:
        """The best so far, of the options that work if any of them has a result."""
        ahead = self.chooser.ahead() if isinstance(self.chooser, AlikeChooser) else None
        if ahead is not None and ahead not in self.out:
            return ahead
        merits = self.chooser.merits()
        known = (self.chooser.moments.counts > 0) & (merits > -np.inf)
        known[list(self.removed)] = False
        works = known.copy()
        works[list(self.failing)] = False
        known = works if works.any() else known
        if self.paired and known.any() and isinstance(self.goal, Mean):
            kept = np.flatnonzero(known)
            values = Ragged.of([self.sign * self.results.of(i) for i in kept.tolist()])
            replicates = [self.results.replicates_of(i) for i in kept.tolist()]
            found = pair(from_values(values), values, replicates, self.items)
            merits = merits if found is None else np.bincount(kept, found.means, merits.size)
        return int(np.where(known, merits, -np.inf).argmax()) if known.any() else None

    # -- events ----------------------------------------------------------------------------------

    def apply(self, event: events.Event) -> None:
        """Apply an event of the log; raises if it is impossible now, as in one that was tampered with."""
        i, size = getattr(event, "option", 0), len(self.names)
        begins = isinstance(event, events.Option | events.Item)
        if type(event) is events.Begin or not (begins or (size >= self.settings.size and 0 <= i < size)):
            raise ImpossibleError
        self.happen(event)

    def happen(self, event: events.Event) -> None:
        """Apply an event of this process."""
        ON[type(event)](self, event)

    def on_budget(self, event: events.Budget) -> None:
        self.budget = positive("budget", event.total, "a total")

    def on_note(self, event: events.Note) -> None:
        self.notes[events.exactly(str(event.name))] = event.value

    def on_snapshot(self, event: events.Snapshot) -> None:
        """The state is as before."""

    def on_option(self, event: events.Option) -> None:
        number, name, cost, size = len(self.names), event.name, event.cost, self.settings.size
        if event.option != number or type(name) is not str or not cost > 0.0:
            raise ImpossibleError
        if not events.is_kept(event.kept) or (number >= size and name in self.numbers):
            raise ImpossibleError
        self.names.append(name)
        if event.kept != [name]:
            self.kept[number] = event.kept
        self.costs.append(cost)
        self.dearest = max(self.dearest, cost)
        self.results.counts.append(0)
        self.drawn.append(0)
        if number + 1 == size:
            if len(set(self.names)) < size:
                raise ImpossibleError
            self.chooser = self.new_chooser()
        elif number >= size:
            self.chooser.add_option(cost)

    def on_item(self, event: events.Item) -> None:
        if event.replicate != len(self.tests) or len(self.tests) >= self.items or not events.is_kept(event.kept):
            raise ImpossibleError
        self.tests.append((event.item, str(event.name), event.kept))

    def on_features(self, event: events.Features) -> None:
        self.alike.describe(event.option, event.row)

    def on_fit(self, event: events.Fit) -> None:
        self.alike.take_fit(event.found)

    @property
    def alike(self) -> AlikeChooser:
        """The chooser of options that resemble each other."""
        if not isinstance(self.chooser, AlikeChooser):
            raise ImpossibleError
        return self.chooser

    def on_remove(self, event: events.Remove) -> None:
        """The option is removed; its results stay, and pending results are accepted."""
        i = event.option
        if i in self.removed:
            raise ImpossibleError
        self.removed.add(i)
        self.give_up(i)

    def on_restore(self, event: events.Restore) -> None:
        i = event.option
        self.removed.remove(i)
        if i not in self.failing:
            self.chooser.include(i)

    def on_ask(self, event: events.Ask) -> None:
        number, i, replicate, seed, why, probe, when, worker = event
        if why == "again":
            ticket = self.tickets[number]
        elif number < self.next_id or (self.items and replicate >= self.items):
            raise ImpossibleError
        else:
            ticket = self.tickets[number] = Ticket(i, replicate, seed)
            self.next_id = number + 1
            self.drawn[i] += 1
            if self.drawn[i] == self.items:
                self.exhausted.add(i)
        if why in ("again", "instead"):
            entry = number if why == "again" else ~i
            self.waiting.popleft() if self.waiting[0] == entry else self.waiting.remove(entry)
            if i in self.exhausted:
                self.drop_replacements(i)
        else:
            self.chooser.add_pending(i, why == "warm start")
            self.reserved += self.costs[i]
        self.handed_out += 1
        if self.live:  # finding the last of an emptied dict takes as long as all it ever held
            for before in reversed(self.live):  # handed out before this one, whatever the clock says
                if self.tickets[before].time <= when:
                    break
                self.tickets[before].time = when
        ticket.order, ticket.time, ticket.worker = self.handed_out, when, worker
        ticket.attempts += 1
        self.live[number] = None
        if probe:
            self.failures.probes.add(number)

    def on_tell(self, event: events.Tell) -> None:
        number, i, value, replicate, _, data, when, _ = event
        expected = self.tickets.pop(number, None) is not None
        if type(value) not in (int, float) or not math.isfinite(value):
            raise ImpossibleError
        if expected:
            self.live.pop(number, None)  # else its number is skipped when it would be handed out again
            self.reserved -= self.costs[i]
        elif self.given_up.pop(number, None) is None:
            if number < self.next_id:
                raise ImpossibleError
            self.next_id = number + 1  # a result that was not asked for, or whose draw was lost with a part of the file
            if replicate is not None:
                self.drawn[i] = max(self.drawn[i], replicate + 1)
                self.exhausted |= {i} if self.drawn[i] == self.items else set()
        if type(event) is events.Batch:
            self.take_batch(i, data, expected)
        else:
            shared, own = (-1, -number) if replicate is None else (replicate, replicate)
            self.spent += self.costs[i]
            if self.goal.names:
                others = tuple(data["numbers"][name] for name in self.goal.names[1:])  # type: ignore[index]
                self.results.add(i, value, own, others)
                self.chooser.add_result(i, self.goal.facing(value, others), expected, shared)
            else:
                self.results.add(i, value, own)
                self.chooser.add_result(i, self.sign * value, expected, shared)
        failures = self.failures
        failures.told += 1
        failures.waits = 0
        if failures.row or failures.strikes:
            failures.worked(i, number, when)
        if i in self.failing:
            del self.failing[i]
            if i not in self.removed:
                self.chooser.include(i)

    on_batch = on_tell

    def take_batch(self, i: int, more: Any, expected: bool) -> None:
        """Many results of option ``i`` without their values."""
        batch = batch_of("it", more)
        if self.paired or self.goal.singly:
            raise ImpossibleError
        if not self.has_worked(i):
            self.counted_first.add(i)
        self.batches.setdefault(i, []).append(batch)
        self.spent += batch.n * self.costs[i]
        for block in batch.blocks:
            if block.times:
                self.chooser.add_block(i, block._replace(value=self.sign * block.value))
        if expected:
            self.chooser.drop_pending(i)

    def on_fail(self, event: events.Fail) -> None:
        """A draw failed; there may be a pause before the next."""
        number, reason = event.draw, event.reason
        ticket, failures = self.tickets[number], self.failures
        i = ticket.option
        self.live.pop(number, None)
        if event.wait is not None:
            failures.wait(event.time, event.wait, not self.live)
            ticket.attempts -= 1  # the seed is not to blame
            self.waiting.append(number)
            if i in self.out:
                self.give_up(i)
            return
        if i in self.out:
            failures.note(i, reason)
        else:
            failures.failed(i, number, ticket.order, self.handed_out, event.time, reason, ticket.attempts > 1)
        if event.pause is not None:
            failures.pause(event.time, event.pause)
        if type(event) is events.Expire:
            self.unsure.add(number)
        if failures.narrow and number not in failures.probes:
            ticket.attempts -= 1  # the seed is not to blame
        if ticket.attempts < (PROBES if failures.narrow and self.items else ATTEMPTS):
            self.waiting.append(number)
        else:
            self.given_up[number] = self.tickets.pop(number)
            self.waiting.append(~i)
            if i in self.exhausted:
                self.drop_replacements(i)
        if i in self.out:
            self.give_up(i)

    on_expire = on_fail

    def on_drop(self, event: events.Drop) -> None:
        """An option is left out: it keeps failing."""
        self.failing[event.option] = None
        self.give_up(event.option)

    def drop_replacements(self, i: int) -> None:
        """Drop replacement draws of ``i`` for which no item is left."""
        for _ in range(self.waiting.count(~i)):
            self.waiting.remove(~i)
            self.reserved -= self.costs[i]
            self.chooser.drop_pending(i)

    def give_up(self, i: int) -> None:
        """Give up all waiting draws of option ``i``."""
        self.failures.forget(i)
        kept: deque[int] = deque()
        for entry in self.waiting:
            if entry >= 0 and entry not in self.tickets:
                continue
            if (~entry if entry < 0 else self.tickets[entry].option) != i:
                kept.append(entry)
                continue
            if entry >= 0:
                self.given_up[entry] = self.tickets.pop(entry)
            self.reserved -= self.costs[i]
            self.chooser.drop_pending(i)
        self.waiting = kept
        self.chooser.exclude(i)

    def on_lost(self, event: events.Lost) -> None:
        """Queue a live draw whose process is gone; that is not the option's fault."""
        number = event.draw
        if self.live.pop(number, 0) is None:
            self.tickets[number].attempts -= 1
            self.unsure.add(number)
            self.waiting.append(number)
            if self.tickets[number].option in self.removed:
                self.give_up(self.tickets[number].option)


ON = {kind: getattr(Ledger, f"on_{name}") for name, kind in events.KINDS.items() if kind is not events.Begin}
