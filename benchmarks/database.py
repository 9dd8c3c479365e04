"""Ask + tell in a PostgreSQL database on this machine, beside a file: one process, and eight at once.

python benchmarks/database.py [--quick]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # the tests start such servers
from tests.selection.server import Server, missing

WORKER = """
import sys, time, varde
store, pairs, start = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
selector = varde.Selector([str(i) for i in range(20)], store=store)
for draw in selector.ask(5):
    selector.tell(draw, draw.seed / 2**31)
time.sleep(max(start - time.time(), 0.0))
began, cpu = time.perf_counter(), time.process_time()
for _ in range(pairs):
    draw = selector.ask()
    selector.tell(draw, draw.seed / 2**31)
print(time.perf_counter() - began, time.process_time() - cpu)
"""


def measured(store: str, processes: int, pairs: int) -> str:
    """Of each process; they begin together."""
    start = time.time() + 3.0 + processes
    command = [sys.executable, "-c", WORKER, store, str(pairs), str(start)]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(processes)]
    times = [[float(seconds) for seconds in worker.communicate()[0].split()] for worker in running]
    wall, cpu = max(wall for wall, _ in times), sum(cpu for _, cpu in times) / processes
    return f"{1e6 * wall / pairs:9.0f} {processes * pairs / wall:16.0f} {1e6 * cpu / pairs:14.0f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer repetitions")
    pairs = 100 if parser.parse_args().quick else 1000
    if missing():
        sys.exit(missing())
    server = Server()
    try:
        with tempfile.TemporaryDirectory() as folder:
            print("ask + tell, 20 options      us each   all, per second   CPU here, us")
            for processes in (1, 8):
                name = f"{processes}"
                for what, store in (("database", f"{server.url()}#{name}"), ("file", f"{folder}/{name}.db")):
                    line = measured(store, processes, max(pairs // processes, 50))
                    print(f"{processes} process{'es' if processes > 1 else '  '}, {what:9} {line}", flush=True)
    finally:
        server.remove()


if __name__ == "__main__":
    main()
