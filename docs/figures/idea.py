"""The package in one picture: belief, decision, rule, certainty, on three options.

The numbers are those of the default: a gap of z standard errors counts (1 + exp 1.81 z)^-2, and the next sample goes
where w² s² / (N (N + 1)) is largest.
"""

from __future__ import annotations

import math
from statistics import NormalDist

from style import Drawing, Theme, percent, save

MEANS, NOISE, SAMPLES = (0.62, 0.55, 0.48), (0.16, 0.28, 0.20), (24, 20, 9)
STEPS = (
    ("belief", "what is known of the alternatives:", "estimate, error, number of samples"),
    ("decision", "which comparisons matter, and how", "open each of them still is: w²"),
    ("rule", "the sample that lowers the variance", "of that decision most comes next"),
    ("certainty", "the chance of being right, intervals,", "what a mistake costs, when to stop"),
)
ROW, LEFT, WIDTH = 104, 352, 176


def shares() -> tuple[list[float], list[float], list[float]]:
    """Of each option, between 0 and 1: w², the decrement, the chance to be the best."""
    errors = [noise**2 / n for noise, n in zip(NOISE, SAMPLES, strict=True)]
    gaps = [(MEANS[0] - m) / (errors[0] + e) ** 0.5 for m, e in zip(MEANS, errors, strict=True)]
    open_ = [(1.0 + math.exp(math.pi / math.sqrt(3.0) * z)) ** -2 for z in gaps]
    squares = [sum(open_[1:]), *open_[1:]]
    drops = [w * s * s / (n * (n + 1)) for w, s, n in zip(squares, NOISE, SAMPLES, strict=True)]
    beliefs = [NormalDist(m, e**0.5) for m, e in zip(MEANS, errors, strict=True)]
    grid = [i / 400 for i in range(401)]
    best = [
        sum(b.pdf(x) * math.prod(other.cdf(x) for other in beliefs if other is not b) for x in grid) for b in beliefs
    ]
    return [w / max(squares) for w in squares], [d / max(drops) for d in drops], [p / sum(best) for p in best]


def draw(theme: Theme) -> Drawing:
    drawing = Drawing(600, 4 * ROW - 16, "Belief, decision, rule, certainty: where the next sample goes")
    squares, drops, chances = shares()
    chosen = drops.index(max(drops))
    for row, (name, *lines) in enumerate(STEPS):
        top = row * ROW
        drawing.rect(0.75, top + 0.75, 556, ROW - 18, "none", stroke=theme.grid, stroke_width=1.5, rx=8)
        drawing.text(16, top + 28, name, theme.accent, 20, font_weight="600")
        for i, line in enumerate(lines):
            drawing.text(16, top + 51 + 20 * i, line, theme.ink, 16)
        if row < 3:
            drawing.line(278, top + ROW - 15, 278, top + ROW - 4, theme.quiet, 2)
            drawing.add("path", d=f"M273 {top + ROW - 7}h10l-5 6z", fill=theme.quiet)
        for i, option in enumerate("ABC"):
            y = top + 22 + 22 * i
            drawing.text(LEFT - 22, y + 5, option, theme.ink, 15, font_weight="600")
            colour = theme.accent if i == (chosen if row == 2 else 0) else theme.quiet
            if row == 0:
                drawing.line(LEFT, y, LEFT + WIDTH, y, theme.grid)
                half = 1.96 * NOISE[i] / SAMPLES[i] ** 0.5
                low, middle, high = (LEFT + WIDTH * m for m in (MEANS[i] - half, MEANS[i], MEANS[i] + half))
                drawing.line(low, y, high, y, colour, 4, stroke_linecap="round")
                drawing.circle(middle, y, 5, colour)
            else:
                share = (squares, drops, chances)[row - 1][i]
                length = max((WIDTH - 84) * share, 1.5)
                drawing.rect(LEFT, y - 8, length, 16, colour)
                words = "next sample" if row == 2 and i == chosen else ""
                if row == 3:
                    words = percent(share) if share > 0.005 else "< 1 %"
                if words:
                    drawing.text(LEFT + length + 6, y + 5, words, theme.ink, 14)
    start, end = 2 * ROW + 44, 44
    drawing.curve([(557, start), (582, start), (582, end), (566, end)], theme.quiet)
    drawing.add("path", d=f"M568 {end - 5}v10l-9 -5z", fill=theme.quiet)
    return drawing


if __name__ == "__main__":
    save(__file__, draw)
