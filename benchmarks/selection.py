"""How often is the wrong option chosen?  Every rule on the paper's instances and on random families of problems.

python benchmarks/selection.py [--problems 30] [--runs 800] [--seed 1] [--out docs/results/selection.json]

Rules with a warm start all get the same one, that of the gap rule; the rejecting rules keep their schedules.  Arms are
re-indexed at random in every run, so that ties favour nobody.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

import varde
from families import FAMILIES, PULLS, SHAPES, SIZES, Problem, bandit_of, problems
from varde import VarDE
from varde.bandits import EBTCI, INSTANCES, KG, OCBA, UCBE, TopTwoThompson, UGapE
from varde.bandits.problems import true_means
from varde.beliefs import Floor
from varde.decisions import LogSumExp
from varde.rule import automatic_warm_start

FLOOR = 0.01


def rules(problem: Problem) -> dict[str, Any]:
    """Every baseline; the two that would need to know the gaps are given the constants of Table 1."""
    warm = automatic_warm_start(problem.budget, np.size(problem.bandit.means))
    return {
        "VarDE auto": VarDE(),
        **{f"VarDE {tau}": VarDE(LogSumExp(tau), Floor(FLOOR), warm) for tau in (0.05, 0.1, 0.15)},
        "TTTS": TopTwoThompson(floor=FLOOR, warm_start=warm, patience=20),
        "EB-TCI": EBTCI(floor=FLOOR, warm_start=warm),
        "KG": KG(warm_start=warm),
        "OCBA": OCBA(FLOOR, warm),
        **{f"UCBE {alpha}": UCBE(alpha, warm) for alpha in (2, 4, 8)},
        **{f"UGapE {alpha}": UGapE(alpha, warm) for alpha in (2, 4, 8)},
        "SR": varde.bandits.SuccessiveRejects(),
        "CR-A": varde.bandits.ContinuousRejects(),
        "CR-C": varde.bandits.ContinuousRejects(conservative=True),
        "SH": varde.bandits.SequentialHalving(),
        "Uniform": varde.bandits.Uniform(),
    }


def wrong(rule: Any, problem: Problem, runs: int, seed: int) -> int:
    """In how many of the runs another option than the best is recommended."""
    found = varde.bandits.measure(rule, problem.bandit, problem.budget, runs=runs, seed=seed)
    return int(np.count_nonzero(found.answers[:, -1] != np.argmax(true_means(problem.bandit))))


def log_error(errors: np.ndarray, runs: np.ndarray) -> np.ndarray:
    """Half an error added, or a problem solved in every run would decide everything."""
    return np.log((errors + 0.5) / (runs + 1.0))


def measure(chosen: list[Problem], runs: list[int], seed: int, say: Any = print) -> dict[str, list[int]]:
    """Per rule, the wrong answers on each problem."""
    errors: dict[str, list[int]] = {}
    for i, problem in enumerate(chosen):
        began = time.perf_counter()
        for name, rule in rules(problem).items():
            errors.setdefault(name, []).append(wrong(rule, problem, runs[i], seed))
        size = np.size(problem.bandit.means)
        say(f"{i + 1}/{len(chosen)} {problem.family} {problem.shape} K = {size}: {time.perf_counter() - began:.1f} s")
    return errors


def summary(errors: dict[str, list[int]], families: list[str], asked: list[int]) -> list[dict[str, Any]]:
    """Per rule and family: error in percent, mean log error, and its excess over VarDE auto on the same problems."""
    told, where, runs = [], np.array(families), np.array(asked)
    reference = log_error(np.array(errors["VarDE auto"]), runs)
    for name, counts in errors.items():
        logs, shares = log_error(np.array(counts), runs), np.array(counts) / runs
        spread = shares * (1.0 - shares) / runs
        for family in ("all", *dict.fromkeys(families)):
            mine = np.ones(where.size, bool) if family == "all" else where == family
            excess = (logs - reference)[mine]
            told.append(
                {
                    "rule": name,
                    "family": family,
                    "problems": int(mine.sum()),
                    "error": round(100.0 * float(shares[mine].mean()), 3),
                    "stderr": round(100.0 * float(np.sqrt(spread[mine].mean() / mine.sum())), 3),
                    "log_error": round(float(logs[mine].mean()), 4),
                    "excess": round(float(excess.mean()), 4),
                    "excess_stderr": round(float(excess.std(ddof=1) / np.sqrt(mine.sum())), 4)
                    if mine.sum() > 1
                    else 0.0,
                }
            )
    return told


def paper() -> list[Problem]:
    return [
        Problem(name, "paper", in_families(instance.bandit), instance.budget) for name, instance in INSTANCES.items()
    ]


def in_families(bandit: Any) -> Any:
    """A Bernoulli or Gaussian bandit as one of ``families``."""
    means = np.asarray(bandit.means, float)
    return bandit_of(type(bandit).__name__, means, np.asarray(getattr(bandit, "stds", means), float))


def far_problems(count: int, seed: int) -> list[Problem]:
    """Rare large rewards where most options are almost worthless: as noisy as they are good, so variances mislead."""
    return problems(count, seed, ("ZeroInflated",), least=0.02)


def on_random_problems(chosen: list[Problem], runs: int, seed: int) -> list[dict[str, Any]]:
    each = [runs if np.size(p.bandit.means) < 100 else runs // 4 for p in chosen]
    return summary(measure(chosen, each, seed), [p.family for p in chosen], each)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--problems", type=int, default=30, help="of each family")
    parser.add_argument(
        "--runs", type=int, default=800, help="per rule and problem; from K = 100 a quarter, on BAI.1-6 five times"
    )
    parser.add_argument("--seed", type=int, default=1, help="of the problems and of the runs")
    parser.add_argument("--out", type=Path, help="a results file")
    asked = parser.parse_args()
    random = on_random_problems(problems(asked.problems, asked.seed), asked.runs, asked.seed)
    far = on_random_problems(far_problems(asked.problems, asked.seed), asked.runs, asked.seed)
    many = len(INSTANCES) * [5 * asked.runs]
    instances = summary(measure(paper(), many, asked.seed), list(INSTANCES), many)
    for rows in (random, far, instances):
        for row in sorted((r for r in rows if r["family"] == "all"), key=lambda r: r["log_error"]):
            told = f"{row['log_error']:7.3f}  {row['excess']:+.3f} +- {row['excess_stderr']:.3f}"
            print(f"{row['rule']:12} {row['error']:6.2f} %  log {told}")
    if asked.out:
        settings = {"problems": asked.problems, "runs": asked.runs, "seed": asked.seed, "families": FAMILIES}
        settings |= {"sizes": SIZES, "pulls_per_arm": PULLS, "shapes": SHAPES}
        asked.out.write_text(as_json(settings, {"random": random, "far": far, "instances": instances}))


def as_json(settings: dict[str, Any], tables: dict[str, list[dict]]) -> str:
    """A line per row."""
    rows = {name: ",\n".join("  " + json.dumps(row) for row in table) for name, table in tables.items()}
    told = "".join(f', "{name}": [\n{lines}\n]' for name, lines in rows.items())
    return json.dumps({"settings": settings})[:-1] + told + "}\n"


if __name__ == "__main__":
    main()
