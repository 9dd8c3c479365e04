"""``varde warm``: compile beforehand, for images and clusters."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from .app import app, out, refuse


@app.command()
def warm() -> None:
    """Compile all that plan, learn and measure use by default, so that nobody waits for it later.

    Short work is never compiled, and long work compiles what it needs by itself, once per machine. VARDE_CACHE_DIR is
    the folder that processes share. Machine code fits one kind of processor: for an image that runs on several, set
    NUMBA_CPU_NAME=generic both here and there.
    """
    from .._compile import cache_folder, notice, using
    from .._files import make_writable

    console = out()
    try:
        folder = cache_folder()
        make_writable(folder)
    except (OSError, RuntimeError) as error:
        refuse(f"there is no folder for compiled code ({error}): set VARDE_CACHE_DIR")
    notice.notify = None  # every line says it
    began, before = time.perf_counter(), set(folder.iterdir())
    with using("compiled"):
        for i, (words, work) in enumerate(WORK.items(), 1):
            console.print(f"{i:2} of {len(WORK)}  {words} ... ", end="", highlight=False)
            start = time.perf_counter()
            work()
            console.print(f"{time.perf_counter() - start:.1f} s", highlight=False)
    made = set(folder.iterdir()) - before
    seconds, size = time.perf_counter() - began, sum(file.stat().st_size for file in made)
    console.print(
        f"{len(made)} kernels compiled in {seconds:.0f} s, {size / 1e6:.0f} MB in {folder}",
        highlight=False,
        soft_wrap=True,
    )


STATES = 8, 80, 300  # small and large worlds are learned in other ways


def step(state: int, action: int, rng: Any) -> tuple[int, float]:
    """A world in Python, of many states."""
    return (state + action) % STATES[-1], rng.random()


def nim(heap: int, taken: int, rng: Any) -> tuple[int, float, bool]:
    """A game in Python: who takes the last one wins."""
    return heap - taken, float(heap == taken), heap == taken


def plan(world: Any, after: Callable[[Any], Any], **options: Any) -> None:
    """Plan, and move on ``after`` an action: that has a kernel of its own."""
    import varde

    planner = varde.Planner(world, 3, **options)
    move = planner(4, 20)
    planner.advance(move.best, after(move.best))


def plan_table() -> None:
    from ..worlds.tabulate import tabulate

    plan(tabulate({4: {"on": [(1.0, 4, 1.0)], "off": [(1.0, 4, 0.0)]}}), lambda action: 4)


def plan_game_table() -> None:
    from ..worlds.tabulate import tabulate

    moves = {heap: {n: [(1.0, heap - n, float(heap == n))] for n in (1, 2) if n <= heap} for heap in range(5)}
    plan(tabulate(moves), lambda taken: 4 - taken, player=lambda heap: heap % 2)


def learn_in(world: Any, **options: Any) -> None:
    import varde

    varde.learn(world, 400, discount=0.9, **options)


def learn_tables() -> None:
    from ..environments import river_swim

    for states in STATES:
        learn_in(river_swim(states))


def measure() -> None:
    import varde

    for bandit in (varde.bandits.Bernoulli([0.6, 0.4]), varde.bandits.Gaussian([0.6, 0.4], [0.2, 0.2])):
        varde.bandits.measure(varde.VarDE(), bandit, 20, runs=2)
    river = varde.environments.river_swim(4)
    varde.planning.measure(varde.VarDE(), river, 20, horizon=3, runs=2)
    varde.learning.measure(varde.VarDE(), river, 200, runs=2)
    policy, _ = varde.best_policy(river, 0.9)
    varde.policy_values(river, policy, 0.9)


WORK: dict[str, Callable[[], None]] = {
    "plan in a table": plan_table,
    "plan in a game that is a table": plan_game_table,
    "plan in a function or environment": lambda: plan(step, lambda action: 4 + action, actions=(1, 2)),
    "plan in a game": lambda: plan(nim, lambda taken: 4 - taken, actions=(1, 2), player=lambda heap: heap % 2),
    "learn in a table": learn_tables,
    "learn in a function or environment": lambda: learn_in(step, actions=(1, 2), start=0),
    "measure": measure,
}
