"""A section of the page: one study, from its claims to the settings of every row."""

from __future__ import annotations

from collections.abc import Callable

from ..._page import escape, table
from ..claims import Claim
from ..study import Row
from .charts import MOST, charts
from .grid import grid, is_curve, number_form
from .load import Result
from .page_words import CLASSES, anchor, claimed, mark, signed
from .tally import apart, tally
from .words import circumstances, minus, place, settings

LINES, COLUMNS = 300, 40  # of a table; the rest is in report.csv


def section(result: Result) -> str:
    where = place(result)
    told = " · ".join(escape(part) for part in ([where] if where else []) + circumstances(result))
    said = [
        f'<section id="{anchor(result)}"><h3>{escape(result.study.title)}</h3><p class="soft">{told}</p>',
        *(f'<p class="claim {CLASSES[claim.holds]}-edge">{claimed(claim)}</p>' for claim in result.claims),
    ]
    if result.of_the_paper and not result.claims and not tally([result]).published:
        said.append('<p class="soft">The paper prints no numbers here and makes no claim that could be tested.</p>')
    if drawn := charts(result):
        said += drawn
        if len({row.problem for row in result.rows}) > MOST:
            said.append(f'<p class="soft">Curves of the first {MOST} problems; all are in report.csv.</p>')
        said.append(f"<details><summary>All numbers at the last step</summary>{numbers(result)}</details>")
    else:
        said.append(numbers(result))
    said += words(result)
    said.append("</section>")
    return "\n".join(said)


def words(result: Result) -> list[str]:
    """What else the numbers say, what was assumed, the settings of every row."""
    said = []
    if result.other_findings:
        heading = "What else these numbers say" if result.claims else "What these numbers say"
        lines = (claimed(line) if isinstance(line, Claim) else escape(signed(line)) for line in result.other_findings)
        said.append(f"<h4>{heading}</h4><ul>{''.join(f'<li>{line}</li>' for line in lines)}</ul>")
    if result.study.notes:
        heading = "Settings the paper does not state, or states otherwise" if result.of_the_paper else "Notes"
        lines = (escape(signed(note)) for note in result.study.notes)
        said.append(f"<h4>{heading}</h4><ul>{''.join(f'<li>{line}</li>' for line in lines)}</ul>")
    used = [
        [escape(name), escape(problems), f"<code>{escape(setting)}</code>"]
        for name, problems, setting in settings(result)[:LINES]
    ]
    inner = table(["algorithm", "problems", "setting"], used, label=f"{result.study.title}: settings", kind="words")
    said.append(f"<details><summary>Settings of every row</summary>{inner}</details>")
    return said


def numbers(result: Result) -> str:
    shown, form = grid(result), number_form(result)
    printed = any(row.published is not None for row in result.rows)
    unit = " in %" if result.study.percent else ""
    if printed:
        what = f"Published (grey), measured{unit} and the verdict; below them the interval of the measured."
    else:
        what = f"Measured{unit}{', at the last step' if is_curve(result) else ''}; below it the interval."
    if len(shown.lines) > LINES or len(shown.columns) > COLUMNS:
        what += f" The first {LINES} rows and {COLUMNS} columns; all are in report.csv."
    lines = [
        [escape(name), *(number(result, row, form) for row in cells[:COLUMNS])] for name, cells in shown.lines[:LINES]
    ]
    head = [escape(shown.corner), *(escape(column) for column in shown.columns[:COLUMNS])]
    return f'<p class="soft">{what}</p>' + table(head, lines, label=f"{result.study.title}: the numbers")


def number(result: Result, row: Row | None, form: Callable[[float], str]) -> str:
    """Published, measured, verdict, interval."""
    if row is None:
        return ""
    ends = result.interval(row)
    span = "" if ends is None else f"<small>{minus(form(ends[0]))} … {minus(form(ends[1]))}</small>"
    if row.published is None or row.verdict is None:
        return f"{minus(form(row.value))}{span}"
    told = f"{row.verdict}: {apart(result, row):.1f} standard errors apart"
    both = (
        f'<span class="published" title="published">{minus(form(row.published))}</span> <b>{minus(form(row.value))}</b>'
    )
    return f'{both} <span class="{CLASSES[row.verdict]}" title="{told}">{mark(row.verdict)}</span>{span}'
