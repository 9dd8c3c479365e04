"""A cheap study for the tests of running: coins, thrown by Python, with a pause before each block."""

COINS = """
import functools
import time

import numpy as np

from varde.studies import Cell, Study
from varde.random import stream, uniform


def coin(share, pause, key, first, runs):
    time.sleep(pause)
    return np.array([[0.1 * (uniform(stream(key, run)) < share)] for run in range(first, first + runs)])


cells = [Cell("coin", f"share {{i}}", "", (1,), functools.partial(coin, i / {cells}, {pause})) for i in range({cells})]
study = Study("{name}", "Coins", cells, {runs}, block={block})
"""


def write_coins(path, name="coins", cells=4, runs=100, block=5, pause=0.0):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(COINS.format(name=name, cells=cells, runs=runs, block=block, pause=pause))
    return path
