"""Running studies: work is split into blocks, which joblib measures in threads, processes or on a Dask cluster.

A block depends only on its cell, the seed and its first run, and blocks are assembled in order: the result has the same
bits whatever the workers, and whatever was measured before an interruption.
"""

from __future__ import annotations

import functools
import math
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

from .. import _compile
from .._pool import cores
from .extra import needed
from .fingerprint import block_fingerprint, cell_fingerprint, environment
from .judging.verdict import summarise
from .measuring import CellName, Measured, Portion, WorkerError, kind_of, measure_block, measure_named
from .store import Block, Blocks, unpacked
from .study import Outcome, Study
from .study_files import Source

THREADS, PROCESSES, CLUSTER = "threading", "loky", "dask"  # joblib's words
LOCAL = "local"  # in place of the address of a scheduler: a cluster just for this command
WAVE = 64  # blocks sent to a cluster at a time
CONNECT = 10.0  # seconds to wait for a scheduler


class MeasureError(RuntimeError):
    """A block could not be measured; the cause says why."""


class ClusterError(RuntimeError):
    """There is no cluster; the message says what to do."""


@dataclass
class Plan:
    """A study cut into blocks, and those that are done."""

    study: Study
    runs: int
    seed: int = 0
    source: Source | None = None  # the file of a user's study
    portions: list[Portion] = field(default_factory=list)
    done: dict[str, Block] = field(default_factory=dict)  # by fingerprint
    reused: int = 0  # blocks that were in the store
    tried: set[Any] = field(default_factory=set)  # kinds of measures of which a block was measured twice

    def rows(self) -> list[Outcome]:
        """The rows of the result, once every block is done."""
        return [
            row for i, cell in enumerate(self.study.cells) for row in summarise(self.study, cell, self.values(i))
        ]  # fmt: skip

    def values(self, index: int) -> np.ndarray:
        """[runs, columns] of a cell."""
        mine = (portion.fingerprint for portion in self.portions if portion.cell == index)
        return np.concatenate([unpacked(self.done[fingerprint].values) for fingerprint in mine])

    def twice(self, portion: Portion) -> bool:
        """Whether to measure a block twice: once for every kind of measure of a user's; ours have tests."""
        kind = kind_of(self.study.cells[portion.cell].measure)
        new = self.source is not None and kind not in self.tried
        self.tried.add(kind)
        return new

    @property
    def seconds(self) -> float:
        """Seconds of computing, over all blocks of the result."""
        return sum(block.seconds for block in self.done.values())


def plan(study: Study, runs: int, seed: int, store: Blocks | None = None, source: Source | None = None) -> Plan:
    """Split a study into blocks and see which of them are in the store."""
    made = Plan(study, runs, seed, source)
    for index, cell in enumerate(study.cells):
        whole = cell_fingerprint(study.name, cell, seed, source.digest if source else "")
        for first in range(0, runs, study.block):
            size = min(study.block, runs - first)
            portion = Portion(block_fingerprint(whole, first, size), index, first, size)
            made.portions.append(portion)
            if store is not None and (block := store.get(portion.fingerprint)) is not None:
                made.done[portion.fingerprint] = block
                made.reused += 1
    return made


def quick(study: Study) -> tuple[Study, int]:
    """What ``--quick`` measures: some problems, and runs in whole blocks; both are part of the full study."""
    wanted = study.quick or max(study.runs // 10, 2)  # an error takes two
    runs = min(study.block * -(-wanted // study.block), study.runs)
    cells = [cell for cell in study.cells if not study.quick_problems or cell.problem in study.quick_problems]
    return replace(study, cells=cells), runs


def run(study: Study, runs: int | None = None, seed: int = 0, workers: int | None = None) -> list[Outcome]:
    """Measure every cell of one study, in as many threads as there are cores unless ``workers`` says otherwise."""
    made = plan(study, runs or study.runs, seed)
    list(complete([made], workers=workers))
    return made.rows()


def complete(
    plans: Sequence[Plan],
    backend: str = THREADS,
    workers: int | None = None,
    store: Blocks | None = None,
    tick: Callable[[Plan, Block], None] = lambda *_: None,
    engine: str = "auto",
) -> Iterator[Plan]:
    """Measure what is missing, and yield the plans in order as they are finished.

    Each block is stored as soon as it is done.  Threads share the cells; other processes are sent their names, and
    import varde themselves.
    """
    left = [
        (made, portion, made.twice(portion))
        for made in plans
        for portion in made.portions
        if portion.fingerprint not in made.done
    ]
    waiting = iter(plans)
    current = next(waiting, None)
    with _compile.using(engine):
        for made, portion, found in chain([(None, None, None)], measured(left, backend, workers, engine)):
            if made is not None and portion is not None and found is not None:
                block = block_of(made, portion, found)
                if store is not None:
                    store.put(block)
                made.done[block.fingerprint] = block
                tick(made, block)
            while current is not None and len(current.done) == len(current.portions):
                yield current
                current = next(waiting, None)


Job = tuple[Plan, Portion, bool]


def measured(
    jobs: Sequence[Job], backend: str, workers: int | None, engine: str
) -> Iterator[tuple[Plan, Portion, Any]]:
    """Every job with what came of it, as they are done."""
    if not jobs:
        return
    joblib = needed("joblib")
    task = joblib.delayed(partial(attempt, os.getpid() if backend == PROCESSES else None))

    def tasks(some: Sequence[Job]) -> Iterator[Any]:
        for made, portion, twice in some:
            cell = made.study.cells[portion.cell]
            place = jobs_at[made.study.name, portion]
            if backend == THREADS:
                yield task(place, measure_block, cell, made.seed, portion.first, portion.runs, twice)
            else:
                where = CellName(made.source, made.study.name, cell.problem, cell.algorithm)
                yield task(place, measure_named, where, made.seed, portion, environment(), twice, engine)

    jobs_at = {(made.study.name, portion): place for place, (made, portion, _) in enumerate(jobs)}
    number = None if backend == CLUSTER else workers or cores()
    with joblib.parallel_config(backend=backend, n_jobs=number or -1):
        if backend == CLUSTER:
            many = (joblib.Parallel()(list(tasks(jobs[i : i + WAVE]))) for i in range(0, len(jobs), WAVE))
            results: Any = chain.from_iterable(many)
        else:
            results = joblib.Parallel(return_as="generator_unordered", batch_size=1)(tasks(jobs))
        for place, found in results:
            made, portion, _ = jobs[place]
            yield made, portion, found


def attempt(
    parent: int | None, place: int, measure: Callable[..., Measured], *arguments: Any
) -> tuple[int, Measured | Exception]:
    """What a measure returns or raises: an exception does not keep other blocks from being stored."""
    if parent not in (None, os.getpid()):  # one worker is this process
        follow(parent)
    try:
        return place, measure(*arguments)
    except Exception as error:
        return place, error


@functools.cache
def follow(parent: int) -> None:
    """In a worker process: end soon after the command, also if that was killed."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def block_of(made: Plan, portion: Portion, found: Measured | Exception) -> Block:
    cell = made.study.cells[portion.cell]
    try:
        if isinstance(found, Exception):
            raise found
        check_range(made.study, unpacked(found.values))
    except WorkerError:
        raise
    except Exception as error:
        runs = f"runs {portion.first} to {portion.first + portion.runs - 1}"
        raise MeasureError(
            f"{made.study.name}: {cell.algorithm} on {cell.problem}, {runs}: {type(error).__name__}: {error}"
        ) from error
    return Block(portion.fingerprint, *found)


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


@contextmanager
def cluster_at(address: str, workers: int | None = None) -> Iterator[None]:
    """A Dask cluster: ``tcp://HOST:PORT``, or ``local`` for one of this machine."""
    try:
        import distributed
    except ModuleNotFoundError:
        raise ClusterError("Dask is missing: pip install 'varde[cluster]'") from None
    if address != LOCAL and "://" not in address:
        raise ClusterError(f"the cluster is {address!r}: write the scheduler's address, tcp://HOST:PORT, or {LOCAL}")
    try:
        if address == LOCAL:
            # Any free port of this machine's own: without an address, all the world can reach 8787, or it is taken.
            where: Any = distributed.LocalCluster(
                n_workers=workers or cores(), threads_per_worker=1, dashboard_address="127.0.0.1:0"
            )
        else:
            where = address
        client = distributed.Client(where, timeout=CONNECT)
    except (OSError, ValueError) as error:
        raise ClusterError(
            f"no Dask scheduler answers at {address} ({type(error).__name__}): start one with `dask scheduler`, or "
            "check the address"
        ) from None
    try:
        yield
    finally:
        client.close()
        if address == LOCAL:
            where.close()
