"""Why not a loop or Optuna: how often each names the really best one, on the same number of evaluations.

The numbers are those of docs/results/peers-selection.json (ten noisy options, 300 evaluations, three kinds of noise).
"""

from __future__ import annotations

import json

from style import FOLDER, Drawing, Theme, percent, save

RESULTS = FOLDER.parent / "results"
LEFT, RIGHT = 200, 520
ROW = 27


def rows() -> list[tuple[str, list[tuple[str, float, str]]]]:
    """Panels: what is compared, and (who, share of right answers, of how many runs)."""
    peers = json.loads((RESULTS / "peers-selection.json").read_text())["rows"]

    def right(way: str) -> tuple[float, str]:
        mine = [row for row in peers if row["way"] == way]
        runs = sum(row["runs"] for row in mine)
        return sum(row["right"] * row["runs"] for row in mine) / runs, f"{runs} runs"

    ours = ("varde", *right("varde"))
    return [
        ("a loop that tries every option equally often", [ours, ("equal shares", *right("equal split (grid search)"))]),
        (
            "Optuna, ten evaluations of an option averaged",
            [ours, ("Optuna", *right("Optuna, TPE, ten evaluations averaged"))],
        ),
    ]


def draw(theme: Theme) -> Drawing:
    drawing = Drawing(600, 204, "How often the really best one is named: varde beside a loop and Optuna")
    y = 18.0
    for title, bars in rows():
        drawing.text(0, y, f"varde and {title}", theme.quiet)
        y += 12
        for name, share, _ in bars:
            colour = theme.accent if name == "varde" else theme.other
            drawing.text(LEFT - 10, y + 17, name, theme.ink, text_anchor="end")
            drawing.rect(LEFT, y + 2, RIGHT - LEFT, ROW - 7, theme.grid, opacity=0.35)
            drawing.rect(LEFT, y + 2, (RIGHT - LEFT) * share, ROW - 7, colour)
            drawing.text(RIGHT + 8, y + 17, percent(share), colour, font_weight="600")
            y += ROW
        drawing.text(LEFT, y + 12, f"named the best one, {bars[0][2]} each", theme.quiet, 15)
        y += 36
    return drawing


if __name__ == "__main__":
    save(__file__, draw)
