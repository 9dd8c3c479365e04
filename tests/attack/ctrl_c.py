"""Long pieces of work, each interrupted once something is known, or after a while; what is known of it then."""

import inspect
import os
import signal
import sys
import threading
import time
from typing import Any

import varde
from varde._compile import using
from varde.environments import river_swim, sailing

signal.signal(signal.SIGINT, signal.default_int_handler)
BANDIT = varde.bandits.Gaussian([0.3, 0.2, 0.1], [0.2, 0.2, 0.2])
MANY = 4_000_000_000  # minutes, or hours
# The same work, so small that it is over at once, and so large that it is not: the first compiles.  What reports its
# progress is interrupted when it does: however slow the machine, there is a result then.
WORK = {
    "bandits.measure": lambda n: varde.bandits.measure(varde.VarDE(), BANDIT, n, runs=2),
    "bandits.measure, many runs": lambda n: varde.bandits.measure(varde.VarDE(), BANDIT, 1000, runs=n // 1000 + 1),
    "planning.measure": lambda n: varde.planning.measure(varde.planning.UCT(), sailing(), n, horizon=50, runs=2),
    "planning.measure, many runs": lambda n: varde.planning.measure(
        varde.planning.UCT(), sailing(), 100, horizon=50, runs=n // 1000 + 1
    ),
    "learning.measure": lambda n: varde.learning.measure(varde.VarDE(), river_swim(5), n, runs=2),
    "learning.measure, many runs": lambda n: varde.learning.measure(
        varde.VarDE(), river_swim(5), 1000, runs=n // 1000 + 1
    ),
    "plan": lambda n, seen: varde.plan(sailing(), budget=n // 100 + 1, horizon=50, progress=seen),
    "learn": lambda n, seen: varde.learn(river_swim(5), n, progress=seen),
    "learn, a function": lambda n, seen: varde.learn(
        lambda s, a, rng: ((s + a) % 5, rng.random()), n, actions=[0, 1], start=0, progress=seen
    ),
    "select": lambda n, seen: varde.select(lambda option, rng: rng.normal(), ["a", "b"], n, progress=seen),
}


class Interruption:
    """A Ctrl-C, once, when something is known."""

    def __init__(self) -> None:
        self.sent = False

    def __call__(self, done: Any) -> None:
        if getattr(done, "spent", done) > 0 and not self.sent:
            self.sent = True
            os.kill(os.getpid(), signal.SIGINT)


def interrupt_later() -> None:
    began = time.process_time()
    while time.process_time() - began < 0.3:
        time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGINT)


for name in sys.argv[1:]:
    work = WORK[name]
    reports = "seen" in inspect.signature(work).parameters
    with using("compiled"):  # to load compiled code takes a while, in which nothing is known yet
        work(1000, *([False] if reports else []))
    if not reports:
        threading.Thread(target=interrupt_later, daemon=True).start()
    try:
        found = work(MANY, *([Interruption()] if reports else []))
        print(name, getattr(found, "stopped", "returned"), sep=": ", flush=True)
    except KeyboardInterrupt:
        print(name, "nothing known", sep=": ", flush=True)
