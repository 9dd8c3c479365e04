"""What has happened so far, as a function of the events in their order, and nothing else.

A draw lives under one id until it has its result or is given up:

    live      handed out, the result is awaited
    waiting   failed, expired or lost with its process: handed out again before anything new
    closed    has its result, or was given up after two attempts, and a new draw of that option takes its place

To the rule such a draw is pending all the time, so failures and retries do not change what it wants.  The budget is
paid by results; live and waiting draws reserve it; failures are free.
"""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from .chooser import Chooser
from .draws import Seeds
from .events import Event
from .rules import make_chooser

ATTEMPTS = 2  # with the same seed, before another takes its place: it may be the seed that fails
SLACK = 1e-9  # of the budget: sums of costs are rounded


def draws_of(budget: float | None, costs: list[float]) -> int:
    """How many draws a budget pays for on average; 0: nobody knows."""
    return 0 if budget is None else int(budget * len(costs) / sum(costs))


class Ticket:
    """A draw that is live or waiting."""

    __slots__ = ("option", "order", "replicate", "seed", "time", "tries", "worker")

    order: int  # which of all that were handed out this is
    time: float  # when that was
    worker: str  # and to whom

    def __init__(self, option: int, replicate: int, seed: int):
        self.option, self.replicate, self.seed, self.tries = option, replicate, seed, 0


class Ledger:
    """Options, draws, results and budget."""

    def __init__(self, settings: dict[str, Any], rule: Any, names: list[str], costs: list[float]):
        self.sign = 1.0 if settings["goal"] == "max" else -1.0
        self.weighed: bool = settings["costs"]
        self.warm: int = settings["warm_start"]
        self.budget: float | None = settings["budget"]
        self.seeds = Seeds(settings["rng"], settings["crn"])
        self.names, self.costs = list(names), list(costs)
        self.numbers = {name: i for i, name in enumerate(names)}
        self.values: list[list[float]] = [[] for _ in names]  # as told
        self.replicates: list[list[int]] = [[] for _ in names]  # of those; unasked ones have a number nobody shares
        self.drawn = [0] * len(names)  # replicates handed out
        self.dearest = max(costs)
        self.tickets: dict[int, Ticket] = {}  # live or waiting
        self.live: dict[int, None] = {}  # in order of handing out
        self.waiting: deque[int] = deque()  # ids; ~i: a new draw of option i
        self.given_up: dict[int, Ticket] = {}  # no result is awaited, but one that comes is taken
        self.unsure: set[int] = set()  # draws that two may be working on
        self.next_id = 1
        self.handed_out = 0
        self.failing: dict[int, str] = {}  # option: the last reason
        self.strikes: dict[
            int, tuple[int, int]
        ] = {}  # option: failures in a row, and how many draws were handed out by then
        self.spent = self.reserved = 0.0
        price = np.array(costs) if self.weighed else None
        draws = draws_of(self.budget, costs)
        self.chooser: Chooser = make_chooser(rule, price, len(costs), self.warm, draws, settings["rng"])

    # -- asking ----------------------------------------------------------------------------------

    @property
    def remaining(self) -> float:
        """What can still be handed out."""
        return np.inf if self.budget is None else max(self.budget - self.spent - self.reserved, 0.0)

    def allowed(self) -> np.ndarray | None:
        """Who may be chosen, None: everybody."""
        if not self.weighed or self.budget is None or self.remaining >= self.dearest:
            return None
        mask = np.array(self.costs) <= self.remaining + SLACK * self.budget
        mask[list(self.failing)] = False
        return mask

    def next(self) -> tuple[int, str] | None:
        """(option, why) of a new draw or (id, "again"); None if there is nothing to hand out."""
        entry = self.first_waiting()
        if entry is not None:
            return (entry, "again") if entry > 0 else (~entry, "instead")
        if not self.more():
            return None
        allowed = self.allowed()
        cold = self.chooser.next_cold(allowed)
        return (cold, "warm start") if cold is not None else (self.chooser.choose(allowed), "rule")

    def first_waiting(self) -> int | None:
        """Whom to hand out before anything new; those that were answered in the meantime are dropped."""
        while self.waiting and self.waiting[0] > 0 and self.waiting[0] not in self.tickets:
            self.waiting.popleft()
        return self.waiting[0] if self.waiting else None

    def more(self) -> bool:
        """Whether the rule has anything new to hand out: budget, and options to choose between."""
        usable = len(self.names) - len(self.failing)
        if usable == 0 or (not self.weighed and self.remaining < 1.0):
            return False
        allowed = self.allowed()
        if allowed is not None and not allowed.any():
            return False
        return usable > 1 or self.chooser.next_cold(allowed) is not None

    def leader(self) -> int | None:
        """The best mean so far, of the options that work if any of them has a result."""
        counts, means, _ = self.chooser.summary()
        known = counts > 0
        works = known.copy()
        works[list(self.failing)] = False
        known = works if works.any() else known
        return int(np.where(known, means, -np.inf).argmax()) if known.any() else None

    # -- events ----------------------------------------------------------------------------------

    def apply(self, event: Event, replay: bool = False) -> None:
        """Take notice of one event."""
        if event.kind == "ask":
            if replay and event.text == "rule" and self.chooser.remembers:
                self.chooser.choose(self.allowed())
            self.asked(event)
        elif event.kind == "tell":
            self.told(event)
        elif event.kind in ("fail", "expire"):
            self.failed(event)
        elif event.kind == "lost":
            self.lost(event)
        elif event.kind == "budget":
            self.budget = event.value
        elif event.kind == "option":
            self.added(event)
        else:
            raise ValueError(
                f"the store has an event {event.kind!r}, which this version does not know: install a newer one"
            )

    def added(self, event: Event) -> None:
        name, cost = str(event.text), float(event.value or 1.0)
        self.numbers[name] = len(self.names)
        self.names.append(name)
        self.costs.append(cost)
        self.values.append([])
        self.replicates.append([])
        self.drawn.append(0)
        self.dearest = max(self.dearest, cost)
        self.chooser.added(cost)

    def asked(self, event: Event) -> None:
        _, number, i, replicate, seed, _, why, when, worker = event
        assert number is not None and i is not None and replicate is not None and seed is not None
        if why == "again":
            ticket = self.tickets[number]
        else:
            ticket = self.tickets[number] = Ticket(i, replicate, seed)
            self.next_id += 1
            self.drawn[i] += 1
        if why in ("again", "instead"):
            self.first_waiting()
            self.waiting.popleft()
        else:
            self.chooser.handed(i)
            self.reserved += self.costs[i]
        self.handed_out += 1
        ticket.order, ticket.time, ticket.worker = self.handed_out, when, worker
        ticket.tries += 1
        self.live[number] = None

    def told(self, event: Event) -> None:
        _, number, i, replicate, _, value, *_ = event
        assert number is not None and i is not None and value is not None
        expected = self.tickets.pop(number, None) is not None
        if expected:
            self.live.pop(number, None)  # else its number is skipped when its turn to be handed out again comes
            self.reserved -= self.costs[i]
        elif self.given_up.pop(number, None) is None:
            self.next_id += 1  # a result nobody asked for
        self.spent += self.costs[i]
        self.values[i].append(value)
        self.replicates[i].append(-number if replicate is None else replicate)
        self.chooser.told(i, self.sign * value, expected)
        if self.strikes:
            self.strikes.pop(i, None)
        if i in self.failing:
            del self.failing[i]
            self.chooser.back(i)

    def failed(self, event: Event) -> None:
        """A draw failed; event.value tells whether the option counts as failing from now on."""
        number: Any = event.draw
        ticket = self.tickets[number]
        i = ticket.option
        self.live.pop(number, None)
        self.strikes[i] = self.struck(number)
        if event.kind == "expire":
            self.unsure.add(number)
        if ticket.tries < ATTEMPTS:
            self.waiting.append(number)
        else:
            self.given_up[number] = self.tickets.pop(number)
            self.waiting.append(~i)
        if event.value:
            self.failing[i] = event.text or "no reason given"
            self.give_up(i)

    def struck(self, number: int) -> tuple[int, int]:
        """The strikes of its option if draw ``number`` fails now.

        Draws that were under way together fail together: an outage of a second counts once however many it hits.
        """
        ticket = self.tickets[number]
        strikes, by_then = self.strikes.get(ticket.option, (0, 0))
        return (strikes + 1, self.handed_out) if ticket.order > by_then else (strikes, by_then)

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
            self.reserved -= self.costs[i]
            self.chooser.withdrawn(i)
        self.waiting = kept
        self.chooser.left(i)

    def lost(self, event: Event) -> None:
        """A live draw whose process is gone waits to be handed out again; that is not the option's fault."""
        number: Any = event.draw
        if self.live.pop(number, 0) is None:
            self.tickets[number].tries -= 1
            self.unsure.add(number)
            self.waiting.append(number)
