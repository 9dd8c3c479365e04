"""The report as a text that a forge or a wiki renders."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from ..claims import FAILS, OPEN, Claim
from ..study import Row
from .grid import grid, is_curve, number_form
from .load import Left, Result
from .tally import apart, cautions, claims_that, lead, misses, tally
from .words import MARKS, about, circumstances, halves, missed, place, settings, title

SPECIAL = re.compile(r"([\\`*_\[\]|~$#!])")
UNFIT = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029]+")


def plain(text: str) -> str:
    """``text`` shown as it is: no markup, no HTML, one line."""
    text = UNFIT.sub(" ", text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return SPECIAL.sub(r"\\\1", text).replace("://", ":&#47;&#47;").replace("@", "&#64;")


def as_markdown(results: Sequence[Result], left_out: Sequence[Left]) -> str:
    said = [f"# {title(results)}", plain(" ".join(lead(results))), *map(plain, cautions(results)), about(results)]
    said += what_fails(results)
    if left_out:
        said += ["## Left out of this report", bullets(f"{plain(file)}: {plain(why)}" for file, why in left_out)]
    for heading, part in halves(results):
        said.append(f"# {heading}")
        for result in part:
            said += section(result)
    return "\n\n".join(said).encode("utf-8", "replace").decode() + "\n"


def bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def table(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    return "\n".join("| " + " | ".join(line) + " |" for line in (head, ["---"] * len(head), *lines))


def what_fails(results: Sequence[Result]) -> list[str]:
    said = []
    for verdict, heading in (
        ("not reproduced", "Published numbers that do not come out"),
        ("close", "Published numbers that are close"),
    ):
        if found := misses(results, verdict):
            lines = [
                f"{plain(miss.result.name)}, {len(miss.rows)} of {tally([miss.result]).published}: "
                f"{plain(missed(miss))}. " + (f"Likely: {plain(miss.reason)}." if miss.reason else "")
                for miss in found
            ]
            said += [f"## {heading}", bullets(line.rstrip() for line in lines)]
    for word, heading in ((FAILS, "Claims that do not hold"), (OPEN, "Claims these runs leave undecided")):
        if told := claims_that(results, word):
            said += [f"## {heading}", bullets(f"{plain(result.name)}: {claimed(claim)}" for result, claim in told)]
    return said


def claimed(claim: Claim) -> str:
    evidence = f" ({plain(claim.evidence)})" if claim.evidence else ""
    parts = [f"{plain(claim.claim)}: **{claim.holds}**{evidence}."]
    parts += [f"*Likely: {plain(claim.reason)}.*"] if claim.reason else []
    return " ".join(parts)


def section(result: Result) -> list[str]:
    where = place(result)
    said = [f"## {plain(result.study.title)}", plain(" · ".join(([where] if where else []) + circumstances(result)))]
    if result.claims:
        said.append(bullets(map(claimed, result.claims)))
    shown, form = grid(result), number_form(result)
    printed = any(row.published is not None for row in result.rows)
    said.append(
        ("Published → measured, verdict (interval)." if printed else "Measured (interval).")
        + (" At the last step." if is_curve(result) else "")
        + (" In percent." if result.study.percent else "")
    )
    lines = [[plain(name), *(number(result, row, form) for row in cells)] for name, cells in shown.lines]
    said.append(table([plain(shown.corner), *map(plain, shown.columns)], lines))
    if result.other_findings:
        said.append(bullets(claimed(f) if isinstance(f, Claim) else plain(f) for f in result.other_findings))
    if result.study.notes:
        heading = "Settings the paper does not state, or states otherwise:" if result.of_the_paper else "Notes:"
        said += [heading, bullets(map(plain, result.study.notes))]
    said.append(table(["algorithm", "problems", "setting"], [[*map(plain, line)] for line in settings(result)]))
    return said


def number(result: Result, row: Row | None, form: Callable[[float], str]) -> str:
    if row is None:
        return ""
    ends = result.interval(row)
    span = "" if ends is None else f" ({form(ends[0])} … {form(ends[1])})"
    if row.published is None or row.verdict is None:
        return f"{form(row.value)}{span}"
    far = "" if row.verdict == "reproduced" else f" {apart(result, row):.1f} se"
    return f"{form(row.published)} → {form(row.value)} {MARKS[row.verdict]}{far}{span}"
