"""Why a policy is recommended: the sentence behind the headline, and the notes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ...certainty.assumptions import Note
from ...certainty.unseen import missable
from ...show.sentence import ASSUMPTION, DETAIL, Promise, after, how_it_ended, in_order
from ...show.words import amount, counted, digits, estimate, number, percent
from ..certificate import GOOD
from ..within import Within

if TYPE_CHECKING:
    from .policy import Policy

NO_STATE = (
    "What follows an action depends on more than the state: results of the same action come in runs (z = {:.0f}). The "
    "values are those of a world in which they do not; let the state tell more, or learn from recent data only."
)
STUCK = "Stuck since step {:,}: {} can still be reached, {:,} met before cannot. Begin a new episode."
ANEW = "Episodes were begun anew {}, since states met before could not be reached any more."
UNSEEN = "Results are taken to be between those seen: {} of those of an action may be others, as far as {} can show."
ASSUMED = "by the certificate, whose errors were measured and not proved"


def why(policy: Policy) -> list[str]:
    """What it is worth, and how sure it is that none is better; then only how sure."""
    begun = int((policy.seen.starts > 0).sum())
    where = "the start" if begun <= 1 else f"{begun:,} starts"
    scale = max(policy.certified.span, float(np.abs(policy.certified.solved.values).max(initial=0.0)))
    worth = f"it is worth {estimate(policy.value, policy.interval, scale)} from {where}"
    if policy.certified.span == 0.0:
        return [f"{after(policy)} nothing told the actions apart", "nothing told the actions apart"]
    chance = f"the chance that none is better by more than {tolerance(policy)} is {percent(policy.p_right)}"
    return [f"{after(policy)} {worth}; {chance}", f"{worth}; {chance}", chance]


def tolerance(policy: Policy) -> str:
    least = GOOD * policy.certified.span
    return number(least, digits([least]))


def notes_of(policy: Policy) -> list[Note]:
    """What was noticed of the world, what the sentence means, where the policy may be wrong, and what is assumed."""
    texts = [("worth", discounting(policy)), ("chance", about_the_chance(policy)), ("doubt", in_doubt(policy) + ".")]
    notes = [Note(code, (), 0.0, text, DETAIL) for code, text in [*texts, *how_it_ended(policy)] if text]
    seen, extra = policy.noticed, policy.untested_gain
    if seen.alarm:
        notes.append(Note("state", (), seen.z, NO_STATE.format(seen.z)))
    if seen.since and policy.stopped == "not yet":  # ``learn`` begins anew by itself
        text = STUCK.format(seen.since, counted(seen.reached, "states"), seen.lost)
        notes.append(Note("stuck", (), float(seen.since), text))
    if seen.restarts:
        notes.append(Note("anew", (), float(seen.restarts), ANEW.format(counted(seen.restarts, "times"))))
    if policy.bounds is None and policy.certified.span > 0.0:
        fewest = fewest_tries(policy)
        share = percent(missable(fewest))
        notes.append(Note("unseen", (), float(fewest), UNSEEN.format(share, f"{fewest:,} tries"), ASSUMPTION))
    if extra > GOOD * policy.certified.span:
        text = f"Actions never tried are taken to be like the others; they might add {number(extra, digits([extra]))}."
        notes.append(Note("untried", (), extra, text, ASSUMPTION))
    return list(in_order(notes))


def discounting(policy: Policy) -> str:
    """What the value counts, and what an episode pays beside it."""
    if policy.discount >= 1.0 - 1e-6:
        return ""
    paid = policy.episode_return
    beside = f"; an episode pays {number(paid, digits([abs(paid) / 10.0]))} on average" if math.isfinite(paid) else ""
    return f"What it is worth is discounted by {amount(policy.discount)} a step{beside}."


def about_the_chance(policy: Policy) -> str:
    """What counts as better, and whether a higher chance could be shown."""
    sure = policy.certified
    if sure.span == 0.0:
        return ""
    words, draws = f"{tolerance(policy)} is 1 % of the range of all values.", sure.losses.size
    if policy.p_right >= (draws + 0.5) / (draws + 1.0) - 1e-9:
        shown = percent(policy.p_right)
        words += f" The chance is judged in {draws} simulated worlds, and {shown} is the most that so many can show."
    return words


def fewest_tries(policy: Policy) -> int:
    """Of the action that could most easily hide something that matters."""
    sure = policy.certified
    return int(sure.model.tried[int(sure.missed(GOOD * sure.span).argmax())])


def in_doubt(policy: Policy) -> str:
    many, states = len(policy.uncertain), len(policy)
    never = int((policy.certified.model.untried > 0).sum())
    if never == many > 0:
        return f"{many:,} of {counted(states, 'states')} {'has' if many == 1 else 'have'} actions never tried"
    tried = f", {never:,} with actions never tried" if never else ""
    if not many:
        return "No state is in doubt"
    return f"{many:,} of {counted(states, 'states')} {'is' if many == 1 else 'are'} in doubt{tried}"


def promise_of(policy: Policy) -> Promise | None:
    """What ``stop`` promises, if it ended learning."""
    rule = policy.promise
    if rule is None:
        return None
    if isinstance(rule, Within):
        written = f"varde.Within({amount(rule.loss)}, {amount(rule.chance)})"
        return Promise(written, f"the policy loses more than {amount(rule.loss)}", 1.0 - rule.chance, ASSUMED)
    return Promise(f"stop={amount(rule)}", "the policy loses more than 1 % of the range of all values", rule, ASSUMED)
