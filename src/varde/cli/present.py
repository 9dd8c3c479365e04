"""What is made of a finished study: the results file, the table, the figure, and a note for reports."""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.text import Text

from .. import __version__
from .app import out
from .tracebacks import show_own

if TYPE_CHECKING:
    from ..studies.rows import Rows
    from ..studies.running import Plan
    from ..studies.statements import Answered
    from ..studies.store import Blocks
    from ..studies.study import Outcome, Study


class Presenter:
    """Keeps and shows studies as they are finished."""

    def __init__(self, folder: Path, store: Blocks, quiet: bool = False, as_json: bool = False):
        self.folder, self.store, self.quiet, self.as_json = folder, store, quiet, as_json
        self.rows: dict[str, Rows] = {}
        self.failed: list[str] = []  # answers and findings that raised an exception
        self.last = time.perf_counter()

    def finished(self, plan: Plan) -> None:
        from ..studies.output import show
        from ..studies.provenance import made_with
        from ..studies.results import as_json, write
        from ..studies.statements import Answered, text_lines

        study, rows = plan.study, plan.rows()
        findings = text_lines(study.findings, rows)
        self.failed += [
            said_to_fail(study, line) for line in findings if isinstance(line, Answered) and line.error is not None
        ]
        self.rows[study.name] = rows
        with self.store.alone():  # two processes that end the same study write its file in turn
            made = made_with(plan.source)
            write(self.folder / f"{study.name}.json", as_json(study, rows, findings, plan.seed, __version__, made))
        described = describe(plan, rows, findings, time.perf_counter() - self.last)
        self.last = time.perf_counter()
        if not (self.quiet or self.as_json):
            show(out(), study, rows, findings, plan.seconds)
        written = [f"{study.name}.json", *(self.draw(study, rows) if study.figure else ())]
        if self.as_json:
            line = {"study": study.name, **described, "folder": str(self.folder), "written": written}
            print(json.dumps(line), flush=True)
        elif not self.quiet:
            out().print(f"Written to {self.folder}: {', '.join(written)}\n", highlight=False, soft_wrap=True)

    def draw(self, study: Study, rows: list[Outcome]) -> list[str]:
        """Write the figure as PNG and SVG, where matplotlib is installed."""
        from ..studies.figure import as_files, save

        try:
            files = as_files(study, rows)
        except ModuleNotFoundError as missing:
            if missing.name != "matplotlib":
                raise
            print("varde: no figure, matplotlib is missing: pip install 'varde[plot]'", file=sys.stderr)
            return []
        with self.store.alone():
            return save(files, self.folder)

    def report(self) -> None:
        """The report on everything in the folder."""
        from ..studies.report import in_short, load, write_files

        results, skipped = load(self.folder)
        try:
            written = write_files(results, skipped, self.folder)
        except OSError as error:  # the results are safe
            print(f"varde: no report ({error.strerror}): run varde report {self.folder} later", file=sys.stderr)
            return
        if not (self.quiet or self.as_json):
            for line in in_short(results):
                out().print(Text(line))
            out().print(f"Report: {written[0]}", highlight=False, soft_wrap=True)

    def exit_if_failed(self) -> None:
        """With an error code if something was not tested; all the rest is done by now."""
        if self.failed:
            again = "Correct that and run the same command again: what is measured is kept."
            print(f"varde: not tested: {'; '.join(self.failed)}. {again}", file=sys.stderr)
            raise typer.Exit(1)


def said_to_fail(study: Study, line: Answered) -> str:
    """Say on stderr what failed and where in the user's lines; returns which it is."""
    if line.error is not None:
        show_own(line.error)
    print(f"varde: {study.name}, {line}", file=sys.stderr)
    return f"{study.name}, {line.sentence}"


def describe(plan: Plan, rows: list[Outcome], findings: list[str], wall: float) -> dict[str, Any]:
    """What --json prints of a finished study, times among it."""
    from ..studies.provenance import made_with
    from ..studies.results import about

    return {
        **about(plan.study, findings),
        "runs": plan.runs,
        "seed": plan.seed,
        "version": __version__,
        "verdicts": Counter(row.verdict for row in rows if row.verdict),
        "findings": findings,
        "made": made_with(plan.source),
        "path": plan.source.path if plan.source else None,
        "blocks": len(plan.portions),
        "reused": plan.reused,
        "seconds": plan.seconds,
        "wall": wall,
    }
