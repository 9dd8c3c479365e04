"""How often ``varde compare`` raises a false alarm: two folders of one program with other seeds.

python benchmarks/verdicts.py [--repeat 200] [--seed 1] [--folder RESULTS] [--out FILE.json]
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

STEPS = 30


def made_up(kind: str, rng: np.random.Generator) -> np.ndarray:
    """[700, 30] runs of which neighbouring checkpoints correlate by .9."""
    noise = rng.normal(size=(700, STEPS))
    for step in range(1, STEPS):
        noise[:, step] = 0.9 * noise[:, step - 1] + np.sqrt(0.19) * noise[:, step]
    return {"normal": noise, "0/1": (noise > 1.0).astype(float), "lognormal": np.exp(noise)}[kind]


def compare(repeat: int, seed: int, folder: str = "") -> list[dict]:
    """One program, two seeds: any row called changed is an alarm.

    Ten made-up rows; and the studies of a folder of results, whole, some of whose runs are dealt to two sides.
    """
    from varde.studies.judging.changes import FEWEST, apart

    found = []
    kinds: dict[str, list[np.ndarray]] = {kind: [] for kind in ("normal", "0/1", "lognormal")}
    for kind, cells in (kinds | studies_in(folder)).items():
        rng = np.random.default_rng(seed)
        for runs in (2, 3, 5, 10, 50, 100):
            if 2 * runs > min(map(len, cells), default=700):
                continue
            alarms = 0
            for _ in range(repeat):
                some = cells or [made_up(kind, rng)[: 2 * runs] for _ in range(10)]
                dealt = rng.permutation(min(map(len, some)))[: 2 * runs]  # the same of all rows: they share streams
                sides = [(row[dealt[:runs]], row[dealt[runs:]]) for row in some]
                alarms += runs >= FEWEST and min(cell.p for cell in apart(sides)) <= 0.05
            found.append({"rows": kind, "cells": len(cells) or 10, "runs": runs, "repeat": repeat, "alarms": alarms})
            print(found[-1], flush=True)
    return found


def studies_in(folder: str) -> dict[str, list[np.ndarray]]:
    """The runs of every cell, at ten of its steps or fewer, by study."""
    from varde.studies.compare import load_side

    found: dict[str, list[np.ndarray]] = {}
    for (study, *_), (_, values) in load_side(Path(folder)).runs.items() if folder else ():
        columns = np.unique(np.linspace(0, values.shape[1] - 1, 10).round().astype(int))
        found.setdefault(study, []).append(np.asarray(values[:1000, columns], float))
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", default="", help="results of varde reproduce")
    parser.add_argument("--out", default="")
    given = parser.parse_args()
    rows = compare(given.repeat, given.seed, given.folder)
    if given.out:
        lines = ",\n".join("  " + json.dumps(row) for row in rows)
        Path(given.out).write_text(f'{{"settings": {json.dumps(vars(given))}, "rows": [\n{lines}\n]}}\n')
