"""What a selection knows: the half of a Selector that only reads."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from .checks import number_of, shorten
from .draws import Draw
from .journal import Journal
from .ledger import Ledger
from .result import Selection


class Known:
    """The state of a selection, as of now, whoever changes it."""

    _journal: Journal
    _stop: Any
    _asked_at: tuple[float, int] | None = None
    _enough = False

    @property
    def done(self) -> bool:
        """Whether nothing is under way and nothing will be handed out any more."""
        with self._journal.lock:
            ledger = self._journal.view()
            if self._stop is not None and self._satisfied(ledger):
                return True
            if ledger.live or ledger.first_waiting() is not None:
                return False
            return not ledger.more()

    def _satisfied(self, ledger: Ledger) -> bool:
        """Whether the stopping rule says so of the options that work; asked once per result."""
        now = (ledger.spent, len(ledger.failing))
        if self._asked_at != now:
            works = [i for i in range(len(ledger.names)) if i not in ledger.failing]
            self._asked_at = now
            self._enough = bool(self._stop.satisfied(*(column[works] for column in ledger.chooser.summary())))
        return self._enough

    @property
    def budget(self) -> float | None:
        """All there is to spend, or None."""
        return self._journal.view().budget

    @property
    def spent(self) -> float:
        """What the results have cost: their number, unless costs were given."""
        return number_of(self._journal.view().spent)

    @property
    def remaining(self) -> float:
        """What can still be handed out: the budget less what is spent and what is under way."""
        return number_of(self._journal.view().remaining)

    @property
    def pending(self) -> list[Draw]:
        """The draws that were handed out and have no answer, the oldest first."""
        with self._journal.lock:
            ledger, options = self._journal.view(), self._journal.options
            tickets = [(id, ledger.tickets[id]) for id in ledger.live]
            return [Draw(id, options[t.option], ledger.names[t.option], t.seed, t.replicate) for id, t in tickets]

    @property
    def leader(self) -> str | None:
        """The name of the option with the best mean so far."""
        with self._journal.lock:
            best = self._journal.view().leader()
            return None if best is None else self._journal.ledger.names[best]

    @property
    def options(self) -> dict[str, Any]:
        """The options by name, those added later last."""
        with self._journal.lock:
            return dict(zip(self._journal.view().names, self._journal.options, strict=True))

    def noted(self, name: str) -> Any:
        """The note of that name in the file, or None."""
        with self._journal:
            return None if self._journal.store is None else self._journal.store.noted(name)

    @property
    def failing(self) -> dict[str, str]:
        """The options left out because they fail, and their last reasons."""
        ledger = self._journal.view()
        return {ledger.names[i]: reason for i, reason in ledger.failing.items()}

    def recommend(self) -> Selection:
        """What to take, and how sure that is: a Selection."""
        with self._journal.lock:
            ledger = self._journal.view()
            if not any(ledger.values):
                if ledger.failing and len(ledger.failing) == len(ledger.names):
                    name, reason = next(iter(self.failing.items()))
                    raise RuntimeError(f"every option fails; {shorten(name)!r} says: {reason}")
                raise ValueError("there are no results yet: tell some first")
            return Selection.of(
                list(ledger.names),
                list(self._journal.options),
                [np.array(values) for values in ledger.values],
                goal=self._journal.settings["goal"],
                budget=ledger.budget,
                spent=number_of(ledger.spent),
                failing=self.failing,
                costs=list(ledger.costs) if ledger.weighed else None,
                crn=self._journal.settings["crn"],
                replicates=[np.array(replicates, np.int64) for replicates in ledger.replicates],
            )

    def close(self) -> None:
        """Close the file; nothing can be asked or told any more."""
        self._journal.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
