"""How often failures cost a good option or the right answer.

python benchmarks/failures.py [--repeat 40] [--seed 1]

Each option is a little worse than the one before it.  Calls fail with some probability: by their seed, as a simulation
that breaks down does, which fails again when it is repeated; or at random, as a service does.
"""

from __future__ import annotations

import argparse
import random

import varde

BUDGET = 200
RATES = (0.05, 0.1, 0.2, 0.3)


def runs(by_seed: bool, options: int, rate: float, workers: int, repeat: int, seed: int) -> dict[str, float]:
    """Good options left out, wrong answers and runs without any, over all runs; calls and outages, per run."""
    left_out = wrong = ended = calls = outages = 0
    for run in range(seed * 1000, seed * 1000 + repeat):
        chance = random.Random(run)

        def measure(option: int, rng, chance: random.Random = chance) -> float:
            nonlocal calls
            calls += 1
            if (rng.random() if by_seed else chance.random()) < rate:
                raise RuntimeError("it broke down")
            return float(rng.normal()) - 0.8 * option

        try:
            found = varde.select(
                measure,
                varde.Selector(list(range(options)), budget=BUDGET, seed=run, calls=varde.Calls(backoff=0.001)),
                workers=workers,
                progress=False,
            )
        except RuntimeError:  # the first call of every option failed, and again
            ended += 1
            continue
        left_out += sum(row.verdict == "failing" for row in found.rows)
        wrong += found.best_name != "0"
        outages += found.outages.number
    shares = {"calls": calls / repeat, "outages": outages / repeat}
    return {"left out": left_out, "wrong": wrong, "no answer": ended, **shares}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    for by_seed in (True, False):
        for options in (2, 6):
            for workers in (1, 8):
                for rate in RATES:
                    row = runs(by_seed, options, rate, workers, given.repeat, given.seed)
                    kind = "by seed" if by_seed else "at random"
                    words = ", ".join(f"{name} {value:g}" for name, value in row.items())
                    print(f"{kind}, {options} options, {workers} at once, {rate:.0%}: {words}", flush=True)
