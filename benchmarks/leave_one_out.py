"""What is each mechanism of a default worth?  Remove one at a time, on problems generated for the occasion.

make leave-one-out (python benchmarks/leave_one_out.py [options|moves|policies|alike ...] [--seed N] [--minutes 5])

Each family has a file, ``leave_one_out_<family>.py``, with

    UNIT = "points of error"                                 what is measured; lower is better
    def cases(rng) -> Iterator[Case]: ...                    endless: each is a fresh problem, drawn from ``rng``

A variant is whatever ``measure`` takes: a record of settings, a function, a name.  The table has a line per mechanism:
loss without it less loss with it, so that what is positive pays.  Problems are the unit of the standard error.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import importlib.util
import math
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

FAMILIES = ("options", "moves", "policies", "alike")


class Case(NamedTuple):
    """One fresh problem, on which variants are compared."""

    name: str  # the kind of problem: a column of the table
    default: Any  # the variant that the package uses
    variants: Mapping[str, Any]  # by what was removed
    measure: Callable[[Any], float]  # the mean loss of a variant, by the same random numbers for all


def differences(cases: Iterator[Case], seconds: float) -> tuple[list[str], list[float], dict[str, list[float]]]:
    """The kind of every problem, the loss of the default, and by how much the loss of each variant is larger."""
    kinds: list[str] = []
    losses: list[float] = []
    more: dict[str, list[float]] = {}
    began = time.monotonic()
    with contextlib.suppress(KeyboardInterrupt):  # what was finished is shown
        for case in cases:
            default = float(case.measure(case.default))
            found = {name: float(case.measure(variant)) - default for name, variant in case.variants.items()}
            kinds.append(case.name)
            losses.append(default)
            for name in dict.fromkeys((*more, *found)):
                more.setdefault(name, [math.nan] * (len(kinds) - 1)).append(found.get(name, math.nan))
            if time.monotonic() - began > seconds:
                break
    return kinds, losses, more


def with_error(values: np.ndarray) -> str:
    """Mean and standard error, over problems."""
    values = values[~np.isnan(values)]
    if values.size < 2:
        return "-"
    return f"{values.mean():+.2f} ± {values.std(ddof=1) / math.sqrt(values.size):.2f}"


def table(unit: str, kinds: list[str], losses: list[float], more: dict[str, list[float]]) -> str:
    """Markdown: a line per mechanism, a column per kind of problem."""
    columns, where = list(dict.fromkeys(kinds)), np.array(kinds)
    counts = [f"{kind} ({np.count_nonzero(where == kind)})" for kind in columns]
    head = ["without", f"{unit} more, all ({len(kinds)})", *counts]
    lines = [head, ["---"] * len(head)]
    means = [f"{np.mean(losses):.2f}", *(f"{np.mean(np.array(losses)[where == kind]):.2f}" for kind in columns)]
    lines.append(["(the default itself)", *means])
    for name, values in more.items():
        found = np.array(values)
        lines.append([name, with_error(found), *(with_error(found[where == kind]) for kind in columns)])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("families", nargs="*", help="options, moves, policies, alike; all by default")
    parser.add_argument("--seed", type=int, help="by default a fresh one")
    parser.add_argument("--minutes", type=float, default=5.0, help="for each family")
    given = parser.parse_args()
    seed = int(np.random.SeedSequence().entropy) % 2**32 if given.seed is None else given.seed  # type: ignore[arg-type]
    written = [family for family in FAMILIES if importlib.util.find_spec(f"leave_one_out_{family}")]
    for family in given.families or written:
        part: Any = importlib.import_module(f"leave_one_out_{family}")
        cases = part.cases(np.random.default_rng([seed, FAMILIES.index(family)]))
        print(f"\n## {family.capitalize()} (seed {seed})\n", flush=True)
        print(table(part.UNIT, *differences(cases, 60.0 * given.minutes)), flush=True)


if __name__ == "__main__":
    main()
