"""Microseconds per ask + tell in memory, in a file and in PostgreSQL, one by one and many at once.

python benchmarks/selector.py [--quick]
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import sqlite3
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import varde

sys.path.insert(0, str(Path(__file__).parents[1]))  # the tests start such databases
from tests.selection.server import Server, missing


def results(size: int, seed: int = 0) -> Any:
    """Noisy options, fast to draw from."""
    rng = np.random.default_rng(seed)
    means, noise = rng.uniform(0.0, 1.0, size).tolist(), rng.normal(0.0, 0.3, 1 << 16).tolist()
    return lambda draw: means[int(draw.name)] + noise[(draw.seed + 31 * draw.id) & 0xFFFF]


def microseconds(size: int, pairs: int, repeats: int, store: Any = None, clock: Any = time.process_time) -> float:
    """Per ask + tell after the warm start, the best of some repetitions."""
    selector = varde.Selector([str(i) for i in range(size)], store=store)
    value = results(size)
    for _ in range(selector.settings.warm_start):
        for draw in selector.ask(size):
            selector.tell(draw, value(draw))
    selector.tell(draw := selector.ask(), value(draw))  # scores are entered here
    best = np.inf
    for _ in range(repeats):
        began = clock()
        for _ in range(pairs):
            draw = selector.ask()
            selector.tell(draw, value(draw))
        best = min(best, clock() - began)
    selector.close()
    return best / pairs * 1e6


def in_memory(quick: bool) -> None:
    print("us per ask + tell")
    for size in (20, 1_000):
        print(f"K = {size:7,} {microseconds(size, 100, 5 if quick else 50):13.1f}", flush=True)
    # Now and then all options are scored: long stretches, so that it is in the time.
    print(f"K = 100,000 {microseconds(100_000, 2_000, 1 if quick else 3):13.1f}")


def answering() -> None:
    """In a process of its own, whose memory nothing else has raised."""
    size, began = 100_000, time.process_time()
    selector, value = varde.Selector([str(i) for i in range(size)]), results(size)
    print(f"\na selector of {size:,} options is made in {time.process_time() - began:.2f} s")
    for _ in range(3):
        for draw in selector.ask(size):
            selector.tell(draw, value(draw))
    before, began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    found = selector.recommend()
    recommended = time.process_time()
    str(found)
    printed, after = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    megabytes = (after - before) / 1e3
    print(f"recommend(): {recommended - began:.2f} s, {megabytes:.0f} MB; print: {printed - recommended:.2f} s")


def in_store(what: str, address: str, quick: bool) -> None:
    """One by one, and 10,000 in one call."""
    pairs = 100 if quick else 500
    wall = microseconds(20, pairs, 3, f"{address}1", time.perf_counter)
    many = [(f"option {k % 10}", (k * 7919 % 1009) / 1009) for k in range(10_000)]
    with varde.Selector([f"option {i}" for i in range(10)], store=f"{address}2") as selector:
        began = time.perf_counter()
        selector.tell_many(many)
        seconds = time.perf_counter() - began
    print(
        f"{what}: {wall:.0f} us per ask + tell (two commits); {len(many):,} results at once: {seconds:.2f} s",
        flush=True,
    )


def bare_commits(folder: str) -> None:
    for mode in ("FULL", "NORMAL"):
        db = sqlite3.connect(Path(folder) / f"{mode}.db", isolation_level=None)
        db.execute("PRAGMA journal_mode = WAL")
        db.execute(f"PRAGMA synchronous = {mode}")
        db.execute("CREATE TABLE t (x)")
        began = time.perf_counter()
        for i in range(200):
            db.execute("INSERT INTO t VALUES (?)", (i,))
        print(f"  a bare commit with synchronous={mode}: {(time.perf_counter() - began) / 200 * 1e6:.0f} us")
        db.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer repetitions")
    quick = parser.parse_args().quick
    in_memory(quick)
    alone = multiprocessing.get_context("spawn").Process(target=answering)
    alone.start()
    alone.join()
    with tempfile.TemporaryDirectory() as folder:
        in_store("a file", f"{folder}/s", quick)
        bare_commits(folder)
    if missing() is None:
        database = Server()
        try:
            in_store("PostgreSQL", f"{database.url()}#s", quick)
        finally:
            database.remove()
