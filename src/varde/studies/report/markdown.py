"""The report as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...show.sheet import Sheet
from ...show.sheet import escape_markdown as plain
from ..grid import grid, is_curve
from ..judging.verdict import CANNOT_TELL, DIFFERENT
from ..statements import Answered
from .answers import kinds, mark, mark_of, parts, sentence
from .counts import cautions, misses, papers, statements
from .heat import won
from .load import Result, Skipped
from .text import about, chapters, circumstances, headlines, made_in_words, missed, quoted, settings, title


def as_markdown(results: Sequence[Result], skipped: Sequence[Skipped]) -> str:
    said = statements(results)
    body = [
        f"# {plain(title(results))}",
        bullets(
            f"{mark_of(part.results).sign} **{plain(part.name)}:** {plain(sentence(part))}" for part in parts(results)
        ),
        plain(kinds(said)) if said else "",
        bullets(map(plain, headlines(results))),
        *map(plain, cautions(results)),
        about(results),
    ]
    fitted = [list(line) for paper in papers(results).values() for line in paper.fitted]
    if fitted:
        body += ["## Settings chosen to fit", Sheet(["setting", "chosen", "fitted on"], fitted).markdown()]
    if said:
        body += ["## Statement by statement", bullets(map(answered, said))]
    body += what_fails(results)
    if skipped:
        body += ["## Left out of this report", bullets(f"{plain(file)}: {plain(why)}" for file, why in skipped)]
    body.append(plain(" ".join(made_in_words(results))))
    for heading, part in chapters(results):
        body.append(f"# {plain(heading)}")
        for result in part:
            body += section(result)
    return "\n\n".join(filter(None, body)).encode("utf-8", "replace").decode() + "\n"


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
                f"{plain(miss.result.name)}, {len(miss.rows)} of {len(miss.result.published)}: "
                f"{plain(missed(miss))}. " + (f"Likely: {plain(miss.reason)}." if miss.reason else "")
                for miss in found
            ]
            parts += [f"## {heading}", bullets(line.rstrip() for line in lines)]
    return parts


def answered(line: Answered) -> str:
    place = f" ({plain(line.place)})" if line.place else ""
    return f"{mark(line).sign} {line.number}. {plain(quoted(line))}{place}: **{line.grade}**: {plain(line.words)}."


def factor_table(result: Result) -> str:
    """The heat map as a table."""
    lines = [
        [name, f"{ahead} of {total}", "" if first is None else f"{first:,}", f"{value:.3g}"]
        for name, (ahead, total, first, value) in won(result).items()
    ]
    return Sheet(["reading", "ahead in", "of all from", "at the end"], lines).markdown()


def section(result: Result) -> list[str]:
    parts = [f"## {plain(result.study.title)}", plain(" · ".join(circumstances(result)))]
    if result.answers:
        parts.append(bullets(map(answered, result.answers)))
    if result.study.figure is not None and result.study.figure.heat:
        parts.append(factor_table(result))
    printed = bool(result.published)
    parts.append(
        ("Published → measured, verdict (interval)." if printed else "Measured (interval).")
        + (" At the last step." if is_curve(result.rows) else "")
        + (f" In {plain(result.study.measured_in)}." if result.study.measured_in else "")
    )
    parts.append(grid(result.study, result.rows).markdown())
    if result.texts:
        parts.append(bullets(map(plain, result.texts)))
    if result.study.notes:
        heading = "Settings the paper does not state, or states differently:" if result.study.in_a_paper else "Notes:"
        parts += [heading, bullets(map(plain, result.study.notes))]
    parts.append(Sheet(["algorithm", "problems", "setting"], settings(result)).markdown())
    return parts
