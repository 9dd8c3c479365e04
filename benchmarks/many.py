"""Very many options: is the answer as good if only those in play are scored, and what does an ask take?

python benchmarks/many.py [--problems 40] [--seed 1]

Every problem is run twice with the same results: all options scored after every result, and as in ``by_gaps.py``.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

from varde import VarDE
from varde.selection import by_gaps
from varde.selection.goals import Mean

Draw = Callable[[int], float]
KINDS = ("even", "normal", "rates", "rare", "skewed")


def problem(kind: str, size: int, rng: np.random.Generator) -> tuple[np.ndarray, Draw]:
    """True means, and a draw."""
    if kind in ("rates", "rare"):
        truth = rng.beta(2.0, 6.0 if kind == "rates" else 60.0, size)
        return truth, lambda i: float(rng.random() < truth[i])
    truth = rng.uniform(0.0, 1.0, size) if kind == "even" else rng.normal(0.0, 0.3, size)
    if kind == "skewed":
        truth = np.exp(truth)
        return truth, lambda i: truth[i] * rng.exponential()
    noise = rng.uniform(0.1, 0.6, size)
    return truth, lambda i: truth[i] + noise[i] * rng.normal()


def run(truth: np.ndarray, draw: Draw, more: int, most: float) -> tuple[float, float]:
    """The regret in units of the spread of the truth, and seconds per choice."""
    by_gaps.MOST = most  # type: ignore[assignment]
    size = truth.size
    chooser = by_gaps.GapChooser(VarDE(), size, 3, None, Mean())
    for i in np.tile(np.arange(size), 3).tolist():
        chooser.add_pending(i, True)
        chooser.add_result(i, draw(i), True)
    began = time.process_time()
    for _ in range(more):
        i = chooser.choose(None)
        chooser.add_pending(i, False)
        chooser.add_result(i, draw(i), True)
    seconds = time.process_time() - began
    return float((truth.max() - truth[chooser.merits().argmax()]) / truth.std()), seconds / more


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--problems", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sizes", type=int, nargs="+", default=[5_000, 20_000])
    given = parser.parse_args()
    for size in given.sizes:
        rows = []
        for k in range(given.problems):
            both = []
            for most in (np.inf, 4_000):
                rng = np.random.default_rng([given.seed, size, k])
                both.append(run(*problem(KINDS[k % len(KINDS)], size, rng), size * 2, most))
            rows.append(both)
        loss, cpu = np.array(rows)[:, :, 0], np.array(rows)[:, :, 1].mean(0) * 1e6
        apart, wrong = loss[:, 1] - loss[:, 0], (loss > 0.0).astype(float)
        error = [x.std(ddof=1) / np.sqrt(x.size) for x in (apart, wrong[:, 1] - wrong[:, 0])]
        print(
            f"K = {size:,}, {given.problems} problems: regret of all scored {loss[:, 0].mean():.4f}, in play "
            f"{apart.mean():+.4f} +- {error[0]:.4f}; wrong {wrong[:, 0].mean():.3f}, "
            f"{wrong[:, 1].mean() - wrong[:, 0].mean():+.3f} +- {error[1]:.3f}; us {cpu[0]:.0f}, {cpu[1]:.0f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
