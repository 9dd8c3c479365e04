"""Seconds to tell many results at once, beside one by one: python benchmarks/bulk.py [results] [one by one].

In memory, in a file and in a PostgreSQL database, each new and on this machine.  One by one fewer are told, and their
time is scaled up.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import varde

sys.path.insert(0, str(Path(__file__).parents[1]))  # the tests start such databases
from tests.selection.server import Server as Database
from tests.selection.server import missing

OPTIONS = [f"option {i}" for i in range(10)]


def results(many: int) -> list[tuple[str, float]]:
    return [(OPTIONS[k % 10], (k * 7919 % 1009) / 1009) for k in range(many)]


def seconds(call: Callable[[], object]) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def row(place: str, selector: Any, many: int, few: int) -> None:
    pairs = results(many)
    once = seconds(lambda: selector.tell_many(pairs))
    counts = [{"option": name, "successes": k % 7, "trials": 7} for k, (name, _) in enumerate(pairs)]
    counted = seconds(lambda: selector.tell_many(counts))
    singly = seconds(lambda: [selector.tell(name, value) for name, value in pairs[:few]]) * many / few
    print(f"| {place} | {once:.2f} | {counted:.2f} | {singly:.1f} |", flush=True)


def main() -> None:
    many, few = (int(text) for text in (sys.argv[1:] + ["10000", "1000"][len(sys.argv) - 1 :])[:2])
    print(f"| seconds for {many:,} | values at once | counts at once | one by one |\n|---|---:|---:|---:|")
    row("memory", varde.Selector(OPTIONS), many, few)
    with tempfile.TemporaryDirectory() as folder, varde.Selector(OPTIONS, store=Path(folder) / "s.sqlite") as selector:
        row("a file", selector, many, few)
    if missing() is None:
        database = Database()
        try:
            with varde.Selector(OPTIONS, store=f"{database.url()}#bulk") as selector:
                row("PostgreSQL", selector, many, few)
        finally:
            database.remove()


if __name__ == "__main__":
    main()
