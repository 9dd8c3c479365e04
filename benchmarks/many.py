"""Very many options: is the answer as good if only those in play are scored, and what does a choice take?

python benchmarks/many.py [--problems 20] [--size 5000] [--seed 1]

Every problem is run twice, all options being scored after every result, and as in ``by_gaps.py``.  The n-th result of
an option is the same in both.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from varde import VarDE
from varde.selection import by_gaps
from varde.selection.goals import Mean

KINDS = ("even", "rates", "rare", "skewed")
WIDTH = 400  # results of an option before they come again


def problem(kind: str, size: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """True means, and the results of each option."""
    if kind in ("rates", "rare"):
        truth = rng.beta(2.0, 6.0 if kind == "rates" else 60.0, size)
        return truth, (rng.random((size, WIDTH)) < truth[:, None]).astype(np.float32)
    if kind == "skewed":
        truth = np.exp(rng.normal(0.0, 0.3, size))
        return truth, (truth[:, None] * rng.exponential(size=(size, WIDTH))).astype(np.float32)
    truth, noise = rng.uniform(size=size), rng.uniform(0.1, 0.6, size)
    return truth, (truth[:, None] + noise[:, None] * rng.normal(size=(size, WIDTH))).astype(np.float32)


def run(truth: np.ndarray, results: np.ndarray, most: float) -> tuple[float, float]:
    """The regret in units of the spread of the truth, and seconds per choice."""
    by_gaps.MOST = most  # type: ignore[assignment]
    size = truth.size
    chooser = by_gaps.GapChooser(VarDE(), size, 3, None, Mean())
    for i in np.tile(np.arange(size), 3).tolist():
        chooser.add_pending(i, True)
        chooser.add_result(i, float(results[i, chooser.moments.counts[i]]), True)
    began = time.process_time()
    for _ in range(size):
        i = chooser.choose(None)
        chooser.add_pending(i, False)
        chooser.add_result(i, float(results[i, chooser.moments.counts[i] % WIDTH]), True)
    seconds = time.process_time() - began
    return float((truth.max() - truth[chooser.merits().argmax()]) / truth.std()), seconds / size


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--problems", type=int, default=20, help="of each kind")
    parser.add_argument("--size", type=int, default=5_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    print("kind      regret, all scored   in play, difference   the same answer   us, all scored   in play")
    for number, kind in enumerate(KINDS):
        rows = []
        for k in range(given.problems):
            world = problem(kind, given.size, np.random.default_rng([given.seed, given.size, number, k]))
            rows.append([run(*world, most) for most in (np.inf, 4_000)])
        loss, cpu = np.array(rows)[:, :, 0], np.array(rows)[:, :, 1].mean(0) * 1e6
        apart = loss[:, 1] - loss[:, 0]
        print(
            f"{kind:10}{loss[:, 0].mean():18.3f}{apart.mean():+15.3f} +- {apart.std() / apart.size**0.5:.3f}"
            f"{(apart == 0.0).mean():18.2f}{cpu[0]:17.0f}{cpu[1]:10.0f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
