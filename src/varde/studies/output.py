"""A finished study as text for a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from ..show.sheet import Sheet, as_rich
from .grid import MARKS, grid, is_curve
from .judging.intervals import FEW
from .judging.verdict import OWN_ERRORS
from .study import Outcome, Study


def show(console: Console, study: Study, rows: Sequence[Outcome], findings: Sequence[str], seconds: float) -> None:
    """Published and measured side by side, then what was assumed and what the numbers say."""
    console.print(Text(study.title + (", at the end" if is_curve(rows) else ""), "bold"))
    console.print(table(study, rows).rich())
    console.print(caption(study, rows, seconds), highlight=False)
    if study.notes:
        console.print("Notes:", highlight=False)
        bullets(console, study.notes)
    if findings:
        console.print("What the measured numbers say:", highlight=False)
        bullets(console, findings)


def bullets(console: Console, lines: Sequence[str]) -> None:
    console.print(Sheet(["", ""], [[" -", line] for line in lines], left=(0, 1)).rich())


def table(study: Study, rows: Sequence[Outcome]) -> Sheet:
    """As elsewhere; names of problems on several lines, since a terminal is narrow."""
    made = grid(study, rows)
    printed = any(row.published is not None for row in rows)
    head = ["published / measured" if printed else "measured", *(name.replace(", ", "\n") for name in made.head[1:])]
    return Sheet(head, made.lines)


def caption(study: Study, rows: Sequence[Outcome], seconds: float) -> Text:
    """How many numbers are the same and what that means; then runs, errors and time."""
    fewest, most = min(row.runs for row in rows), max(row.runs for row in rows)
    found = Text()
    verdicts = Counter(row.verdict for row in rows if row.verdict)
    if verdicts:
        counts = [Text.assemble(f"{n} {word} ", as_rich(MARKS[word])) for word, n in verdicts.items()]
        own = "; the paper does not state its runs"
        if study.published_runs:
            own = f" plus {OWN_ERRORS:g} standard errors of the paper's {study.published_runs:,} runs"
        found += Text("Too few runs to judge by: " if most < FEW else "") + Text(", ").join(counts)
        found += Text(f". Same means within rounding plus {100.0 * study.relative:g} % of the number{own}.\n")
    runs = f"{most:,} run{'s' * (most > 1)}" if fewest == most else f"{fewest:,} to {most:,} runs"
    parts = [f"{runs} per row"]
    if study.percent:
        low, high = min(row.stderr for row in rows), max(row.stderr for row in rows)
        parts.append(f"standard errors {low:.2g} to {high:.2g} points")
    if study.unit:
        parts.append(f"values in {study.unit}")
    parts.append(f"{seconds:.1f} s of computing")
    return found + Text("; ".join(parts) + ".")
