"""Why a policy is recommended: the sentences behind the headline."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ...certainty.assumptions import Note
from ...show.sentence import Promise, after
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
ASSUMED = "by the certificate, whose errors were measured and not proved"


def why(policy: Policy) -> str:
    """What it is worth, how sure that is, and where it may be wrong."""
    return f"{worth(policy)}. {after(policy)} {sureness(policy)}. {in_doubt(policy)}."


def worth(policy: Policy) -> str:
    """The value, which is discounted, and what an episode pays beside it."""
    begun = int((policy.seen.starts > 0).sum())
    where = "the start" if begun <= 1 else f"{begun:,} starts"
    scale = max(policy.certified.span, float(np.abs(policy.certified.solved.values).max(initial=0.0)))
    words = f"It is worth {estimate(policy.value, policy.interval, scale)} from {where}"
    if policy.discount >= 1.0 - 1e-6:
        return words
    paid = policy.episode_return
    beside = f"; an episode pays {number(paid, digits([abs(paid) / 10.0]))} on average" if math.isfinite(paid) else ""
    return f"{words}, discounted by {amount(policy.discount)} a step{beside}"


def sureness(policy: Policy) -> str:
    sure = policy.certified
    if sure.span == 0.0:
        return "nothing told the actions apart"
    least = GOOD * sure.span
    what = f"no policy is better by more than {number(least, digits([least]))}, 1 % of the range of all values,"
    words = f"the chance that {what} is {percent(policy.p_right)}"
    draws = sure.losses.size
    if policy.p_right >= (draws + 0.5) / (draws + 1.0) - 1e-9:
        words += f", the most that the {draws} simulated worlds it is judged by can show"
    return words


def notes_of(policy: Policy) -> list[Note]:
    """What is assumed of actions never tried, and what was noticed of the world."""
    found, seen, extra = [], policy.noticed, policy.untested_gain
    if seen.alarm:
        found.append(Note("state", (), seen.z, NO_STATE.format(seen.z)))
    if seen.since and policy.stopped == "not yet":  # ``learn`` begins anew by itself
        text = STUCK.format(seen.since, counted(seen.reached, "states"), seen.lost)
        found.append(Note("stuck", (), float(seen.since), text))
    if seen.restarts:
        found.append(Note("anew", (), float(seen.restarts), ANEW.format(counted(seen.restarts, "times"))))
    if extra > GOOD * policy.certified.span:
        text = f"Actions never tried are taken to be like the others; they might add {number(extra, digits([extra]))}."
        found.append(Note("untried", (), extra, text, False))
    return found


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
