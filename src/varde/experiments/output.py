"""What a study leaves behind: a results file, a figure, and a table a person can read."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from .study import Row, Study

MARKS = {"reproduced": "[green]✓[/]", "close": "[yellow]≈[/]", "not reproduced": "[red]✗[/]"}


def as_json(study: Study, rows: Sequence[Row], seed: int, version: str) -> str:
    """The results file; the same rows give the same bytes."""
    head = {"study": study.name, "seed": seed, "version": version}
    lines = ",\n".join("  " + json.dumps(row._asdict()) for row in rows)
    return json.dumps(head)[:-1] + f', "rows": [\n{lines}\n]}}\n'


def write(path: Path, text: str) -> None:
    """The whole text or nothing: a reader never meets half a file."""
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")  # two processes may write the same file
    try:
        with partial.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())  # or a power cut may leave an empty file under the name
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def show(console: Console, study: Study, rows: Sequence[Row], seconds: float, own: bool = False) -> None:
    """Published and measured side by side, then what was assumed and what the numbers say."""
    console.print(table(study, rows))
    console.print(caption(study, rows, seconds), highlight=False)
    if study.notes:
        heading = "Notes:" if own else "Settings the paper does not state, or states otherwise:"
        console.print(heading, highlight=False)
        bullets(console, study.notes)
    findings = study.findings(rows)
    if findings:
        console.print("What the measured numbers say:", highlight=False)
        bullets(console, findings)


def bullets(console: Console, lines: Sequence[str]) -> None:
    grid = Table.grid(padding=(0, 1))
    for line in lines:
        grid.add_row(" -", line)
    console.print(grid, highlight=False, markup=False)


def table(study: Study, rows: Sequence[Row]) -> Table:
    """Algorithms down; problems across, or steps where there is one problem and no curve."""
    problems = list(dict.fromkeys(row.problem for row in rows))
    across_steps = len(problems) == 1 and study.draw is None
    shown = {}
    for row in rows:  # of a curve, the last step stays
        shown[row.algorithm, row.step if across_steps else row.problem] = row
    columns = list(dict.fromkeys(column for _, column in shown))
    title = study.title + ("" if study.draw is None else ", at the end")
    grid = Table(title=title, title_style="bold", title_justify="left", box=None, padding=(0, 1), pad_edge=False)
    printed = any(row.published is not None for row in rows)
    grid.add_column("published / measured" if printed else "measured", no_wrap=True)
    for column in columns:
        grid.add_column(
            f"step {column}" if across_steps else str(column).replace(", ", "\n"), justify="right", no_wrap=True
        )
    for name in dict.fromkeys(algorithm for algorithm, _ in shown):
        grid.add_row(name, *(cell(study, shown.get((name, column))) for column in columns))
    return grid


def cell(study: Study, row: Row | None) -> str:
    if row is None:
        return ""
    if row.published is None:
        return f"{number(study, row.value)}  "
    return f"[dim]{number(study, row.published)}[/] {number(study, row.value)} {MARKS[row.verdict or 'close']}"


def number(study: Study, value: float) -> str:
    return f"{value:.{study.digits}f}" if study.percent else f"{value:.3g}"


def caption(study: Study, rows: Sequence[Row], seconds: float) -> str:
    """How many numbers reproduce, and how finely these runs could tell."""
    told = Counter(row.verdict for row in rows if row.verdict)
    said = []
    if told:
        said.append(", ".join(f"{told[v]} {v} {mark}" for v, mark in MARKS.items() if told[v]) + " (")
        said[-1] += "✓ within 2 standard errors, ≈ within 4, ✗ beyond)"
    if study.percent:
        low, high = min(row.stderr for row in rows), max(row.stderr for row in rows)
        said.append(f"standard error {low:.2g} to {high:.2g} points")
    said.append(f"{rows[0].runs:,} runs, {seconds:.1f} s of computing")
    return "; ".join(said)
