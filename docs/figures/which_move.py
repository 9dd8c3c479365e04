"""The search of docs/which-move.md after 50 to 2,000 simulations: values beside the exact ones, and chances."""

from __future__ import annotations

import functools

import numpy as np
from style import Drawing, Theme, code_of, percent, save

import varde

LOOKS = (50, 100, 200, 500, 1_000, 2_000)
START = (12, 2, 6)
LEFT, STEP, LOW, HIGH = 60, 72, -8.0, 60.0  # the columns; the values shown
TOP, BOTTOM, ONE, ZERO = 34, 194, 240, 320


@functools.cache
def run() -> tuple[list[varde.Move], dict[str, float]]:
    names = code_of("which-move.md", "move")
    planner = varde.Planner(names["step"], horizon=24, actions=names["actions"])
    planner.begin(START)
    moves = [planner.think(more) for more in np.diff(LOOKS, prepend=0).tolist()]
    return moves, {action: worth(names, START, action) for action in names["actions"](START)}


def worth(names: dict, start: tuple[int, int, int], action: str) -> float:
    """The exact value of an action, by dynamic programming over the seven prices that may follow."""

    @functools.cache
    def after(hour: int, charge: int) -> float:  # before the price is known
        prices = [names["USUAL"][hour] + noise for noise in range(-3, 4)]
        return sum(max(pays((hour, charge, p), a) for a in names["actions"]((hour, charge, p))) for p in prices) / 7

    def pays(state: tuple[int, int, int], action: str) -> float:
        hour, charge, price = state
        trade = names["TRADE"][action]
        return -trade * price - 0.5 * abs(trade) + (0.0 if hour == 23 else after(hour + 1, charge + trade))

    return pays(start, action)


def draw(theme: Theme) -> Drawing:
    moves, exact = run()
    drawing = Drawing(600, 362, "Values and chances of three actions after 50 to 2,000 simulations")
    colours = {"buy": theme.accent, "hold": theme.quiet, "sell": theme.other}
    right = LEFT + STEP * len(LOOKS)

    def height(value: float) -> float:
        return BOTTOM + (TOP - BOTTOM) * (min(max(value, LOW), HIGH) - LOW) / (HIGH - LOW)

    drawing.text(LEFT, 18, "value of each action, 95 %", theme.quiet)
    for value in (0, 20, 40, 60):
        drawing.line(LEFT, height(value), right, height(value), theme.grid)
        drawing.text(LEFT - 8, height(value) + 6, str(value), theme.quiet, 15, text_anchor="end")
    drawing.text(LEFT, ONE - 14, "P(best)", theme.quiet)
    for chance in (0.0, 1.0):
        y = ZERO + (ONE - ZERO) * chance
        drawing.line(LEFT, y, right, y, theme.grid)
        drawing.text(LEFT - 8, y + 6, percent(chance) if chance else "0", theme.quiet, 15, text_anchor="end")
    for i, (action, colour) in enumerate(colours.items()):
        points = []
        for k, move in enumerate(moves):
            x = LEFT + STEP * (k + 0.5)
            low, high = move.intervals[action]
            shift = x + 14 * (i - 1)
            drawing.line(shift, height(low), shift, height(high), colour, 4, opacity=0.55)
            if LOW < move.values[action] < HIGH:
                drawing.circle(shift, height(move.values[action]), 4.5, colour)
            points.append((x, ZERO + (ONE - ZERO) * move.chances[action]))
        drawing.curve(points, colour, 3 if action == "buy" else 2)
        for x, y in points:
            drawing.circle(x, y, 3.5, colour)
        drawing.line(right, height(exact[action]), right + 12, height(exact[action]), colour, 2)
        words = f"{action} {exact[action]:.1f}"
        nudge = {"buy": -6, "hold": 9, "sell": 19}[action]
        drawing.text(right + 16, height(exact[action]) + nudge, words, colour, font_weight="600" if not i else None)
    drawing.text(right + 16, TOP + 12, "exactly:", theme.quiet, 15)
    for k, look in enumerate(LOOKS):
        drawing.text(LEFT + STEP * (k + 0.5), ZERO + 20, f"{look:,}", theme.quiet, 15, text_anchor="middle")
    drawing.text((LEFT + right) / 2, ZERO + 39, "simulations", theme.quiet, 15, text_anchor="middle")
    return drawing


if __name__ == "__main__":
    save(__file__, draw)
