"""``varde time`` beside hyperfine on the same commands: who names the faster one, after how many runs?

    python benchmarks/timing.py [repetitions]

The commands count to N and to ratio x N, on the machine as it is and beside two programs that are
busy at random moments.
hyperfine does not say how sure its ranking is; the lowest mean is taken for its answer.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

COUNT = "awk 'BEGIN {{ for (i = 0; i < {}; i++) x += i }}'"
STEPS = 400_000
NOISE = """
import random, time
while True:
    end = time.perf_counter() + random.expovariate(10.0)
    while time.perf_counter() < end: pass
    time.sleep(random.expovariate(5.0))
"""


def by_varde(commands: list[str]) -> tuple[str, int, str]:
    words = [sys.executable, "-m", "varde", "time", *commands, "--json", "--seconds", "30"]
    told = json.loads(subprocess.run(words, capture_output=True, text=True, check=False).stdout)
    runs = sum(len(result["times"]) for result in told["results"])
    return told["decision"]["fastest"], runs, told["decision"]["stopped"]


def by_hyperfine(commands: list[str]) -> tuple[str, int, str]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "found.json"
        words = ["hyperfine", "--style", "none", "--warmup", "1", "--export-json", str(file), *commands]
        subprocess.run(words, capture_output=True, check=True)
        results = json.loads(file.read_text())["results"]
    best = min(results, key=lambda result: result["mean"])
    return best["command"], sum(len(result["times"]) for result in results), ""


def main() -> None:
    if shutil.which("hyperfine") is None:
        sys.exit("hyperfine is not installed: apt-get install hyperfine")
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else 6
    print("| machine | second takes | varde time: right, said to be equal, runs | hyperfine: right, runs |")
    print("| --- | --- | --- | --- |")
    for machine, busy in (("as it is", 0), ("and two busy programs", 2)):
        others = [subprocess.Popen([sys.executable, "-c", NOISE]) for _ in range(busy)]
        try:
            for ratio in (1.01, 1.03, 1.1, 1.3):
                fast, slow = COUNT.format(STEPS), COUNT.format(round(ratio * STEPS))
                ours, theirs = [], []
                for number in range(repetitions):
                    order = [fast, slow] if number % 2 else [slow, fast]
                    ours.append(by_varde(order))
                    theirs.append(by_hyperfine(order))
                right, equal = sum(name == fast for name, _, _ in ours), sum(why == "equal" for *_, why in ours)
                runs, other = (sum(n for _, n, _ in found) / repetitions for found in (ours, theirs))
                also = sum(name == fast for name, _, _ in theirs)
                of = repetitions
                print(
                    f"| {machine} | {ratio} | {right}/{of}, {equal}, {runs:.0f} | {also}/{of}, {other:.0f} |",
                    flush=True,
                )
        finally:
            for other_process in others:
                other_process.kill()


if __name__ == "__main__":
    main()
