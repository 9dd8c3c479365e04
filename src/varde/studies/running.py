"""Running studies: work is split into blocks, which any executor measures in any order.

A block depends only on its cell, the seed and its first run, and blocks are assembled in order: the result has the same
bits whatever the workers, and whatever was measured before an interruption.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from .._pool import first_done, threads
from .fingerprint import block_fingerprint, cell_fingerprint, environment
from .judging.verdict import summarise
from .measuring import CellName, Portion, WorkerError, kind_of, measure_block, measure_named
from .rows import Key, Rows, by_name
from .store import Block, Blocks, unpacked
from .study import Outcome, Study
from .study_files import Source

MANY = 100  # new cells: more than one table has, fewer than a group of studies


class MeasureError(RuntimeError):
    """A block could not be measured; the cause says why."""


@dataclass
class Plan:
    """A study cut into blocks, and those that are done."""

    study: Study
    runs: int
    seed: int = 0
    source: Source | None = None  # the file of a user's study
    cells: list[str] = field(default_factory=list)  # fingerprints
    portions: list[Portion] = field(default_factory=list)
    done: dict[str, Block] = field(default_factory=dict)  # by fingerprint
    reused: int = 0  # blocks that were in the store
    kinds: dict[int, Any] = field(default_factory=dict)  # by cell, of its measure
    tried: set[Any] = field(default_factory=set)  # those of which a block was measured twice

    def rows(self) -> Rows:
        """The rows of the result, once every block is done."""
        rows: list[Outcome] = []
        runs: dict[Key, Callable[[], np.ndarray]] = {}
        for index, cell in enumerate(self.study.cells):
            rows += summarise(self.study, cell, self.values(index))
            runs |= by_name(cell, partial(self.values, index))
        made = Rows(rows, runs)
        made.percent, made.unit = self.study.percent, "points" if self.study.percent else self.study.unit
        made.span = self.study.possible
        return made

    def values(self, index: int) -> np.ndarray:
        """[runs, columns] of a cell."""
        mine = (portion.fingerprint for portion in self.portions if portion.cell == index)
        return np.concatenate([unpacked(self.done[fingerprint].values) for fingerprint in mine])

    def kind(self, portion: Portion) -> Any:
        """What blocks share that run the same kernels."""
        if portion.cell not in self.kinds:
            self.kinds[portion.cell] = kind_of(self.study.cells[portion.cell].measure)
        return self.kinds[portion.cell]

    @property
    def seconds(self) -> float:
        """Seconds of computing, over all blocks of the result."""
        return sum(block.seconds for block in self.done.values())


def plan(study: Study, runs: int, seed: int, store: Blocks | None = None, source: Source | None = None) -> Plan:
    """Split a study into blocks and see which of them are in the store."""
    made = Plan(study, runs, seed, source)
    for index, cell in enumerate(study.cells):
        whole = cell_fingerprint(study.name, cell, seed, source.digest if source else "")
        made.cells.append(whole)
        for first in range(0, runs, study.block):
            size = min(study.block, runs - first)
            portion = Portion(block_fingerprint(whole, first, size), index, first, size)
            made.portions.append(portion)
            if store is not None and (block := store.get(portion.fingerprint)) is not None:
                made.done[portion.fingerprint] = block
                made.reused += 1
    return made


def compiles_much(plans: Sequence[Plan]) -> bool:
    """Whether processes are worth their start: cells of ours that are not yet measured mostly have kernels to compile.

    Numba compiles one kernel at a time in a process, and threads wait for it.
    """
    new = sum(portion.first == 0 and portion.fingerprint not in of.done for of in plans for portion in of.portions)
    return new >= MANY and all(of.source is None for of in plans)


def quick(study: Study) -> tuple[Study, int]:
    """What ``--quick`` measures: some problems, and runs in whole blocks; both are part of the full study."""
    wanted = study.quick or max(study.runs // 10, 2)  # an error takes two
    runs = min(study.block * -(-wanted // study.block), study.runs)
    cells = [cell for cell in study.cells if not study.quick_problems or cell.problem in study.quick_problems]
    return replace(study, cells=cells), runs


def run(
    study: Study,
    runs: int | None = None,
    seed: int = 0,
    pool: Executor | None = None,
    tick: Callable[[], None] = lambda: None,
) -> Rows:
    """Measure every cell of one study; ``tick`` is called after each block.

    Without ``pool`` there is one thread per core.
    """
    made = plan(study, runs or study.runs, seed)
    with threads(None) if pool is None else nullcontext(pool) as at_work:
        list(complete([made], at_work, tick=lambda *_: tick()))
    return made.rows()


def complete(
    plans: Sequence[Plan],
    pool: Executor,
    room: Callable[[], int] = lambda: 16,
    store: Blocks | None = None,
    tick: Callable[[Plan, Block], None] = lambda *_: None,
    by_name: bool = False,
) -> Iterator[Plan]:
    """Measure what is missing, and yield the plans in order as they are finished.

    At most ``room()`` blocks are in flight.  Each is stored as soon as it is done.  ``by_name`` sends the name of a
    cell instead of the cell, to processes that import varde themselves.

    Blocks come in the order of cells.  But the first block of a cell may have kernels to compile: meanwhile the other
    workers get blocks of other kinds, and do not compile the same ones.
    """
    waiting = deque(
        (made, portion) for made in plans for portion in made.portions if portion.fingerprint not in made.done
    )
    under_way: dict[Future[tuple[bytes, float]], tuple[Plan, Portion]] = {}
    try:
        for made in plans:
            while len(made.done) < len(made.portions):
                submit(under_way, waiting, room(), pool, by_name)
                blocks = []
                try:
                    for future in sorted(first_done(under_way), key=failed):
                        of, portion = under_way.pop(future)
                        blocks.append((of, block_of(of, portion, future)))
                finally:  # those that succeeded are kept even if another one failed
                    if store is not None and blocks:
                        store.put(*(block for _, block in blocks))
                    for of, block in blocks:
                        of.done[block.fingerprint] = block
                        tick(of, block)
            yield made
    finally:
        for future in under_way:
            future.cancel()


def failed(future: Future[Any]) -> bool:
    return future.cancelled() or future.exception() is not None


def submit(
    under_way: dict[Future[Any], tuple[Plan, Portion]],
    waiting: deque[tuple[Plan, Portion]],
    room: int,
    pool: Executor,
    by_name: bool,
) -> None:
    """Submit as much work as there is room for."""
    compiling = {made.kind(portion) for made, portion in under_way.values() if portion.first == 0}
    held_back: deque[tuple[Plan, Portion]] = deque()  # until there is nothing else to do
    for queue in (waiting, held_back):
        for _ in range(len(queue)):
            if len(under_way) >= room:
                break
            made, portion = queue.popleft()
            if queue is waiting and made.kind(portion) in compiling:
                held_back.append((made, portion))
                continue
            cell, kind = made.study.cells[portion.cell], made.kind(portion)
            twice = made.source is not None and kind not in made.tried  # a measure of ours has its tests
            made.tried.add(kind)
            if portion.first == 0:
                compiling.add(kind)
            if by_name:
                where = CellName(made.source, made.study.name, cell.problem, cell.algorithm)
                future = pool.submit(measure_named, where, made.seed, portion, environment(), twice)
            else:
                future = pool.submit(measure_block, cell, made.seed, portion.first, portion.runs, twice)
            under_way[future] = made, portion
    waiting.extendleft(reversed(held_back))


def block_of(made: Plan, portion: Portion, future: Future[tuple[bytes, float]]) -> Block:
    cell = made.study.cells[portion.cell]
    try:
        values, seconds = future.result()
        check_range(made.study, unpacked(values))
    except (WorkerError, KeyboardInterrupt):
        raise
    except BaseException as error:
        runs = f"runs {portion.first} to {portion.first + portion.runs - 1}"
        raise MeasureError(
            f"{made.study.name}: {cell.algorithm} on {cell.problem}, {runs}: {type(error).__name__}: {error}"
        ) from error
    return Block(portion.fingerprint, values, seconds)


def check_range(study: Study, values: np.ndarray) -> None:
    """Whether the values of a block are what the study says of them."""
    if study.percent and values.dtype != np.uint8:
        first = float(values[(values != 0.0) & (values != 1.0)][0])
        raise ValueError(
            f"measure returns {first:g}, and the study says percent=True: return 0 or 1 for each run, or leave "
            "percent=True out"
        )
    low, high = (-math.inf, math.inf) if study.percent else study.span or (-math.inf, math.inf)
    if values.min() < low or values.max() > high:
        wrong = values.min() if values.min() < low else values.max()
        raise ValueError(
            f"measure returns {wrong:g}, and the study says span={study.span}: write a wider span, or leave it out"
        )
