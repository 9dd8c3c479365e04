"""The report as one page: a summary, then a section per study."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..._page import escape, page, table
from ..claims import FAILS, HOLDS, OPEN, Claim
from ..intervals import interval
from ..study import Row
from .charts import MOST, charts
from .grid import grid, is_curve, number_form
from .load import Left, Result
from .tally import apart, cautions, claims_that, lead, misses, tally
from .words import ABOUT, MARKS, TITLE, circumstances, duration, halves, minus, missed, place, settings

CLASSES = {
    "reproduced": "good",
    "close": "fair",
    "not reproduced": "bad",
    HOLDS: "good",
    OPEN: "open",
    FAILS: "bad",
}
LINES, COLUMNS = 300, 40  # of a table; the rest is in report.csv


def as_html(results: Sequence[Result], left_out: Sequence[Left]) -> str:
    body = [f"<h1>{escape(TITLE)}</h1>", *summary(results, left_out)]
    for heading, part in halves(results):
        body.append(f'<h2 class="part">{heading}</h2>')
        body += [section(result) for result in part]
    return page(TITLE, "\n".join(body), footer="Every number of this page is in <code>report.csv</code>.")


# -- the summary ---------------------------------------------------------------------------------


def summary(results: Sequence[Result], left_out: Sequence[Left]) -> list[str]:
    count = tally(results)
    said = [f'<p class="lead">{escape(" ".join(lead(results)))}</p>']
    for what, parts in (("published numbers", count.numbers), ("claims in words", count.claims)):
        if sum(parts.values()):
            said.append(bar(what, parts))
    said += [f'<p class="caution">{escape(line)}</p>' for line in cautions(results)]
    said.append(f'<p class="soft">{escape(ABOUT)}</p>')
    said.append(overview(results))
    said += what_fails(results)
    if left_out:
        lines = "".join(f"<li><code>{escape(file)}</code>: {escape(why)}</li>" for file, why in left_out)
        said.append(f"<h3>Left out of this report</h3><ul>{lines}</ul>")
    return said


def bar(what: str, parts: dict[str, int]) -> str:
    """Shares side by side, each with its number in words."""
    total = sum(parts.values())
    pieces = "".join(
        f'<span class="{CLASSES[word]}" style="flex:{count}"></span>' for word, count in parts.items() if count
    )
    words = " · ".join(
        f'<span class="{CLASSES[word]}"><b>{count}</b> {MARKS[word]} {word}</span>' for word, count in parts.items()
    )
    return (
        f'<figure class="shares"><figcaption>{total} {what}</figcaption>'
        f'<div aria-hidden="true">{pieces}</div><p>{words}</p></figure>'
    )


def overview(results: Sequence[Result]) -> str:
    """A line per study, with links to its section."""
    lines = []
    for result in results:
        count = tally([result])
        numbers = counted(count.numbers) if count.published else ""
        lines.append(
            [
                f'<a href="#{anchor(result)}">{escape(result.name)}</a>',
                escape(place(result)),
                numbers,
                counted(count.claims) if count.claimed else "",
                f"{result.runs:,}",
                "" if result.seconds is None else duration(result.seconds),
            ]
        )
    head = ["study", "where", "numbers", "claims", "runs", "computing"]
    if all(result.seconds is None for result in results):
        head, lines = head[:-1], [line[:-1] for line in lines]
    return table(head, lines, label="The studies of this report", kind="overview")


def counted(parts: dict[str, int]) -> str:
    return " ".join(
        f'<span class="{CLASSES[word]}" title="{word}">{count}&nbsp;{mark(word)}</span>'
        for word, count in parts.items()
        if count
    )


def mark(word: str) -> str:
    return f'<span role="img" aria-label="{word}">{MARKS[word]}</span>'


def what_fails(results: Sequence[Result]) -> list[str]:
    said = []
    if wrong := misses(results, "not reproduced"):
        said.append("<h3>Published numbers that do not come out</h3><ul>")
        said += [
            f"<li>{link(miss.result)}, {len(miss.rows)} of {tally([miss.result]).published}: "
            f"{escape(minus_numbers(missed(miss)))}. {because(miss.reason)}</li>"
            for miss in wrong
        ]
        said.append("</ul>")
    for word, heading in ((FAILS, "Claims that do not hold"), (OPEN, "Claims these runs leave undecided")):
        if found := claims_that(results, word):
            said.append(f"<h3>{heading}</h3><ul>")
            said += [f"<li>{link(result)}: {claimed(claim)}</li>" for result, claim in found]
            said.append("</ul>")
    if close := misses(results, "close"):
        count = sum(len(miss.rows) for miss in close)
        said.append(f"<details><summary>The {count} numbers that are close, and what may be behind them</summary><ul>")
        said += [
            f"<li>{link(miss.result)}: {escape(minus_numbers(missed(miss)))}. {because(miss.reason)}</li>"
            for miss in close
        ]
        said.append("</ul></details>")
    return said


def because(reason: str) -> str:
    if not reason:
        return '<span class="reason">No reason is known beyond chance.</span>'
    return f'<span class="reason">Likely: {escape(reason)}.</span>'


def claimed(claim: Claim) -> str:
    evidence = f' <span class="evidence">{escape(claim.evidence)}.</span>' if claim.evidence else ""
    reason = f' <span class="reason">Likely: {escape(claim.reason)}.</span>' if claim.reason else ""
    word = f'<b class="{CLASSES[claim.holds]}">{MARKS[claim.holds]} {claim.holds}</b>'
    return f"{escape(claim.claim)}: {word}.{evidence}{reason}"


def minus_numbers(text: str) -> str:
    return re.sub(r"(?<![\w-])-(?=\d)", "\u2212", text)


def link(result: Result) -> str:
    return f'<a href="#{anchor(result)}">{escape(result.name)}</a>'


def anchor(result: Result) -> str:
    """A name for the section that is safe in an address, and one's own."""
    return "study-" + "".join(c if c.isascii() and c.isalnum() else f"-{ord(c):x}-" for c in result.name)


# -- a study -------------------------------------------------------------------------------------


def section(result: Result) -> str:
    where = place(result)
    told = " · ".join(escape(part) for part in ([where] if where else []) + circumstances(result))
    said = [f'<section id="{anchor(result)}"><h2>{escape(result.study.title)}</h2><p class="soft">{told}</p>']
    for claim in result.claims:
        said.append(f'<p class="claim {CLASSES[claim.holds]}-edge">{claimed(claim)}</p>')
    said.append(numbers(result))
    drawn = charts(result)
    said += drawn
    if len({row.problem for row in result.rows}) > MOST and drawn:
        said.append(f'<p class="soft">Curves of the first {MOST} problems; all are in report.csv.</p>')
    if result.other_findings:
        heading = "What else these numbers say" if result.claims else "What these numbers say"
        said.append(f"<h3>{heading}</h3><ul>")
        said += [
            f"<li>{claimed(line) if isinstance(line, Claim) else escape(line)}</li>" for line in result.other_findings
        ]
        said.append("</ul>")
    if result.study.notes:
        heading = "Settings the paper does not state, or states otherwise" if result.of_the_paper else "Settings"
        lines = "".join(f"<li>{escape(note)}</li>" for note in result.study.notes)
        said.append(f"<h3>{heading}</h3><ul>{lines}</ul>")
    said.append(settings_used(result))
    said.append("</section>")
    return "\n".join(said)


def numbers(result: Result) -> str:
    shown = grid(result)
    printed = any(row.published is not None for row in result.rows)
    unit = " in %" if result.study.percent else ""
    what = f"Published (grey), measured{unit}, verdict; below them the interval." if printed else ""
    what = what or f"Measured{unit}{', at the last step' if is_curve(result) else ''}; below it the interval."
    if len(shown.lines) > LINES or len(shown.columns) > COLUMNS:
        what += f" The first {LINES} rows and {COLUMNS} columns; all are in report.csv."
    lines = [[escape(name), *(number(result, row) for row in cells[:COLUMNS])] for name, cells in shown.lines[:LINES]]
    head = [escape(shown.corner), *(escape(column) for column in shown.columns[:COLUMNS])]
    return f'<p class="soft">{what}</p>' + table(head, lines, label=f"{result.study.title}: the numbers")


def number(result: Result, row: Row | None) -> str:
    if row is None:
        return ""
    form = number_form(result)
    ends = interval(row, result.study.percent)
    span = "" if ends is None else f"<small>{minus(form(ends[0]))} … {minus(form(ends[1]))}</small>"
    if row.published is None or row.verdict is None:
        return f"{minus(form(row.value))}{span}"
    told = f"{row.verdict}: {apart(result, row):.1f} standard errors apart"
    return (
        f'<span class="published" title="published">{minus(form(row.published))}</span> {minus(form(row.value))} '
        f'<span class="{CLASSES[row.verdict]}" title="{told}">{mark(row.verdict)}</span>{span}'
    )


def settings_used(result: Result) -> str:
    lines = [
        [escape(name), escape(problems), f"<code>{escape(setting)}</code>"]
        for name, problems, setting in settings(result)[:LINES]
    ]
    inner = table(["algorithm", "problems", "setting"], lines, label=f"{result.study.title}: settings", kind="words")
    return f"<details><summary>Settings of every row</summary>{inner}</details>"
