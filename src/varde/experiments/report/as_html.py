"""The report as one page: a summary, then a section per study."""

from __future__ import annotations

from collections.abc import Sequence

from ..._page import escape, page
from .load import Left, Result
from .page_study import section
from .page_summary import summary
from .words import halves, title


def as_html(results: Sequence[Result], left_out: Sequence[Left]) -> str:
    body = [f"<h1>{escape(title(results))}</h1>", *summary(results, left_out)]
    for heading, part in halves(results):
        body.append(f"<h2>{heading}</h2>")
        body += [section(result) for result in part]
    return page(title(results), "\n".join(body), footer="Every number of this page is in <code>report.csv</code>.")
