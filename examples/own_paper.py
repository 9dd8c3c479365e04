"""Another paper, reproduced with the kit: ``varde reproduce own_paper.py``.

An invented paper about waiting times.  Its Table 2 and Figure 4 are studies; its published numbers and what it says
in words are on the first screen of the report.
"""

from functools import partial

import numpy as np

from varde.random import stream, uniform
from varde.studies import Cell, Figure, Paper, Statement, Study, below, lowest, run

SERVERS = {"Pool": 1.0, "Two queues": 1.6, "Random": 2.5}  # how long a request waits, relative to the first


def waits(factor, loads, key, first, runs):
    """[runs, loads] waiting times in milliseconds: exponential, longer the higher the load."""
    draws = [[uniform(rng) for _ in loads] for rng in (stream(key, first + row) for row in range(runs))]
    return -20.0 * factor * np.log(1.0 - np.array(draws)) / (1.0 - np.array(loads) / 100.0)


def cells(problem, loads):
    return [Cell(problem, name, f"factor={f}", loads, partial(waits, f, loads)) for name, f in SERVERS.items()]


office, night = cells("office hours", (50,)), cells("night", (10,))
published = {("office hours", "Pool", 50): "40", ("office hours", "Random", 50): "100"}
published |= {("night", "Pool", 10): "22.2", ("night", "Random", 10): "63.0"}  # 55.6 is right: the report finds it
table_2 = Study(
    "table-2",
    "Table 2: mean wait (ms)",
    office + night,
    runs=2_000,
    published=published,
    published_runs=10_000,
    unit="ms",
    place="Table 2",
    reasons=[(lambda row: row.algorithm == "Random", "the paper does not say how ties are broken")],
    notes=["the paper gives no arrival rates; 50 and 10 percent load are assumed"],
)

figure = Figure(across="load (%)", up="wait (ms)", log=True)
all_day = cells("all day", tuple(range(5, 96, 10)))
figure_4 = Study("figure-4", "Figure 4: wait by load", all_day, runs=400, unit="ms", figure=figure, place="Figure 4")

said = [
    Statement("a pool has the shortest waits, day and night", "table", {"table-2": lowest("Pool")}, "Section 5"),
    Statement("nobody waits longer than 50 ms", "picture", {"figure-4": below("Pool", 50.0, throughout=True)}),
]
paper = Paper("Waiting well", {"Waiting times": [table_2], "Load": [figure_4]}, said, method="Pool")

if __name__ == "__main__":  # without the command line: a first look at few runs
    study = paper.studies["table-2"]()
    rows = run(study, runs=500)
    for row in rows:
        printed = "" if row.published is None else f", published {row.published:g}: {row.verdict}"
        print(f"{row.problem}, {row.algorithm}: {row.value:.1f} ± {row.stderr:.1f} ms{printed}")
    print(*study.findings(rows), sep="\n")
