"""CPU seconds of a whole process, import included: on an empty cache, and a second time.

python benchmarks/start.py
"""

from __future__ import annotations

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
SELECT = f"{WAIT}print(varde.select(waiting_time, [1, 2, 3, 4, 5], budget=500, goal='min'))"
PLAN = f"{STEP}print(varde.plan(step, 1, budget=600, horizon=5, discount=0.95, actions=range(0, 7, 2)))"
LEARN = "print(varde.learn(varde.environments.river_swim(10), 3_000, discount=0.99))"
WORK = {
    "import varde": "",
    "select (README)": SELECT,
    "plan (README), function": PLAN,
    "learn (README), table": LEARN,
    "all three": f"{SELECT}\n{PLAN}\n{LEARN}",
    "plan, table": "print(varde.plan(varde.environments.frozen_lake(), budget=600, horizon=20))",
    "plan, Gymnasium": "print(varde.plan('CartPole-v1', budget=200, horizon=20))",
    "learn, function": f"{STEP}print(varde.learn(step, 2_000, discount=0.95, actions=range(0, 7, 2), start=1))",
    "plan, table, 100,000": "print(varde.plan(varde.environments.sailing(), budget=100_000, horizon=50))",
}


def seconds(work: str, cache: str) -> float:
    """CPU seconds of a process and those it started."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-c", f"import varde\n{work}"]
    subprocess.run(command, stdout=subprocess.DEVNULL, env={**os.environ, "VARDE_CACHE_DIR": cache}, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    print(f"{'CPU seconds':28}{'empty':>8}{'again':>8}")
    for name, work in WORK.items():
        with tempfile.TemporaryDirectory() as cache:
            print(f"{name:28}" + "".join(f"{seconds(work, cache):8.2f}" for _ in range(2)), flush=True)
