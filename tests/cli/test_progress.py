"""The display of progress: what it says, where it is silent, and how it knows what is left."""

import os
import re
import subprocess
import sys
from dataclasses import replace

import pytest

from tests.studies.coins import write_coins
from varde.cli import progress
from varde.cli.estimate import Estimate, words
from varde.studies import Cell, Study
from varde.studies.running import plan
from varde.studies.store import Block

VARDE = [sys.executable, "-c", "from varde.cli import main; main()"]


def made(name="s", steps=(("a", 10), ("b", 1000)), blocks=4, rate=0.0):
    cells = [Cell("p", algorithm, "", (step,), abs) for algorithm, step in steps]
    return plan(Study(name, "", cells, 10 * blocks, block=10, rate=rate), 10 * blocks, 0)


def done(of, number, seconds):
    portion = of.portions[number]
    cell = of.study.cells[portion.cell]
    return Block(portion.fingerprint, of.study.name, cell.problem, cell.algorithm, portion.first, None, seconds)


def test_blocks_are_weighed():
    study = made()
    estimate = Estimate([study])
    assert estimate.seconds() is None
    estimate.add(done(study, 0, 0.1))  # 1 ms a step of a; b is taken to be as slow, and has 100 times the steps
    assert estimate.seconds() == pytest.approx(3 * 0.1 + 4 * 10.0)
    estimate.add(done(study, 4, 40.0))  # b is four times as slow
    assert estimate.seconds() == pytest.approx(3 * 0.1 + 3 * 40.0)


def test_a_block_may_be_slow():
    study = made(steps=(("a", 10),), blocks=10)
    estimate = Estimate([study])
    for number, seconds in enumerate((60.0, 0.1, 0.1)):
        estimate.add(done(study, number, seconds))
    assert estimate.seconds() == pytest.approx(7 * 0.1)


def test_what_is_there_counts_as_seen():
    study = made(steps=(("a", 10),))
    study.done = {block.fingerprint: block for block in (done(study, 0, 0.5), done(study, 1, 0.5))}
    assert Estimate([study]).seconds() == pytest.approx(2 * 0.5)


def test_studies_not_yet_begun_are_guessed_from_rough_rates():
    first, second = made("first", blocks=2, rate=1e-3), made("second", blocks=2, rate=1e-2)
    estimate = Estimate([first, second])
    assert estimate.seconds("second") == pytest.approx(1e-2 * 2 * (100 + 10_000))
    for number, seconds in enumerate((0.2, 0.2, 20.0, 20.0)):  # a machine half as fast
        estimate.add(done(first, number, seconds))
    assert estimate.seconds("first") == 0.0
    assert estimate.seconds() == pytest.approx(2 * 1e-2 * 2 * (100 + 10_000))
    unknown = made("unknown")
    assert Estimate([first, unknown]).seconds() is None


@pytest.mark.parametrize(("seconds", "said"), [(None, "-:--"), (0.2, "0:00"), (65, "1:05"), (3725, "1:02:05")])
def test_times_in_words(seconds, said):
    assert words(seconds) == said


def on_a_terminal(*args):
    """What is seen on stderr when it is a terminal: (exit code, stdout, text without colours)."""
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    env = {**os.environ, "TERM": "xterm", "COLUMNS": "120"}
    process = subprocess.Popen([*VARDE, *map(str, args)], stdout=subprocess.PIPE, stderr=theirs, env=env)
    os.close(theirs)
    seen = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # closed at the other end
            part = b""
        if not part:
            break
        seen += part
    os.close(ours)
    out, _ = process.communicate()
    return process.returncode, out.decode(), re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", seen.decode())


def test_on_a_terminal(tmp_path):
    one = write_coins(tmp_path / "one.py", "one", pause=0.03)
    two = write_coins(tmp_path / "two.py", "two", pause=0.03)
    args = ["reproduce", one, two, "--workers", 1, "--out", tmp_path / "results"]
    code, out, seen = on_a_terminal(*args)
    assert code == 0 and "Coins" in out and "Written to" in out
    assert re.search(r"two .* \d+/80 .* \d:\d\d left", seen) and re.search(r"total .* \d+/160 .* left", seen)
    assert "from before" not in seen
    code, out, seen = on_a_terminal(*args[:-1], tmp_path / "results", "--seed", 1, "--runs", 20, "--quiet")
    assert (code, out, seen) == (0, "", "")
    code, out, seen = on_a_terminal(*args[:-1], tmp_path / "results", "--runs", 160)
    assert code == 0 and "160 from before" in seen


def test_silent_elsewhere(tmp_path):
    study = write_coins(tmp_path / "one.py", pause=0.03)
    command = [*VARDE, "reproduce", study, "--out", tmp_path / "results", "--workers", "1"]
    ended = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True)
    assert ended.stderr == "" and "Coins" in ended.stdout


def test_sizes_of_cells_without_steps():
    study = made(steps=(("a", 0),))
    assert Estimate([replace(study)]).remaining == {("s", "a"): 40.0}


def test_waiting_for_another_command_is_said_once_after_a_while(capsys, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(progress.time, "perf_counter", lambda: now[0])

    def wait(bars, seconds, **left):
        for _ in range(10 * seconds):
            now[0] += 0.1
            bars.wait(left)
        return capsys.readouterr().err

    bars = progress.Progress([made(), made("t")], lambda: 1)
    assert wait(bars, 1, s=3) == ""
    now[0] += 10.0  # there was work to do
    assert wait(bars, 1, s=3) == ""
    line = "varde: waiting for another command with the same folder, which is measuring 3 blocks of s\n"
    assert wait(bars, 2, s=3) == line and wait(bars, 9, s=2) == ""
    assert "1 block of s and 2,000 blocks of t" in wait(bars, 1, s=1, t=2000)
    assert wait(progress.Progress([made()], lambda: 1, quiet=True), 9, s=3) == ""
