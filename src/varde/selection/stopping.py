"""Whether a stopping rule is satisfied, checked once per result; ``p_watched`` each time there are 2 % more."""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ..certainty.stopping import Results, Stop, terms
from .batches import Counts
from .checks import all_usable
from .goals.goal import Mean
from .ledger import Ledger
from .settings import Settings

WATCHED = "watched"  # the rule that stops when p_watched is
SURE = 0.95
GROWTH = 1.02  # the number of results from one look at it to the next: a look is an answer


class Watch:
    """A stopping rule, and what it remembers of the options that work; ``p_watched`` is that of a ledger."""

    def __init__(self, settings: Settings, p_watched: Callable[[Ledger], float]):
        self.stop, self.goal = settings.stop, settings.goal
        self.p_watched = weakref.WeakMethod(p_watched)  # of who holds this, and closes a file when nobody holds it
        self.looked = 0  # results there were at the last look at p_watched
        self.rates = isinstance(self.stop, Stop) and self.stop.bounds is None  # whether all so far were 0 or 1
        self.read = 0  # results that were looked through for that
        self.answer, self.checked = False, None  # type: bool, Any  # what the rule says, and as of when
        self.works: list[int] = []
        self.seen: Any = None  # the ledger, its options, and those left out, for which it remembers something
        self.memory: dict[Any, Any] = {}
        self.waits_for: list[int] = []  # options that the rule needs more results of, though they look hopeless

    def satisfied(self, ledger: Ledger) -> bool:
        """Whether the rule is satisfied for the options that work."""
        now = (ledger, ledger.spent, len(ledger.out))
        if self.stop is None or self.checked == now:
            return self.answer
        self.checked = None  # until all is looked at: an interrupt leaves half of it
        promise = isinstance(self.stop, Stop)
        answer, waits_for = False, list[int]()
        if self.stop == WATCHED:
            answer = self.is_time(ledger) and self.chance(ledger) >= SURE
        elif not promise or all_usable(ledger.batches.values(), self.stop):  # else another process told them
            rule, results = self.rule(ledger), self.results(ledger)
            rule = rule.facing(self.goal.sense) if promise else rule
            answer = bool(self.goal.sure(rule, results) if promise else rule.satisfied(results))
            if answer and ledger.paired and isinstance(self.goal, Mean):
                # what is recommended is found with more care than what is sampled
                answer = self.works[results.best] == ledger.leader()
            self.seen = ledger, len(ledger.names), ledger.out
            waits_for = [] if answer else [self.works[i] for i in results.waits_for]
        self.answer, self.waits_for, self.checked = answer, waits_for, now
        return answer

    def is_time(self, ledger: Ledger) -> bool:
        """Whether to look at ``p_watched``, which depends on the number of results alone."""
        many = int(ledger.chooser.summary()[0].sum())
        last, self.looked = self.looked if 0 < self.looked < many else many - 1, many
        return looks(many) > looks(last)

    def chance(self, ledger: Ledger) -> float:
        found = self.p_watched()
        return found(ledger) if found is not None else 0.0

    def rule(self, ledger: Ledger) -> Any:
        """The rule; of results that are all 0 or 1 the promise of ``Stop`` knows the bounds by itself."""
        if self.rates:
            more = np.array(ledger.results.values[self.read :])
            self.rates, self.read = bool(np.isin(more, (0.0, 1.0)).all()), self.read + more.size
            if not self.rates:
                self.seen = None  # what was remembered is of the other rule
        return replace(self.stop, bounds=(0.0, 1.0)) if self.rates else self.stop

    def terms(self, ledger: Ledger) -> dict[str, Any] | None:
        """What it promises, as JSON types; None if there is no rule, or one of the user's own."""
        return {"watched": SURE} if self.stop == WATCHED else terms(self.rule(ledger))

    def results(self, ledger: Ledger) -> Results:
        """What the rule sees of the options that work."""
        out, size = ledger.out, len(ledger.names)
        if self.seen != (ledger, size, out):
            self.memory, self.works = {}, [i for i in range(size) if i not in out]
        works, self.seen = self.works, None  # until the rule has seen all: what it remembers is made again
        counts, means, squares = ledger.chooser.summary()
        if out:
            counts, means, squares = counts[works], means[works], squares[works]
        ahead = ledger.chooser.ahead()
        return Results(
            counts,
            means,
            squares,
            values=lambda i: results_of(ledger, works[i]),
            lower=lambda i: results_of(ledger, works[i], best_first=False),
            replicates=(lambda i: ledger.results.replicates_of(works[i])) if ledger.paired else None,
            best=works.index(ahead) if ahead is not None and ahead not in out else -1,
            memory=self.memory,
            items=ledger.items,
        )


def looks(results: int) -> int:
    """How often ``p_watched`` is looked at until there are so many."""
    return int(math.log(max(results, 1)) / math.log(GROWTH))


def results_of(ledger: Ledger, i: int, best_first: bool = True) -> np.ndarray:
    """All results of option ``i`` in order, larger is better; within a batch, whose order is unknown, best or worst
    first.
    """
    values = ledger.results.of(i)
    if i in ledger.batches:
        counted: list[np.ndarray] = []
        for batch in ledger.batches[i]:
            if not isinstance(batch, Counts):
                raise ValueError(
                    f"some results of {ledger.names[i]!r} are {batch}, without the single values: "
                    "a rule that stops early needs those, write stop=None"
                )
            each = batch.best_first[:: 1 if best_first == (ledger.sign > 0.0) else -1]
            counted += [np.full(times, value) for value, times in each]
        counts = np.concatenate(counted)
        values = np.concatenate([counts, values] if i in ledger.counted_first else [values, counts])
    return ledger.sign * values
