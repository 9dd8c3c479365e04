"""The two policies of docs/which-policy.md on the map of the warehouse: the action in every cell, and its doubt."""

from __future__ import annotations

import functools

from style import Drawing, Theme, code_of, save

import varde

CELL, TOP, GAP = 32, 34, 16
ARROWS = {"up": "↑", "down": "↓", "left": "←", "right": "→"}


@functools.cache
def learned() -> tuple[dict, list[tuple[varde.Policy, str]]]:
    names = code_of("which-policy.md", "policy")
    return names, [(names["early"], "after 5,000 steps"), (names["policy"], "after 20,000 steps")]


def draw(theme: Theme) -> Drawing:
    names, maps = learned()
    cells = names["CELLS"]
    rows, columns = (1 + max(place[axis] for place in cells) for axis in (0, 1))
    width, height = 2 * columns * CELL + GAP, TOP + rows * CELL + 34
    drawing = Drawing(width, height, "What to do in every cell, and where it is in doubt")
    for k, (policy, words) in enumerate(maps):
        left = k * (columns * CELL + GAP)
        drawing.text(left, 20, words, theme.ink, font_weight="600")
        for place in ((y, x) for y in range(rows) for x in range(columns)):
            x, y = left + place[1] * CELL, TOP + place[0] * CELL
            cell = cells.get(place)
            if cell is None:
                drawing.rect(x, y, CELL, CELL, theme.quiet, opacity=0.55)
                continue
            drawing.rect(x + 0.5, y + 0.5, CELL - 1, CELL - 1, "none", stroke=theme.grid)
            middle = {"text_anchor": "middle", "font_weight": "600"}
            if cell in "GX":
                drawing.rect(x + 1, y + 1, CELL - 2, CELL - 2, theme.accent if cell == "G" else theme.ink, opacity=0.25)
                drawing.text(x + CELL / 2, y + 22, cell, theme.accent if cell == "G" else theme.ink, **middle)
            elif place in policy:
                doubt = policy.doubt[place]
                if doubt > 0.05:
                    drawing.rect(x + 1, y + 1, CELL - 2, CELL - 2, theme.other, opacity=round(0.2 + 0.6 * doubt, 1))
                drawing.text(
                    x + CELL / 2, y + 24, ARROWS[policy[place]], theme.ink, 24, text_anchor="middle", font_weight="600"
                )
            if cell in "~S":
                drawing.text(x + 2, y + 12, cell, theme.quiet, 13)
    y = TOP + rows * CELL + 22
    x = 0
    for doubt, words in ((0.1, "5 %"), (0.5, "50 %"), (0.9, "90 % in doubt")):
        drawing.rect(x, y - 14, 18, 18, theme.other, opacity=round(0.2 + 0.6 * doubt, 1))
        drawing.text(x + 24, y + 1, words, theme.quiet, 15)
        x += 80
    drawing.text(columns * CELL + GAP, y + 1, "~ wet floor", theme.quiet, 15)
    return drawing


if __name__ == "__main__":
    save(__file__, draw)
