"""What a file costs a learner, and how many kills it survives.

    python benchmarks/learning_store.py [--kills N]

A child learns with a file and is killed (SIGKILL) at random moments, over and over, until it is through: as ``learn``
in a function, and as ``ask`` and ``tell``, which says aloud how much it has told.  What is in the file afterwards is
compared, bit by bit, with a run that nobody disturbed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import varde

STEPS, TOLD = 300_000, 20_000
HOW = {"actions": ["left", "right"], "discount": 0.95}


def river(state, action, rng):
    """RiverSwim(12), whose far end closes the episode now and then."""
    if action == "left":
        return max(state - 1, 0), float(state == 0 and rng.random() < 0.05), False
    u = rng.random()
    if state == 11:
        return 11, 1.0, u < 0.2
    return state + (1 if u < 0.4 else -1 if u > 0.9 and state else 0), 0.0, False


def ask_and_tell(path, until: int, aloud: bool = False):
    """Steps drawn by their number, so that any of them can be done again."""
    with varde.Learner(**HOW, store=path) as learner:
        state = 0 if not learner.steps else learner.atlas.called[learner.left[0]] or 0
        for number in range(learner.steps, until):
            action = learner.ask(state)
            after, reward, over = river(state, action, np.random.default_rng(number))
            learner.tell(state, action, reward, after, over)
            if aloud:
                os.write(1, b"%d\n" % (number + 1))
            state = 0 if over else after
        return learner.recommend()


def child(kind: str, path: str) -> None:
    if kind == "learn":
        varde.learn(river, STEPS, **HOW, start=0, store=path)
    else:
        ask_and_tell(path, TOLD, aloud=True)


def killed(kind: str, path: Path, kills: int, rng) -> tuple[int, int]:
    """How often it was killed, and how many results were lost that ``tell`` had returned from."""
    survived = lost = 0
    while True:
        process = subprocess.Popen([sys.executable, __file__, "--child", kind, path], stdout=subprocess.PIPE)
        if survived < kills:
            time.sleep(rng.uniform(0.8, 3.0))
            process.kill()
        told = process.communicate()[0].split()
        if process.returncode == 0:
            return survived, lost
        survived += 1
        if told:
            with varde.Learner(**HOW, store=path) as learner:
                lost += max(int(told[-1]) - learner.steps, 0)


def same(one, other) -> str:
    equal = one.visits == other.visits and one == other
    return "the same bits" if equal else "ANOTHER POLICY"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--child", nargs=2)
    given = parser.parse_args()
    if given.child:
        child(*given.child)
        return
    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        plain = varde.learn(river, STEPS, **HOW, start=0)
        path = Path(folder) / "learn"
        survived, _ = killed("learn", path, given.kills, rng)
        again = varde.learn(river, STEPS, **HOW, start=0, store=path)
        print(f"learn: {survived} kills on the way to {STEPS:,} steps, {same(plain, again)}")
        plain = ask_and_tell(None, TOLD)
        told = Path(folder) / "told"
        survived, lost = killed("tell", told, given.kills, rng)
        print(f"ask and tell: {survived} kills, {lost} results lost, {same(plain, ask_and_tell(told, TOLD))}")
        print(f"bytes per step: {path.stat().st_size / STEPS:.1f} by learn, {told.stat().st_size / TOLD:.1f} by tell")

        def cost(work):
            began = time.process_time()
            work()
            return time.process_time() - began

        bare = cost(lambda: varde.learn(river, STEPS, **HOW, start=0, progress=False))
        kept = cost(lambda: varde.learn(river, STEPS, **HOW, start=0, progress=False, store=Path(folder) / "cost"))
        opened = cost(lambda: varde.learn(river, STEPS, **HOW, start=0, progress=False, store=Path(folder) / "cost"))
        words = f"{STEPS / bare:,.0f} steps/s without a file, {STEPS / kept:,.0f} with one"
        print(f"learn: {words}; {STEPS / opened:,.0f} when it is opened again")
        bare = cost(lambda: ask_and_tell(None, TOLD))
        kept = cost(lambda: ask_and_tell(Path(folder) / "tells", TOLD))
        print(f"ask and tell: {TOLD / bare:,.0f} steps/s without a file, {TOLD / kept:,.0f} with one")


if __name__ == "__main__":
    main()
