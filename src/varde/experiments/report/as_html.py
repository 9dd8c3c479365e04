"""The report as one page: a summary, then a section per study."""

from __future__ import annotations

from collections.abc import Sequence

from ..._page import join, page, tag
from .load import Result, Skipped
from .page_study import section
from .page_summary import summary
from .words import halves, title


def as_html(results: Sequence[Result], skipped: Sequence[Skipped]) -> str:
    body = [tag("h1", title(results)), *summary(results, skipped)]
    for heading, part in halves(results):
        body += [tag("h2", heading), *map(section, part)]
    footer = join(["Every number of this page is in ", tag("code", "report.csv"), "."])
    return page(title(results), join(body, "\n"), footer=footer)
