"""The rule on three arms, as docs/rule.md shows it where there is no script: estimates, both factors, the decrement."""

from __future__ import annotations

import numpy as np
from style import Drawing, Theme, save

import varde
from varde.rule import decrement

MEANS, NOISE, SAMPLES, TEMPERATURE = [0.6, 0.55, 0.3], np.array([0.2, 0.5, 0.3]), 20, 0.1
COLUMNS = (("mean, 95 % interval", 24), ("influence w²", 216), ("variance", 336), ("decrement", 456))
FORMS = ("{:.2g}", "{:.2f}", "{:.1f} %")
WIDTH, ROW = 70, 34


def draw(theme: Theme) -> Drawing:
    squares = varde.decisions.gradient(varde.decisions.LogSumExp(TEMPERATURE), MEANS) ** 2
    variances = NOISE**2
    drops = np.array([decrement(w, v, SAMPLES) for w, v in zip(squares, variances, strict=True)])
    drawing = Drawing(600, 146, "Of three arms the second gets the next sample: it is close to the first and noisier")
    for words, x in COLUMNS:
        drawing.text(x, 16, words, theme.quiet, 15)
    for i, name in enumerate("ABC"):
        y, colour = 42 + ROW * i, theme.accent if i == np.argmax(drops) else theme.quiet
        drawing.text(0, y + 5, name, theme.ink, font_weight="600")
        drawing.line(24, y, 174, y, theme.grid)
        half = 1.96 * NOISE[i] / SAMPLES**0.5
        low, middle, high = (24 + 150 * m for m in (MEANS[i] - half, MEANS[i], MEANS[i] + half))
        drawing.line(low, y, high, y, colour, 4, stroke_linecap="round")
        drawing.circle(middle, y, 5.5, colour)
        for (_, x), values, written in zip(
            COLUMNS[1:], (squares, variances, 100.0 * drops / max(drops)), FORMS, strict=True
        ):
            length = max(WIDTH * values[i] / max(values), 1.0)
            drawing.rect(x, y - 9, length, 18, colour)
            drawing.text(x + length + 5, y + 5, written.format(values[i]), theme.ink, 14)
    return drawing


if __name__ == "__main__":
    save(__file__, draw)
