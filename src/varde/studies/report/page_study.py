"""A section of the page: one study, from its claims to the settings of every row."""

from __future__ import annotations

from ..._page import HTML, Series, join, line_chart, tag
from ..._table import Piece, Sheet
from ..claims import Claim
from ..figure import Figure, panels, strokes_of
from ..grid import MARKS, grid, is_curve
from ..pooled import Pooled
from .charts import MOST, charts
from .load import Result
from .page_parts import anchor, bullets, claimed, folded, signed
from .page_tiles import in_short
from .tally import tally
from .text import POOLED, circumstances, pooled_table, settings

LINES, COLUMNS = 300, 40  # of a table; the rest is in report.csv


def section(result: Result, unfolded: bool) -> HTML:
    study = result.study
    parts = [tag("p", " · ".join(circumstances(result)), class_="soft")]
    for claim in result.claims:
        parts.append(tag("p", claimed(claim), class_=f"claim {MARKS[claim.holds].style}-edge"))
    if study.in_a_paper and not result.claims and not tally([result]).published:
        parts.append(soft("The paper prints no numbers here and makes no claim that could be tested."))
    if drawn := charts(result):
        printed = any(row.published is not None for row in result.rows)  # then the table is what one looks for
        parts += [*numbers(result), *drawn] if printed else drawn
        if len({row.problem for row in result.rows}) > MOST:
            parts.append(soft(f"Curves of the first {MOST} problems; all are in report.csv."))
        if not printed:
            parts.append(folded("All numbers at the last step", *numbers(result), printed=False))
    else:
        parts += numbers(result)
    if result.pooled is not None:
        parts += all_problems(result, result.pooled)
    if result.other_findings:
        parts.append(tag("h4", "What else these numbers say" if result.claims else "What these numbers say"))
        parts.append(bullets(claimed(f) if isinstance(f, Claim) else signed(f) for f in result.other_findings))
    if study.notes:
        parts.append(
            tag("h4", "Settings the paper does not state, or states differently" if study.in_a_paper else "Notes")
        )
        parts.append(bullets(map(signed, study.notes)))
    used = [[name, problems, Piece(setting, "code")] for name, problems, setting in settings(result)[:LINES]]
    table = Sheet(["algorithm", "problems", "setting"], used, f"{study.title}: settings")
    parts.append(folded("Settings of every row", table.html("words"), printed=False))
    head = tag("summary", tag("h3", study.title), " ", tag("span", in_short(result), class_="soft"))
    return tag(
        "section", tag("details", head, "\n", join(parts, "\n"), "\n", open=unfolded), class_="study", id=anchor(result)
    )


def all_problems(result: Result, pooled: Pooled) -> list[HTML]:
    """Interquartile means, how often the method wins, and performance profiles."""
    drawn = panels(result.study.figure or Figure(), result.rows)
    stroke = strokes_of(drawn, result.study.method, [one.algorithm for one in pooled.standings])
    series = [Series(one.algorithm, one.shares, (), (), *stroke[one.algorithm]) for one in pooled.standings]
    chart = line_chart(
        "Performance profiles", pooled.levels, series, across="value", up="share of runs above it", form="{:.2f}".format
    )
    table = pooled_table(result, pooled)
    return [tag("h4", "All problems together"), soft(POOLED), table.html(), folded("Performance profiles", chart)]


def soft(text: str) -> HTML:
    return tag("p", text, class_="soft")


def numbers(result: Result) -> list[HTML]:
    shown = grid(result.study, result.rows)
    printed = any(row.published is not None for row in result.rows)
    unit = f" in {result.study.measured_in}" if result.study.measured_in else ""
    if printed:
        what = f"Published (grey), measured{unit} and the verdict; below them the interval of the measured."
    else:
        what = f"Measured{unit}{', at the last step' if is_curve(result.rows) else ''}; below it the interval."
    if len(shown.lines) > LINES or len(shown.head) > COLUMNS + 1:
        what += f" The first {LINES} rows and {COLUMNS} columns; all are in report.csv."
    lines = [line[: COLUMNS + 1] for line in shown.lines[:LINES]]
    return [soft(what), Sheet(shown.head[: COLUMNS + 1], lines, f"{result.study.title}: the numbers").html()]
