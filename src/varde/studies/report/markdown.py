"""The report as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..._table import Sheet
from ..._table import escape_markdown as plain
from ..claims import Claim
from ..grid import grid, is_curve
from ..judging.verdict import CANNOT_TELL, DIFFERENT
from .answers import Part, in_text
from .answers import parts as answers
from .counts import cautions, claims_that, counted, lead, misses, tally
from .load import Result, Skipped
from .text import (
    MARGINS,
    NOT_HOLDING,
    about,
    chapters,
    circumstances,
    made_in_words,
    margin_table,
    missed,
    settings,
    title,
)


def as_markdown(results: Sequence[Result], skipped: Sequence[Skipped]) -> str:
    parts = [
        f"# {plain(title(results))}",
        bullets(map(answered, answers(results))),
        plain(" ".join(lead(results))),
        *map(plain, cautions(results)),
        about(results),
    ]
    parts += what_fails(results)
    if tally(counted(results)).published:
        parts += [f"## {MARGINS}", margin_table(results).markdown()]
    if skipped:
        parts += ["## Left out of this report", bullets(f"{plain(file)}: {plain(why)}" for file, why in skipped)]
    parts.append(plain(" ".join(made_in_words(results))))
    for heading, part in chapters(results):
        parts.append(f"# {plain(heading)}")
        for result in part:
            parts += section(result)
    return "\n\n".join(filter(None, parts)).encode("utf-8", "replace").decode() + "\n"


def answered(part: Part) -> str:
    word, told = in_text(part)
    return f"**{plain(part.name)}: {plain(word)}{'.' if word else ''}** {plain(told)}"


def bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def what_fails(results: Sequence[Result]) -> list[str]:
    parts = []
    for verdict, heading in (
        (DIFFERENT, "Published numbers that are different"),
        (CANNOT_TELL, "Published numbers these runs leave undecided"),
    ):
        if found := misses(results, verdict):
            lines = [
                f"{plain(miss.result.name)}, {len(miss.rows)} of {tally([miss.result]).published}: "
                f"{plain(missed(miss))}. " + (f"Likely: {plain(miss.reason)}." if miss.reason else "")
                for miss in found
            ]
            parts += [f"## {heading}", bullets(line.rstrip() for line in lines)]
    for word, heading in NOT_HOLDING.items():
        if found_claims := claims_that(results, word):
            parts += [
                f"## {heading}",
                bullets(f"{plain(result.name)}: {claimed(claim)}" for result, claim in found_claims),
            ]
    return parts


def claimed(claim: Claim) -> str:
    evidence = f" ({plain(claim.evidence)})" if claim.evidence else ""
    parts = [f"{plain(claim.claim)}: **{claim.holds}**{evidence}."]
    parts += [f"*Likely: {plain(claim.reason)}.*"] if claim.reason else []
    return " ".join(parts)


def section(result: Result) -> list[str]:
    parts = [f"## {plain(result.study.title)}", plain(" · ".join(circumstances(result)))]
    if result.claims:
        parts.append(bullets(map(claimed, result.claims)))
    printed = bool(result.published)
    parts.append(
        ("Published → measured, verdict (interval)." if printed else "Measured (interval).")
        + (" At the last step." if is_curve(result.rows) else "")
        + (f" In {plain(result.study.measured_in)}." if result.study.measured_in else "")
    )
    parts.append(grid(result.study, result.rows).markdown())
    if result.other_findings:
        parts.append(bullets(claimed(f) if isinstance(f, Claim) else plain(f) for f in result.other_findings))
    if result.study.notes:
        heading = "Settings the paper does not state, or states differently:" if result.study.in_a_paper else "Notes:"
        parts += [heading, bullets(map(plain, result.study.notes))]
    parts.append(Sheet(["algorithm", "problems", "setting"], settings(result)).markdown())
    return parts
