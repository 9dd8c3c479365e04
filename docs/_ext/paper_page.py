"""The page of the paper, made from the results kept in docs/results/paper, beside the pages of the site."""

from __future__ import annotations

from pathlib import Path

RESULTS = Path(__file__).parents[1] / "results" / "paper"


def write(app, exception) -> None:
    from varde.studies.report import write_report

    if exception is None and app.builder.format == "html":
        target = Path(app.outdir) / "reproduced"
        target.mkdir(exist_ok=True)
        write_report(RESULTS, target)


def setup(app) -> dict:
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
