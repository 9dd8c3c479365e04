"""Microseconds per ask + tell, uncompiled, and what a file costs.  Ratios are of one run.

python benchmarks/selector.py [--quick]
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import sqlite3
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import varde


def results(size: int, seed: int = 0) -> Any:
    """Noisy options, fast to draw from."""
    rng = np.random.default_rng(seed)
    means, noise = rng.uniform(0.0, 1.0, size).tolist(), rng.normal(0.0, 0.3, 1 << 16).tolist()
    return lambda draw: means[int(draw.name)] + noise[(draw.seed + 31 * draw.id) & 0xFFFF]


def microseconds(
    algorithm: Any, size: int, pairs: int, repeats: int, store: Any = None, clock: Any = time.process_time
) -> float:
    """Per ask + tell after the warm start, the best of some repetitions."""
    selector = varde.Selector([str(i) for i in range(size)], algorithm=algorithm, store=store)
    value = results(size)
    for _ in range(selector._journal.ledger.chooser.warm_start):
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


ALGORITHMS: dict[str, Any] = {
    "VarDE() (default)": None,
    "VarDE(LogSumExp())": varde.VarDE(varde.decisions.LogSumExp(0.1)),
    "UCBE": varde.bandits.UCBE(2.0),
    "UGapE": varde.bandits.UGapE(2.0),
}


def per_algorithm(quick: bool) -> None:
    print("us per ask + tell          K = 20      K = 1,000    K = 100,000")
    for name, algorithm in ALGORITHMS.items():
        line = f"{name:22}"
        for size in (20, 1_000):
            line += f"{microseconds(algorithm, size, 100, 5 if quick else 50):13.1f}"
        # Now and then all options are scored: long stretches, so that it is in the time.
        line += f"{microseconds(algorithm, 100_000, 2_000, 1 if quick else 3):13.1f}"
        print(line, flush=True)


def setting_up() -> None:
    names = [str(i) for i in range(100_000)]
    began = time.process_time()
    varde.Selector(names, budget=1_000_000)
    print(f"\na selector of 100,000 options is made in {time.process_time() - began:.2f} s")


def answering() -> None:
    """In a process of its own, whose memory nothing else has raised."""
    size = 100_000
    selector, value = varde.Selector([str(i) for i in range(size)]), results(size)
    for _ in range(3):
        for draw in selector.ask(size):
            selector.tell(draw, value(draw))
    before, began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    found = selector.recommend()
    recommended = time.process_time()
    str(found)
    printed, after = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(
        f"recommend() with 100,000 options: {recommended - began:.2f} s, {(after - before) / 1e3:.0f} MB; "
        f"print: {printed - recommended:.2f} s"
    )


def with_a_file(quick: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        pairs = 100 if quick else 500
        wall = microseconds(None, 20, pairs, 3, Path(folder) / "s.db", time.perf_counter)
        began = time.perf_counter()
        resumed = varde.Selector.open(Path(folder) / "s.db")
        seconds = time.perf_counter() - began
        print(f"with a file: {wall:.0f} us per ask + tell, two commits, one of which waits for the disk")
        print(f"  resumed after {resumed.spent:,} results in {seconds:.3f} s")
        for mode in ("FULL", "NORMAL"):
            db = sqlite3.connect(Path(folder) / f"{mode}.db", isolation_level=None)
            db.execute("PRAGMA journal_mode = WAL")
            db.execute(f"PRAGMA synchronous = {mode}")
            db.execute("CREATE TABLE t (x)")
            began = time.perf_counter()
            for i in range(pairs):
                db.execute("INSERT INTO t VALUES (?)", (i,))
            print(f"  a bare commit with synchronous={mode}: {(time.perf_counter() - began) / pairs * 1e6:.0f} us")
            db.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer repetitions")
    asked = parser.parse_args()
    per_algorithm(asked.quick)
    setting_up()
    alone = multiprocessing.get_context("spawn").Process(target=answering)
    alone.start()
    alone.join()
    with_a_file(asked.quick)
