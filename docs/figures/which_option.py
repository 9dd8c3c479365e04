"""Where the samples of the second run in docs/which-option.md went."""

from __future__ import annotations

import functools

import numpy as np
from charts import samples_over_time
from style import Drawing, Theme, code_of, save

import varde

BUDGET = 400


@functools.cache
def run() -> tuple[varde.Selection, list[str]]:
    names = code_of("which-option.md", "found")
    selector = varde.Selector(names["rules"], BUDGET, goal="min", crn=True)
    order: list[str] = []
    while (draw := selector.ask()) is not None:
        selector.tell(draw, names["cost"](draw.option, np.random.default_rng(draw.seed)))
        order.append(draw.name)
    found = selector.recommend()
    assert found.rows == names["found"].rows  # it is the run of the guide
    return found, order


def draw(theme: Theme) -> Drawing:
    found, order = run()
    drawing = Drawing(600, 336, f"Where {BUDGET} samples of {len(found.rows)} options went")
    samples_over_time(drawing, theme, found, order, (70, 420), (480, 594), (500, 610), 32)
    return drawing


if __name__ == "__main__":
    save(__file__, draw)
