"""``Measured``: the result of ``measure``, many runs of an algorithm on a known problem."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from .check import refuse, whole

if TYPE_CHECKING:
    from .show.sheet import Sheet


LINES = 8  # of a table, the last numbers of samples among them


@dataclass(frozen=True, repr=False)
class Measured:
    """``values[r, c]`` is the true value of what run r answers after ``at[c]`` samples."""

    values: np.ndarray  # [R, C]
    at: np.ndarray  # [C] samples
    best: float  # the value of the right answer
    answers: np.ndarray | None = None  # [R, C] the answers themselves, where they are numbers
    stopped: str = "budget"  # "interrupted" at Ctrl-C: then these are the runs that were complete

    @property
    def value(self) -> np.ndarray:
        """[C] mean over the runs."""
        return self.values.mean(axis=0)

    @property
    def regret(self) -> np.ndarray:
        """[C] mean loss of the answers (simple regret)."""
        return self.best - self.value

    @property
    def error(self) -> np.ndarray:
        """[C] the share of runs whose answer was not the best."""
        return (self.values < self.best).mean(axis=0)

    @property
    def stderr(self) -> np.ndarray:
        """[C] the standard error of ``value``; nan for a single run."""
        runs = len(self.values)
        return self.values.std(axis=0, ddof=1) / math.sqrt(runs) if runs > 1 else np.full(self.at.size, math.nan)

    # -- as text and in a notebook -----------------------------------------------------------------

    def __repr__(self) -> str:
        samples = f"{self.at[0]:,}" if self.at.size == 1 else f"{self.at[0]:,} to {self.at[-1]:,}"
        return f"<Measured: {len(self.values):,} runs after {samples} samples, value {self._value(-1)}>"

    def __str__(self) -> str:
        return f"{self.sentence}\n\n{self._sheet().plain()}"

    def _repr_html_(self) -> str:
        from .show.page.text import join, tag

        return join([tag("p", self.sentence), self._sheet().html()])

    @property
    def sentence(self) -> str:
        """What the runs were worth in the end."""
        runs = f"{len(self.values):,} run{'s' * (len(self.values) != 1)}"
        was = " that were complete when it was interrupted" if self.stopped == "interrupted" else ""
        wrong = "" if self.answers is None else f"; {self._wrong(-1)} % of the answers are wrong"
        return f"{runs}{was}, {self.at[-1]:,} samples each: value {self._value(-1)} of {self.best:.4g}{wrong}."

    def _value(self, place: int) -> str:
        value, error = float(self.value[place]), 1.96 * float(self.stderr[place])
        return f"{value:.4g}" if math.isnan(error) else f"{value:.4g} ± {error:.2g}"

    def _wrong(self, place: int) -> str:
        share = float(self.error[place])
        return f"{100 * share:.2f} ± {196 * math.sqrt(share * (1.0 - share) / len(self.values)):.2f}"

    def _sheet(self) -> Sheet:
        """Values and losses after so many samples, with 95 % margins; at most ``LINES`` of them."""
        from .show.sheet import Sheet

        head = ["samples", "value", "regret", *([] if self.answers is None else ["wrong, %"])]
        places = np.unique(np.linspace(0, self.at.size - 1, min(LINES, self.at.size)).round().astype(int))
        lines = []
        for place in places.tolist():
            line = [f"{self.at[place]:,}", self._value(place), f"{float(self.regret[place]):.3g}"]
            lines.append(line if self.answers is None else [*line, self._wrong(place)])
        return Sheet(head, lines, "values after so many samples", left=())


def complete(measured: Measured) -> Measured:
    """The complete runs (without NaN) after an interruption; KeyboardInterrupt if there is none."""
    if measured.stopped != "interrupted":
        return measured
    whole, answers = ~np.isnan(measured.values).any(axis=1), measured.answers
    if not whole.any():
        raise KeyboardInterrupt
    return replace(measured, values=measured.values[whole], answers=None if answers is None else answers[whole])


def checkpoints(budget: int, at: Sequence[int] | None) -> np.ndarray:
    """The checkpoints in numbers of samples, in order, the last being ``budget``."""
    budget = whole("budget", budget, "the number of samples, 1 or more")
    wanted = f"numbers of samples within the budget, 1 to {budget}"
    if at is None:
        return np.array([budget])
    if isinstance(at, (str, bytes)) or not isinstance(at, Iterable) or np.ndim(at) != 1:
        refuse("at", at, f"a list of {wanted}", TypeError)
    return np.array(sorted({whole(f"at[{i}]", n, wanted, 1, budget) for i, n in enumerate(at)} | {budget}), np.int64)


def check_runs(runs: int) -> int:
    return whole("runs", runs, "how many runs to make, 1 or more")
