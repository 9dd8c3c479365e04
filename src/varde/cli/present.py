"""What is made of a finished study: the results file, the table, and a line of JSON."""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from .. import __version__
from .app import out
from .tracebacks import show_own

if TYPE_CHECKING:
    from ..studies.running import Plan
    from ..studies.store import Blocks
    from ..studies.study import Outcome, Study


class Presenter:
    """Keeps and shows studies as they are finished."""

    def __init__(self, folder: Path, store: Blocks, quiet: bool = False, as_json: bool = False):
        self.folder, self.store, self.quiet, self.as_json = folder, store, quiet, as_json
        self.failed: list[str] = []  # studies whose findings raised an exception
        self.last = time.perf_counter()

    def finished(self, plan: Plan) -> None:
        from ..studies.output import show
        from ..studies.provenance import made_with
        from ..studies.results import as_json, write

        study, rows = plan.study, plan.rows()
        findings = self.findings(study, rows)
        with self.store.alone():  # two processes that end the same study write its file in turn
            made = made_with(plan.source)
            write(self.folder / f"{study.name}.json", as_json(study, rows, findings, plan.seed, __version__, made))
        described = describe(plan, rows, findings, time.perf_counter() - self.last)
        self.last = time.perf_counter()
        if self.as_json:
            print(json.dumps({"study": study.name, **described, "folder": str(self.folder)}), flush=True)
        elif not self.quiet:
            show(out(), study, rows, findings, plan.seconds)
            out().print(f"Written to {self.folder}: {study.name}.json\n", highlight=False, soft_wrap=True)

    def findings(self, study: Study, rows: Sequence[Outcome]) -> list[str]:
        """What a study says of its rows; should that raise an exception, the rows are kept all the same."""
        try:
            said = study.findings(rows)
            return [said] if isinstance(said, str) else list(map(str, said))
        except Exception as error:
            show_own(error)
            failed = " ".join(f"findings fails: {type(error).__name__}: {error}".split())
            print(f"varde: {study.name}, {failed}", file=sys.stderr)
            self.failed.append(study.name)
            return [failed]

    def report(self) -> None:
        """The report on everything in the folder."""
        from ..studies.report import write_report

        try:
            written = write_report(self.folder)
        except OSError as error:  # the results are safe
            print(f"varde: no report ({error.strerror}): run varde report {self.folder} later", file=sys.stderr)
            return
        if not (self.quiet or self.as_json):
            out().print(f"Report: {written[0]}", highlight=False, soft_wrap=True)

    def exit_if_failed(self) -> None:
        """With an error code if some findings failed; all the rest is done by now."""
        if self.failed:
            again = "Correct that and run the same command again: what is measured is kept."
            print(f"varde: findings fail: {', '.join(self.failed)}. {again}", file=sys.stderr)
            raise typer.Exit(1)


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
