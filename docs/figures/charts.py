"""Charts that several figures share."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from style import Drawing, Theme, percent

import varde

ROW = 25  # height


def samples_over_time(
    drawing: Drawing,
    theme: Theme,
    found: varde.Selection,
    order: Sequence[str],
    across: tuple[float, float],
    means: tuple[float, float],
    ends: tuple[float, float],
    top: float,
) -> None:
    """A row per option, best first: a stroke for every sample in ``order``, their number, mean and interval."""
    left, right = across

    def scale(mean: float) -> float:
        return means[0] + (means[1] - means[0]) * (mean - ends[0]) / (ends[1] - ends[0])

    drawing.text(left, top - 14, "where the samples went", theme.quiet)
    drawing.text(means[1], top - 14, "mean", theme.quiet, text_anchor="end")
    for i, row in enumerate(
        sorted(found.rows, key=lambda row: (row.name != found.best_name, -found.goal_record.sign * row.mean))
    ):
        y = top + i * ROW
        best = row.name == found.best_name
        colour, bold = (theme.accent, "600") if best else (theme.quiet, None)
        drawing.text(left - 8, y + 16, row.name, theme.ink, text_anchor="end", font_weight=bold)
        drawing.rect(left, y + 1, right - left, ROW - 5, theme.grid, opacity=0.35)
        strokes = [left + (right - left) * (at + 0.5) / len(order) for at, name in enumerate(order) if name == row.name]
        drawing.ticks(strokes, y + 1, ROW - 5, colour, 1, opacity=None if best else 0.8)
        drawing.text(right + 44, y + 16, f"{row.n}", colour, text_anchor="end", font_weight=bold)
        drawing.line(scale(row.low), y + 11, scale(row.high), y + 11, colour, 3, stroke_linecap="round")
        drawing.circle(scale(row.mean), y + 11, 4.5, colour)


def chances(
    drawing: Drawing, theme: Theme, across: tuple[float, float], zero: float, one: float, samples: int
) -> Callable[[float, float], tuple[float, float]]:
    """Axes of a chance over the samples; returns where a point of it lies."""
    left, right = across

    def place(at: float, chance: float) -> tuple[float, float]:
        return left + (right - left) * at / samples, zero + (one - zero) * chance

    for chance in (0.0, 0.5, 1.0):
        y = place(0, chance)[1]
        drawing.line(left, y, right, y, theme.grid)
        drawing.text(left - 8, y + 6, percent(chance) if chance else "0", theme.quiet, 15, text_anchor="end")
    drawing.text(left, zero + 18, "1", theme.quiet, 15)
    drawing.text((left + right) / 2, zero + 18, "samples", theme.quiet, 15, text_anchor="middle")
    drawing.text(right, zero + 18, f"{samples:,}", theme.quiet, 15, text_anchor="end")
    return place
