"""Requests per second and latency of ``varde serve`` on this machine: python benchmarks/serve.py [pairs per row].

Each client is a thread with a connection of its own that asks and tells through ``varde.connect("http://...")``, as
users do; the server is another process, with a file on the disk.  The last rows tell 100 results in one request.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

import varde

TOKEN = "a-token-for-benchmarks-only"
CLIENTS = (1, 8, 32)


class Server:
    """``varde serve`` with a new selection of ten options, for as long as the ``with`` block."""

    def __enter__(self) -> str:
        self.folder = tempfile.TemporaryDirectory()
        store = Path(self.folder.name) / "s.sqlite"
        options = ",".join(f"option {i}" for i in range(10))
        command = [sys.executable, "-m", "varde", "serve", store, "--port", "0", "--options", options]
        environment = {**os.environ, "VARDE_TOKEN": TOKEN}
        self.process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
        assert self.process.stderr is not None
        found = re.search(r"http://\S+", self.process.stderr.readline())
        assert found is not None
        return found.group()

    def __exit__(self, *error: object) -> None:
        self.process.terminate()
        self.process.wait()
        assert self.process.stderr is not None
        self.process.stderr.close()
        self.folder.cleanup()


def pairs(url: str, clients: int, total: int) -> tuple[float, np.ndarray]:
    """Requests per second, and the seconds of each, of ``total`` asks and tells."""
    selector = varde.connect(url, token=TOKEN)
    took: list[float] = []

    def work() -> None:
        mine = []
        for _ in range(max(total // clients, 1)):
            began = time.perf_counter()
            draw = selector.ask()
            between = time.perf_counter()
            selector.tell(draw, draw.seed / 2**31)
            mine += [between - began, time.perf_counter() - between]
        took.extend(mine)

    threads = [threading.Thread(target=work) for _ in range(clients)]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return len(took) / (time.perf_counter() - began), np.array(took)


def many(url: str, total: int) -> float:
    """Results per second, told 100 at a time."""
    selector = varde.connect(url, token=TOKEN)
    began = time.perf_counter()
    for _ in range(max(total // 100, 1)):
        selector.tell_many([(draw, draw.seed / 2**31) for draw in selector.ask(100)])
    return 100 * max(total // 100, 1) / (time.perf_counter() - began)


def main() -> None:
    total = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    print("clients  requests/s  median ms  99 % ms")
    with Server() as url:
        pairs(url, 1, 20)  # warm
        for clients in CLIENTS:
            speed, took = pairs(url, clients, total)
            median, last = 1e3 * np.quantile(took, [0.5, 0.99])
            print(f"{clients:7,}  {speed:10,.0f}  {median:9.1f}  {last:7.1f}")
        print(f"told 100 at a time: {many(url, total):,.0f} results/s")


if __name__ == "__main__":
    main()
