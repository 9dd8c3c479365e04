"""Forks, kills and damages of the files of selections; `python -m tests.attack.data` does many, with fresh seeds."""

from __future__ import annotations

import argparse
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import textwrap
import time
from collections import Counter
from pathlib import Path

import varde
from tests.attack.isolated import PATHS, isolated
from varde.selection.events import Event, Tell, line_of

# -- forks ---------------------------------------------------------------------------------------

FORKS = """
    import multiprocessing, os, sys, time, varde
    from concurrent.futures import ProcessPoolExecutor

    path, way, children = sys.argv[1], sys.argv[2], int(sys.argv[3])

    def work(seconds=0.2):
        assert selector.tell(selector.ask(), 1.0)
        time.sleep(seconds)  # the parent closes meanwhile
        for _ in range(20):
            assert selector.tell(selector.ask(), 1.0)

    selector = varde.Selector(list("abcd"), 4000, store=path)
    fork = multiprocessing.get_context("fork")
    if way == "fork":
        for _ in range(children):
            if os.fork() == 0:
                work()
                os._exit(0)
    elif way == "process":
        running = [fork.Process(target=work) for _ in range(children)]
        [process.start() for process in running]
    else:
        pool = ProcessPoolExecutor(children, fork)
        tasks = [pool.submit(work) for _ in range(children)]
    time.sleep(0.1)
    selector.close()
    if way == "fork":
        assert all(os.wait()[1] == 0 for _ in range(children))
    elif way == "process":
        [process.join() for process in running]
        assert not any(process.exitcode for process in running)
    else:
        [task.result() for task in tasks]
        pool.shutdown()
    print(varde.Selector.open(path).spent)
"""


def forked(path: Path, way: str, children: int) -> tuple[int, int]:
    """Results that were acknowledged, and those in the file."""
    ended = isolated(FORKS, path, way, children)
    assert ended.code == 0, ended.err
    return 21 * children, int(ended.out)


# -- kills ---------------------------------------------------------------------------------------

WORKER = """
    import os, random, sys, time, varde

    path, acknowledged, budget, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    log = os.open(acknowledged, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    generator = random.Random(seed)
    selector = varde.Selector([f"o{i}" for i in range(20)], budget, store=path, seed=3)
    while not selector.done:
        draws = selector.ask(generator.choice([1, 1, 3]))
        if not draws:
            time.sleep(0.01)
        for draw in draws:
            if generator.random() < 0.05:
                selector.fail(draw, "unlucky")
            elif generator.random() < 0.03:
                selector.release(draw)
            elif selector.tell(draw, value := generator.random()):
                os.write(log, f"{draw.id} {value!r}\\n".encode())
"""


def start(path: Path, log: Path, budget: int, seed: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", textwrap.dedent(WORKER), str(path), str(log), str(budget), str(seed)]
    return subprocess.Popen(command, stderr=subprocess.PIPE, env={**os.environ, "PYTHONPATH": PATHS})


def killed(folder: Path, seed: int, kills: int, processes: int, budget: int) -> tuple[int, int, int]:
    """Results that were acknowledged, that the file has not, and that it counts twice."""
    path, log, generator = folder / "k.db", folder / "log", random.Random(seed)
    running = [start(path, log, budget, seed + i) for i in range(processes)]
    for kill in range(kills):
        time.sleep(generator.uniform(0.02, 0.4))
        victim = running.pop(generator.randrange(len(running)))
        victim.send_signal(generator.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM]))
        errors = victim.communicate()[1]
        assert victim.returncode in (0, -signal.SIGKILL, -signal.SIGTERM), errors.decode()
        running.append(start(path, log, budget, seed + processes + kill))
    for worker in running:
        errors = worker.communicate(timeout=300)[1]
        assert worker.returncode == 0, errors.decode()
    said = [line.split() for line in log.read_text().splitlines()]
    with varde.Selector.open(path) as selector:
        ledger = selector._journal.view()
        events = selector.events()
    kept = Counter((event.draw, event.value) for event in events if isinstance(event, Tell))
    assert ledger.spent == budget == sum(kept.values())
    lost = sum((int(draw), float(value)) not in kept for draw, value in said)
    return len(said), lost, sum(kept.values()) - len({draw for draw, _ in kept})


# -- damages -------------------------------------------------------------------------------------


def fill(path: Path, results: int = 150) -> None:
    generator = random.Random(5)
    with varde.Selector([f"option {i}" for i in range(12)], 2000, store=path) as selector:
        for number in range(results):
            draw = selector.ask()
            if number % 13:
                selector.tell(draw, generator.gauss(0.0, 1.0))
            else:
                selector.fail(draw, "unlucky")
        selector.ask(3)
        selector.note("run", {"command": "./sim"})


def facts(path: Path) -> tuple[object, ...]:
    with varde.Selector.open(path) as selector:
        ledger = selector._journal.view()
        told = ledger.results.owners, ledger.results.values, ledger.results.replicates
        return told, selector.spent, sorted(ledger.tickets), selector.notes.get("run")


def rewrite(path: Path, events: list[Event]) -> None:
    """Forge a file: other events, with the checksums they would have had."""
    lines, last = [], 0
    for event in events:
        line, last = line_of(event, last)
        lines.append(line)
    with sqlite3.connect(path) as db:
        db.execute("DELETE FROM events")
        db.execute("DELETE FROM snapshots")
        db.executemany("INSERT INTO events VALUES (?, ?)", enumerate(lines, 1))
    db.close()


def damage(whole: bytes, generator: random.Random) -> bytes:
    changed, at = bytearray(whole), generator.randrange(len(whole))
    kind = generator.choice(["bit", "byte", "byte", "bytes", "page", "cut"])
    if kind == "bit":
        changed[at] ^= 1 << generator.randrange(8)
    elif kind == "byte":
        changed[at] = generator.randrange(256)
    elif kind == "bytes":
        some = generator.randbytes(generator.randint(2, 64))[: len(whole) - at]
        changed[at : at + len(some)] = some
    elif kind == "page":
        at -= at % 4096
        changed[at : at + 4096] = bytes(4096)
    else:
        del changed[at:]
    return bytes(changed)


def damaged(folder: Path, seed: int, times: int) -> Counter[str]:
    """How files with random damages ended: "same", "said", or what must not be."""
    original, path, generator = folder / "whole.db", folder / "d.db", random.Random(seed)
    fill(original)
    truth, whole = facts(original), original.read_bytes()
    ends: Counter[str] = Counter()
    for _ in range(times):
        bytes_ = damage(whole, generator)
        path.write_bytes(bytes_)
        try:
            ends["same" if facts(path) == truth else "OPENED WITHOUT A WORD"] += 1
        except varde.StoreError:
            ends["said"] += 1
            ends["CHANGED THOUGH REFUSED"] += path.read_bytes() != bytes_
    return +ends


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--kills", type=int, default=300)
    parser.add_argument("--forks", type=int, default=60)
    parser.add_argument("--damages", type=int, default=2000)
    given = parser.parse_args()
    print(f"seed {given.seed}", flush=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number in range(given.forks // 4):
            way = ["fork", "process", "pool"][number % 3]
            said, kept = forked(folder / f"{number}.db", way, 4)
            assert said == kept, (way, said, kept)
        print(f"{given.forks // 4 * 4} forks: nothing lost", flush=True)
        said, lost, twice = killed(folder, given.seed, given.kills, 8, 200 + 30 * given.kills)
        print(f"{given.kills} kills: {said} acknowledged, {lost} lost, {twice} counted twice", flush=True)
        ends = damaged(folder, given.seed, given.damages)
        print(f"{given.damages} damages: {dict(ends)}")
    assert not lost and not twice and not any(end.isupper() for end in ends)


if __name__ == "__main__":
    main()
