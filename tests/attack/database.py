"""Kills, lost connections and crashes of the server; `python -m tests.attack.database` has many, with fresh seeds."""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import varde
from tests.attack.data import WORKER
from tests.attack.isolated import PATHS
from tests.selection.server import Server, Wire, missing
from varde.selection.events import Tell

# Each process is on a machine of its own, as far as the others can tell: that it is gone they learn from its silence.
FAR = textwrap.dedent("""
    import os
    import varde.selection.worker
    from varde.selection.postgres import Postgres

    varde.selection.worker.machine = lambda: f"machine {os.getpid()}"
""") + textwrap.dedent(WORKER).replace("store=path", "store=Postgres(path, silence=1.5)")


class Survived(NamedTuple):
    """What was done to them, and how many results came through."""

    kills: int
    cuts: int  # every connection of all processes at once
    unanswered: int  # of these, with a commit that was made and not answered
    restarts: int  # of the server, by a crash
    acknowledged: int
    stored: int
    lost: int  # acknowledged, and not there
    twice: int
    seconds: float


def survive(
    server: Any, name: str, folder: Path, seed: int, kills: int, cuts: int, restarts: int, processes: int, budget: int
) -> Survived:
    """Processes that share a selection, while they, their connections and the server are killed in random order."""
    wire, log, generator, began = Wire(server.port), folder / "acknowledged", random.Random(seed), time.monotonic()
    url, started = f"{server.url(port=wire.port)}#{name}", 0

    def start() -> subprocess.Popen[bytes]:
        nonlocal started
        started += 1
        command = [sys.executable, "-c", FAR, url, str(log), str(budget), str(seed + started)]
        return subprocess.Popen(command, stderr=subprocess.PIPE, env={**os.environ, "PYTHONPATH": PATHS})

    def end(worker: subprocess.Popen[bytes]) -> None:
        errors = worker.communicate(timeout=300)[1]
        assert worker.returncode in (0, -signal.SIGKILL), errors.decode()

    running = [start() for _ in range(processes)]
    blows = ["kill"] * kills + ["cut"] * (cuts - cuts // 2) + ["lose"] * (cuts // 2) + ["crash"] * restarts
    generator.shuffle(blows)
    try:
        while not log.exists():
            time.sleep(0.05)
        for blow in blows:
            time.sleep(generator.uniform(0.02, 0.3))
            if blow == "kill":
                victim = running.pop(generator.randrange(len(running)))
                victim.kill()
                end(victim)
                running.append(start())
            elif blow == "cut":
                wire.cut()
            elif blow == "lose":
                wire.lose += 1
            else:
                server.stop()
                server.start()
        for worker in running:
            end(worker)
    finally:
        for worker in running:  # if one has failed
            worker.kill()
            worker.communicate()
        wire.close()
    said = [line.split() for line in log.read_text().splitlines()]
    with varde.Selector.open(f"{server.url()}#{name}") as selector:
        kept = Counter((e.draw, e.value) for e in selector.events() if isinstance(e, Tell))
        assert selector.done and selector.spent == sum(kept.values())
    lost = sum((int(draw), float(value)) not in kept for draw, value in said)
    twice = sum(kept.values()) - len({draw for draw, _ in kept}) + len(said) - len({draw for draw, _ in said})
    seconds = time.monotonic() - began
    return Survived(kills, wire.cuts, wire.unanswered, restarts, len(said), sum(kept.values()), lost, twice, seconds)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--cuts", type=int, default=60)
    parser.add_argument("--restarts", type=int, default=6)
    parser.add_argument("--budget", type=int, default=5_000)
    given = parser.parse_args()
    if missing():
        print(f"the database is not attacked: {missing()}")
        return
    print(f"seed {given.seed}", flush=True)
    server = Server()
    try:
        with tempfile.TemporaryDirectory() as folder:
            blows = given.kills, given.cuts, given.restarts
            found = survive(server, "attacked", Path(folder), given.seed, *blows, 8, given.budget)
    finally:
        server.remove()
    print(found)
    sys.exit(bool(found.lost or found.twice or found.stored != given.budget))


if __name__ == "__main__":
    main()
