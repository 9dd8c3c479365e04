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
from style import FOLDER, Drawing, Theme, save

import varde

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
EQUAL = varde.bandits.Uniform()
RESULTS = FOLDER.parent / "results" / "opening.json"


def mark(prompt, rng):
    mean, deviation = prompt
    return mean + deviation * rng.standard_normal()


class Run(NamedTuple):
    found: varde.Selection
    order: list[str]  # the option of every sample
    sure: list[tuple[int, float]]  # samples, and the chance that the best so far is the best


def run(seed: int, algorithm: Any = None) -> Run:
    selector = varde.Selector(PROMPTS, BUDGET, seed=seed, algorithm=algorithm)
    order: list[str] = []
    sure: list[tuple[int, float]] = []
    while (draw := selector.ask()) is not None:
        selector.tell(draw, mark(draw.option, np.random.default_rng(draw.seed)))
        order.append(draw.name)
        if len(order) % EVERY == 0 and len(order) >= 3 * len(PROMPTS):
            sure.append((len(order), selector.recommend().p_best))
    return Run(selector.recommend(), order, sure)


def measure() -> None:
    rows: dict[str, list[varde.Selection]] = {}
    for name, algorithm in (("the rule", None), ("equal shares", EQUAL)):
        rows[name] = [varde.select(mark, PROMPTS, BUDGET, seed=s, algorithm=algorithm) for s in range(SEEDS)]
    best = max(PROMPTS, key=lambda name: PROMPTS[name][0])
    medians = {name: statistics.median(found.p_best for found in all_) for name, all_ in rows.items()}

    def distance(seed: int) -> float:
        return sum(abs(all_[seed].p_best - medians[name]) for name, all_ in rows.items())

    right = {name: sum(found.best == best for found in all_) / SEEDS for name, all_ in rows.items()}
    measured = {"seeds": SEEDS, "budget": BUDGET, "right": right, "median_p_best": medians}
    RESULTS.write_text(json.dumps({**measured, "typical_seed": min(range(SEEDS), key=distance)}, indent=1) + "\n")


@functools.cache
def runs() -> tuple[Run, Run]:
    seed = json.loads(RESULTS.read_text())["typical_seed"]
    return run(seed), run(seed, EQUAL)


LEFT, RIGHT, TOP, ROW = 98, 432, 32, 25  # the samples
SCALE_LEFT, SCALE_RIGHT, LOW, HIGH = 492, 596, 4.0, 7.9  # the means
ZERO, ONE = 386, 282  # the chances


def draw(theme: Theme) -> Drawing:
    ours, equal = runs()
    best = ours.found.best
    drawing = Drawing(
        600, 410, f"Where {BUDGET} samples of {len(PROMPTS)} options went, and how sure the answer became over time"
    )

    def time(samples: float) -> float:
        return LEFT + (RIGHT - LEFT) * samples / BUDGET

    def scale(mean: float) -> float:
        return SCALE_LEFT + (SCALE_RIGHT - SCALE_LEFT) * (mean - LOW) / (HIGH - LOW)

    def height(chance: float) -> float:
        return ZERO + (ONE - ZERO) * chance

    drawing.text(LEFT, 18, "where the samples went", theme.quiet)
    drawing.text(SCALE_RIGHT, 18, "mean", theme.quiet, text_anchor="end")
    rows = sorted(ours.found.rows, key=lambda row: -row.mean)
    for i, row in enumerate(rows):
        y = TOP + i * ROW
        colour = theme.accent if row.name == best else theme.quiet
        bold = "600" if row.name == best else None
        drawing.text(LEFT - 8, y + 16, row.name, theme.ink, text_anchor="end", font_weight=bold)
        drawing.rect(LEFT, y + 1, RIGHT - LEFT, ROW - 5, theme.grid, opacity=0.35)
        samples = [time(at + 0.5) for at, name in enumerate(ours.order) if name == row.name]
        drawing.ticks(samples, y + 1, ROW - 5, colour, 1, opacity=None if row.name == best else 0.8)
        drawing.text(RIGHT + 44, y + 16, f"{row.n}", colour, text_anchor="end", font_weight=bold)
        drawing.line(scale(row.low), y + 11, scale(row.high), y + 11, colour, 3, stroke_linecap="round")
        drawing.circle(scale(row.mean), y + 11, 4.5, colour)

    drawing.text(LEFT, 264, "how sure the answer became", theme.quiet)
    for chance, words in ((0.0, "0"), (0.5, "50 %"), (1.0, "100 %")):
        drawing.line(LEFT, height(chance), RIGHT, height(chance), theme.grid, 1)
        drawing.text(LEFT - 8, height(chance) + 6, words, theme.quiet, 15, text_anchor="end")
    for end, one, colour, dashes in ((1, equal, theme.other, "5 4"), (0, ours, theme.accent, None)):
        points = [(time(at), height(chance)) for at, chance in one.sure]
        drawing.curve(points, colour, 2 if end else 3, stroke_dasharray=dashes)
    x, y = time(BUDGET), height(ours.sure[-1][1])
    drawing.circle(x, y, 5, theme.accent)
    drawing.text(x + 12, y + 6, f"{ours.sure[-1][1]:.0%} sure".replace("%", " %"), theme.accent, 20, font_weight="600")
    y = height(equal.sure[-1][1]) + 26
    drawing.text(x + 12, y, f"{equal.sure[-1][1]:.0%} with".replace("%", " %"), theme.other)
    drawing.text(x + 12, y + 20, "equal shares", theme.other)
    drawing.text(LEFT, 404, "1", theme.quiet, 15)
    drawing.text((LEFT + RIGHT) / 2, 404, "samples", theme.quiet, 15, text_anchor="middle")
    drawing.text(RIGHT, 404, f"{BUDGET}", theme.quiet, 15, text_anchor="end")
    return drawing


if __name__ == "__main__":
    if "--measure" in sys.argv:
        measure()
    save(__file__, draw)
