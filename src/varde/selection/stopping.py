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
        self.answer, self.checked = False, (-1.0, -1)  # what the rule says, and as of when
        self.works: list[int] = []
        self.among: tuple[int, set[int]] = (-1, set())  # options then, and those left out
        self.memory: dict[Any, Any] = {}
        self.waits_for: list[int] = []  # options that the rule needs more results of, though they look hopeless

    def satisfied(self, ledger: Ledger) -> bool:
        """Whether the rule is satisfied for the options that work."""
        now = (ledger.spent, len(ledger.out))
        if self.stop is None or self.checked == now:
            return self.answer
        self.checked, self.waits_for = now, []
        promise = isinstance(self.stop, Stop)
        if promise and not all_usable(ledger.batches, self.stop):  # another process told them
            self.answer = False
            return False
        results = self.results(ledger)
        self.answer = bool(self.goal.sure(self.stop, results) if promise else self.stop.satisfied(results))
        if self.answer and ledger.paired and isinstance(self.goal, Mean):
            # what is recommended is found with more care than what is sampled
            self.answer = self.works[results.best] == ledger.leader()
        if not self.answer:
            self.waits_for = [self.works[i] for i in results.waits_for]
        return self.answer

    def results(self, ledger: Ledger) -> Results:
        """What the rule sees of the options that work."""
        out, size = ledger.out, len(ledger.names)
        if self.among != (size, out):
            self.among, self.memory = (size, out), {}
            self.works = [i for i in range(size) if i not in out]
        works = self.works
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
            replicates=(lambda i: np.array(ledger.replicates[works[i]])) if ledger.paired else None,
            best=works.index(ahead) if ahead is not None and ahead not in out else -1,
            memory=self.memory,
            items=ledger.items,
        )


def results_of(ledger: Ledger, i: int, best_first: bool = True) -> np.ndarray:
    """All results of option ``i`` in order, larger is better; within a batch, whose order is unknown, best or worst
    first.
    """
    values = np.array(ledger.values[i], dtype=float)
    if ledger.batches[i]:
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
