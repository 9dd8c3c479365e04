"""Why a selection recommends what it does: the sentence behind the headline, and the notes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..certainty.assumptions import Note
from ..certainty.chances import most
from ..certainty.unseen import unseen, unseen_chance
from ..show.ranges import OUT
from ..show.sentence import DETAIL, WATCHING, Promise, after, how_it_ended, in_order
from ..show.words import DASH, allowing, amount, counted, digits, distinct, lead_in_words, number, percent, short

if TYPE_CHECKING:
    from .result import Selection

VISIBLE = 0.005  # of a chance


def detail(code: str, text: str, size: float = 0.0, options: tuple[str, ...] = ()) -> Note:
    return Note(code, options, size, text, DETAIL)


def loss_of(found: Selection[Any], words: str) -> str:
    """``; what the answer may cost``, in ``words``; nothing if that is unknown."""
    loss = number(found.expected_regret, digits([found.expected_regret]))
    if loss != DASH:
        return f"; {words.format(loss)}"
    return "" if (found.standings.sd > 0.0).any() else "; nothing shows how noisy the results are"


def labels(found: Selection[Any], most: int) -> dict[str, str]:
    """What the options of the answer and their rival are called, which look different even where they are cut."""
    names = [*found.chosen, *([] if found.gap is None else [found.gap[0]])]
    return dict(zip(names, distinct(names, most), strict=True))


def about_the_best(found: Selection[Any], most: int, what: str = "", only: str = "gave results") -> list[str]:
    """Which rival it is ahead of and by how much, and how sure that is; then only how sure.

    ``what`` is compared, if not the mean; ``only`` is what no other option did, if there is no rival.
    """
    is_best = f"the chance that it is the best is {percent(found.p_right)}"
    if found.gap is None:
        alone = f"it is the only option that {only}"
        return [f"{after(found)} {alone}" + ("" if only == "gave results" else f"; {is_best}")] * 2
    rival, lead, margin = found.gap
    is_ahead = f"its {what} is better than that of" if what else "it is ahead of"
    within = lead_in_words(lead, margin) if not found.settled else number(lead, digits([lead / 10.0]))
    other = labels(found, most)[rival]
    ahead = f"{is_ahead} {other} by {within}" if lead > 0.0 else f"it is level with {other}"
    if found.settled:
        known = "judged on all items" if lead > 0.0 else "judged on all items: take either"
        return [f"{after(found)} {ahead}, {known}", f"{ahead}, {known}"]
    return [f"{after(found)} {ahead}; {is_best}", is_best]


def all_notes(found: Selection[Any]) -> tuple[Note, ...]:
    """The notes it has, and what follows from the rest of the answer."""
    asked = found.goal_record
    more = [*found.noticed, *left_out(found), *never_noisy(found), *asked.details(found)]
    rare = may_be_missed(found, asked.slack(found))
    stop = percent(found.p_watched) if found.stopped in WATCHING and math.isfinite(found.p_watched) else ""
    if stop and stop != percent(found.p_right):
        who = "for those who look again and again and stop because of it"
        more.append(detail("watched", f"The chance is {stop} {who}.", found.p_watched))
    if "watched" in (found.promise or {}) and not found.settled:
        chance = f"p_watched, the chance for those who look again and again, is {percent(found.p_watched)}"
        more.append(detail("ended", f"It ended because {chance}: measured, not proved.", found.p_watched))
    more += [detail("alike", text) for text in ([] if found.alike is None else found.alike.in_words(found))]
    more += [detail(code, text) for code, text in how_it_ended(found)]
    return in_order([*more, *([] if rare is None else [rare])])


def about_the_others(found: Selection[Any]) -> list[Note]:
    """Why the chance is not higher, and what is still open."""
    if found.gap is None or found.settled:
        return []
    why = why_no_more(found)
    notes = [detail("chance", why, found.p_right)] if why else []
    possible, rejected = found._verdicts["possible"], found._verdicts["rejected"]
    if possible:
        may = "other option may still be the best" if possible == 1 else "other options may still be the best"
        loses = loss_of(found, "taking this one now loses {} on average")
        notes.append(detail("open", f"{possible:,} {may}{'' if at_the_limit(found) else loses}.", possible))
    elif rejected:
        notes.append(dropped(rejected))
    return notes


def dropped(rejected: int) -> Note:
    text = "All other options can be dropped." if rejected > 1 else "The other option can be dropped."
    return detail("dropped", text, rejected)


def at_the_limit(found: Selection[Any]) -> bool:
    """Whether no chance is higher after so few results; what they may have missed has no known cost."""
    n = found[found.chosen[0]].n
    return any(abs(found.p_right - most(count)) < 1e-9 for count in (n, (n - 1) / 2))  # halved if it never varied


def why_no_more(found: Selection[Any]) -> str:
    """Why the chance is lower than the lead over the strongest rival suggests."""
    if at_the_limit(found):
        return f"The chance is the most that {counted(found[found.chosen[0]].n, 'results')} can show."
    others = sum(many for verdict, many in found._verdicts.items() if verdict not in OUT) > 2
    return allowing(found.gap, found.p_right, "all rivals") if others and found.gap is not None else ""


def are_successes(found: Selection[Any]) -> bool:
    """Whether all results are 0 or 1, and both came."""
    values = found.results.flat
    return bool(np.isin(values, (0.0, 1.0)).all() and np.ptp(values) > 0.0) if values.size else False


def may_be_missed(found: Selection[Any], slack: Mapping[str, float]) -> Note | None:
    """What can have been missed; for the result itself ("") or numbers with limits, the ``slack`` of the answer."""
    if not found.chosen or found.items:
        return None
    least = min(found.chosen, key=lambda name: found[name].n)  # where most can have been missed
    if found.bounds is not None:
        return allowed_for(found, least, found.bounds[found.goal_record.sign < 0.0])
    if found.results[found._places[least]].size == 0 or are_successes(found):  # summaries; nothing is worse than 0
        slack = {name: lead for name, lead in slack.items() if name}
    n, rivals = found[least].n, () if found.gap is None else found.gap[:1]
    return unseen((least, *rivals), n, f"the {counted(n, 'results')} of {short(least)}", slack)


def allowed_for(found: Selection[Any], name: str, worst: float) -> Note | None:
    """What the chance loses because the worst that is possible may come, where it never did."""
    row, lead = found[name], 0.0 if found.gap is None else found.gap[1]
    price = float(unseen_chance(row.n, lead, abs(row.mean - worst)))
    if found.gap is None or price < VISIBLE or (found.results.flat == worst).any():
        return None
    text = f"The worst that bounds allow, {amount(worst)}, never came in {counted(row.n, 'results')} of {short(name)}"
    return detail("unseen", f"{text}; because it may, the chance is lower by up to {percent(price)}.", price, (name,))


def never_noisy(found: Selection[Any]) -> list[Note]:
    """A warning where no option gave two different results, as with a function that ignores its seed."""
    owners, numbers, times = found.results.distinct
    repeated = numbers[times > 1.0]
    if found.items or found._limits or repeated.size < 2 or np.unique(owners).size < owners.size:
        return []
    if np.isin(repeated, (0.0, 1.0)).all():
        return []  # successes: a few calls may well end alike
    text = "Every option gave the same result each time: if it should be noisy, draw from the rng or the seed"
    return [Note("constant", (), 0.0, f"{text} that the function is given.")]


def left_out(found: Selection[Any]) -> list[Note]:
    """Options that fail, outages, and results that are missing."""
    notes = []
    if failing := found._verdicts["failing"]:
        who = tuple(row.name for row in found.rows if row.verdict == "failing")
        failed = f"{failing:,} options failed and are" if failing > 1 else "1 option failed and is"
        notes.append(Note("failing", who, failing, f"{failed} left out."))
    missing = {name: len(items) for name, items in found.missing.items() if items and found[name].verdict not in OUT}
    if many := sum(missing.values()):
        text = f"{many:,} judgement{'s' if many > 1 else ''} failed, and their results are unknown."
        notes.append(Note("missing", tuple(missing), many, text))
    if found.outages.number:
        notes.append(detail("outages", str(found.outages), found.outages.seconds))
    return notes


def promise_of(found: Selection[Any]) -> Promise | None:
    """What ``varde.Stop`` promises, if it ended the search."""
    if found.promise is None or found.settled or "watched" in found.promise:
        return None
    delta, margin, bounds = (found.promise[name] for name in ("delta", "margin", "bounds"))
    wrong = f"over the whole run, the answer is wrong{f' by more than {amount(margin)}' if margin else ''}"
    if bounds is not None:
        assumed = f"proved for results between {amount(bounds[0])} and {amount(bounds[1])}"
    else:
        assumed = "proved for results that are Gaussian"
    return Promise("varde.Stop", wrong, delta, assumed)
