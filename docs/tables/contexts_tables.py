"""The table of docs/contexts.md: the loss of every way, and how often a statement was wrong."""

from __future__ import annotations

from fill import markdown, results

WAYS = ("chosen", "arrive", "even", "alone", "LinUCB")


def losses() -> str:
    lines = []
    for row in results("contexts")["rows"]:
        cells = [f"{row['chosen']:.3f}"]
        cells += [f"{row[way]:.3f} ({row['chosen'] - row[way]:+.3f} ± {row[f'error {way}']:.3f})" for way in WAYS[1:]]
        lines.append([row["truth"], *cells, f"{row['wrong']} of {row['sure']}"])
    return markdown(["truth", "chosen", *(f"{way} (difference)" for way in WAYS[1:]), "wrong at 95 %"], lines)


TABLES = {"losses": losses}
