"""What a report says: the paper's numbers and sentences counted, graded and put in words."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from ..extra import needed
from ..judging.intervals import FEW
from ..judging.verdict import DIFFERENT, SAME, VERDICTS
from ..papers import Outline
from ..provenance import in_words as in_words_of
from ..statements import GRADES, IN_PART, RED, SHOWN_IN_PART, UNTESTABLE, Answered, together
from ..study import Outcome
from .load import Result

NAMED = 4  # in a sentence


class Miss(NamedTuple):
    """Published numbers of one study that were not reproduced, with the same likely reason."""

    result: Result
    rows: list[Outcome]
    reason: str


class Deviation(NamedTuple):
    """A measured share less the printed one, in standard errors of both."""

    result: Result
    row: Outcome
    z: float


def counted(results: Sequence[Result]) -> list[Result]:
    """Those whose published numbers and statements are in the headline."""
    return [result for result in results if result.counts]


def papers(results: Sequence[Result]) -> dict[str, Outline]:
    """The papers that these studies are of, by title; what any of their files says is in it."""
    found: dict[str, Outline] = {}
    for paper in (result.paper for result in results if result.paper is not None):
        known = found.setdefault(paper.title, paper)
        parts = {part: (*known.parts.get(part, ()), *names) for part, names in paper.parts.items()}
        merged = {part: tuple(dict.fromkeys(names)) for part, names in {**known.parts, **parts}.items()}
        found[paper.title] = known._replace(parts=merged)
    return found


def verdicts(results: Sequence[Result]) -> dict[str, int]:
    """How many published numbers are the same, different, or open."""
    words = Counter(row.verdict for result in results for row in result.published)
    return {word: words[word] for word in VERDICTS}


def statements(results: Sequence[Result]) -> list[Answered]:
    """The statements of the papers, one line each."""
    return together(line for result in results for line in result.answers)


def grades(lines: Sequence[Answered]) -> Counter[str]:
    return Counter(line.grade for line in lines)


def deviations(results: Sequence[Result]) -> list[Deviation]:
    """Of every published share whose number of runs is known."""
    found = []
    for result in results:
        study = result.study
        for row in result.published if study.percent and study.published_runs else ():
            printed = float(row.published or 0.0)
            variance = printed * (100.0 - printed) * (1.0 / row.runs + 1.0 / (study.published_runs or 1))
            if variance > 0.0 and math.isfinite(row.value):
                found.append(Deviation(result, row, (row.value - printed) / math.sqrt(variance)))
    return found


def chi_square(zs: Sequence[float]) -> tuple[float, float]:
    """Chi-square, and the chance of one as large."""
    total = sum(z * z for z in zs)
    return total, float(needed("scipy.stats").chi2.sf(total, len(zs)))


def in_numbers(results: Sequence[Result]) -> str:
    """The published numbers in a sentence."""
    found, told = deviations(results), []
    if found:
        total, p = chi_square([one.z for one in found])
        largest = max(found, key=lambda one: abs(one.z))
        told.append(
            f"{len(found)} printed shares: chi-square {total:.1f} on {len(found)} (p = {p:.2g}), the largest deviation "
            f"{abs(largest.z):.1f} standard errors ({largest.row.algorithm} on {largest.row.problem})"
        )
    ids = {(id(one.result), id(one.row)) for one in found}
    rest = [(r, row) for r in results for row in r.published if (id(r), id(row)) not in ids and row.published]
    if rest:
        apart = sorted(abs(row.value / float(row.published or 1.0) - 1.0) for _, row in rest)
        worst = max(rest, key=lambda pair: abs(pair[1].value / float(pair[1].published or 1.0) - 1.0))[1]
        error = 100.0 * worst.stderr / abs(float(worst.published or 1.0))
        what = f"{len(rest)} {'other ' if found else ''}printed number{'s' * (len(rest) > 1)}"
        told.append(
            f"{what}: {100.0 * apart[len(apart) // 2]:.2g} % apart at the median, {100.0 * apart[-1]:.2g} % at most "
            f"({worst.algorithm}, step {worst.step:,}, ± {error:.2g} %)"
        )
    if different := verdicts(results)[DIFFERENT]:
        told.append(f"{different} outside of the margin")
    return "; ".join(told)


def misses(results: Sequence[Result], word: str) -> list[Miss]:
    """The numbers of one verdict, grouped by study and reason."""
    found: dict[tuple[str, str], Miss] = {}
    for result in results:
        for row in result.published if result.counts else ():
            if row.verdict == word:
                found.setdefault((result.name, row.reason), Miss(result, [], row.reason)).rows.append(row)
    return list(found.values())


def cautions(results: Sequence[Result]) -> list[str]:
    """What a reader should know before reading further."""
    lines = []
    few = [result for result in counted(results) if result.runs < FEW]
    if few:
        lines.append(f"Too few runs to tell much: {', '.join(f'{r.name} {r.runs:,}' for r in few)}.")
    quick = [r for r in results if r.study.in_a_paper and FEW <= r.runs < r.study.runs]
    if quick:
        parts = [f"{r.name} {r.runs:,} of {r.study.runs:,}" for r in quick]
        more = f" and {len(parts) - NAMED} other studies" if len(parts) > NAMED else ""
        lines.append(f"Fewer runs than by default, so less is decided: {', '.join(parts[:NAMED])}{more}.")
    for paper in papers(results).values():
        absent = [name for name in paper.studies if name not in {r.name for r in results}]
        if absent and len(absent) < len(paper.studies):
            lines.append(f"Not in this folder: {', '.join(absent)}.")
    return lines


ORDER = list(dict.fromkeys(grade for some in GRADES.values() for grade in some))
PLURAL = {"law": "laws", "limit": "limits", "table": "about tables", "picture": "about figures", "summary": "summaries"}
NEUTRAL = ("limit", "summary")  # neither green nor red


class Mark(NamedTuple):
    sign: str
    style: str  # of the style sheet


GOOD, FAIR, BAD, OPEN, PLAIN = (
    Mark("✓", "good"),
    Mark("◐", "fair"),
    Mark("✗", "bad"),
    Mark("·", "open"),
    Mark("·", "soft"),
)


def mark(line: Answered) -> Mark:
    """Red only where a sentence is contradicted; no colour for what runs cannot decide."""
    if line.grade in RED:
        return BAD
    if line.kind in NEUTRAL or line.grade not in ORDER or line.grade == UNTESTABLE:
        return OPEN
    return FAIR if line.grade in (IN_PART, SHOWN_IN_PART) else GOOD


def mark_of(results: Sequence[Result]) -> Mark:
    """Of a study or a part: the worst of its numbers and statements."""
    marks = {mark(line) for line in statements(results)}
    words = verdicts(results)
    marks |= {BAD} if words[DIFFERENT] else {GOOD} if words[SAME] else set()
    return next((one for one in (BAD, FAIR, GOOD, OPEN) if one in marks), PLAIN)


class Part(NamedTuple):
    """A part of the paper, and its studies in the folder."""

    name: str
    results: list[Result]


def parts(results: Sequence[Result]) -> list[Part]:
    """The parts of each paper in its order; each study of no paper that has something to test is a part of its own."""
    several, here, found = len(papers(results)) > 1, counted(results), []
    for paper in papers(results).values():
        for name, names in paper.parts.items():
            some = [r for r in here if r.name in names and r.paper is not None and r.paper.title == paper.title]
            found.append(Part(f"{paper.title}: {name}" if several and name != paper.title else name, some))
    found += [Part(label(result), [result]) for result in here if result.paper is None]
    return [part for part in found if part.results]


def sentence(part: Part, numbers_too: bool = True) -> str:
    """Numbers, then statements by grade."""
    numbers, lines = in_numbers(part.results) if numbers_too else "", statements(part.results)
    found = grades(lines)
    told = [f"{found[grade]} {grade}" for grade in (*ORDER, *(set(found) - set(ORDER))) if found[grade]]
    words = f"{len(lines)} statement{'s' * (len(lines) > 1)}: {', '.join(told)}" if lines else ""
    return "; ".join(filter(None, (numbers, words))) + "." if numbers or words else "nothing printed to compare with."


def kinds(lines: Sequence[Answered]) -> str:
    """All statements by kind and grade, in a sentence."""
    told = []
    for kind in GRADES:
        some = [line for line in lines if line.kind == kind]
        found = grades(some)
        if some:
            words = ", ".join(f"{n} {grade}" for grade, n in sorted(found.items(), key=lambda pair: -pair[1]))
            told.append(f"{len(some)} {PLURAL[kind]} ({words})")
    return f"{len(lines)} statements: {', '.join(told)}."


def label(result: Result) -> str:
    """A study in a few words: its title up to the first stop."""
    return result.study.title.split(":")[0].split(",")[0].strip() or result.name


ABOUT = (
    "Intervals are 95 %, errors after ± one standard error. A table or figure is as stated if the comparisons behind "
    "it come out on average, contradicted if fewer than half do and one is lost by more than three standard errors; "
    "runs of finite length refute no limit. Thresholds are ours."
)
SHOWN = 12  # numbers named for one reason in the summary
TEX = {
    r"\\operatorname\{(\w+)\}": r"\1",
    r"\\hat\\pi": "\N{GREEK SMALL LETTER PI}\N{COMBINING CIRCUMFLEX ACCENT}",
    r"\\bar\\sigma": "\N{GREEK SMALL LETTER SIGMA}\N{COMBINING MACRON}",
    r"\\tau": "\N{GREEK SMALL LETTER TAU}",
    r"\\Omega": "\N{GREEK CAPITAL LETTER OMEGA}",
    r"\\log ?": " log ",
    r"\\max": "max",
    r"\{([^{}]*)\}": r"(\1)",
    r"\$": "",
}


def readable(sentence: str) -> str:
    """A sentence without the marks of TeX."""
    for tex, text in TEX.items():
        sentence = re.sub(tex, text, sentence)
    return sentence


def quoted(line: Answered) -> str:
    return f"“{readable(line.sentence)}”"


def title(results: Sequence[Result]) -> str:
    titles = list(papers(results))
    if len(results) == 1 and not titles:
        return results[0].study.title or results[0].name
    return f"{titles[0]}, measured again" if len(titles) == 1 else "Measured with varde"


def about(results: Sequence[Result]) -> str:
    return ABOUT if counted(results) else "Intervals are 95 %."


def place(result: Result) -> str:
    """Its place in the paper."""
    if result.study.place or result.paper is None:
        return result.study.place or "not from a paper"
    return result.paper.part_of(result.name) or "not of the paper"


def circumstances(result: Result) -> list[str]:
    """The place of the study in the paper, and the conditions under which the numbers were made."""
    told = [f"{result.runs:,} run{'s' * (result.runs > 1)}", f"seed {result.seed}"]
    if result.study.in_a_paper and result.runs != result.study.runs:
        told[0] += f" (by default {result.study.runs:,})"
    return [place(result), *told]


def made_in_words(results: Sequence[Result]) -> list[str]:
    """What the results were made with, a line for each way they were made."""
    found: dict[str, list[str]] = {}
    for result in results:
        found.setdefault(in_words_of(result.version, result.made), []).append(result.name)
    if len(found) == 1:
        return [f"Made with {words}." for words in found]
    return [f"Made with {words}: {', '.join(names)}." for words, names in found.items()]


def in_short(results: Sequence[Result]) -> list[str]:
    """The report in a few lines, for a terminal: a sentence per part of the paper, and what it was made with."""
    lines = [title(results), *(f"{part.name}: {sentence(part)}" for part in parts(results))]
    said = statements(results)
    return [*lines, *([kinds(said)] if said else []), *headlines(results), *made_in_words(results)]


def headlines(results: Sequence[Result]) -> list[str]:
    """The first finding of every study that its paper wants on the first screen."""
    return [headline(result) for result in on_top(results) if result.findings]


def headline(result: Result) -> str:
    """Its first finding; without one, its first answer."""
    return result.texts[0] if result.texts else result.answers[0].words


def on_top(results: Sequence[Result]) -> list[Result]:
    """Studies of the first screen, in the paper's order."""
    by_name = {result.name: result for result in results}
    names = [name for paper in papers(results).values() for name in paper.first]
    return [by_name[name] for name in names if name in by_name]


def settings(result: Result) -> list[list[str]]:
    """(algorithm, problems, setting), problems with the same setting together."""
    found: dict[tuple[str, str], dict[str, None]] = {}
    for row in result.rows:
        found.setdefault((row.algorithm, row.setting), {})[row.problem] = None
    return [[name, ", ".join(problems), setting] for (name, setting), problems in found.items()]


def chapters(results: Sequence[Result]) -> list[tuple[str, list[Result]]]:
    """The studies of each paper, what goes beyond it, and the others, each with its heading; none is empty."""
    titles, found = papers(results), []
    for title in titles:
        mine = [result for result in results if result.paper is not None and result.paper.title == title]
        found.append((title if len(titles) > 1 else "The paper", [result for result in mine if not result.further]))
        beyond = f"Further, not of {title}" if len(titles) > 1 else "Further, not of the paper"
        found.append((beyond, [result for result in mine if result.further]))
    found.append(("Other studies" if titles else "Studies", [result for result in results if result.paper is None]))
    return [chapter for chapter in found if chapter[1]]
