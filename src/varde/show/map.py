"""A policy as a page: a map where states are cells of a grid, and a table with the doubtful states first.

No script.  A cell has an arrow, coloured by its doubt, and a tooltip if there are not too many cells.  Tables fold;
what would make the page too large is only counted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .page.text import HTML, escape, glued, join, tag
from .table import sheet
from .words import called, number, percent

if TYPE_CHECKING:
    from ..learning.policy.grid import Grid
    from ..learning.policy.policy import Policy

OPEN, FOLDED = 15, 150  # states of the table, and those that can be unfolded
BRIEF = 8  # states in a notebook
SPOKEN = 2500  # cells up to which each says more about itself
USEFUL = 5  # places where more data would help
LEVELS = (0.05, 0.2, 0.5)  # of doubt, between the colours

MEANING = HTML(
    """<details><summary>How to read this</summary>
<p>The <b>value</b> is the expected discounted return of the policy from a state; the interval contains the true value
in about 95 of 100 cases. <b>P(best)</b> is the chance that no other action of the state is better by more than
0.1&nbsp;% of the span of all values; the <b>rival</b> is the likeliest of the others. <b>Tries</b> are those of the
action taken, of all in the state. A state with an action never tried is in doubt whatever the others look like.</p>
</details>"""
)


def contents(policy: Policy, brief: bool) -> HTML:
    """The map, the table, and where more data would help; without the last for a notebook."""
    grid = policy.grid
    parts = [] if grid is None else [map_of(policy, grid)]
    if brief:
        return join([*parts, table(policy, BRIEF, 0)], "\n")
    return join([*parts, table(policy, OPEN, FOLDED), useful(policy), MEANING], "\n")


# -- the map ---------------------------------------------------------------------------------------


def map_of(policy: Policy, grid: Grid) -> HTML:
    cells: list[str] = [""] * (grid.height * grid.width)
    levels = np.searchsorted(LEVELS, policy.doubts, side="left")
    spoken = len(cells) <= SPOKEN
    place = (grid.rows * grid.width + grid.columns).tolist()
    begun = policy.seen.starts > 0
    for s, at in enumerate(place):
        untried = policy.certified.model.untried[s] > 0
        kind = f"d{levels[s]}" + (" u" if untried else "") + (" s" if begun[s] and begun.sum() <= 20 else "")
        title = f' title="{escape(about_cell(policy, s))}"' if spoken else ""
        cells[at] = f'<td class="{kind}"{title}>{grid.arrows[s]}'
    rows = []
    for row in range(grid.height):
        mine = cells[row * grid.width : (row + 1) * grid.width]
        rows.append("<tr>" + "".join(cell or "<td>" for cell in mine))
    size = "wide" if grid.width > 24 else "few" if grid.width <= 12 else ""
    table = HTML(f'<table class="{size}" aria-label="the action of every cell">' + "\n".join(rows) + "</table>")
    key = [("d0", "5 % or less"), ("d1", "up to 20 %"), ("d2", "up to 50 %"), ("d3", "more")]
    legend = [tag("span", tag("i", class_=name), glued(words)) for name, words in key]
    if (policy.certified.model.untried > 0).any():
        legend.append(tag("span", tag("i", class_="d3 u"), "an action never tried"))
    legend.append(tag("span", tag("i"), "never visited, or terminal"))
    caption = tag("figcaption", "Doubt: ", *legend)
    return tag("figure", tag("div", table, class_="frame", tabindex="0"), caption, class_="varde-map")


def about_cell(policy: Policy, s: int) -> str:
    sure = policy.certified
    if sure.model.tried[sure.solved.policy[s]] == 0:
        return f"{called(policy.states[s])}: never acted in"
    name = called(policy.legal[s][policy.choices[s]], 20)
    worth = number(float(sure.solved.values[s]), None)
    return f"{called(policy.states[s])}: {name}, worth {worth}, doubt {percent(policy.doubts[s])}"


# -- the table -------------------------------------------------------------------------------------


def table(policy: Policy, shown: int, folded: int) -> HTML:
    """The most doubtful states, then more of them to unfold."""
    order, many = policy.by_doubt, len(policy)
    parts = [sheet(policy, policy._top(shown), title="states, most doubtful first").html()]
    if folded and many > shown:
        more = policy._top(shown + folded)[shown:]
        inner = sheet(policy, more, title="more states").html()
        parts.append(tag("details", tag("summary", f"{len(more):,} more states"), inner))
    left = many - shown - folded
    if left > 0:
        most = percent(float(policy.doubts[order[shown + folded]]))
        doubt = f"below {most.removeprefix('< ')}" if most.startswith("<") else f"of {most} or less"
        states = f"{left:,} state{'s' if left > 1 else ''}"
        parts.append(tag("p", glued(f"And {states} with a doubt {doubt}."), class_="soft"))
    return join(parts, "\n")


def useful(policy: Policy) -> HTML:
    """Where more data would help."""
    pairs = policy.most_useful(USEFUL)
    if not pairs or policy.p_right > 0.999:
        return HTML("")
    listed = [f"{called(action, 20)} in {called(state, 30)}" for state, action in pairs]
    return tag(
        "p", f"More data would help most for {', '.join(listed[:-1])}{' and ' if listed[1:] else ''}{listed[-1]}."
    )
