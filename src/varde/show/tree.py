"""What a search found: the actions of the root, and the best line below it.

No script and no image file.  A line is an action, drawn beside its siblings on a common scale.  Colours come from the
page around it, light or dark.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .page.text import HTML, join, tag
from .ranges import SIDE, marks, scale_around
from .words import DASH, Interval, between, called, counted, decimals_for, number, percent

if TYPE_CHECKING:
    from ..planning.line import Step, Taken
    from ..planning.move import Estimate, Move

FAR = 3.0  # off the scale: so many times further from the recommended action than half of the others
MOST = 30  # actions
HEADS = {"name": "action", "share": "simulations", "value": "value", "reach": "95 % interval", "chance": "P(best)"}

MEANING = HTML(
    """<details><summary>How to read this</summary>
<p>A line is an action of the state above it. The <b>bar</b> is its share of the simulations of that state.
The <b>dot</b> is its value, the expected return with good play afterwards, and the line through it the 95 % interval;
an arrow marks what lies off the scale. <b>P(best)</b> is the chance that no other action of the state is better. Values
and chances are those of the player who moves. Below, where the recommended actions most often led.</p></details>"""
)


def tree(move: Move) -> HTML:
    root, *below = move.line
    names = {key: head for key, head in HEADS.items() if move.chances or key not in ("reach", "chance")}
    heads = tag("div", *(tag("span", head, class_=key) for key, head in names.items()), class_="line heads")
    parts = [tag("p", *about_state(root, move, "from"), class_="state"), heads, actions(move)]
    for step in below:
        parts.append(tag("p", *about_state(step, move, "→"), class_="state"))
        if step.action is not None:
            row = step.taken()
            parts.append(tag("ul", line(step.action, row, step.visits, Drawing([row]), "taken")))
    return tag("div", *parts, class_="varde-tree")


def about_state(step: Step, move: Move, before: str) -> list[HTML]:
    share = "" if step.share == 1.0 else f"{percent(step.share)} of the time"
    if step.side != move.line[0].side:
        share = f"{share}, the other player moves" if share else "the other player moves"
    return [
        tag("span", before),
        tag("b", called(step.state, 80)),
        tag("span", share),
        tag("span", counted(step.visits, "simulations")),
    ]


def actions(move: Move) -> HTML:
    """Those of the root that were tried, the recommended one first."""
    tried = [row for row in move.ranked if row.n]
    drawing, visits = Drawing(tried), max(move.line[0].visits, 1)
    kind = {"best": "taken"}
    lines = [line(row.action, row, visits, drawing, kind.get(row.verdict)) for row in tried[:MOST]]
    rest, never = len(tried) - MOST, len(move.rows) - len(tried)
    words = ([f"{rest:,} more actions"] if rest > 0 else []) + ([f"{never:,} never tried"] if never else [])
    return tag("ul", *lines, *([tag("li", "; ".join(words), class_="note")] if words else []))


class Drawing:
    """What the lines of one state share: the scale and the digits."""

    def __init__(self, rows: list[Estimate] | list[Taken]):
        values: list[float] = [row.estimate for row in rows]
        spans: list[Interval] = [(row.low, row.high) for row in rows]
        self.scale = scale_around(values[0], values, spans, FAR) if values else None
        self.decimals = decimals_for(values, spans[:1])


def line(name: object, row: Estimate | Taken, visits: int, drawing: Drawing, kind: str | None) -> HTML:
    """An action with its numbers."""
    span = row.low, row.high
    worth, reach = number(row.estimate, drawing.decimals), between(span, drawing.decimals)
    chance = percent(row.p_best) if row.p_best == row.p_best else ""
    share = "100 %" if row.n == visits else percent(row.n / visits)
    label = f"{called(name, 80)}: {counted(row.n, 'simulations')}, value {worth}"
    label += (f", 95 % interval {reach}" if reach != DASH else "") + (f", P(best) {chance}" if chance else "")
    drawn = [] if drawing.scale is None else marks(drawing.scale, row.estimate, span)
    cells = join(
        [
            tag("b", called(name), class_="name"),
            tag("span", tag("i", style=f"width:{100 * row.n / visits:.1f}%"), class_="share", title=share),
            tag("span", share, class_="percent"),
            tag("svg", *drawn, viewBox=f"0 0 {SIDE} 24", preserveAspectRatio="none", aria_hidden="true"),
            tag("span", worth, class_="value"),
            tag("span", reach if reach != DASH else "", class_="reach"),
            tag("span", chance, class_="chance"),
        ]
    )
    return tag("li", tag("div", cells, class_="line", title=label), class_=kind)
