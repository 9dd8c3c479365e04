"""A policy as a page: a table with the doubtful states first.

Tables fold; what would make the page too large is only counted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .page.text import HTML, glued, join, tag
from .table import sheet
from .words import called, percent

if TYPE_CHECKING:
    from ..learning.policy.policy import Policy

OPEN, FOLDED = 15, 150  # states of the table, and those that can be unfolded
BRIEF = 8  # states in a notebook
USEFUL = 5  # places where more data would help

MEANING = HTML(
    """<details><summary>How to read this</summary>
<p>The <b>value</b> is the expected discounted return of the policy from a state; the interval contains the true value
in about 95 of 100 cases. <b>P(best)</b> is the chance that no other action of the state is better by more than
0.1&nbsp;% of the span of all values; the <b>rival</b> is the likeliest of the others. <b>Tries</b> are those of the
action taken, of all in the state. A state with an action never tried is in doubt whatever the others look like.</p>
</details>"""
)


def contents(policy: Policy, brief: bool) -> HTML:
    """The table, and where more data would help; without the last for a notebook."""
    if brief:
        return table(policy, BRIEF, 0)
    return join([table(policy, OPEN, FOLDED), useful(policy), MEANING], "\n")


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
