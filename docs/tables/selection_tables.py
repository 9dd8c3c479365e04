"""The tables of docs/selection.md: other goals, common random numbers, a fixed test set."""

from __future__ import annotations

from fill import markdown, results

ITEMS = {"items=": "`items=`", "in turns": "the same items, in turns", "random items": "random items"}


def goals() -> str:
    """Per goal, how often each way is wrong."""
    rows: dict[str, list[str]] = {}
    for row in results("selection")["goals"]:
        more = "" if row["way"] == "the rule" else f" ({row['more']:+.1f} ± {row['stderr']:.1f})"
        rows.setdefault(row["goal"], []).append(f"{row['error']:.1f}{more}")
    head = ["goal", "the rule", "equal shares", "the rule for the best mean"]
    return markdown(head, [[f"`{goal}`", *line] for goal, line in rows.items()])


def pairs() -> str:
    """Common random numbers, by correlation."""
    lines = []
    for row in results("selection")["pairs"]:
        said = [f"{error:.1f} ({right} of {sure})" for error, right, sure in zip(*(row[k] for k in KEYS), strict=True)]
        lines.append([f"{row['correlation']:g}", *said, f"{row['fewer']:+.1f} ± {row['stderr']:.1f}"])
    return markdown(["correlation", "as if independent", "`crn=True`", "fewer errors"], lines)


KEYS = ("error", "sure and right", "sure")


def items() -> str:
    lines = [
        [ITEMS[row["way"]], f"{row['calls']:,.0f} ± {row['stderr']:.0f}", f"{row['right']} of {row['problems']}"]
        for row in results("selection")["items"]
    ]
    return markdown(["", "judgements", "right"], lines)


TABLES = {"goals": goals, "pairs": pairs, "items": items}
