"""The report as one page: the answers on one screen, the details behind them, then a folding section per study."""

from __future__ import annotations

from collections.abc import Sequence

from ..._page import join, page, tag
from .load import Result, Skipped
from .page_study import section
from .page_summary import summary
from .page_tiles import answers, contents, tiles
from .text import chapters, made_in_words, title


def as_html(results: Sequence[Result], skipped: Sequence[Skipped]) -> str:
    body = [tag("h1", title(results), id="top"), *answers(results), *tiles(results), *summary(results, skipped)]
    for heading, part in chapters(results):
        body += [tag("h2", heading), *(section(result, unfolded=len(results) == 1) for result in part)]
    where = ["Every number of this page is in ", tag("code", "report.csv"), ". ", " ".join(made_in_words(results))]
    footer = tag("p", *where)
    if len(results) == 1:
        return page(title(results), join(body, "\n"), footer=footer)
    beside = tag("div", join(body, "\n"), "\n")
    return page(title(results), join([contents(results), beside], "\n"), footer=footer)
