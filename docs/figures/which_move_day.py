"""The day of docs/which-move.md: prices, and when the planner bought and sold."""

from __future__ import annotations

import functools

from style import Drawing, Theme, code_of, save

LEFT, RIGHT, TOP, BOTTOM, HIGH = 40, 578, 40, 190, 20
BARS, UNIT = 268, 12  # the charge


@functools.cache
def day() -> list[tuple[tuple[int, int, int], str]]:
    return code_of("which-move.md", "day")["day"]


def draw(theme: Theme) -> Drawing:
    drawing = Drawing(600, 300, "The price over a day, and when a planner bought and sold")

    def x(hour: float) -> float:
        return LEFT + (RIGHT - LEFT) * hour / 24

    def y(price: float) -> float:
        return BOTTOM + (TOP - BOTTOM) * price / HIGH

    drawing.text(LEFT, 18, "price", theme.quiet)
    drawing.text(LEFT + 80, 18, "● buy", theme.accent, font_weight="600")
    drawing.text(LEFT + 160, 18, "■ sell", theme.other, font_weight="600")
    for price in (0, 10, 20):
        drawing.line(LEFT, y(price), RIGHT, y(price), theme.grid)
        drawing.text(LEFT - 8, y(price) + 6, str(price), theme.quiet, 15, text_anchor="end")
    drawing.curve([(x(state[0] + 0.5), y(state[2])) for state, _ in day()], theme.quiet, 2)
    for (hour, _, price), action in day():
        if action == "buy":
            drawing.circle(x(hour + 0.5), y(price), 7.5, theme.accent)
        elif action == "sell":
            drawing.rect(x(hour + 0.5) - 7, y(price) - 7, 14, 14, theme.other)
    drawing.text(LEFT, 214, "charge", theme.quiet)
    for (hour, charge, _), _ in day():
        if charge:
            drawing.rect(x(hour) + 1, BARS - UNIT * charge, x(1) - x(0) - 2, UNIT * charge, theme.quiet, opacity=0.6)
    drawing.line(LEFT, BARS, RIGHT, BARS, theme.grid)
    for hour in (0, 6, 12, 18, 24):
        drawing.text(x(hour), BARS + 22, f"{hour} h", theme.quiet, 15, text_anchor="middle")
    return drawing


if __name__ == "__main__":
    save(__file__, draw)
