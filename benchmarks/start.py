"""CPU seconds of a whole process, import included: on an empty cache, afterwards, and as if everything was compiled.

python benchmarks/start.py [--commands]

Ratios are of one run.  ``--commands`` adds those of the README, which take longer.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile

STEP = """
def step(stock, order, rng):
    sold = min(stock + order, int(rng.poisson(3)))
    rest = min(stock + order - sold, 10)
    return rest, 5.0 * sold - 2.0 * order - 0.3 * rest
"""
WAIT = """
def waiting_time(counters, rng):
    return rng.exponential(10.0 / counters) + 2.0 * counters
"""
WORK = {
    "import varde": "",
    "select (README)": f"{WAIT}print(varde.select(waiting_time, [1, 2, 3, 4, 5], budget=500, goal='min'))",
    "plan (README), function": f"{STEP}print(varde.plan(step, 1, budget=600, horizon=5, discount=0.95, "
    "actions=range(0, 7, 2)))",
    "learn (README), table": "print(varde.learn(varde.environments.river_swim(10), 3_000, discount=0.99))",
    "plan, table": "print(varde.plan(varde.environments.frozen_lake(), budget=600, horizon=20))",
    "plan, Gymnasium": "print(varde.plan('CartPole-v1', budget=200, horizon=20))",
    "learn, function": f"{STEP}print(varde.learn(step, 2_000, discount=0.95, actions=range(0, 7, 2), start=1))",
    "plan, table, 100,000": "print(varde.plan(varde.environments.sailing(), budget=100_000, horizon=50))",
}
COMMANDS = {
    "varde run": "run 'python examples/inventory.py --s {s} --S {S} --seed {seed}' --options examples/designs.csv "
    "--min --budget 400",
    "varde time": "time 'sort README.md' 'sort --parallel=4 README.md'",
    "varde plan": "plan Taxi-v4 --budget 3000 --episodes 10",
    "varde learn": "learn Blackjack-v1 --budget 200000",
}


def seconds(command: list[str] | str, cache: str) -> float:
    """CPU seconds of a process and those it started."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, "VARDE_CACHE_DIR": cache}
    done = subprocess.run(command, capture_output=True, env=environment, shell=isinstance(command, str), check=False)
    if done.returncode not in (0, 3):  # 3: the answer is not sure
        sys.exit(done.stderr.decode())
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def line(name: str, cold: float, warm: float, compiled: float | None = None) -> None:
    more = "" if compiled is None else f"{compiled:14.2f}{compiled / cold:8.1f}"
    print(f"{name:28}{cold:8.2f}{warm:12.2f}{more}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--commands", action="store_true", help="the commands of the README, too")
    print(f"{'CPU seconds':28}{'empty':>8}{'afterwards':>12}{'all compiled':>14}{'ratio':>8}")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for i, (name, work) in enumerate(WORK.items()):
            always = "from varde._compile import engine; engine.chosen = 'compiled'\n"
            usual, forced = ([sys.executable, "-c", f"import varde\n{first}{work}"] for first in ("", always))
            cache = f"{folder}/{i}"
            times = [seconds(usual, cache), seconds(usual, cache), seconds(forced, f"{cache}-forced")]
            line(name, *times)
        varde = os.path.join(os.path.dirname(sys.executable), "varde")
        for name, work in COMMANDS.items() if given.commands else ():
            cache = f"{folder}/{name.split()[1]}"
            line(name, *(seconds(f"{varde} {work}", cache) for _ in range(2)))


if __name__ == "__main__":
    main()
