"""An answer as a table for a terminal: the answer first, then what comes closest to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .sheet import Sheet
from .words import decimals_for, distinct

if TYPE_CHECKING:
    from .answer import Answer

SHOWN = 15  # rows in a printed table; the rest is counted
STYLES = dict.fromkeys(("best", "chosen"), "strong")
STYLES |= dict.fromkeys(("rejected", "failing", "removed", "untried"), "faint")


def sheet(answer: Answer[Any], rows: Sequence[Any], without: Sequence[str] = (), title: str = "") -> Sheet:
    """Some rows of an answer, ``without`` some of their columns."""
    decimals = decimals_for([row.estimate for row in rows], [row.interval for row in rows])
    entries = [answer._entries(row, decimals) for row in rows]
    for entry, label in zip(entries, distinct([row.name for row in rows]), strict=True):
        entry[answer._texts[0]] = label
    heads = [name for name in entries[0] if name not in without]
    lines = [[entry[name] for name in heads] for entry in entries]
    left = [place for place, name in enumerate(heads) if name in answer._texts]
    return Sheet(heads, lines, title, left, [STYLES.get(row.verdict, "") for row in rows])


def printed(answer: Answer[Any]) -> str:
    """The table, and how many more rows there are."""
    rows = answer._printed()
    rest = answer._rest(len(rows))
    return sheet(answer, rows).plain() + (f"\n{rest}" if rest else "")


def rest_in_words(rest: Sequence[str]) -> str:
    """How many rows are not shown, by verdict."""
    if not rest:
        return ""
    kinds = Counter(rest)
    return f"and {len(rest):,} more: {', '.join(f'{many:,} {kind}' for kind, many in kinds.items())}"
