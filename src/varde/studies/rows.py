"""The rows of a result, with the values of the runs behind them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from .study import Cell, Outcome

Key = tuple[str, str]  # problem, algorithm


class NoValuesError(ValueError):
    """Only means and errors of these rows are known, not the values of the runs."""


class Rows(list[Outcome]):
    """A list of rows with the values of their runs: rows are compared run by run.

    Run r of every algorithm draws from the same stream on the same problem, so that runs are paired.
    """

    def __init__(self, rows: Iterable[Outcome], runs: Mapping[Key, Callable[[], np.ndarray]] | None = None):
        super().__init__(rows)
        self.runs: dict[Key, Callable[[], np.ndarray]] = dict(runs or {})  # by name of a row, [runs, steps] when called
        self.percent: bool = False  # whether runs are 0 or 1, and shown in percent
        self.span: tuple[float, float] | None = None  # of the values as they are shown, if it is known
        self.unit: str = ""  # of the values as they are shown

    def paired(self, keys: Sequence[Key], at: int = -1) -> dict[Key, np.ndarray]:
        """[runs] of each, at one of its steps: the runs that all of them have; NoValuesError if that cannot be."""
        found = {key: some[:, at] for key, some in self.curves(keys).items()}
        return {key: np.asarray(some, float) for key, some in found.items()}

    def curves(self, keys: Sequence[Key]) -> dict[Key, np.ndarray]:
        """[runs, steps] of each."""
        if not self.runs:
            raise NoValuesError("needs the values of the runs: run varde reproduce again")
        missing = [key for key in keys if key not in self.runs]
        if missing:
            raise NoValuesError(f"there is no row of {missing[0][1]} on {missing[0][0]}")
        found = {key: self.runs[key]() for key in keys}
        runs = min(len(some) for some in found.values())
        return {key: some[:runs] for key, some in found.items()}


def by_name(cell: Cell, values: Callable[[], np.ndarray]) -> dict[Key, Callable[[], np.ndarray]]:
    """The runs of a cell by the names of its rows, of which it has one for each of its quantities."""
    names = list(dict.fromkeys(name for name, _ in cell.columns))

    def part(i: int) -> Callable[[], np.ndarray]:
        return lambda: values()[:, i :: len(names)]

    return {(cell.problem, name): part(i) for i, name in enumerate(names)}


def find(rows: Iterable[Outcome], problem: str, algorithm: str, step: int | None = None) -> Outcome:
    """The row of a cell, at its last step unless another is given."""
    found = [r for r in rows if r.problem == problem and r.algorithm == algorithm and step in (None, r.step)]
    return found[-1]
