"""How sure the answer of docs/which-option.md becomes: with common random numbers, without, and with equal shares.

``--measure`` runs the guide's problem with 40 seeds and writes docs/results/which-option.json.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np
from charts import chances
from style import FOLDER, Drawing, Theme, code_of, percent, save

import varde

BUDGET, SEEDS, EVERY = 800, 40, 40
RESULTS = FOLDER.parent / "results" / "which-option.json"
WAYS: dict[str, dict[str, Any]] = {
    "common random numbers": {"crn": True},
    "independent": {},
    "equal shares": {"warm_start": BUDGET},
}
LABELS = {"common random numbers": "crn=True"}


def measure() -> None:
    names = code_of("which-option.md", "found")
    truth = "8, 30"  # the lowest mean of 2,000 months of each rule, by 10
    measured: dict[str, Any] = {"seeds": SEEDS, "every": EVERY}
    for way, how in WAYS.items():
        sure, right = np.zeros(BUDGET // EVERY), np.zeros(BUDGET // EVERY)
        for seed in range(SEEDS):
            equal = {"warm_start": BUDGET // len(names["rules"])} if how.get("warm_start") else {}
            selector = varde.Selector(names["rules"], BUDGET, goal="min", seed=seed, **(how | equal))
            while (draw := selector.ask()) is not None:
                selector.tell(draw, names["cost"](draw.option, np.random.default_rng(draw.seed)))
                if selector.spent % EVERY == 0:
                    found, at = selector.recommend(), int(selector.spent) // EVERY - 1
                    sure[at] += found.p_right / SEEDS
                    right[at] += (found.best_name == truth) / SEEDS
        measured[way] = {"sure": sure.round(4).tolist(), "right": right.round(4).tolist()}
    RESULTS.write_text(json.dumps(measured, indent=1) + "\n")


def draw(theme: Theme) -> Drawing:
    measured = json.loads(RESULTS.read_text())
    drawing = Drawing(600, 250, "How sure the answer becomes, on average")
    drawing.text(70, 18, f"how sure the answer became, mean of {measured['seeds']} runs", theme.quiet)
    place = chances(drawing, theme, (70, 390), 222, 42, BUDGET)
    for way, colour, dashes in zip(WAYS, (theme.accent, theme.ink, theme.other), (None, None, "5 4"), strict=True):
        sure = measured[way]["sure"]
        points = [place(EVERY * (i + 1), chance) for i, chance in enumerate(sure)]
        drawing.curve(points, colour, 3 if colour == theme.accent else 2, stroke_dasharray=dashes)
        x, y = points[-1]
        drawing.text(
            x + 8, y + (2 if colour == theme.accent else 10), f"{percent(sure[-1])} {LABELS.get(way, way)}", colour
        )
    return drawing


if __name__ == "__main__":
    if "--measure" in sys.argv:
        measure()
    save(__file__, draw)
