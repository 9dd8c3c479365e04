"""Measuring one block, in this process or in another."""

from __future__ import annotations

import functools
import reprlib
from typing import Any, NamedTuple

import numpy as np

from .. import _compile
from ..random import key as named_key
from .fingerprint import block_fingerprint, cell_fingerprint, environment
from .store import packed
from .study import Cell, Study
from .study_files import Source, load

ROUNDING = 1e-6  # of the largest value of a column, by which arrays of other lengths may round otherwise


class WorkerError(RuntimeError):
    """A worker would measure something different."""


class Measured(NamedTuple):
    """A block that is measured."""

    values: bytes  # packed
    seconds: float  # without compiling


class Portion(NamedTuple):
    """A portion of the runs of a cell: a block to be measured."""

    fingerprint: str
    cell: int  # of the study
    first: int
    runs: int


def measure_block(cell: Cell, seed: int, first: int, runs: int, twice: bool = False) -> Measured:
    """The values of a block, and the seconds it took.

    Run r draws from the same stream whatever the algorithm and the study: on one problem, runs of two algorithms are
    pairs.  ``twice`` measures the block again, and the second half of it by itself, to detect a measure that does not
    depend only on the key and the run.
    """
    key = named_key(seed, cell.problem)
    began = _compile.working_time()
    values = measured(cell, key, first, runs)
    if not np.isfinite(values).all():
        raise ValueError("measure returns a value that is not finite: return numbers that can be averaged")
    seconds = _compile.working_time() - began
    if twice:
        again = measured(cell, key, first, runs)
        if not np.array_equal(values, again):
            at = tuple(np.argwhere(values != again)[0])
            raise ValueError(
                f"measure gives different numbers when called again: run {first + at[0]} gave {values[at]:g}, then "
                f"{again[at]:g}: draw from key and run only"
            )
        half = runs // 2
        apart = measured(cell, key, first + half, runs - half) if half else values
        alike = (np.abs(values[half:] - apart) <= ROUNDING * np.abs(values).max(axis=0)).all(axis=1)
        if not alike.all():
            run = first + half + int(alike.argmin())
            raise ValueError(
                f"measure gives run {run} other numbers when it begins at run {first + half} instead of {first}: row r "
                "must depend on key and first + r only, so draw it from stream(key, first + r)"
            )
    return Measured(packed(values), seconds)


def measured(cell: Cell, key: np.ndarray, first: int, runs: int) -> np.ndarray:
    """What the measure returns, as numbers of the right shape."""
    given, wanted = cell.measure(key, first, runs), (runs, len(cell.columns))
    try:
        if np.iscomplexobj(given):
            raise ValueError
        values = np.asarray(given, float)
    except (TypeError, ValueError):
        raise ValueError(
            f"measure returns {reprlib.repr(given)}, which is no array of real numbers: return [runs, numbers] = "
            f"{wanted}"
        ) from None
    if values.shape != wanted:
        raise ValueError(f"measure returns an array of shape {values.shape}: return [runs, numbers] = {wanted}")
    return values


def kind_of(measure: Any) -> Any:
    """What measures share that differ in numbers only: their code, and the types of their settings.

    They run the same kernels.
    """
    if isinstance(measure, functools.partial):
        return kind_of(measure.func), *map(kind_of, (*measure.args, *measure.keywords.values()))
    if _compile.is_record(measure):  # VarDE(LogSumExp()) and VarDE(Nesterov()) have kernels of their own
        return type(measure), *(kind_of(part) for part in measure if _compile.is_record(part))
    return getattr(measure, "__code__", None) or type(measure)


class CellName(NamedTuple):
    """The name of a cell: in a study of a file, or in one of ours."""

    source: Source | None
    study: str
    problem: str
    algorithm: str


def measure_named(
    where: CellName, seed: int, portion: Portion, wanted: dict[str, str], twice: bool = False, engine: str = "auto"
) -> Measured:
    """The same in another process, after checking that it would measure the same thing."""
    here = environment()
    wrong = [
        f"{what} is {here.get(what)} there, {value} here" for what, value in wanted.items() if here.get(what) != value
    ]
    if wrong:
        raise WorkerError(f"a worker has different code ({'; '.join(wrong)}): install the same on all machines")
    cell, whole = find_cell(where, seed)
    if block_fingerprint(whole, portion.first, portion.runs) != portion.fingerprint:
        raise WorkerError(
            f"{where.study}: {where.algorithm} on {where.problem} is not the same on a worker; a study must not depend "
            "on the machine, the time or the environment"
        )
    with _compile.using(engine):
        return measure_block(cell, seed, portion.first, portion.runs, twice)


@functools.lru_cache(maxsize=4096)
def find_cell(where: CellName, seed: int) -> tuple[Cell, str]:
    """The cell and its fingerprint."""
    study = shipped(where.study) if where.source is None else load(where.source)[where.study]
    names = (where.problem, where.algorithm)
    cell = next(cell for cell in study.cells if (cell.problem, cell.algorithm) == names)
    return cell, cell_fingerprint(where.study, cell, seed, where.source.digest if where.source else "")


@functools.cache  # a worker asks for a study once for each of its cells
def shipped(name: str) -> Study:
    """A study that comes with the package."""
    from ..paper import STUDIES

    return STUDIES[name]()
