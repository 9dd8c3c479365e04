# ruff: noqa: RUF001 (Greek letters and dashes are meant)
"""The report on the paper: the answers on one screen, a line for each statement, and the figures."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..show.page import HTML, join, tag
from ..show.sheet import Sheet
from ..studies.grid import MARKS
from ..studies.report import bullets, charts, signed, soft
from . import FITTED, PARTS, PLACES, STUDIES
from .answers import IN_PART, SHOWN_IN_PART, UNTESTABLE, Answer
from .reading import COMBINATIONS
from .statements import Statement
from .summary import (
    Deviation,
    Results,
    by_part,
    counts,
    deviations,
    headlines,
    order,
    readings,
    short_of,
)
from .table_1 import PROBLEMS, TABLE_1

WIDTH, FAR, STEP = 640, 4.0, 6.4  # of the strip, the z at its edges, and the room of a dot
DRAWN: tuple[str, ...] = (
    "table-1",
    "decision-functions",
    "frozen-lake",
    "sailing",
    "taxi",
    "synthetic-tree",
    "river-swim",
)
DRAWN += ("forked-river-swim", "error-decay", "variance-decay", "q-convergence")
READABLE = {
    r"\left": "",  # before \le
    r"\right": "",
    r"\hat i": "î",
    r"\hat Q": "Q̂",
    r"\operatorname{LSE}": "LSE",
    r"\mathrm{unif}": "unif",
    r"\mathrm{op}": "op",
    r"\mathcal": "",
    r"\dfrac": r"\frac",
    r"\bar\sigma": "σ̄",
    r"\hat\pi": "π̂",
    r"\hat{\mu}": "μ̂",
    r"\varepsilon": "ε",
    r"\infty": "∞",
    r"\Omega": "Ω",
    r"\Delta": "Δ",
    r"\nabla": "∇",
    r"\sigma": "σ",
    r"\gamma": "γ",
    r"\alpha": "α",
    r"\rho": "ρ",
    r"\tau": "τ",
    r"\star": "*",
    r"\neq": "≠",
    r"\le": "≤",
    r"\ge": "≥",
    r"\in ": "∈ ",
    r"\log": "log",
    r"\max": "max",
    r"\exp": "exp",
    r"\Pr": "Pr",
    r"\Var": "Var",
    r"\ref{ass:nonvanishing-influence}": "3.3",
}


def paper_page(results: Results) -> list[HTML]:
    """The body of the report."""
    parts = by_part(results)
    told = [join([tag("b", f"{part}. "), signed(counts(some)), "."]) for part, some in parts.items()]
    body = [bullets(join([tag("b", f"{title}. "), signed(told), "."]) for title, told in headlines(results))]
    if short := short_of(results):
        body.append(tag("p", f"Not at full size: {'; '.join(short)}.", class_="caution"))
    body += [
        soft("Its sentences, by part:"),
        bullets(told),
        soft(f"{len(FITTED)} choices that the paper does not state were fitted to its numbers, below."),
    ]
    if found := deviations(results):
        body.append(strip(found))
    if "table-1" in results:
        body += [tag("h2", "Table 1"), table_1(results)]
    if of := readings(results):
        body += [tag("h2", "Readings of the tree search"), reading_table(of), soft(order(results))]
    body += [tag("h2", "Statement by statement"), soft(ABOUT)]
    body.append(statement_table([line for some in parts.values() for line in some]))
    body += [tag("h2", "Choices fitted to the printed numbers"), fitted_table()]
    body += [tag("h2", "Figures")]
    for name in DRAWN:
        if name in results and (drawn := charts(results[name])):
            result = results[name]
            body += [tag("h3", result.study.title), soft(f"{result.study.place}; {result.runs:,} runs."), *drawn]
    body += [tag("h2", "Not of the paper"), further(results), tag("h2", "Where it is in the paper"), places(results)]
    return body


ABOUT = (
    "The grade as printed; in brackets that under the leading reading, where it decides. A table or figure is as "
    "stated if "
    "all comparisons come out on average and the least by more than chance, contradicted if fewer than half do and "
    "one is "
    "lost by more than three standard errors; runs of finite length refute no limit. Thresholds are ours. Errors "
    "after ± "
    "are one standard error; intervals are 95 %."
)


def statement_table(lines: Sequence[tuple[int, Statement, Answer]]) -> HTML:
    rows = []
    for number, one, answer in lines:
        fitted = f" (leading reading: {answer.fitted})" if answer.fitted else ""
        what = tag("td", f"“{readable(one.sentence)}”", tag("small", f"{number}, {one.kind}, {one.place}"))
        ours = f"measured: {one.measured}; our threshold: {one.threshold}"
        words = signed(answer.words)
        rows.append(
            tag(
                "tr",
                what,
                tag(
                    "td",
                    tag("b", answer.grade + fitted, class_=style(one, answer)),
                    ": ",
                    words,
                    ". ",
                    tag("small", ours),
                ),
            )
        )
    head = tag("thead", tag("tr", tag("th", "the paper says"), tag("th", "these runs answer")))
    return tag("div", tag("table", head, tag("tbody", *rows), class_="words"), class_="scroll", tabindex="0")


def style(one: Statement, answer: Answer) -> str:
    """No colour for what runs cannot decide."""
    if one.kind in ("limit", "summary") or answer.grade == UNTESTABLE:
        return "open"
    if answer.grade in (IN_PART, SHOWN_IN_PART):
        return "fair"
    return "good" if answer.grade in ("holds", "as stated") else "open" if answer.grade.startswith("not ") else "bad"


def readable(sentence: str) -> str:
    """A sentence without most marks of TeX."""
    for tex, text in READABLE.items():
        sentence = sentence.replace(tex, text)
    for mark in (r"\big", r"\;", r"\,", r"\[", r"\]", "$", r"\|"):
        sentence = sentence.replace(mark, "‖" if mark == r"\|" else "")
    sentence = sentence.replace(r"\{", "(").replace(r"\}", ")").replace("--", "–")
    return " ".join(fractions(sentence).replace("{", "").replace("}", "").split())


def fractions(text: str) -> str:
    """a/b for a fraction of TeX; its parts may have braces of their own."""
    while (at := text.find(r"\frac")) >= 0:
        ends, depth, start = [], 0, at + len(r"\frac")
        for i in range(start, len(text)):
            depth += {"{": 1, "}": -1}.get(text[i], 0)
            if text[i] == "}" and depth == 0:
                ends.append(i)
            if len(ends) == 2:
                break
        over, under = text[start + 1 : ends[0]], text[ends[0] + 2 : ends[1]]
        text = (
            f"{text[:at]}{over}/({under}){text[ends[1] + 1 :]}"
            if len(under) > 1
            else f"{text[:at]}{over}/{under}{text[ends[1] + 1 :]}"
        )
    return text


def table_1(results: Results) -> HTML:
    printed = [row for row in results["table-1"].rows if row.published is not None]
    lines = []
    for name in TABLE_1:
        rows = [row for row in printed if row.algorithm == name]
        cells = [f"{row.published:.2f} → {row.value:.2f} {MARKS[row.verdict or ''].text}" for row in rows]
        lines.append([name, *cells])
    return Sheet(["published → measured, %", *PROBLEMS], lines, "Table 1").html()


def reading_table(found: dict[str, dict[str, tuple[int, int, int | None, float]]]) -> HTML:
    lines = []
    for one in COMBINATIONS:
        cells = []
        for world in found.values():
            won, of, first, value = world[one.label]
            cells.append(signed(f"{won} of {of}{f', first from {first:,}' if first else ''}; {value:.3g}"))
        lines.append([one.label, *cells])
    title = "Comparisons won against six rivals under the same expansion, from where on all, and the value at the end"
    return join([soft(f"{title}."), Sheet(["reading", *found], lines, title).html()])


def fitted_table() -> HTML:
    return Sheet(["choice", "chosen", "fitted on"], [list(line) for line in FITTED], "Choices").html("words")


def further(results: Results) -> HTML:
    lines = []
    for name in PARTS["Not of the paper"]:
        if name in results:
            study = results[name].study
            lines += [
                join([tag("b", f"{study.title}. "), signed(line), "."]) for line in study.findings(results[name].rows)
            ]
    return bullets(lines)


def places(results: Results) -> HTML:
    lines = []
    for place, names in PLACES.items():
        runs = ", ".join(f"{results[name].runs:,}" if name in results else "not measured" for name in names)
        lines.append([place, ", ".join(names), runs, STUDIES[names[0]]().title])
    return Sheet(["in the paper", "study", "runs", "what"], lines, "Places").html("words")


def strip(found: Sequence[Deviation]) -> HTML:
    """A dot for every deviation, piled up where they are equal, against the normal curve that chance draws."""
    middle = WIDTH / 2

    def across(z: float) -> float:
        return middle + max(min(z, FAR), -FAR) / FAR * (middle - 12)

    piles: dict[int, list[Deviation]] = {}
    for one in found:
        piles.setdefault(round(across(one.z) / STEP), []).append(one)
    floor = STEP * (max(map(len, piles.values())) + 1)
    studies = list(dict.fromkeys(one.study for one in found))
    drawn = []
    for column, pile in piles.items():
        for height, one in enumerate(pile):
            place = {"cx": f"{column * STEP:.1f}", "cy": f"{floor - STEP * (height + 0.5):.1f}", "r": 3}
            drawn.append(tag("circle", **place, style=f"fill:var(--c{1 + studies.index(one.study)})"))
    width = 2.0 * FAR * STEP / (WIDTH - 24)  # of a pile in z
    curve = []
    for i in range(81):
        z = -FAR + i * FAR / 40
        density = math.exp(-z * z / 2.0) / math.sqrt(2.0 * math.pi) * width * len(found)
        curve.append(f"{'L' if i else 'M'}{across(z):.1f} {floor - STEP * density:.1f}")
    label = "font-size:11px;fill:var(--soft);text-anchor:middle"
    ticks = [tag("text", signed(f"{z}"), x=f"{across(z):.0f}", y=floor + 14, style=label) for z in range(-4, 5)]
    line = tag("path", d="".join(curve), style="fill:none;stroke:var(--soft)")
    size = {"viewBox": f"0 0 {WIDTH} {floor + 18:.0f}", "style": "max-width:40rem;width:100%"}
    picture = tag("svg", line, *drawn, *ticks, role="img", aria_label="deviations in standard errors", **size)
    keys = [join([key(i), f" {name}"]) for i, name in enumerate(studies)]
    told = tag(
        "p", join(keys, ", "), ": measured less printed, in standard errors; the curve is chance.", class_="soft"
    )
    return tag("figure", picture, told, style="margin:1rem 0")


def key(study: int) -> HTML:
    """A square in the colour of a study."""
    square = tag("rect", width=10, height=10, style=f"fill:var(--c{1 + study})")
    return tag("svg", square, viewBox="0 0 10 10", style="width:.7rem;height:.7rem", aria_hidden="true")
