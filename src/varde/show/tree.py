"""The top of a search tree as a picture that opens node by node: where the simulations went, values, how sure.

Nested ``details``: no script and no image file, and in print everything is visible.  A line is an action, drawn beside
its siblings on a common scale; it opens to the states it led to and the actions there.  Colours come from the page
around it, light or dark.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from .page.text import HTML, join, tag
from .ranges import SIDE, marks, scale_around
from .words import DASH, between, called, counted, decimals_for, number, percent

if TYPE_CHECKING:
    from ..planning.move import Move
    from ..planning.top import Action, Node, Outcome

LITTLE = 0.02  # of the simulations of its node: several such actions are folded
FAR = 3.0  # off the scale: so many times further from the recommended action than half of the others
OPEN = 2  # recommended actions that are open at first, one below the other
HEADS = {"name": "action", "share": "simulations", "value": "value", "reach": "95 % interval", "chance": "P(best)"}

MEANING = HTML(
    """<details><summary>How to read this</summary>
<p>A line is an action of the state above it. The <b>bar</b> is its share of the simulations of that state.
The <b>dot</b> is its value, the expected return with good play afterwards, and the line through it the 95 % interval,
on a scale shared by the actions of one state; an arrow marks what lies off it. <b>P(best)</b> is the chance that no
other action of the state is better. Values and chances are those of the player who moves. Open a line to see where the
action led, and how often.</p></details>"""
)


def tree(move: Move) -> HTML:
    root = move.top[0]
    names = {key: head for key, head in HEADS.items() if move.chances or key not in ("reach", "chance")}
    heads = tag("div", *(tag("span", head, class_=key) for key, head in names.items()), class_="line heads")
    start = tag("p", *about_state(root.state, root.visits, "from"), class_="state")
    return tag("div", start, heads, actions(move, 0, OPEN), class_="varde-tree")


def about_state(state: Any, visits: int, before: str, share: str = "") -> list[HTML]:
    return [
        tag("span", before),
        tag("b", called(state, 80)),
        tag("span", share),
        tag("span", counted(visits, "simulations")),
    ]


def actions(move: Move, place: int, levels: int) -> HTML:
    """The actions of a node; those with few simulations are folded."""
    node = move.top[place]
    drawing = Siblings(node)
    shown = sorted(node.actions, key=lambda action: action.place != node.choice.taken)
    few = [a for a in shown if node.choice.counts[a.place] < LITTLE * node.visits and a.place != node.choice.taken]
    few = few if len(few) > 2 else []
    lines = [line(move, drawing, a, levels if a.place == node.choice.taken else 0) for a in shown if a not in few]
    rest = "" if not node.more else f"{node.more:,} more actions with fewer simulations"
    never = "" if not node.untried else f"{node.untried:,} never tried"
    if few:
        words = f"{len(few)} more actions, {percent_of(sum(node.choice.counts[a.place] for a in few), node.visits)}"
        folded = tag("ul", *(line(move, drawing, a, 0) for a in few))
        lines.append(tag("li", tag("details", tag("summary", words), folded, class_="few")))
    if rest or never:
        lines.append(tag("li", "; ".join(filter(None, (rest, never))), class_="note"))
    return tag("ul", *lines)


class Siblings:
    """What the lines of one node share: the scale, the digits, and how sure each is."""

    def __init__(self, node: Node):
        self.node, sure = node, node.sure
        size = node.choice.counts.size
        self.spans = [(-math.inf, math.inf)] * size
        self.chances: list[float] | None = None
        if sure is not None:
            self.spans = list(zip(sure.lows.tolist(), sure.highs.tolist(), strict=True))
            self.chances = sure.chances.tolist() if size > 1 else None
        values = [float(node.choice.values[action.place]) for action in node.actions]
        center = float(node.choice.values[node.choice.taken])
        spans = [self.spans[action.place] for action in node.actions]
        self.scale = scale_around(center, values, spans, FAR)
        self.decimals = decimals_for(values, [self.spans[node.choice.taken]])


def line(move: Move, drawing: Siblings, action: Action, levels: int) -> HTML:
    """An action, and what is below it."""
    node, place = drawing.node, action.place
    count, value = int(node.choice.counts[place]), float(node.choice.values[place])
    low, high = drawing.spans[place]
    worth, reach = number(value, drawing.decimals), between((low, high), drawing.decimals)
    chance = percent(drawing.chances[place]) if drawing.chances else ""
    share = percent_of(count, node.visits)
    label = f"{called(action.name, 80)}: {counted(count, 'simulations')}, value {worth}"
    label += (f", 95 % interval {reach}" if reach != DASH else "") + (f", P(best) {chance}" if chance else "")
    cells = join(
        [
            tag("b", called(action.name), class_="name"),
            tag("span", tag("i", style=f"width:{100 * count / node.visits:.1f}%"), class_="share", title=share),
            tag("span", share, class_="percent"),
            tag(
                "svg",
                *marks(drawing.scale, value, (low, high)),
                viewBox=f"0 0 {SIDE} 24",
                preserveAspectRatio="none",
                aria_hidden="true",
            ),
            tag("span", worth, class_="value"),
            tag("span", reach if reach != DASH else "", class_="reach"),
            tag("span", chance, class_="chance"),
        ]
    )
    kind = "taken" if place == node.choice.taken else None
    below = [outcome for outcome in action.outcomes if outcome.node >= 0]
    if not below and len(action.outcomes) < 2:
        led = f" → {called(action.outcomes[0].state, 60)}" if action.outcomes else ""
        return tag("li", tag("div", cells, class_="line", title=label + led), class_=kind)
    opened = tag("summary", cells, class_="line", title=label)
    one = len(action.outcomes) == 1
    inside = [
        led_to(move, outcome, count, levels - 1 if i == 0 else 0, one) for i, outcome in enumerate(action.outcomes)
    ]
    inside += [tag("p", "and other states", class_="note")] if action.more else []
    return tag("li", tag("details", opened, *inside, open=levels > 0), class_=kind)


def led_to(move: Move, outcome: Outcome, count: int, levels: int, one: bool) -> HTML:
    """A state that an action led to, with its actions; to be opened unless it is the only ``one``."""
    share = "" if one else f"{percent_of(outcome.times, count)} of the time"
    if outcome.node < 0:
        return tag("p", *about_state(outcome.state, outcome.times, "→", share), class_="state")
    node = move.top[outcome.node]
    if node.side != move.top[0].side:
        share = f"{share}, the other player moves" if share else "the other player moves"
    about = about_state(outcome.state, node.visits, "→", share)
    below = actions(move, outcome.node, levels)
    if one:
        return join([tag("p", *about, class_="state"), below])
    return tag("details", tag("summary", *about, class_="state"), below, open=levels > 0)


def percent_of(part: float, whole: float) -> str:
    return "100 %" if part == whole else percent(part / whole)
