"""Why a selection recommends what it does: the sentences behind the headline."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..certainty.assumptions import Note, unseen
from ..certainty.chances import most
from ..show.ranges import OUT
from ..show.sentence import WATCHING, Promise, after
from ..show.words import DASH, allowing, amount, digits, distinct, lead_in_words, number, percent

if TYPE_CHECKING:
    from .result import Selection


def loss_of(found: Selection[Any], words: str) -> str:
    """``; what the answer may cost``, in ``words``; nothing if that is unknown."""
    loss = number(found.expected_regret, digits([found.expected_regret]))
    if loss != DASH:
        return f"; {words.format(loss)}"
    return "" if (found.standings.sd > 0.0).any() else "; nothing shows how noisy the results are"


def labels(found: Selection[Any]) -> dict[str, str]:
    """What the options of the answer and their rival are called, which look different even where they are cut."""
    names = [*found.chosen, *([] if found.gap is None else [found.gap[0]])]
    return dict(zip(names, distinct(names), strict=True))


def about_the_best(found: Selection[Any], what: str = "", only: str = "gave results") -> str:
    """Which rival it is ahead of and by how much, how sure that is, what it may cost, and what would settle it.

    ``what`` is compared, if not the mean; ``only`` is what no other option did, if there is no rival.
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
        other = labels(found)[rival]
        sentences[0] += f" {f'{is_ahead} {other} by {within}' if lead > 0.0 else f'it is level with {other}'}"
        if found.settled:
            sentences[0] += ", judged on all items." if lead > 0.0 else ", judged on all items: take either."
            return " ".join(sentences + left_out(found))
        sentences[0] += (
            f"; the chance that it is the best is {percent(found.p_right)}{why_no_more(found)}{watching(found)}."
        )
    possible, rejected = found._verdicts["possible"], found._verdicts["rejected"]
    if possible:
        may = "other option may still be the best" if possible == 1 else "other options may still be the best"
        loses = loss_of(found, "taking this one now loses {} on average")
        sentences.append(f"{possible:,} {may}{'' if at_the_limit(found) else loses}.")
    elif rejected:
        sentences.append("All other options can be dropped." if rejected > 1 else "The other option can be dropped.")
    sentences += never_noisy(found)
    return " ".join(sentences + about_the_results(found))


def at_the_limit(found: Selection[Any]) -> bool:
    """Whether no chance is higher after so few results; what they may have missed has no known cost."""
    n = found[found.chosen[0]].n
    return any(abs(found.p_right - most(count)) < 1e-9 for count in (n, (n - 1) / 2))  # halved if it never varied


def why_no_more(found: Selection[Any]) -> str:
    """Why the chance is lower than the lead over the strongest rival suggests."""
    if at_the_limit(found):
        return f", the most that {found[found.chosen[0]].n:,} results can show"
    others = sum(many for verdict, many in found._verdicts.items() if verdict not in OUT) > 2
    return allowing(found.gap, found.p_right, "all rivals") if others and found.gap is not None else ""


def watching(found: Selection[Any]) -> str:
    """The chance for those who may stop because of it, where it is shown as another one."""
    stop = percent(found.p_watched) if found.stopped in WATCHING and math.isfinite(found.p_watched) else ""
    return f" ({stop} if you stop because of it)" if stop and stop != percent(found.p_right) else ""


def about_the_results(found: Selection[Any]) -> list[str]:
    """How options resemble each other, and what is missing; the ``notes`` have the assumptions."""
    alike = [] if found.alike is None else found.alike.in_words(found)
    return alike + left_out(found)


def are_successes(found: Selection[Any]) -> bool:
    """Whether all results are 0 or 1, and both came."""
    values = found.results.flat
    return bool(np.isin(values, (0.0, 1.0)).all() and np.ptp(values) > 0.0) if values.size else False


def may_be_missed(found: Selection[Any], slack: Mapping[str, float]) -> Note | None:
    """What can have been missed; for the result itself ("") or numbers with limits, the ``slack`` of the answer."""
    if not found.chosen or found.bounds is not None or found.items:
        return None
    least = min(found.chosen, key=lambda name: found[name].n)  # where most can have been missed
    if found.results[found._places[least]].size == 0 or are_successes(found):  # summaries; nothing is worse than 0
        slack = {name: lead for name, lead in slack.items() if name}
    return unseen(least, "" if found.gap is None else found.gap[0], found[least].n, slack)


def never_noisy(found: Selection[Any]) -> list[str]:
    """A warning where no option gave two different results, as with a function that ignores its seed."""
    owners, numbers, times = found.results.distinct
    repeated = numbers[times > 1.0]
    if found.items or found._limits or repeated.size < 2 or np.unique(owners).size < owners.size:
        return []
    if np.isin(repeated, (0.0, 1.0)).all():
        return []  # successes: a few calls may well end alike
    return [
        "Every option gave the same result each time: if it should be noisy, draw from the rng or the seed that the "
        "function is given."
    ]


def left_out(found: Selection[Any]) -> list[str]:
    """Options that fail, and outages."""
    failing = found._verdicts["failing"]
    sentences = [str(found.outages)] if found.outages.number else []
    missing = sum(len(items) for name, items in found.missing.items() if found[name].verdict not in OUT)
    if missing:
        sentences.append(f"{missing:,} judgement{'s' if missing > 1 else ''} failed, and their results are unknown.")
    if not failing:
        return sentences
    failed = f"{failing:,} options failed and are" if failing > 1 else "1 option failed and is"
    return [f"{failed} left out.", *sentences]


def promise_of(found: Selection[Any]) -> Promise | None:
    """What ``varde.Stop`` promises, if it ended the search."""
    if found.promise is None or found.settled:
        return None
    delta, margin, bounds = (found.promise[name] for name in ("delta", "margin", "bounds"))
    wrong = f"over the whole run, the answer is wrong{f' by more than {amount(margin)}' if margin else ''}"
    if bounds is not None:
        assumed = f"proved for results between {amount(bounds[0])} and {amount(bounds[1])}"
    else:
        counts = "; these are 0 and 1, for which bounds=(0, 1) makes it exact" if are_successes(found) else ""
        assumed = f"proved for results that are Gaussian{counts}"
    return Promise("varde.Stop", wrong, delta, assumed)
