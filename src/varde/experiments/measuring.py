"""Measuring one block, in this process or in another."""

from __future__ import annotations

import functools
import time
from typing import NamedTuple

import numpy as np

from .. import _compile
from ..random import key as named_key
from .compression import packed
from .fingerprint import block_fingerprint, cell_fingerprint, environment
from .registry import shipped
from .study import Cell
from .study_files import Source, load


class WorkerError(RuntimeError):
    """A worker would measure something different."""


class Portion(NamedTuple):
    """A portion of the runs of a cell: a block to be measured."""

    fingerprint: str
    cell: int  # of the study
    first: int
    runs: int


def measure_block(cell: Cell, seed: int, first: int, runs: int, twice: bool = False) -> tuple[bytes, float]:
    """The values of a block, and the seconds it took, without compiling.

    Run r draws from the same stream whatever the algorithm and the study: on one problem, runs of two algorithms are
    pairs.  ``twice`` measures the block again, to detect a measure that does not depend only on its stream.
    """
    began = time.perf_counter() - _compile.compile_seconds()
    values = np.asarray(cell.measure(named_key(seed, cell.problem), first, runs), float)
    wanted = (runs, len(cell.columns))
    if values.shape != wanted:
        raise ValueError(f"measure returns an array of shape {values.shape}: return [runs, numbers] = {wanted}")
    if not np.isfinite(values).all():
        raise ValueError("measure returns a value that is not finite: return numbers that can be averaged")
    seconds = time.perf_counter() - _compile.compile_seconds() - began
    if twice:
        again = np.asarray(cell.measure(named_key(seed, cell.problem), first, runs), float)
        if not np.array_equal(values, again):
            at = tuple(np.argwhere(values != again)[0]) if again.shape == values.shape else (0, 0)
            raise ValueError(
                f"measure gives different numbers when called again: run {first + at[0]} gave {values[at]:g}, then "
                f"{again[at] if again.shape == values.shape else again.shape}: draw from key and run only"
            )
    return packed(values), seconds


class CellName(NamedTuple):
    """The name of a cell: in a study of a file, or in one of ours."""

    source: Source | None
    study: str
    problem: str
    algorithm: str


def measure_named(
    where: CellName, seed: int, portion: Portion, wanted: dict[str, str], twice: bool = False
) -> tuple[bytes, float]:
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
    return measure_block(cell, seed, portion.first, portion.runs, twice)


@functools.lru_cache(maxsize=4096)
def find_cell(where: CellName, seed: int) -> tuple[Cell, str]:
    """The cell and its fingerprint."""
    study = shipped()[where.study]() if where.source is None else load(where.source)[where.study]
    names = (where.problem, where.algorithm)
    cell = next(cell for cell in study.cells if (cell.problem, cell.algorithm) == names)
    return cell, cell_fingerprint(where.study, cell, seed, where.source.digest if where.source else "")
