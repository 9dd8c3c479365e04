"""Why a selection recommends what it does: the sentences behind the headline."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..certainty.chances import missed, most
from ..show.ranges import OUT
from ..show.sentence import WATCHING, Promise, after
from ..show.words import DASH, allowing, amount, digits, lead_in_words, listed, number, percent, short

if TYPE_CHECKING:
    from .result import Selection

BOLD = 0.9  # a chance that is believed
FEW = 80  # results: of so many a correlation of .8 is noticed in nearly all cases, of 40 in half


def loss_of(found: Selection[Any], words: str) -> str:
    """What the answer may cost, in ``words``."""
    loss = number(found.expected_regret, digits([found.expected_regret]))
    return "nothing shows how noisy the results are" if loss == DASH else words.format(loss)


def about_the_best(found: Selection[Any], what: str = "", only: str = "gave results", rare: bool = True) -> str:
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
    possible, rejected = found._verdicts["possible"], found._verdicts["rejected"]
    if possible:
        may = "other option may still be the best" if possible == 1 else "other options may still be the best"
        loses = loss_of(found, "taking this one now loses {} on average")
        sentences.append(f"{possible:,} {may}." if at_the_limit(found) else f"{possible:,} {may}; {loses}.")
    elif rejected:
        sentences.append("All other options can be dropped." if rejected > 1 else "The other option can be dropped.")
    sentences += never_noisy(found)
    return " ".join(sentences + about_the_results(found, {"": found.gap[1]} if found.gap is not None and rare else {}))


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


def about_the_results(found: Selection[Any], slack: Mapping[str, float]) -> list[str]:
    """What the answer assumes of the results, and what speaks against it; ``slack`` is by how much it is right."""
    alike = [] if found.alike is None else found.alike.in_words(found)
    return alike + may_be_missed(found, slack) + depending(found) + left_out(found)


def are_successes(found: Selection[Any]) -> bool:
    """Whether all results are 0 or 1, and both came."""
    values = found.results.flat
    return bool(np.isin(values, (0.0, 1.0)).all() and np.ptp(values) > 0.0) if values.size else False


def may_be_missed(found: Selection[Any], slack: Mapping[str, float]) -> list[str]:
    """What can have been missed; for the result itself ("") or numbers with limits, the ``slack`` of the answer."""
    if not found.chosen or found.bounds is not None or found.items:
        return []
    least = min(found.chosen, key=lambda name: found[name].n)  # where most can have been missed
    if found.results[found._places[least]].size == 0 or are_successes(
        found
    ):  # summaries; successes cannot be worse than 0
        slack = {name: lead for name, lead in slack.items() if name}
    far = {name: one for name, lead in slack.items() if (one := missed(lead, float(found[least].n)))}
    if not far or next(iter(far.values())).share > 0.5:
        return []
    first, sizes = next(iter(far.values())), []
    for name, one in far.items():
        size = number(one.size, digits([one.size]))
        sizes.append(f"its {name} moves by more than {size}" if name else f"it costs more than {size}")
    rare = f"What happens in fewer than 1 of {math.floor(1.0 / first.share):,} results may have been missed"
    return [f"{rare}: if {' or '.join(sizes)} then, the answer changes."]


def depending(found: Selection[Any]) -> list[str]:
    """How the results of one option were seen to depend on each other, or that this could not be seen."""
    noticed, names = found.dependence, found.standings.name
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
    elif found.p_right >= BOLD and int(found.standings.n.sum()) < FEW and not found.items:
        sentences.append("Results are taken to be independent: so few cannot show whether they are.")
    if noticed.failing:
        fail = f"{listed([names[i] for i in noticed.failing], 3)} fail{'s' if len(noticed.failing) == 1 else ''}"
        sentences.append(
            f"{fail} more often than others, and counts for less: if that depends on the result, its mean is biased."
        )
    return sentences


def never_noisy(found: Selection[Any]) -> list[str]:
    """A warning where no option gave two different results, as with a function that ignores its seed."""
    owners, numbers, times = found.results.distinct
    repeated = numbers[times > 1.0]
    if found.items or repeated.size < 2 or np.unique(owners).size < owners.size:
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
