"""A selection as sentences and as a table for a terminal."""

from __future__ import annotations

import math
import re
import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from .._table import Piece, Sheet, cut, width_of
from ..certainty.chances import missed, most

if TYPE_CHECKING:
    from .result import Selection
    from .standing import Standing

SHOWN = 15  # options in a printed table; the rest is counted
WIDEST = 40  # columns of a name in a terminal
LINE = 100  # letters of a printed sentence
NARROWEST = 12  # columns that can be divided
DASH = "\u2013"  # where there is no number
EXPECTED = 0.975  # the chance that a reader expects of a lead as large as its 95 % margin
WATCHING = ("not yet", "interrupted")  # how a search ends, or has not, where somebody may stop by what is seen
NOTHING = 1e-8  # of the size of numbers: an error below that is one of rounding, and not shown
OUT = ("failing", "removed")  # verdicts on options that are not compared


def filled(sentence: str) -> str:
    """A sentence in lines of at most ``LINE`` letters; a number keeps its percent sign."""
    return textwrap.fill(sentence.replace(" %", "\u00a0%"), LINE).replace("\u00a0%", " %")


def percent(chance: float) -> str:
    """Whole percents in the middle, one decimal near the ends, and never 0 % or 100 %."""
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


def short(name: str, most: int = WIDEST) -> str:
    """One line, cut in the middle where it is too long."""
    return cut(in_one_line(name), most)


def in_one_line(name: str) -> str:
    return " ".join(name.split()) or repr(name)


def distinct(names: Sequence[str], most: int = WIDEST) -> list[str]:
    """As ``short``, but names that differ only in what was cut are shown from shortly before they differ."""
    lines = [in_one_line(name) for name in names]
    shown = {line: cut(line, most) for line in lines}
    if twice := [line for group in alike(shown) for line in group]:
        shown |= where_they_differ(twice, most)
    return [shown[line] for line in lines]


def alike(shown: dict[str, str]) -> list[list[str]]:
    """The lines that are shown as the same, in groups."""
    groups: dict[str, list[str]] = {}
    for line, label in shown.items():
        groups.setdefault(label, []).append(line)
    return [group for group in groups.values() if len(group) > 1]


def where_they_differ(group: list[str], most: int) -> dict[str, str]:
    """Each line from the word in which they first differ; those that still look alike, in two halves."""
    columns = enumerate(zip(*group, strict=False))
    same = next((i for i, letters in columns if len(set(letters)) > 1), min(map(len, group)))
    word = len(re.sub(r"[\w.]*$", "", group[0][:same]))
    start = max(word, same - most // 4)
    shown = {line: "…" + cut_end(line[start:], most - 1) for line in group}
    for rest in alike(shown) if most >= NARROWEST else []:
        near = "…" + cut_end(rest[0][start:], most // 2 - 1).rstrip("…")
        shown |= {line: near + label for line, label in where_they_differ(rest, most - most // 2).items()}
    return shown


def cut_end(text: str, most: int) -> str:
    """The text if it is at most ``most`` wide, else its beginning."""
    if width_of(text) <= most:
        return text
    head = text[: 4 * most]
    while width_of(head) > most - 1:
        head = head[:-1]
    return f"{head.rstrip()}…"


def interval(row: Standing, decimals: int | None) -> str:
    if math.isinf(row.low) and math.isinf(row.high):
        return DASH
    return f"{number(row.low, decimals)} … {number(row.high, decimals)}"


def in_words(found: Selection) -> str:
    """The recommendation, and why."""
    reason = found.goal_record.why(found)
    return f"{found.goal_record.headline(found)}: {reason[0].lower()}{reason[1:]}"


def listed(names: Sequence[str], most: int = 8) -> str:
    """a, b and c; of many only the first."""
    shown = [short(name) for name in names[:most]]
    if len(names) > most:
        shown.append(f"{len(names) - most:,} more")
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def after(found: Selection) -> str:
    unit = "spent" if found.priced else "evaluations"
    of = f" of {amount(found.budget)}" if found.budget is not None and found.budget != found.spent else ""
    return f"After {amount(found.spent)}{of} {unit}"


def lead_in_words(lead: float, margin: float, scale: float = 0.0) -> str:
    """How far ahead something is; ``scale`` is the size of what is compared."""
    if margin <= NOTHING * max(abs(lead), scale):
        return exact(lead)
    decimals = digits([margin])
    around = f"\u00a0±\u00a0{number(margin, decimals)} (95 % margin)"
    return number(lead, decimals) + (around if math.isfinite(margin) else "")


def allowing(gap: tuple[object, float, float], chance: float, why: str) -> str:
    """The reason why a ``chance`` is lower than the lead over the strongest rival alone would suggest."""
    _, lead, margin = gap
    return f", allowing for {why}" if lead > margin and chance < EXPECTED else ""


def loss_of(found: Selection, words: str) -> str:
    """What the answer may cost, in ``words``."""
    loss = number(found.expected_regret, digits([found.expected_regret]))
    return "nothing shows how noisy the results are" if loss == DASH else words.format(loss)


def about_the_best(found: Selection, what: str = "", only: str = "gave results", rare: bool = True) -> str:
    """Which rival it is ahead of and by how much, how sure that is, what it may cost, and what would settle it.

    ``what`` is compared, if not the mean; ``only`` is what no other option did, if there is no rival; ``rare`` results
    may change it.
    """
    sentences = [after(found)]
    if found.gap is None:
        sentences[0] += f" it is the only option that {only}."
        if only == "gave results":
            return " ".join(sentences + left_out(found))
    else:
        rival, lead, margin = found.gap
        is_ahead = f"its {what} is better than that of" if what else "it is ahead of"
        within = lead_in_words(lead, margin) if not found.settled else number(lead, digits([lead / 10.0]))
        ahead = f"{is_ahead} {short(rival)} by {within}"
        sentences[0] += f" {ahead if lead > 0.0 else f'it is level with {short(rival)}'}"
        if found.settled:
            sentences[0] += ", judged on all items." if lead > 0.0 else ", judged on all items: take either."
            return " ".join(sentences + left_out(found))
        sentences[0] += (
            f"; the chance that it is the best is {percent(found.p_right)}{why_no_more(found)}{watching(found)}."
        )
    possible = sum(row.verdict == "possible" for row in found.rows)
    rejected = sum(row.verdict == "rejected" for row in found.rows)
    if possible:
        may = "other option may still be the best" if possible == 1 else "other options may still be the best"
        gain = ", the most that more evaluations can gain" if is_close(found) else ""
        loses = f"taking this one now loses {{}} on average{gain}"
        sentences.append(f"{possible:,} {may}; {loss_of(found, loses)}.")
    elif rejected:
        sentences.append("All other options can be dropped." if rejected > 1 else "The other option can be dropped.")
    sentences += more_in_words(found) + never_noisy(found)
    return " ".join(sentences + about_the_results(found, {"": found.gap[1]} if found.gap is not None and rare else {}))


def why_no_more(found: Selection) -> str:
    """Why the chance is lower than the lead over the strongest rival suggests."""
    n = found[found.best].n
    if any(abs(found.p_right - most(count)) < 1e-9 for count in (n, (n - 1) / 2)):  # halved if it never varied
        return f", the most that {n:,} results can show"
    others = sum(row.verdict not in OUT for row in found.rows) > 2
    return allowing(found.gap, found.p_right, "all rivals") if others and found.gap is not None else ""


def watching(found: Selection) -> str:
    """The chance for those who may stop because of it, where it is shown as another one."""
    stop = percent(found.p_watched) if found.stopped in WATCHING and math.isfinite(found.p_watched) else ""
    return f" ({stop} if you stop because of it)" if stop and stop != percent(found.p_right) else ""


def about_the_results(found: Selection, slack: Mapping[str, float]) -> list[str]:
    """What the answer assumes of the results, and what speaks against it; ``slack`` is by how much it is right."""
    alike = [] if found.alike is None else found.alike.in_words(found)
    return alike + promised(found) + may_be_missed(found, slack) + depending(found) + left_out(found)


def promised(found: Selection) -> list[str]:
    """What ended the search: the rule, its promise, and what it assumes."""
    if found.promise is None or found.settled:
        return []
    delta, margin, bounds = (found.promise[name] for name in ("delta", "margin", "bounds"))
    within = f" by more than {amount(margin)}" if margin else ""
    wrong = f"the answer is wrong{within} with a chance of at most {percent(delta)}"
    ends = f"It ended by varde.Stop: over the whole run, {wrong}"
    if bounds is not None:
        return [f"{ends}, proved for results between {amount(bounds[0])} and {amount(bounds[1])}."]
    counts = "; these are 0 and 1, for which bounds=(0, 1) makes it exact" if are_successes(found) else ""
    return [f"{ends}, proved for results that are Gaussian{counts}."]


def are_successes(found: Selection) -> bool:
    """Whether all results are 0 or 1, and both came."""
    values = np.concatenate(list(found.values.values()))
    return bool(np.isin(values, (0.0, 1.0)).all() and np.ptp(values) > 0.0) if values.size else False


def may_be_missed(found: Selection, slack: Mapping[str, float]) -> list[str]:
    """What can have been missed; for the result itself ("") or numbers with limits, the ``slack`` of the answer."""
    if found.best is None or found.bounds is not None or found.items:
        return []
    if found.values[found.best].size == 0 or are_successes(found):  # summaries; successes cannot be worse than 0
        slack = {name: lead for name, lead in slack.items() if name}
    far = {name: one for name, lead in slack.items() if (one := missed(lead, float(found[found.best].n)))}
    if not far:
        return []
    first, sizes = next(iter(far.values())), []
    for name, one in far.items():
        size = number(one.size, digits([one.size]))
        sizes.append(f"its {name} moves by more than {size}" if name else f"it costs more than {size}")
    rare = f"What happens in fewer than 1 of {math.floor(1.0 / first.share):,} results may have been missed"
    return [f"{rare}: if {' or '.join(sizes)} then, the answer changes."]


def depending(found: Selection) -> list[str]:
    """How the results of one option were seen to depend on each other."""
    noticed, names = found.dependence, [row.name for row in found.rows]
    reasons = []
    if noticed.correlated:
        reasons.append(f"successive ones are correlated ({noticed.correlated:.2f})")
    if noticed.drifting:
        reasons.append(
            f"they {'rise' if noticed.drifting * found.goal_record.sign > 0 else 'fall'} in the order they came"
        )
    if noticed.repeated:
        reasons.append(
            f"the same numbers come again, as from a cache ({listed([names[i] for i in noticed.repeated], 3)})"
        )
    sentences = []
    if reasons:
        factor = max(noticed.factors.tolist())
        fewer = f"up to {factor:,.0f}" if factor >= 1.5 else f"up to {factor:.1f}"
        sentences.append(
            f"The results of an option are not independent: {' and '.join(reasons)}. So {fewer} of them count as one."
        )
    if noticed.failing:
        fail = f"{listed([names[i] for i in noticed.failing], 3)} fail{'s' if len(noticed.failing) == 1 else ''}"
        sentences.append(
            f"{fail} more often than others, and counts for less: if that depends on the result, its mean is biased."
        )
    return sentences


def is_close(found: Selection) -> bool:
    """Whether it would take so much more to be sure that one should ask first whether it matters."""
    return found.more_budget.get(0.95, 0.0) > 10.0 * found.spent


def never_noisy(found: Selection) -> list[str]:
    """A warning where no option gave two different results, as with a function that ignores its seed."""
    repeated = [x for x in found.values.values() if x.size > 1]
    if found.items or len(repeated) < 2 or any(np.ptp(x) > 0.0 for x in repeated):
        return []
    if all(x[0] in (0.0, 1.0) for x in repeated):
        return []  # successes: a few calls may well end alike
    return [
        "Every option gave the same result each time: if it should be noisy, draw from the rng or the seed that the "
        "function is given."
    ]


def left_out(found: Selection) -> list[str]:
    """Options that fail, and outages."""
    failing = sum(row.verdict == "failing" for row in found.rows)
    sentences = [str(found.outages)] if found.outages.number else []
    missing = sum(len(found.missing.get(row.name, ())) for row in found.rows if row.verdict not in OUT)
    if missing:
        sentences.append(f"{missing:,} judgement{'s' if missing > 1 else ''} failed, and their results are unknown.")
    if found.stopped == "outage":
        sentences.append("It ended early: all calls failed for too long.")
    if not failing:
        return sentences
    failed = f"{failing:,} options failed and are" if failing > 1 else "1 option failed and is"
    return [f"{failed} left out.", *sentences]


def more_in_words(found: Selection) -> list[str]:
    """The budget that levels not yet reached would take."""
    wanted = {level: extra for level, extra in found.more_budget.items() if extra > 0.0}
    near = {level: extra for level, extra in wanted.items() if math.isfinite(extra)}
    far = [percent(level) for level, extra in wanted.items() if math.isinf(extra)]
    sentences = []
    if near:
        unit = "more" if found.priced else "more evaluations"
        steps = [f"{about(extra)} {unit} for {percent(level)}" for level, extra in near.items()]
        sentences.append(f"It would take about {' and '.join(steps)}, if the estimates stay as they are.")
    if far:
        are = "is" if len(far) == 1 else "are"
        sentences.append(
            f"As the estimates are now, {' and '.join(far)} {are} out of reach within 1,000 times this budget."
        )
    return sentences


def about(value: float) -> str:
    """Two digits, since it is only a forecast."""
    power = 10 ** max(math.floor(math.log10(value)) - 1, 0)
    return f"{round(value / power) * power:,.0f}"


COLUMNS = ("option", "n", "mean", "sd", "95 % interval", "P(best)", "verdict")


def table(found: Selection, most: int = SHOWN, columns: Sequence[str] = COLUMNS) -> Sheet:
    """The answer, then the likeliest to belong to it, ``most`` options in all."""
    shown = found.ranked[:most]
    decimals = digits([(row.high - row.low) / 2.0 for row in shown])
    limits = list(shown[0].numbers)
    with_limits = [row for row in shown if row.numbers]
    finer = {
        name: digits([(row.numbers[name][2] - row.numbers[name][1]) / 2.0 for row in with_limits]) for name in limits
    }

    def entries(row: Standing, name: str) -> dict[str, str | Piece]:
        failing = row.verdict == "failing"
        return {
            "option": name,
            "n": f"{row.n:,}",
            "mean": number(row.estimate, decimals),
            "sd": number(row.sd, decimals),
            "95 % interval": interval(row, decimals),
            "P(best)": Piece(DASH, "bad") if row.verdict in OUT else percent(row.p_best),
            "verdict": f"failing: {short(row.failure, 60)}" if failing else row.verdict,
            "limits": DASH if math.isnan(row.p_allowed) else percent(row.p_allowed),
            **{f"limit {name}": number(row.numbers[name][0], finer[name]) if row.numbers else DASH for name in limits},
        }

    if limits:
        at = columns.index("P(best)")
        columns = (*columns[:at], *(f"limit {name}" for name in limits), "limits", *columns[at:])
    heads = {"mean": found.goal_record.measure, "P(best)": found.goal_record.chance, "limits": "P(limits)"}
    heads |= {f"limit {name}": name for name in limits}
    words = [column for column, name in enumerate(columns) if name in ("option", "verdict")]
    labels = distinct([row.name for row in shown])
    lines = [[entries(row, label)[name] for name in columns] for row, label in zip(shown, labels, strict=True)]
    styles = [{"best": "strong", "chosen": "strong", "possible": ""}.get(row.verdict, "faint") for row in shown]
    return Sheet([heads.get(name, name) for name in columns], lines, left=words, styles=styles)


def as_text(found: Selection) -> str:
    """The table for a terminal, and how many more options there are."""
    more = rest_in_words(found.ranked[SHOWN:])
    return f"{table(found).plain()}\n{more}" if more else table(found).plain()


def rest_in_words(rest: Sequence[Standing]) -> str:
    """How many options are not shown, by verdict."""
    if not rest:
        return ""
    kinds = Counter(row.verdict for row in rest)
    shown = (f"{kinds[kind]:,} {kind}" for kind in ("chosen", "possible", "rejected", *OUT) if kinds[kind])
    return f"and {len(rest):,} more: {', '.join(shown)}"
