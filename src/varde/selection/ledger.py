"""What has happened so far, as a function of the events in their order, and nothing else.

A draw lives under one id until it has its result or is given up:

    live      handed out, the result is awaited
    waiting   failed, expired or lost with its process: handed out again before anything new
    closed    has its result, or was given up after two attempts, and a new draw of that option takes its place

To the algorithm such a draw is pending all the time, so failures and retries do not change what it wants.  The budget
is paid by results; live and waiting draws reserve it; failures are free.
"""

from __future__ import annotations

import json
import math
from collections import deque
from typing import Any

import numpy as np

from ..certainty import from_values, pair
from .chooser import Chooser
from .choosing import make_chooser
from .draws import Seeds
from .log import Event
from .prices import Prices

ATTEMPTS = 2  # with the same seed, before another takes its place: it may be the seed that fails
DECODE = json.JSONDecoder().raw_decode  # json.loads takes three times as long
SLACK = 1e-9  # of the budget: sums of costs are rounded


def draws_of(budget: float | None, costs: list[float]) -> int:
    """How many draws a budget pays for on average; 0: unknown."""
    return 0 if budget is None else int(budget * len(costs) / sum(costs))


def is_number(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value)


def is_json(text: Any) -> bool:
    try:
        return bool(DECODE(text)[1] == len(text))  # as it is written, without blanks around
    except (TypeError, ValueError, RecursionError):
        return False


class Ticket:
    """A draw that is live or waiting."""

    __slots__ = ("attempts", "option", "order", "replicate", "seed", "time", "worker")

    order: int  # which of all that were handed out this is
    time: float  # when that was; never later than that of those handed out after it
    worker: str  # and to whom

    def __init__(self, option: int, replicate: int, seed: int):
        self.option, self.replicate, self.seed, self.attempts = option, replicate, seed, 0


class Ledger:
    """Options, draws, results and budget."""

    def __init__(self, settings: dict[str, Any], algorithm: Any, names: list[str], costs: list[float]):
        self.sign = 1.0 if settings["goal"] == "max" else -1.0
        self.priced: bool = settings["costs"]
        self.warm_start: int = settings["warm_start"]
        self.budget: float | None = settings["budget"]
        self.seeds = Seeds(settings["seed"], settings["crn"])
        self.items: int = settings.get("items", 0)  # size of the fixed test set, 0 without one
        self.names, self.prices = list(names), Prices(costs, settings.get("returned", False))
        self.numbers = {name: i for i, name in enumerate(names)}
        self.notes: dict[str, str] = {}  # name: JSON
        self.values: list[list[float]] = [[] for _ in names]  # as they came
        self.replicates: list[list[int]] = [[] for _ in names]  # of those; unasked ones have a number nobody shares
        self.drawn = [0] * len(names)  # replicates handed out
        self.exhausted: set[int] = set()  # options that have had every item
        self.tickets: dict[int, Ticket] = {}  # live or waiting
        self.live: dict[int, None] = {}  # in order of handing out
        self.waiting: deque[int] = deque()  # ids; ~i: a new draw of option i
        self.given_up: dict[int, Ticket] = {}  # no result is awaited, but one that comes is taken
        self.unsure: set[int] = set()  # draws that two may be working on
        self.next_id = 1
        self.handed_out = 0
        self.failing: dict[int, str] = {}  # option: the last reason
        self.strikes: dict[int, tuple[int, int]] = {}  # option: failures in a row, and draws handed out by then
        self.removed: set[int] = set()  # options that the user took out
        self.spent = 0.0
        price = np.array(costs) if self.priced else None
        self.paired: bool = settings["crn"] or self.items > 0  # results of one replicate are compared with each other
        self.chooser: Chooser = make_chooser(
            algorithm, len(costs), self.warm_start, price, settings["seed"], self.paired, self.items
        )

    # -- what to hand out ------------------------------------------------------------------------

    @property
    def remaining(self) -> float:
        """What can still be handed out."""
        return np.inf if self.budget is None else max(self.budget - self.spent - self.prices.reserved, 0.0)

    @property
    def out(self) -> set[int]:
        """The options that are neither asked for nor recommended: they fail, or were removed."""
        return self.removed | self.failing.keys()

    def allowed(self) -> np.ndarray | None:
        """[K] which options may be chosen: those that can be paid, and have items left; None: all of them."""
        budget = self.budget
        dear = self.priced and budget is not None and self.remaining < self.prices.dearest
        if not dear and not self.exhausted:
            return None
        mask = np.ones(len(self.names), bool)
        if dear and budget is not None:
            mask = self.prices.all() <= self.remaining + SLACK * budget
        mask[[*self.out, *self.exhausted]] = False
        return mask

    def next(self) -> tuple[int, str] | None:
        """(option, why) of a new draw or (id, "again"); None if there is nothing to hand out."""
        if self.waiting and (entry := self.first_waiting()) is not None:
            return (entry, "again") if entry > 0 else (~entry, "instead")
        allowed = self.allowed()
        if not self.more(allowed):
            return None
        cold = self.chooser.next_cold(allowed)
        if cold is not None:
            return cold, "warm start"
        left = 1.0 if self.budget is None else self.remaining / self.budget
        return self.chooser.choose(allowed, left), "rule"

    def first_waiting(self) -> int | None:
        """What to hand out before anything new; draws that were answered in the meantime are dropped."""
        while self.waiting and self.waiting[0] > 0 and self.waiting[0] not in self.tickets:
            self.waiting.popleft()
        return self.waiting[0] if self.waiting else None

    def more(self, allowed: np.ndarray | None) -> bool:
        """Whether there is anything new to hand out: budget, and options to choose between."""
        usable = len(self.names) - len(self.out if self.removed else self.failing)
        if usable == 0 or (not self.priced and self.remaining < 1.0):
            return False
        if allowed is not None and not allowed.any():
            return False
        return usable > 1 or self.chooser.next_cold(allowed) is not None

    @property
    def done(self) -> bool:
        """Whether nothing is under way and nothing will be handed out any more."""
        return not self.live and self.first_waiting() is None and not self.more(self.allowed())

    def leader(self) -> int | None:
        """The best so far, of the options that work if any of them has a result."""
        counts, means, _ = self.chooser.summary()
        known = counts > 0
        known[list(self.removed)] = False
        works = known.copy()
        works[list(self.failing)] = False
        known = works if works.any() else known
        if self.paired and known.any():
            kept = np.flatnonzero(known)
            sample = from_values([self.sign * np.array(self.values[i]) for i in kept])
            found = pair(sample, [np.array(self.replicates[i]) for i in kept], self.items)
            means = means if found is None else np.bincount(kept, found.means, means.size)
        return int(np.where(known, means, -np.inf).argmax()) if known.any() else None

    # -- events ----------------------------------------------------------------------------------

    def fits(self, event: Event) -> bool:
        """Whether that can have happened now: a file may hold anything."""
        fields: tuple[Any, ...] = event
        kind, draw, i, replicate, seed, value, text, when, _, data = fields
        if kind == "note":
            return isinstance(text, str) and is_json(data)
        if kind == "budget":
            return is_number(value) and value > 0.0
        if kind == "option":
            new = i == len(self.names) and isinstance(text, str) and text not in self.numbers
            return new and is_number(value) and value > 0.0 and (data is None or is_json(data))
        if type(i) is not int or not 0 <= i < len(self.names):
            return False
        if kind in ("remove", "restore"):
            return (i in self.removed) == (kind == "restore")
        if type(draw) is not int or draw < 1:
            return False
        ticket = self.tickets.get(draw) or self.given_up.get(draw)
        if ticket is not None and ticket.option != i:
            return False
        if kind == "ask":
            if type(replicate) is not int or type(seed) is not int or not is_number(when):
                return False
            if self.items and not 0 <= replicate < self.items:
                return False
            if text == "again":
                return self.first_waiting() == draw
            return draw >= self.next_id and (text != "instead" or self.first_waiting() == ~i)
        if kind == "tell":
            return is_number(value) and (ticket is not None or draw >= self.next_id) and self.is_complete(data)
        return kind in ("fail", "expire", "lost") and draw in self.live

    def is_complete(self, data: Any) -> bool:
        """Whether a result came with all that results of this selection come with."""
        if not self.prices.returned:
            return data is None or is_json(data)
        more: Any = json.loads(data) if is_json(data) else None
        return isinstance(more, dict) and is_number(more.get("cost")) and more["cost"] > 0.0

    def apply(self, event: Event) -> None:
        """Take notice of one event."""
        kind = event.kind
        if kind == "ask":
            self.on_ask(event)
        elif kind == "tell":
            self.on_tell(event)
        elif kind in ("fail", "expire"):
            self.on_fail(event)
        elif kind == "lost":
            self.on_lost(event)
        elif kind == "budget":
            self.budget = event.value
        elif kind == "option":
            self.on_option(event)
        elif kind == "remove":
            self.on_remove(event)
        elif kind == "restore":
            self.on_restore(event)
        elif kind == "note":
            self.notes[str(event.text)] = str(event.data)
        else:
            raise AssertionError(kind)  # which does not fit

    def on_option(self, event: Event) -> None:
        name, cost = str(event.text), float(event.value or 1.0)
        self.numbers[name] = len(self.names)
        self.names.append(name)
        self.prices.add(cost)
        self.values.append([])
        self.replicates.append([])
        self.drawn.append(0)
        self.chooser.add_option(self.prices.of(len(self.names) - 1) or cost)

    def on_remove(self, event: Event) -> None:
        """The option is taken out; its results stay, and results under way are taken."""
        i: Any = event.option
        self.removed.add(i)
        self.give_up(i)

    def on_restore(self, event: Event) -> None:
        i: Any = event.option
        self.removed.discard(i)
        if i not in self.failing:
            self.chooser.include(i)

    def on_ask(self, event: Event) -> None:
        fields: tuple[Any, ...] = event
        _, number, i, replicate, seed, _, why, when, worker, _ = fields
        if why == "again":
            ticket = self.tickets[number]
        else:
            ticket = self.tickets[number] = Ticket(i, replicate, seed)
            self.next_id = number + 1
            self.drawn[i] += 1
            if self.drawn[i] == self.items:
                self.exhausted.add(i)
        if why in ("again", "instead"):
            self.first_waiting()
            self.waiting.popleft()
            if i in self.exhausted:
                self.drop_replacements(i)
        else:
            self.chooser.add_pending(i, why == "warm start")
            self.prices.reserve(i, 1)
        self.handed_out += 1
        for before in reversed(self.live):  # handed out no later than this one, whatever the clock said
            if self.tickets[before].time <= when:
                break
            self.tickets[before].time = when
        ticket.order, ticket.time, ticket.worker = self.handed_out, when, worker
        ticket.attempts += 1
        self.live[number] = None

    def on_tell(self, event: Event) -> None:
        fields: tuple[Any, ...] = event
        _, number, i, replicate, _, value, _, _, _, data = fields
        expected = self.tickets.pop(number, None) is not None
        if expected:
            self.live.pop(number, None)  # else its number is skipped when its turn to be handed out again comes
            self.prices.reserve(i, -1)
        elif self.given_up.pop(number, None) is None:
            self.next_id = number + 1  # a result that was not asked for, or whose draw was lost with a part of the file
            if replicate is not None:
                self.drawn[i] = max(self.drawn[i], replicate + 1)
                self.exhausted |= {i} if self.drawn[i] == self.items else set()
        cost = self.charge(i, json.loads(data)["cost"], expected) if self.prices.returned else self.prices.costs[i]
        self.spent += cost
        self.values[i].append(value)
        self.replicates[i].append(-number if replicate is None else replicate)
        self.chooser.add_result(i, self.sign * value, expected, -1 if replicate is None else replicate)
        if self.strikes:
            self.strikes.pop(i, None)
        if i in self.failing:
            del self.failing[i]
            if i not in self.removed:
                self.chooser.include(i)

    def charge(self, i: int, cost: float, expected: bool) -> float:
        """Take notice of what a result has cost."""
        self.prices.paid(i, cost, self.chooser.pending.item(i) - expected)
        self.chooser.set_cost(i, self.prices.of(i))
        if self.prices.results.bit_count() == 1:  # the guess for the others grows better, and rarely needs to be told
            for j in self.prices.unknown():
                self.chooser.set_cost(j, self.prices.usual)
        return cost

    def on_fail(self, event: Event) -> None:
        """A draw failed; event.value tells whether the option counts as failing from now on."""
        number: Any = event.draw
        ticket = self.tickets[number]
        i = ticket.option
        self.live.pop(number, None)
        self.strikes[i] = self.struck(number)
        if event.kind == "expire":
            self.unsure.add(number)
        if ticket.attempts < ATTEMPTS:
            self.waiting.append(number)
        else:
            self.given_up[number] = self.tickets.pop(number)
            self.waiting.append(~i)
            if i in self.exhausted:
                self.drop_replacements(i)
        if event.value:
            self.failing[i] = event.text or "no reason given"
        if event.value or i in self.removed:
            self.give_up(i)

    def struck(self, number: int) -> tuple[int, int]:
        """The strikes of its option if draw ``number`` fails now.

        Draws that were under way together fail together: an outage of a second counts once however many it hits.
        """
        ticket = self.tickets[number]
        strikes, by_then = self.strikes.get(ticket.option, (0, 0))
        return (strikes + 1, self.handed_out) if ticket.order > by_then else (strikes, by_then)

    def drop_replacements(self, i: int) -> None:
        """No item is left for draws of ``i`` in place of those that failed."""
        for _ in range(self.waiting.count(~i)):
            self.waiting.remove(~i)
            self.prices.reserve(i, -1)
            self.chooser.drop_pending(i)

    def give_up(self, i: int) -> None:
        """Nothing that waits for option ``i`` is handed out again."""
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
        """A live draw whose process is gone waits to be handed out again; that is not the option's fault."""
        number: Any = event.draw
        if self.live.pop(number, 0) is None:
            self.tickets[number].attempts -= 1
            self.unsure.add(number)
            self.waiting.append(number)
            if self.tickets[number].option in self.removed:
                self.give_up(self.tickets[number].option)
