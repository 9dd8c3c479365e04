"""Other questions than the best mean: is what is stated about the answer true?

python benchmarks/goal_calibration.py [--problems 400] [--seed 1] [--out docs/results/goal-calibration.json]

Random problems of ``goals.py``, one run each by the rule; hardness is log-uniform over a factor 50, from hopeless to
easy.  Stated are the chance that the whole answer is right, and that each option belongs to it.
"""

from __future__ import annotations

import argparse
import json
import math
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

import goals
from varde import Best
from varde.selection import Selection

LEVELS = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0001)


def one(kind: str, seed: int, number: int) -> tuple[float, bool, list[tuple[float, bool]], list[bool]]:
    """p_right and whether it is; of every option the chance and whether it belongs; whether intervals hold."""
    rng = np.random.default_rng((seed, goals.GOALS.index(kind), number))
    given = goals.problem(kind, rng, hardness=(0.5, 25.0))
    table = goals.Table(given.draw(np.random.default_rng((seed, number)), given.budget))
    goals.varde(given, table)
    found = judged(given, table)
    belongs = [i in given.answer for i in range(table.size)]
    right = {int(name) for name in found.chosen} == set(given.answer)
    held = [row.low <= true <= row.high for row, true in zip(found.rows, given.truth, strict=True)]
    return found.p_right, right, [(row.p_best, is_in) for row, is_in in zip(found.rows, belongs, strict=True)], held


def judged(given: goals.Problem, table: goals.Table) -> Selection:
    names = [str(i) for i in range(table.size)]
    values = [[column[i, : table.counts[i]] for i in range(table.size)] for column in table.results]
    sign = given.goal.sign
    numbers = dict(zip(given.goal.names, values, strict=True)) if isinstance(given.goal, Best) else None
    return Selection._of(names, names, [sign * x for x in values[0]], goal=given.goal, numbers=numbers)


def reliability(stated: list[float], true: list[bool]) -> list[dict[str, float]]:
    """Stated against observed, by level."""
    p, hit, rows = np.array(stated), np.array(true, float), []
    for low, high in pairwise(LEVELS):
        inside = (p >= low) & (p < high)
        if inside.any():
            many, mean = int(inside.sum()), float(p[inside].mean())
            error = math.sqrt(max(mean * (1.0 - mean), 1e-9) / many)
            seen = float(hit[inside].mean())
            rows.append({"low": low, "stated": mean, "observed": seen, "count": many, "z": (seen - mean) / error})
    return rows


def measure(kind: str, problems: int, seed: int) -> dict[str, Any]:
    found = [one(kind, seed, number) for number in range(problems)]
    sides = [(max(p, 1.0 - p), is_in == (p > 0.5)) for _, _, chances, _ in found for p, is_in in chances]
    held = [hold for _, _, _, each in found for hold in each]
    right = reliability([p for p, _, _, _ in found], [is_right for _, is_right, _, _ in found])
    each = reliability([p for p, _ in sides], [is_true for _, is_true in sides])
    for name, rows in (("answer", right), ("option", each)):
        for row in rows:
            print(kind, name, " ".join(f"{key} {value:.3f}" for key, value in row.items()), flush=True)
    print(kind, "intervals hold", np.mean(held), flush=True)
    return {"goal": kind, "answer": right, "option": each, "coverage": float(np.mean(held))}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--problems", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    rows = [measure(kind, given.problems, given.seed) for kind in goals.GOALS]
    if given.out is not None:
        about = {"problems": given.problems, "seed": given.seed}
        given.out.write_text(json.dumps({**about, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
