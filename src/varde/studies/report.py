"""The report on a folder of results: a page and a table of all numbers.  The same folder gives the same bytes."""

from __future__ import annotations

import csv
import functools
import io
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from ..show.page import HTML, Series, join, line_chart, page, tag
from ..show.page.text import glued
from ..show.sheet import Sheet, no_formula
from .figure import Panel, Stroke, panels, strokes_of
from .grid import grid, is_curve, number_form
from .judging.intervals import interval
from .judging.verdict import verdict
from .provenance import in_words as made_in_words
from .results import NoResultsError, Result, files_in, read, write
from .study import Outcome

__all__ = ["NoResultsError", "Result", "load", "write_report"]

LINES, COLUMNS = 40, 12  # of a table; the rest is in report.csv
MOST = 12  # problems of a study, and curves of a chart
HEAD = ["study", "problem", "algorithm", "setting", "step", "runs", "seed", "version"]
HEAD += ["value", "stderr", "low", "high", "published", "margin", "verdict"]


class Skipped(NamedTuple):
    """A file that is not part of the report, and why."""

    file: str
    why: str


def load(folder: Path) -> tuple[list[Result], list[Skipped]]:
    """Every results file of ``folder``: the paper's studies in its order, then others by name."""
    from ..paper import STUDIES

    if not folder.is_dir():
        raise NoResultsError(f"{folder} is not a folder: write the one that varde reproduce --out wrote to")
    results: dict[str, Result] = {}
    skipped: list[Skipped] = []
    for path in files_in(folder):
        try:
            result = read(path, STUDIES)
        except ValueError as error:
            skipped.append(Skipped(path.name, str(error)))
            continue
        if result.name in results:
            skipped.append(Skipped(path.name, f"the study {result.name} is in another file too"))
        else:
            results[result.name] = result
    if not results:
        found = "; ".join(f"{file}: {why}" for file, why in skipped)
        raise NoResultsError(
            f"there are no results in {folder}{f' ({found})' if found else ''}: "
            f"write varde reproduce table-1 --out {folder} first"
        )
    order = list(STUDIES)
    rank = {name: order.index(name) if name in order else len(order) for name in results}
    return sorted(results.values(), key=lambda result: (rank[result.name], result.name)), skipped


def write_report(folder: str | Path, out: str | Path | None = None) -> list[Path]:
    """Write report.html and report.csv on the results in ``folder`` into it, or into ``out``; returns their paths.

    Raises NoResultsError, which says what to do, if there is nothing to report on.
    """
    results, skipped = load(Path(folder))
    target, written = Path(folder if out is None else out), []
    for name, text in (("report.html", as_html(results, skipped)), ("report.csv", as_csv(results))):
        written.append(target / name)
        write(written[-1], text)
    return written


# -- the page ------------------------------------------------------------------------------------


def as_html(results: Sequence[Result], skipped: Sequence[Skipped]) -> str:
    from ..paper import STUDIES
    from ..paper.page import paper_page

    ours = {result.name: result for result in results if result.name in STUDIES}
    others = [result for result in results if result.name not in STUDIES]
    title = "Variance Driven Exploration, measured again" if ours else others[0].study.title or others[0].name
    body = [tag("h1", title)]
    if ours:
        body += paper_page(ours)
    elif len(others) > 1:
        body = [tag("h1", "Measured with varde")]
    body += [section(result) for result in others]
    if skipped:
        body += [tag("h2", "Left out of this report"), bullets(f"{file}: {why}" for file, why in skipped)]
    footer = tag("p", "Every number is in ", tag("code", "report.csv"), ". ", *made_with(results))
    return page(title, join(body, "\n"), footer=footer)


def made_with(results: Sequence[Result]) -> list[str]:
    """What the results were made with, a sentence for each way they were made."""
    found: dict[str, list[str]] = {}
    for result in results:
        found.setdefault(made_in_words(result.version, result.made), []).append(result.name)
    if len(found) == 1:
        return [f"Made with {words}." for words in found]
    return [f"Made with {words}: {', '.join(names)}. " for words, names in found.items()]


def section(result: Result) -> HTML:
    """One study: its numbers, its curves, what they say, and its notes."""
    study = result.study
    where = f"{study.place}; " if study.place else ""
    parts = [tag("h2", study.title or result.name), soft(f"{where}{result.runs:,} runs, seed {result.seed}")]
    parts += [numbers(result), *charts(result)]
    lines = [*result.findings, *study.notes]
    return tag("section", *parts, *([bullets(map(signed, lines))] if lines else []))


def numbers(result: Result) -> HTML:
    """The table of a study; of a curve the last step."""
    shown = grid(result.study, result.rows)
    lines = [line[: COLUMNS + 1] for line in shown.lines[:LINES]]
    unit = f" in {result.study.measured_in}" if result.study.measured_in else ""
    published = any(row.published is not None for row in result.rows)
    what = "Published, measured and the verdict" if published else "Measured"
    at = ", at the last step" if is_curve(result.rows) else ""
    return join([soft(f"{what}{unit}{at}."), Sheet(shown.head[: COLUMNS + 1], lines, result.study.title).html()])


def charts(result: Result) -> list[HTML]:
    """The study's figure, a panel for each problem; none where it has no curves."""
    figure = result.study.figure
    if figure is None or not is_curve(result.rows):
        return []
    drawn = panels(figure, result.rows)
    stroke = strokes_of(drawn, result.study.method)
    return [chart(result, panel, stroke) for panel in drawn[: MOST + len(figure.ends)]]


def chart(result: Result, panel: Panel, stroke: dict[str, Stroke]) -> HTML:
    figure = result.study.figure
    assert figure is not None
    form: Callable[[float], str] = number_form(result.study, result.rows)
    shown = dict(list(panel.curves.items())[:MOST])
    xs = sorted({x for curve in shown.values() for x in curve})

    def ends(row: Outcome | None) -> tuple[float | None, float | None]:
        return (None, None) if row is None else interval(result.study, row) or (None, None)

    series = []
    for name, curve in shown.items():
        rows = [curve.get(x) for x in xs]
        low, high = zip(*map(ends, rows), strict=True)
        series.append(Series(name, [None if row is None else row.value for row in rows], low, high, *stroke[name]))
    return line_chart(
        panel.title,
        xs,
        series,
        across=panel.across,
        up=panel.up,
        log=figure.log,
        wide=figure.wide and panel.across == figure.across,
        lines={} if panel.best is None else {figure.level: panel.best},
        form=form,
    )


def soft(text: str) -> HTML:
    return tag("p", text, class_="soft")


def bullets(lines: Iterable[object]) -> HTML:
    return tag("ul", *(tag("li", line) for line in lines))


def signed(text: str) -> str:
    """A sentence with true minus signs, and numbers kept together."""
    return glued(re.sub(r"(?<![\w-])-(?=\d)", "\u2212", text))


# -- the table -----------------------------------------------------------------------------------


def as_csv(results: Sequence[Result]) -> str:
    """One line per number; ``low`` and ``high`` are the 95 % interval, within ``margin`` a number is the same."""
    text, safe = io.StringIO(), functools.cache(no_formula)  # names and settings come again and again
    table = csv.writer(text, lineterminator="\n")
    table.writerow(HEAD)
    for result in results:
        for row in result.rows:
            named = map(safe, (result.name, row.problem, row.algorithm, row.setting))
            made = row.step, row.runs, result.seed, safe(result.version)
            measured = row.value, row.stderr, *(interval(result.study, row) or ("", ""))
            judged: tuple[str | float, ...] = ("", "", "")
            if row.published is not None:
                found = verdict(result.study, row)
                judged = row.printed, found.margin, found.word
            table.writerow((*named, *made, *measured, *judged))
    return text.getvalue().encode("utf-8", "replace").decode()
