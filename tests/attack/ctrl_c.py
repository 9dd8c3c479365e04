"""Long pieces of work, each interrupted when it had the processor for a while; what is known of it then."""

import os
import signal
import sys
import threading
import time

import varde
from varde._compile import using
from varde.environments import river_swim, sailing

signal.signal(signal.SIGINT, signal.default_int_handler)
BANDIT = varde.bandits.Gaussian([0.3, 0.2, 0.1], [0.2, 0.2, 0.2])
MANY = 4_000_000_000  # minutes, or hours
# The same work, so small that it is over at once, and so large that it is not: the first compiles.
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
    "plan": lambda n: varde.plan(sailing(), budget=n // 100 + 1, horizon=50),
    "learn": lambda n: varde.learn(river_swim(5), n),
    "learn, a function": lambda n: varde.learn(
        lambda s, a, rng: ((s + a) % 5, rng.random()), n, actions=[0, 1], start=0
    ),
    "select": lambda n: varde.select(lambda option, rng: rng.normal(), ["a", "b"], n),
}


def interrupt() -> None:
    began = time.process_time()
    while time.process_time() - began < 0.3:
        time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGINT)


for name in sys.argv[1:]:
    work = WORK[name]
    with using("compiled"):  # to load compiled code takes a while, in which nothing is known yet
        work(1000)
    threading.Thread(target=interrupt, daemon=True).start()
    try:
        print(name, getattr(work(MANY), "stopped", "returned"), sep=": ", flush=True)
    except KeyboardInterrupt:
        print(name, "nothing known", sep=": ", flush=True)
