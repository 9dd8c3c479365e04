"""The ledger: the state of a selection as a pure function of its events in order.

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
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..certainty import from_values, pair
from ..check import positive
from .batches import Batch, batch_of
from .by_alike import AlikeChooser
from .chooser import Chooser
from .choosing import make_chooser
from .draws import Seeds
from .events import Event, exactly
from .failures import Failures
from .goals import Mean
from .prices import Prices
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
    """Options, draws, results and budget."""

    def __init__(self, settings: Settings, names: list[str], costs: list[float]):
        self.goal = settings.goal
        self.sign = self.goal.sign
        self.priced = settings.costs is not None
        self.warm_start, self.budget = settings.warm_start, settings.budget
        self.seeds = Seeds(settings.seed, settings.crn)
        self.items = settings.items  # size of the fixed test set, 0 without one
        self.names, self.prices = list(names), Prices(costs, settings.returned)
        self.least = self.goal.least  # the fewest options with something to choose
        self.plain = not self.goal.names and not self.prices.returned  # a result is just a number
        self.numbers = {name: i for i, name in enumerate(names)}
        self.notes: dict[str, Any] = {}
        self.values: list[array[float]] = [array("d") for _ in names]  # as they came
        self.others: list[list[tuple[float, ...]]] = [[] for _ in names]  # further numbers that the goal names
        self.replicates: list[array[int]] = [array("q") for _ in names]  # of those; extra results have their own
        self.batches: list[list[Batch]] = [[] for _ in names]  # results without their values
        self.counted_first: set[int] = set()  # options whose first results are in a batch
        self.drawn = [0] * len(names)  # replicates handed out
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
        self.spent = 0.0
        price = np.array(costs) if self.priced else None
        self.paired: bool = settings.crn or self.items > 0  # results of one replicate are compared with each other
        self.chooser: Chooser = make_chooser(
            settings.algorithm,
            len(costs),
            self.warm_start,
            price,
            settings.seed,
            self.goal,
            self.paired,
            self.items,
            draws_of(None if settings.returned else settings.budget, costs) if settings.alike else None,
        )

    # -- what to hand out ------------------------------------------------------------------------

    @property
    def remaining(self) -> float:
        """What can still be handed out."""
        return np.inf if self.budget is None else max(self.budget - self.spent - self.prices.reserved, 0.0)

    @property
    def out(self) -> set[int]:
        """The options that are neither drawn nor recommended: they fail, or were removed."""
        return self.removed | self.failing.keys()

    def allowed(self, wanted: Callable[[int], bool] | None = None) -> np.ndarray | None:
        """[K] which options may be chosen: affordable, with items left, and ``wanted``; None: all of them."""
        dear = self.priced and self.budget is not None and self.remaining < self.prices.dearest
        if not dear and not self.exhausted and wanted is None:
            return None
        mask = np.ones(len(self.names), bool)
        if dear and self.budget is not None:
            mask = self.prices.all() <= self.remaining + SLACK * self.budget
        mask[[*self.out, *self.exhausted]] = False
        return mask if wanted is None else mask & np.array([wanted(i) for i in range(len(self.names))])

    def has_worked(self, i: int) -> bool:
        return bool(self.values[i] or self.batches[i])

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
        if not self.priced and self.budget is not None and self.budget - self.spent - self.prices.under_way < 1.0:
            return None
        cold = self.chooser.next_cold(allowed) if self.chooser.cold else None
        return cold if cold is not None else -1 if usable >= self.least else None

    def new(self, allowed: np.ndarray | None, probe: bool = False) -> Next | None:
        """A new draw of one of the ``allowed`` options."""
        i = self.possible(allowed)
        if i is None or i >= 0:
            return None if i is None else Next(i, "warm start", probe)
        return Next(self.chooser.choose(allowed), "rule", probe)

    @property
    def done(self) -> bool:
        """Whether no draw is pending and none will be handed out any more."""
        return not self.live and self.first_waiting() is None and self.possible(self.allowed()) is None

    @property
    def settled(self) -> bool:
        """Whether every option that works was judged on all items of a fixed test set."""
        out = self.out
        return self.items > 0 and all(len(x) >= self.items for i, x in enumerate(self.values) if i not in out)

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
            sample = from_values([self.sign * np.array(self.values[i]) for i in kept])
            found = pair(sample, [np.array(self.replicates[i]) for i in kept], self.items)
            merits = merits if found is None else np.bincount(kept, found.means, merits.size)
        return int(np.where(known, merits, -np.inf).argmax()) if known.any() else None

    # -- events ----------------------------------------------------------------------------------

    def apply(self, event: Event) -> None:
        """Apply an event of the log; raises if it is impossible now, as in one that was tampered with."""
        apply, i = getattr(self, f"on_{event.kind}", None), event.option
        if apply is None or (i is not None and not 0 <= i < len(self.names) + (event.kind == "option")):
            raise ImpossibleError
        apply(event)

    def on_budget(self, event: Event) -> None:
        self.budget = positive("budget", event.value, "a total")

    def on_note(self, event: Event) -> None:
        (self.notes[exactly(event.text or "")],) = event.data

    def on_option(self, event: Event) -> None:
        name, cost = str(event.text), float(event.value or 1.0)
        if name in self.numbers or event.option != len(self.names):
            raise ImpossibleError
        self.numbers[name] = len(self.names)
        self.names.append(name)
        self.prices.add(cost)
        self.values.append(array("d"))
        self.others.append([])
        self.replicates.append(array("q"))
        self.batches.append([])
        self.drawn.append(0)
        self.chooser.add_option(self.prices.of(len(self.names) - 1) or cost)

    def on_features(self, event: Event) -> None:
        self.alike.describe(int(event.option or 0), event.data)

    def on_fit(self, event: Event) -> None:
        self.alike.take_fit(event.data)

    @property
    def alike(self) -> AlikeChooser:
        """The chooser of options that resemble each other."""
        if not isinstance(self.chooser, AlikeChooser):
            raise ImpossibleError
        return self.chooser

    def on_remove(self, event: Event) -> None:
        """The option is removed; its results stay, and pending results are accepted."""
        i: Any = event.option
        if i in self.removed:
            raise ImpossibleError
        self.removed.add(i)
        self.give_up(i)

    def on_restore(self, event: Event) -> None:
        i: Any = event.option
        self.removed.remove(i)
        if i not in self.failing:
            self.chooser.include(i)

    def on_ask(self, event: Event) -> None:
        fields: tuple[Any, ...] = event
        _, number, i, replicate, seed, probe, why, when, worker, _ = fields
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
            if self.prices.returned:
                self.prices.reserve(i, 1)
            else:
                self.prices.under_way += self.prices.costs[i]
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

    def on_tell(self, event: Event) -> None:
        fields: tuple[Any, ...] = event
        kind, number, i, replicate, _, value, _, when, _, data = fields
        expected = self.tickets.pop(number, None) is not None
        if type(value) not in (int, float) or not math.isfinite(value):
            raise ImpossibleError
        if expected:
            self.live.pop(number, None)  # else its number is skipped when it would be handed out again
            if self.prices.returned:
                self.prices.reserve(i, -1)
            else:
                self.prices.under_way -= self.prices.costs[i]
        elif self.given_up.pop(number, None) is None:
            if number < self.next_id:
                raise ImpossibleError
            self.next_id = number + 1  # a result that was not asked for, or whose draw was lost with a part of the file
            if replicate is not None:
                self.drawn[i] = max(self.drawn[i], replicate + 1)
                self.exhausted |= {i} if self.drawn[i] == self.items else set()
        if kind == "batch":
            self.take_batch(i, data, expected)
        else:
            shared = -1 if replicate is None else replicate
            self.values[i].append(value)
            self.replicates[i].append(-number if replicate is None else replicate)
            if self.plain:
                self.spent += self.prices.costs[i]
                self.chooser.add_result(i, self.sign * value, expected, shared)
            else:
                self.take_all(i, value, data, expected, shared)
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

    def take_batch(self, i: int, more: dict[str, Any], expected: bool) -> None:
        """Many results of option ``i`` without their values; their cost is the total."""
        batch = batch_of("it", more)
        if self.paired or self.goal.singly:
            raise ImpossibleError
        if not self.has_worked(i):
            self.counted_first.add(i)
        self.batches[i].append(batch)
        returned = self.prices.returned
        self.spent += self.charge(i, more["cost"], expected, batch.n) if returned else batch.n * self.prices.costs[i]
        for block in batch.blocks:
            if block.times:
                self.chooser.add_block(i, block._replace(value=self.sign * block.value))
        if expected:
            self.chooser.drop_pending(i)

    def take_all(self, i: int, value: float, more: dict[str, Any], expected: bool, replicate: int) -> None:
        """A result with its cost, or with further numbers."""
        self.spent += self.charge(i, more["cost"], expected) if self.prices.returned else self.prices.costs[i]
        others: tuple[float, ...] = ()
        if self.goal.names:
            others = tuple(more["numbers"][name] for name in self.goal.names[1:])
            self.others[i].append(others)
        self.chooser.add_result(i, self.goal.facing(value, others), expected, replicate)

    def charge(self, i: int, cost: float, expected: bool, times: int = 1) -> float:
        """Charge the cost of a result, or of several."""
        before = self.prices.results
        self.prices.paid(i, cost, self.chooser.pending.item(i) - expected, times)
        self.chooser.set_cost(i, self.prices.of(i))
        if self.prices.results.bit_length() > before.bit_length():  # the estimate for the others rarely needs an update
            for j in self.prices.unknown():
                self.chooser.set_cost(j, self.prices.usual)
        return cost

    def on_fail(self, event: Event) -> None:
        """A draw failed; there may be a pause before the next."""
        number: Any = event.draw
        ticket, reason = self.tickets[number], event.text or "no reason given"
        i, failures = ticket.option, self.failures
        self.live.pop(number, None)
        if event.data is not None and "wait" in event.data:
            failures.wait(event.time, event.data["wait"], not self.live)
            ticket.attempts -= 1  # the seed is not to blame
            self.waiting.append(number)
            if i in self.out:
                self.give_up(i)
            return
        if i in self.out:
            failures.note(i, reason)
        else:
            failures.failed(i, number, ticket.order, self.handed_out, event.time, reason, ticket.attempts > 1)
        if event.data is not None:
            failures.pause(event.time, event.data["pause"])
        if event.kind == "expire":
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

    def on_drop(self, event: Event) -> None:
        """An option is left out: it keeps failing."""
        i: Any = event.option
        self.failing[i] = None
        self.give_up(i)

    def drop_replacements(self, i: int) -> None:
        """Drop replacement draws of ``i`` for which no item is left."""
        for _ in range(self.waiting.count(~i)):
            self.waiting.remove(~i)
            self.prices.reserve(i, -1)
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
            self.prices.reserve(i, -1)
            self.chooser.drop_pending(i)
        self.waiting = kept
        self.chooser.exclude(i)

    def on_lost(self, event: Event) -> None:
        """Queue a live draw whose process is gone; that is not the option's fault."""
        number: Any = event.draw
        if self.live.pop(number, 0) is None:
            self.tickets[number].attempts -= 1
            self.unsure.add(number)
            self.waiting.append(number)
            if self.tickets[number].option in self.removed:
                self.give_up(self.tickets[number].option)
