"""What a goal, common random numbers and a fixed test set are worth, and what many samples at once cost.

python benchmarks/selection.py [goals|pairs|items|batches ...] [--problems 40] [--seed 1]

Everything goes through ``varde.Selector``.  Result n of an option is the same for every way of a problem, and all ways
are judged alike; problems are the unit of the standard errors.  Writes docs/results/selection.json, of which
docs/tables/selection_tables.py and quality_tables.py make the tables of docs/selection.md and docs/quality.md.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from varde import Best, Quantile, Selector, Top

PATH = Path(__file__).parents[1] / "docs" / "results" / "selection.json"
RUNS = 20  # of a problem
SURE, LOOKS = 0.95, 1.05  # a fixed test set: when it ends; results at a look, over those at the last


def names(size: int) -> list[str]:
    return [f"option {i}" for i in range(size)]


def number(name: str) -> int:
    return int(name.split()[1])


def spent(selector: Selector, value: Callable[[int, int], Any]) -> Selector:
    """The whole budget, spent by the selector; ``value`` has the result of an option and replicate."""
    while (draw := selector.ask()) is not None:
        selector.tell(draw, value(number(draw.name), draw.replicate))
    return selector


def paired_error(values: np.ndarray) -> tuple[float, float]:
    return float(values.mean()), float(values.std(ddof=1) / math.sqrt(values.size))


# -- goals -----------------------------------------------------------------------------------------


class Problem(NamedTuple):
    goal: Any
    budget: int
    draw: Callable[[np.random.Generator], Any]  # [K] lists of results
    right: frozenset[str]


def goal_problem(kind: str, rng: np.random.Generator) -> Problem:
    """A typical gap is worth 2 to 12 standard errors at equal shares; the answer is ahead by a part of one."""
    size, per, skewed = int(rng.choice((5, 10, 20))), int(rng.choice((10, 20, 40))), bool(rng.integers(2))
    unit = math.exp(rng.uniform(*np.log((2.0, 12.0)))) / math.sqrt(per)
    means = unit * np.sort(rng.normal(size=size))[::-1]
    scales = np.exp(rng.normal(0.0, 0.7, size))

    def noise(rng: np.random.Generator) -> np.ndarray:
        return rng.exponential(size=(size, size * per)) - 1.0 if skewed else rng.normal(size=(size, size * per))

    if kind == "Top":
        m = int(rng.integers(2, max(3, size // 2)))
        means[:m] += max(0.3 * unit - (means[m - 1] - means[m]), 0.0)
        draw = lambda rng: (means[:, None] + scales[:, None] * noise(rng)).tolist()  # noqa: E731
        return Problem(Top(m), size * per, draw, frozenset(names(m)))
    if kind == "Quantile":  # of exponential times, with spreads of their own: the order of the means is another one
        q, spreads = float(rng.choice((0.75, 0.9, 0.95))), rng.uniform(0.3, 2.0, size)
        heights = -1.5 * means
        heights[0] -= max(0.25 * unit - (heights[1] - heights[0]), 0.0)
        shifts = heights + spreads * math.log(1.0 - q)
        draw = lambda rng: (shifts[:, None] + spreads[:, None] * rng.exponential(size=(size, size * per))).tolist()  # noqa: E731
        return Problem(Quantile(q, "min"), size * per, draw, frozenset(names(1)))
    slack = unit * rng.normal(0.3, 1.0, size)
    slack = np.where(np.abs(slack) < 0.2 * unit, np.copysign(0.2 * unit, slack), slack)
    slack[int(rng.integers(size))] = 0.5 * unit
    first = int(np.argmax(slack > 0.0))
    means[: first + 1] += 0.15 * unit

    def draw(rng: np.random.Generator) -> Any:
        pairs = np.stack([means[:, None] + noise(rng), slack[:, None] + noise(rng)], axis=2).tolist()
        return [[{"profit": one, "slack": other} for one, other in row] for row in pairs]

    return Problem(Best("profit", "max", slack=">= 0"), size * per, draw, frozenset([names(size)[first]]))


def told(problem: Problem, results: Any, counts: list[int]) -> Selector:
    """So many results of each option, whoever chose them."""
    selector = Selector(names(len(counts)), goal=problem.goal)
    selector.tell_many(
        [(name, x) for name, xs, n in zip(names(len(counts)), results, counts, strict=True) for x in xs[:n]]
    )
    return selector


def by_the_rule(problem: Problem, results: Any, seed: int) -> Selector:
    return spent(
        Selector(names(len(results)), problem.budget, goal=problem.goal, seed=seed), lambda i, r: results[i][r]
    )


def equal_shares(problem: Problem, results: Any, seed: int) -> Selector:
    return told(problem, results, [problem.budget // len(results)] * len(results))


def for_the_mean(problem: Problem, results: Any, seed: int) -> Selector:
    """Sampled by the rule for the best mean of the first number."""
    down = isinstance(problem.goal, Quantile)
    means = Selector(names(len(results)), problem.budget, goal="min" if down else "max", seed=seed)
    first = (lambda x: x["profit"]) if isinstance(problem.goal, Best) else float
    spent(means, lambda i, r: first(results[i][r]))
    return told(problem, results, [row.n for row in sorted(means.recommend().rows, key=lambda row: number(row.name))])


WAYS = {"the rule": by_the_rule, "equal shares": equal_shares, "the rule for the best mean": for_the_mean}


def answer(selector: Selector) -> frozenset[str]:
    best = selector.recommend().best
    return frozenset(best if isinstance(best, list) else [best])


def goals(problems: int, seed: int) -> list[dict[str, Any]]:
    rows = []
    for place, kind in enumerate(("Top", "Quantile", "Best")):
        wrong = np.zeros((len(WAYS), problems))
        for p in range(problems):
            problem = goal_problem(kind, np.random.default_rng([seed, place, p]))
            for run in range(RUNS):
                results = problem.draw(np.random.default_rng([seed, place, p, run]))
                for way, spend in enumerate(WAYS.values()):
                    wrong[way, p] += 100.0 / RUNS * (answer(spend(problem, results, run)) != problem.right)
        for way, name in enumerate(WAYS):
            more, error = paired_error(wrong[way] - wrong[0])
            rows.append({"goal": kind, "way": name, "error": float(wrong[way].mean()), "more": more, "stderr": error})
            print(rows[-1], flush=True)
    return rows


# -- common random numbers -------------------------------------------------------------------------


def pairs(problems: int, seed: int) -> list[dict[str, Any]]:
    """Errors, and how many answers stated at 90 % or more were right, as if independent and with ``crn=True``."""
    rows = []
    for correlation in (0.0, 0.5, 0.8, 0.95):
        found = np.zeros((problems, 2, 2))  # [problem, way, (right, stated)]
        for p in range(problems):
            rng = np.random.default_rng([seed, p, round(100 * correlation)])
            size, budget = ((2, 40), (8, 240), (20, 300))[p % 3]
            ease = math.exp(rng.uniform(*np.log((0.3, 15.0))) + rng.uniform(0.5 * math.log1p(-correlation), 0.0))
            means = rng.normal(size=size) * ease / math.sqrt(budget / size)
            common = math.sqrt(correlation) * rng.normal(size=budget)
            results = means[:, None] + common + math.sqrt(1.0 - correlation) * rng.normal(size=(size, budget))
            for way, crn in enumerate((False, True)):
                selector = spent(Selector(names(size), budget, seed=p, crn=crn), lambda i, r, x=results: float(x[i, r]))
                said = selector.recommend()
                found[p, way] = number(said.best) == means.argmax(), said.p_right
        right, sure = found[:, :, 0] > 0.0, found[:, :, 1] >= 0.9
        fewer, error = paired_error(100.0 * (right[:, 1] * 1.0 - right[:, 0]))
        row = {"correlation": correlation, "problems": problems, "fewer": fewer, "stderr": error}
        row |= {"error": (100.0 * (1.0 - right.mean(axis=0))).tolist(), "sure": sure.sum(axis=0).tolist()}
        rows.append(row | {"sure and right": (sure & right).sum(axis=0).tolist()})
        print(rows[-1], flush=True)
    return rows


# -- a fixed test set ------------------------------------------------------------------------------


def prompts(seed: int, size: int = 8, items: int = 200) -> np.ndarray:
    """[K, n] right or wrong: prompts that differ a little, on items that differ much."""
    rng = np.random.default_rng(seed)
    ability, difficulty = 0.5 * rng.normal(size=(size, 1)), 2.0 * rng.normal(size=items)
    liking = 0.7 * rng.normal(size=(size, items))
    return (rng.random((size, items)) < 1.0 / (1.0 + np.exp(difficulty - ability - liking - 1.0))).astype(float)


def judgements(table: np.ndarray, how: str, seed: int) -> tuple[int, bool]:
    """How many until the chance of being right is 95 %, and whether it was right then."""
    size, items = table.shape
    drawn = np.random.default_rng(seed)
    given = {} if how == "random items" else {"items": range(items)}
    selector = Selector(names(size), seed=seed, **given, **({"warm_start": items} if how == "in turns" else {}))
    look = 3.0 * size
    while selector.spent < table.size and (draw := selector.ask()) is not None:
        item = int(drawn.integers(items)) if how == "random items" else draw.item
        selector.tell(draw, float(table[number(draw.name), item]))
        if selector.spent >= look:
            look *= LOOKS
            if selector.recommend().p_right >= SURE:
                break
    means = table.mean(axis=1)
    return int(selector.spent), bool(means[number(selector.recommend().best)] == means.max())


def items(problems: int, seed: int) -> list[dict[str, Any]]:
    rows = []
    for how in ("items=", "in turns", "random items"):
        found = np.array([judgements(prompts(seed + p), how, p) for p in range(problems)], float)
        calls, error = paired_error(found[:, 0])
        rows.append(
            {"way": how, "problems": problems, "calls": calls, "stderr": error, "right": int(found[:, 1].sum())}
        )
        print(rows[-1], flush=True)
    return rows


# -- many samples at once --------------------------------------------------------------------------

BATCHES = (1, 4, 16, 64)


def batches(problems: int, seed: int) -> list[dict[str, Any]]:
    """Errors with ten samples per option, so many of them asked for at once."""
    rows = []
    for size in (10, 50):
        wrong = np.zeros((len(BATCHES), problems))
        for p in range(problems):
            rng = np.random.default_rng([seed, size, p])
            means = math.exp(rng.uniform(*np.log((2.0, 12.0)))) / math.sqrt(10.0) * rng.normal(size=size)
            for run in range(RUNS // 4):
                results = means[:, None] + rng.normal(size=(size, 10 * size))
                for place, batch in enumerate(BATCHES):
                    selector = Selector(names(size), 10 * size, seed=run)
                    while draws := selector.ask(batch):
                        for draw in draws:
                            selector.tell(draw, float(results[number(draw.name), draw.replicate]))
                    missed = number(selector.recommend().best) != means.argmax()
                    wrong[place, p] += 100.0 / (RUNS // 4) * missed
        more = [paired_error(wrong[place] - wrong[0]) for place in range(len(BATCHES))]
        rows.append({"options": size, "problems": problems, "error": float(wrong[0].mean()), "more": more})
        print(rows[-1], flush=True)
    return rows


PARTS = {"goals": goals, "pairs": pairs, "items": items, "batches": batches}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)}; all by default")
    parser.add_argument(
        "--problems", type=int, default=40, help="of each goal and for the test set; pairs have six times as many"
    )
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    kept = json.loads(PATH.read_text()) if PATH.exists() else {}
    for part in given.parts or PARTS:
        kept[part] = PARTS[part](given.problems * (6 if part == "pairs" else 1), given.seed)
        PATH.write_text(json.dumps(kept | {"seed": given.seed, "runs": RUNS}, indent=1) + "\n")
