"""Pictures of the first screen: a heat map of comparisons won, and a strip of deviations in standard errors."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from ...show.page import HTML, join, tag
from .load import Result
from .words import Deviation

WIDTH, FAR = 640, 4.0  # of the strip, and the z at its edges
DOT, STEP = 3.0, 6.4
NAMED = 2.0  # standard errors: beyond, a dot has its name


def won(result: Result) -> dict[str, tuple[int, int, int | None, float]]:
    """By row that is no rival: comparisons won, all of them, from which step on it leads all, its last value."""
    assert result.study.figure is not None
    rivals = set(result.study.figure.heat)
    value = {(row.algorithm, row.step): row.value for row in result.rows}
    steps = sorted({row.step for row in result.rows})
    rows = [name for name in dict.fromkeys(row.algorithm for row in result.rows) if not plays_against(name, rivals)]
    found = {}
    for name in rows:
        ahead = [
            [value[name, step] > value[rival, step] for rival in rivals if (rival, step) in value] for step in steps
        ]
        behind = [i for i, some in enumerate(ahead) if not all(some)]
        first = None if behind and behind[-1] == len(steps) - 1 else steps[behind[-1] + 1 if behind else 0]
        found[name] = sum(map(sum, ahead)), sum(map(len, ahead)), first, value[name, steps[-1]]
    return found


def plays_against(name: str, rivals: set[str]) -> bool:
    """Whether a row is a rival, or a rival under another reading."""
    return name.split(",", maxsplit=1)[0] in rivals


def heat_map(results: Sequence[Result]) -> HTML:
    """A row for every reading, a column for every world: the darker, the more comparisons with rivals are won."""
    columns = {result.rows[0].problem: won(result) for result in results}
    names = list(dict.fromkeys(name for column in columns.values() for name in column))
    head = tag("tr", tag("th", "reading"), *(tag("th", world) for world in columns))
    lines = []
    for name in names:
        cells = [heat_cell(*column[name]) if name in column else tag("td") for column in columns.values()]
        lines.append(tag("tr", tag("th", name, scope="row"), *cells))
    caption = tag(
        "p",
        "Comparisons with six rivals won, of all at eight numbers of simulations; from where on it leads all of them; "
        "the value at the end.",
        class_="soft",
    )
    table = tag("table", tag("thead", head), tag("tbody", *lines))
    return tag("figure", tag("div", table, class_="scroll numbers"), caption, style="margin:1rem 0")


def heat_cell(ahead: int, total: int, first: int | None, value: float) -> HTML:
    share = ahead / total if total else 0.0
    style = f"background:color-mix(in srgb, var(--good) {round(70 * share)}%, transparent)"
    aside = signed(f"{'' if first is None else f'first from {first:,}, '}{value:.3g}")
    return tag("td", tag("b", f"{ahead} of {total}"), " ", tag("small", aside, style="color:inherit"), style=style)


def strip(found: Sequence[Deviation]) -> HTML:
    """A dot for every deviation, piled up where they are equal, against the normal curve that chance draws."""
    middle = WIDTH / 2

    def across(z: float) -> float:
        return middle + max(min(z, FAR), -FAR) / FAR * (middle - 12)

    piles: dict[int, list[Deviation]] = {}
    for one in found:
        piles.setdefault(round(across(one.z) / STEP), []).append(one)
    floor = STEP * (max(map(len, piles.values())) + 1)
    studies = list(dict.fromkeys(one.result.name for one in found))
    drawn = []
    for column, pile in piles.items():
        for height, one in enumerate(pile):
            where = tag("title", f"{one.row.algorithm} on {one.row.problem}: {one.z:+.1f}")
            place = {"cx": f"{column * STEP:.1f}", "cy": f"{floor - STEP * (height + 0.5):.1f}", "r": DOT}
            drawn.append(tag("circle", where, **place, style=f"fill:{colour(studies.index(one.result.name))}"))
    width = 2.0 * FAR * STEP / (WIDTH - 24)  # of a pile in z
    curve = []
    for i in range(81):
        z = -FAR + i * FAR / 40
        density = math.exp(-z * z / 2.0) / math.sqrt(2.0 * math.pi) * width * len(found)
        curve.append(f"{'L' if i else 'M'}{across(z):.1f} {floor - STEP * density:.1f}")
    label = "font-size:11px;fill:var(--soft);text-anchor:middle"
    ticks = [tag("text", signed(f"{z:+d}"), x=f"{across(z):.0f}", y=floor + 14, style=label) for z in range(-4, 5)]
    line = tag("path", d="".join(curve), style="fill:none;stroke:var(--soft)")
    base = tag("path", d=f"M0 {floor}H{WIDTH}", style="stroke:var(--rule)")
    size = {"viewBox": f"0 0 {WIDTH} {floor + 18:.0f}", "style": "max-width:40rem;width:100%"}
    picture = tag("svg", base, line, *drawn, *ticks, role="img", aria_label="deviations in standard errors", **size)
    keys = [join([tag("span", "●", style=f"color:{colour(i)}"), f" {name}"]) for i, name in enumerate(studies)]
    far = [signed(f"{one.row.algorithm} on {one.row.problem} {one.z:+.1f}") for one in found if abs(one.z) > NAMED]
    told = [join(keys, ", "), ": measured less printed, in standard errors; the curve is chance."]
    told += [f" Beyond {NAMED:g}: {'; '.join(far)}."] if far else []
    return tag("figure", picture, tag("p", *told, class_="soft"), style="margin:1rem 0")


def colour(study: int) -> str:
    return f"var(--c{1 + study % 7})"


def signed(text: str) -> str:
    """With true minus signs of numbers, and none for 0."""
    return "0" if text == "+0" else re.sub(r"(?<![\w-])-(?=\d)", "\u2212", text)
