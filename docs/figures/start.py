"""The answer of docs/start.md as a picture: samples, means with intervals, and chances of the four options."""

from __future__ import annotations

import functools

from style import Drawing, Theme, code_of, percent, save

import varde

SAMPLES, MEANS, CHANCES = (106, 200), (268, 436), (470, 540)  # from, to
TOP, ROW = 40, 30
LOW, HIGH = 18.0, 75.0


@functools.cache
def answer() -> varde.Selection:
    return code_of("start.md", "found")["found"]


def draw(theme: Theme) -> Drawing:
    found = answer()
    drawing = Drawing(600, 190, "Samples, mean with 95 % interval, and chance of being the best, of four options")

    def scale(mean: float) -> float:
        return MEANS[0] + (MEANS[1] - MEANS[0]) * (mean - LOW) / (HIGH - LOW)

    for (left, _), words in ((SAMPLES, "samples"), (MEANS, "mean cost, 95 %"), (CHANCES, "P(best)")):
        drawing.text(left, 18, words, theme.quiet)
    for cost in (20, 40, 60):
        drawing.line(scale(cost), TOP - 8, scale(cost), TOP + 4 * ROW, theme.grid)
        drawing.text(scale(cost), TOP + 4 * ROW + 20, str(cost), theme.quiet, 15, text_anchor="middle")
    most = max(row.n for row in found.rows)
    for i, row in enumerate(found.rows):
        y = TOP + i * ROW
        colour = theme.accent if row.name == found.best_name else theme.quiet
        bold = "600" if row.name == found.best_name else None
        words = f"{row.name} counter{'s' if row.name != '1' else ''}"
        drawing.text(98, y + 15, words, theme.ink, text_anchor="end", font_weight=bold, size=15)
        drawing.rect(SAMPLES[0], y, (SAMPLES[1] - SAMPLES[0]) * row.n / most, 20, colour)
        drawing.text(SAMPLES[0] + (SAMPLES[1] - SAMPLES[0]) * row.n / most + 6, y + 16, str(row.n), theme.ink, 15)
        drawing.line(scale(row.low), y + 10, scale(row.high), y + 10, colour, 4, stroke_linecap="round")
        drawing.circle(scale(row.mean), y + 10, 5.5, colour)
        drawing.rect(CHANCES[0], y, max((CHANCES[1] - CHANCES[0]) * row.p_best, 1), 20, colour)
        chance = "< 1 %" if row.p_best < 0.005 else percent(row.p_best)
        drawing.text(
            CHANCES[0] + (CHANCES[1] - CHANCES[0]) * row.p_best + 6, y + 16, chance, theme.ink, 15, font_weight=bold
        )
    return drawing


if __name__ == "__main__":
    save(__file__, draw)
