"""The picture that opens the README: where 400 samples went, and how sure the answer became.

A real run: eight prompts, whose answers a simulated judge marks from 0 to 10.  ``--measure`` repeats it with 300 seeds,
with the rule and with equal shares, and writes docs/results/opening.json; the run drawn is the one whose final chances
are nearest to the medians of all.
"""

from __future__ import annotations

import functools
import json
import statistics
import sys
from typing import Any, NamedTuple

import numpy as np
from charts import chances, samples_over_time
from style import FOLDER, Drawing, Theme, save

import varde
from varde.show.words import percent

PROMPTS = {  # mean and standard deviation of the marks
    "brief": (5.6, 1.2),
    "polite": (5.0, 1.6),
    "expert": (6.4, 1.0),
    "examples": (6.9, 1.4),
    "stepwise": (7.5, 1.8),
    "checklist": (6.0, 1.3),
    "critic": (6.3, 2.2),
    "plan first": (6.8, 1.6),
}
BUDGET, SEEDS, EVERY = 400, 300, 8
EQUAL = BUDGET // len(PROMPTS)  # of each
RESULTS = FOLDER.parent / "results" / "opening.json"


def mark(prompt, rng):
    mean, deviation = prompt
    return mean + deviation * rng.standard_normal()


class Run(NamedTuple):
    found: varde.Selection
    order: list[str]  # the option of every sample
    sure: list[tuple[int, float]]  # samples, and the chance that the best so far is the best


def run(seed: int, warm_start: int | None = None) -> Run:
    selector = varde.Selector(PROMPTS, BUDGET, seed=seed, warm_start=warm_start)
    order: list[str] = []
    sure: list[tuple[int, float]] = []
    while (draw := selector.ask()) is not None:
        selector.tell(draw, mark(draw.option, np.random.default_rng(draw.seed)))
        order.append(draw.name)
        if len(order) % EVERY == 0 and len(order) >= 3 * len(PROMPTS):
            sure.append((len(order), selector.recommend().p_right))
    return Run(selector.recommend(), order, sure)


def measure() -> None:
    rows: dict[str, list[varde.Selection]] = {}
    for name, warm_start in (("the rule", None), ("equal shares", EQUAL)):
        rows[name] = [varde.select(mark, PROMPTS, BUDGET, seed=s, warm_start=warm_start) for s in range(SEEDS)]
    best = max(PROMPTS, key=lambda name: PROMPTS[name][0])
    medians = {name: statistics.median(found.p_right for found in all_) for name, all_ in rows.items()}

    def distance(seed: int) -> float:
        return sum(abs(all_[seed].p_right - medians[name]) for name, all_ in rows.items())

    right = {name: sum(found.best_name == best for found in all_) / SEEDS for name, all_ in rows.items()}
    known = {"seeds": SEEDS, "budget": BUDGET, "right": right, "median_p_right": medians}
    RESULTS.write_text(json.dumps({**known, "typical_seed": min(range(SEEDS), key=distance)}, indent=1) + "\n")


@functools.cache
def measured() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(RESULTS.read_text())
    return found


@functools.cache
def runs() -> tuple[Run, Run]:
    """The typical ones: the numbers beside them are the medians of all."""
    seed = measured()["typical_seed"]
    return run(seed), run(seed, EQUAL)


ACROSS = 98, 432


def draw(theme: Theme) -> Drawing:
    (ours, equal), sure = runs(), measured()["median_p_right"]
    drawing = Drawing(
        600, 410, f"Where {BUDGET} samples of {len(PROMPTS)} options went, and how sure the answer became over time"
    )
    samples_over_time(drawing, theme, ours.found, ours.order, ACROSS, (498, 596), (3.4, 7.9), 32)
    drawing.text(ACROSS[0], 264, "how sure the answer became", theme.quiet)
    place = chances(drawing, theme, ACROSS, 386, 282, BUDGET)
    drawing.curve([place(*point) for point in equal.sure], theme.other, 2, stroke_dasharray="5 4")
    drawing.curve([place(*point) for point in ours.sure], theme.accent, 3)
    x, y = place(*ours.sure[-1])
    drawing.circle(x, y, 5, theme.accent)
    drawing.text(x + 12, y + 6, f"{percent(sure['the rule'])} sure", theme.accent, 20, font_weight="600")
    y = place(*equal.sure[-1])[1] + 26
    drawing.text(x + 12, y, f"{percent(sure['equal shares'])} with", theme.other)
    drawing.text(x + 12, y + 20, "equal shares", theme.other)
    return drawing


if __name__ == "__main__":
    if "--measure" in sys.argv:
        measure()
    save(__file__, draw)
