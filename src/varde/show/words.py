"""Numbers and names as people read them."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Sequence
from typing import Any

from ..check import shown, without_numpy
from .sheet import cut, one_line, width_of

Interval = tuple[float, float]

WIDEST = 40  # columns of a name in a terminal
LINE = 100  # letters of a printed sentence
NARROWEST = 12  # columns that can be divided
DASH = "\u2013"  # where there is no number
EXPECTED = 0.975  # the chance that a reader expects of a lead as large as its 95 % margin
NOTHING = 1e-8  # of the size of numbers: an error below that is one of rounding, and not shown
FINE = 1e-4  # of a lead: a smaller margin is not shown


def filled(sentence: str) -> str:
    """A sentence in lines of at most ``LINE`` letters; a number keeps its percent sign."""
    return textwrap.fill(sentence.replace(" %", "\u00a0%"), LINE).replace("\u00a0%", " %")


# -- numbers -----------------------------------------------------------------------------------------


def percent(chance: float) -> str:
    """Whole percents in the middle, one decimal near the ends, and never 0 % or 100 %."""
    if math.isnan(chance):
        return DASH
    if chance < 0.001:
        return "< 0.1 %"
    if chance > 0.999:
        return "> 99.9 %"
    decimals = 0 if 0.1 <= chance <= 0.9 else 1
    return f"{100.0 * chance:.{decimals}f}".removesuffix(".0") + " %"


def digits(widths: Sequence[float]) -> int | None:
    """Decimals that show two digits of a typical width; None if only an exponent will do."""
    known = sorted(width for width in widths if 0.0 < width < math.inf)
    if not known:
        return 4
    decimals = 1 - math.floor(math.log10(known[len(known) // 2]))
    return max(decimals, 0) if -6 <= decimals <= 8 else None


def decimals_for(values: Sequence[float], spans: Sequence[Interval]) -> int | None:
    """Decimals for estimates and their intervals; without intervals, those that tell the estimates apart."""
    known = [value for value in values if math.isfinite(value)]
    scale = max(map(abs, known), default=0.0)
    wide = [(high - low) / 2.0 for low, high in spans if NOTHING * scale < high - low < math.inf]
    if wide or not known:
        return digits(wide)
    return digits([(max(known) - min(known)) / 10.0 or scale / 10.0]) if scale else 0


def number(value: float, decimals: int | None) -> str:
    if not math.isfinite(value):
        return DASH
    text = f"{value:.4g}" if decimals is None else f"{value:,.{decimals}f}"
    if not text.strip("-0.,"):
        text = text.removeprefix("-")  # no negative zero
    return text.replace("-", "\u2212")


def exact(value: float, scale: float = 0.0) -> str:
    """A number without an error as it is, to six digits; 0 if it is nothing beside others of the size ``scale``."""
    if not math.isfinite(value) or abs(value) >= 1e15:
        return number(value, None)
    return amount(0.0 if abs(value) <= NOTHING * scale else value).replace("-", "\u2212")


def amount(value: float) -> str:
    return f"{value:,.0f}" if value == round(value) else f"{value:,.6g}"


def between(interval: Interval, decimals: int | None) -> str:
    if all(map(math.isinf, interval)) or any(map(math.isnan, interval)):
        return DASH
    return f"{number(interval[0], decimals)} … {number(interval[1], decimals)}"


def estimate(value: float, interval: Interval, scale: float) -> str:
    """``0.81 (0.78 … 0.84)``; without an error, a number as it is and no interval."""
    wide = (interval[1] - interval[0]) / 2.0
    if wide <= NOTHING * scale:
        return exact(value, scale)
    decimals = digits([wide if wide < math.inf else abs(value) / 10.0])
    reach = between(interval, decimals)
    return number(value, decimals) + (f" ({reach})" if reach != DASH else "")


def lead_in_words(lead: float, margin: float, scale: float = 0.0) -> str:
    """How far ahead something is; ``scale`` is the size of what is compared."""
    if margin <= NOTHING * max(abs(lead), scale):
        return exact(lead)
    if margin < FINE * abs(lead):  # the margin adds nothing
        return number(lead, digits([FINE * abs(lead)]))
    decimals = digits([margin])
    around = f"\u00a0±\u00a0{number(margin, decimals)} (95 % margin)"
    return number(lead, decimals) + (around if math.isfinite(margin) else "")


def allowing(gap: tuple[object, float, float], chance: float, why: str) -> str:
    """The reason why a ``chance`` is lower than the lead over the strongest rival alone would suggest."""
    _, lead, margin = gap
    less = f"The chance is lower than the lead over the strongest rival suggests, because it allows for {why}."
    return less if lead > margin and chance < EXPECTED else ""


def counted(many: float, what: str) -> str:
    """``1 step``, ``2 steps``."""
    return f"{amount(many)} {what.removesuffix('s') if many == 1 else what}"


# -- names -------------------------------------------------------------------------------------------


def short(name: str, most: int = WIDEST) -> str:
    """One line, cut in the middle where it is too long."""
    return cut(in_one_line(name), most)


def in_one_line(name: str) -> str:
    return " ".join(one_line(name).split()) or repr(name)


def named(thing: Any) -> str:
    """An option, an action or a state as text: a text as it is, anything else as it prints."""
    return thing if isinstance(thing, str) else shown(without_numpy(thing), 1000)


def called(thing: Any, most: int = WIDEST) -> str:
    """The same on one line that is not too long."""
    return short(named(thing), most)


def listed(names: Sequence[str], most: int = 8) -> str:
    """a, b and c; of many only the first."""
    words = [short(name) for name in names[:most]]
    if len(names) > most:
        words.append(f"{len(names) - most:,} more")
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def distinct(names: Sequence[str], most: int = WIDEST) -> list[str]:
    """As ``short``, but names that differ only in what was cut are shown from shortly before they differ."""
    lines = [in_one_line(name) for name in names]
    labels = {line: cut(line, most) for line in lines}
    if twice := [line for group in alike(labels) for line in group]:
        labels |= where_they_differ(twice, most)
    return [labels[line] for line in lines]


def alike(labels: dict[str, str]) -> list[list[str]]:
    """The lines that are shown as the same, in groups."""
    groups: dict[str, list[str]] = {}
    for line, label in labels.items():
        groups.setdefault(label, []).append(line)
    return [group for group in groups.values() if len(group) > 1]


def where_they_differ(group: list[str], most: int) -> dict[str, str]:
    """Each line from the word in which they first differ; those that still look alike, in two halves."""
    columns = enumerate(zip(*group, strict=False))
    same = next((i for i, letters in columns if len(set(letters)) > 1), min(map(len, group)))
    word = len(re.sub(r"[\w.]*$", "", group[0][:same]))
    start = max(word, same - most // 4)
    labels = {line: "…" + cut_end(line[start:], most - 1) for line in group}
    for rest in alike(labels) if most >= NARROWEST else []:
        near = "…" + cut_end(rest[0][start:], most // 2 - 1).rstrip("…")
        labels |= {line: near + label for line, label in where_they_differ(rest, most - most // 2).items()}
    return labels


def cut_end(text: str, most: int) -> str:
    """The text if it is at most ``most`` wide, else its beginning."""
    if width_of(text) <= most:
        return text
    head = text[: 4 * most]
    while width_of(head) > most - 1:
        head = head[:-1]
    return f"{head.rstrip()}…"
