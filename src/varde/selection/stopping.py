"""Whether a stopping rule is satisfied, checked once per result."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..certainty.stopping import Results, Stop
from .batches import Counts
from .checks import all_usable
from .goals.goal import Mean
from .ledger import Ledger
from .settings import Settings


class Watch:
    """A stopping rule, and what it remembers of the options that work."""

    def __init__(self, settings: Settings):
        self.stop, self.goal = settings.stop, settings.goal
        if isinstance(self.stop, Stop):
            self.stop = self.stop.facing(self.goal.sense)
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
        if not promise or all_usable(ledger.batches.values(), self.stop):  # else another process told them
            results = self.results(ledger)
            answer = bool(self.goal.sure(self.stop, results) if promise else self.stop.satisfied(results))
            if answer and ledger.paired and isinstance(self.goal, Mean):
                # what is recommended is found with more care than what is sampled
                answer = self.works[results.best] == ledger.leader()
            self.seen = ledger, len(ledger.names), ledger.out
            waits_for = [] if answer else [self.works[i] for i in results.waits_for]
        self.answer, self.waits_for, self.checked = answer, waits_for, now
        return answer

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
