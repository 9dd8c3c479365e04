"""Studies survive kills at random moments, full disks, lost workers: real processes, and the same bytes in the end."""

import contextlib
import json
import os
import random
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import time

import pytest

from tests.long import only, times
from varde import __version__
from varde.studies import run
from varde.studies.results import as_json
from varde.studies.store import Blocks
from varde.studies.study_files import load, read

from .coins import write_coins
from .results import numbers_in

VARDE = [sys.executable, "-c", "from varde.cli import main; main()"]
KILLS = times(3, 40)
PATIENCE = 600.0  # seconds, of a machine that has much else to do
resource = pytest.importorskip("resource")  # limits of Unix


def start(*args, **how):
    command = [*VARDE, "reproduce", *map(str, args)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **how)


def finish(*args, **how):
    """Run to the end: (summary of the study, what was said)."""
    process = start(*args, "--json", **how)
    out, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, said
    return json.loads(out), said


def blocks(folder):
    """How many blocks are kept, asked from outside while others write; nothing yet is none."""
    try:
        connection = sqlite3.connect(f"{(folder / 'blocks.db').as_uri()}?mode=ro", uri=True)
        try:
            return connection.execute("SELECT count(*) FROM blocks").fetchone()[0]
        finally:
            connection.close()
    except sqlite3.Error:
        return 0


def wait_for(happened):
    end = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)


@pytest.fixture
def whole(tmp_path):
    """What an uninterrupted run of the coins leaves, by settings of the coins."""

    def measure(pause=0.0, **settings):
        coins = load(read(write_coins(tmp_path / "coins.py", **settings)))["coins"]  # without pauses the same
        expected = as_json(coins, run(coins), [], 0, __version__).encode().splitlines()[:-1]
        return write_coins(tmp_path / "coins.py", pause=pause, **settings), expected

    return measure


def test_kills_at_random_moments(tmp_path, whole):
    """Half of them any time from the start on, half of them within the first tenth of a second of writing blocks.

    Blocks are so short that most of the time the store is being written.
    """
    study, expected = whole(cells=20, runs=250, block=2, pause=0.002)
    chance, folder = random.Random(1), tmp_path / "killed"
    kills = rounds = kept = 0
    while kills < KILLS:
        process = start(study, "--out", folder, "--workers", 2)
        if kills % 2:
            wait_for(lambda p=process, f=folder, before=kept: p.poll() is not None or blocks(f) > before)
            time.sleep(chance.uniform(0.0, 0.1))
        else:
            time.sleep(chance.uniform(0.0, 1.0))
        process.kill()
        _, said = process.communicate()
        if process.returncode == 0:  # it was faster: begin again
            assert numbers_in(folder / "coins.json") == expected
            rounds += 1
            folder = tmp_path / f"killed {rounds}"
            kept = 0
            continue
        assert process.returncode == -signal.SIGKILL, said
        kills += 1
        assert blocks(folder) >= kept  # what was kept stays kept
        kept = blocks(folder)
    summary, said = finish(study, "--out", folder)
    assert summary["reused"] == kept > 0 and said == ""
    assert numbers_in(folder / "coins.json") == expected
    report = {f"report.{ending}" for ending in ("html", "csv")}
    assert {p.name for p in folder.iterdir()} == {"blocks.db", "coins.json", *report}


def test_ctrl_c_keeps_blocks_and_says_how_to_go_on(tmp_path, whole):
    study, expected = whole(cells=4, runs=500, pause=0.03)
    for how in (("--workers", 2), *times((), [("--processes", "--workers", 1)])):
        folder = tmp_path / how[0]
        process = start(study, "--out", folder, *how)
        wait_for(lambda folder=folder: blocks(folder) > 10)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=PATIENCE)
        assert process.returncode == 130 and "Traceback" not in said, said
        kept = blocks(folder)
        stopped = re.search(rf"stopped; {folder} keeps (\d+) of 400 blocks .* run the same command again", said)
        assert kept - 6 <= int(stopped[1]) <= kept  # some may have been stored but not counted yet
        summary, _ = finish(study, "--out", folder)
        assert summary["reused"] == kept and numbers_in(folder / "coins.json") == expected


def test_a_full_disk_is_said_and_loses_nothing(tmp_path, whole):
    study, expected = whole(cells=10, runs=200, block=2)
    folder = tmp_path / "full"
    limit = 100_000  # bytes: no file may grow beyond; Python turns the signal into an error
    process = start(
        study, "--out", folder, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    )
    _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1 and "earlier results are safe" in said and "try again" in said, said
    kept = blocks(folder)
    assert 0 < kept < 1000
    summary, _ = finish(study, "--out", folder)
    assert summary["reused"] == kept and numbers_in(folder / "coins.json") == expected


def test_two_commands_at_once_in_one_folder(tmp_path, whole):
    study, expected = whole(cells=10, runs=100, pause=0.005)
    both = [start(study, "--out", tmp_path / "both", "--quiet") for _ in range(2)]
    for process in both:
        out, said = process.communicate(timeout=PATIENCE)
        assert (process.returncode, out, said) == (0, "", "")
    assert numbers_in(tmp_path / "both" / "coins.json") == expected
    with Blocks(tmp_path / "both" / "blocks.db") as store:
        assert len(store) == 200


def children(pid):
    found = []
    for stat in (entry for entry in os.listdir("/proc") if entry.isdigit()):
        try:
            with open(f"/proc/{stat}/stat") as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid and fields[0] != "Z":
            found.append(int(stat))
    return found


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="finds processes in /proc")
def test_processes_die_and_are_missed(tmp_path, whole):
    """A worker killed: said, and nothing kept is lost.  The command killed: its workers end too."""
    study, expected = whole(cells=4, runs=400, pause=0.05)
    folder = tmp_path / "processes"
    process = start(study, "--out", folder, "--processes", "--workers", 2)
    wait_for(lambda: blocks(folder) > 10)
    os.kill(max(children(process.pid)), signal.SIGKILL)
    _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1 and "a worker was killed" in said and "run the same command" in said, said
    process, before = start(study, "--out", folder, "--processes", "--workers", 2), blocks(folder)
    wait_for(lambda: blocks(folder) > before + 10)
    workers = children(process.pid)
    process.kill()
    process.communicate()
    wait_for(lambda: not any(map(alive, workers)))
    summary, _ = finish(study, "--out", folder)
    assert summary["reused"] > before and numbers_in(folder / "coins.json") == expected


# -- Dask ----------------------------------------------------------------------------------------


@pytest.fixture
def cluster(tmp_path):
    """A real scheduler and two real workers, each in a process of its own: (address, processes of the workers)."""
    pytest.importorskip("distributed")
    file = tmp_path / "scheduler.json"
    dask = [sys.executable, "-m", "dask"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    scheduler = [*dask, "scheduler", "--port", "0", "--host", "127.0.0.1", "--no-dashboard", "--scheduler-file", file]
    started = [subprocess.Popen(scheduler, **quiet)]
    try:
        wait_for(lambda: file.exists() and file.read_text().endswith("}"))
        address = json.loads(file.read_text())["address"]
        worker = [*dask, "worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard"]
        folder = {"cwd": tmp_path, **quiet}
        started += [subprocess.Popen([*worker, "--local-directory", tmp_path], **folder) for _ in range(2)]
        yield address, started[1:]
    finally:
        for process in started:
            process.kill()
            process.wait()


def test_a_dask_cluster_that_loses_a_worker(tmp_path, whole, cluster):
    """Killed in the middle: the other one does its blocks too, and nobody can tell from the result."""
    study, expected = whole(cells=4, runs=300, pause=0.03)
    address, workers = cluster
    folder = tmp_path / "dask"
    process = start(study, "--out", folder, "--cluster", address, "--json")
    wait_for(lambda: blocks(folder) > 30)
    workers[0].kill()
    out, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, said
    summary = json.loads(out)
    assert summary["blocks"] == 240 and summary["reused"] == 0
    assert numbers_in(folder / "coins.json") == expected
    assert workers[1].poll() is None and workers[0].wait() == -signal.SIGKILL


@only
def test_a_cluster_of_this_machine(tmp_path, whole):
    pytest.importorskip("distributed")
    study, expected = whole(cells=4, runs=50)
    with socket.socket() as taken:  # by another cluster on this machine
        with contextlib.suppress(OSError):
            taken.bind(("", 8787))
            taken.listen()
        summary, said = finish(study, "--out", tmp_path / "local", "--cluster", "local")
    assert summary["reused"] == 0 and said == "" and numbers_in(tmp_path / "local" / "coins.json") == expected


def test_no_scheduler(tmp_path):
    pytest.importorskip("distributed")
    done = start(write_coins(tmp_path / "coins.py"), "--out", tmp_path / "none", "--cluster", "tcp://127.0.0.1:9")
    _, said = done.communicate(timeout=PATIENCE)
    assert done.returncode == 2 and "no Dask scheduler answers at tcp://127.0.0.1:9" in said
