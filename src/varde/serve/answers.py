"""What the server does for each operation: plain functions of the selection and the fields of the request."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

from .. import __version__
from ..check import shown
from ..selection import Draw
from ..selection.events import kept
from ..selection.goals import goal_of
from ..selection.telling import BATCHES, Row, Told
from .bodies import RefusedError, checked
from .once import Once
from .operations import (
    ADD,
    ASK,
    BUDGET,
    FAIL,
    MOST_DRAWS,
    MOST_RESULTS,
    NOTE,
    NOTES,
    OPTIONS,
    RECOMMEND,
    RELEASE,
    REMOVE,
    RESULTS,
    STATE,
    TELL,
    Operation,
)

Answer = dict[str, Any]
ONE = {name: field for name, field in TELL.fields.items() if name not in ("results", "once", "skip")}


def ask(once: Once, given: Answer, key: str) -> Answer:
    n: int = given.get("n", 1)
    if not 1 <= n <= MOST_DRAWS:
        raise RefusedError(422, f"n is {shown(n)}: write 1 to {MOST_DRAWS:,}")
    selector = once.selector
    if key:
        draws = once.ask(key, n)
    else:
        from ..selection.worker import OUTSIDE

        draws = selector.ask(n, worker=OUTSIDE, wait=False)
    paused = None if draws else selector.paused
    return {
        "draws": [of_draw(draw) for draw in draws],
        "done": not draws and selector.done,
        "paused": paused and paused._asdict(),
    }


def tell(once: Once, given: Answer, key: str) -> Answer:
    if "results" not in given:
        if other := [name for name in given if name not in ONE]:
            raise RefusedError(422, f"the request has {other[0]} and no results: write results too")
        answer = once.do(key, lambda: tell_one(once, given))
        return {"counted": answer is not False}
    if other := [name for name in given if name in ONE]:
        raise RefusedError(422, f"the request has results and {other[0]}: write one or the other")
    results = given["results"]
    if len(results) > MOST_RESULTS:
        raise RefusedError(422, f"there are {len(results):,} results: write up to {MOST_RESULTS:,} at once")
    rows = [Row(f"row {place}", fields_of(checked(x, ONE, f"row {place}"))) for place, x in enumerate(results, 1)]
    answer = once.do(key, lambda: once.selector.tell_many(rows, once=given.get("once"), skip=given.get("skip", False)))
    found = Told(len(rows)) if answer is None else answer  # sent twice: all that could be counted was
    return found._asdict()


def tell_one(once: Once, given: Answer) -> bool:
    fields = fields_of(given)
    for name in ("draw", "value"):
        if name not in fields and (name == "draw" or BATCHES.isdisjoint(fields)):
            raise RefusedError(422, f"the result has no {name}: write {ONE[name].about}")
    return once.selector.tell(**fields)


def fields_of(given: Answer) -> Answer:
    """A result as ``tell`` takes it."""
    found = dict(given)
    seed, draw = found.pop("seed", None), found.get("draw")
    if seed is not None and isinstance(draw, int):
        found["draw"] = Draw(draw, None, f"draw {draw}", seed, 0)
    if isinstance(found.get("value"), list):
        found["value"] = tuple(found["value"])
    return found


def fail(once: Once, given: Answer, key: str) -> Answer:
    reason, after = given.get("reason", ""), given.get("retry_after")
    once.do(key, lambda: once.selector.fail(given["draw"], reason, retry_after=after))
    return {}


def release(once: Once, given: Answer, key: str) -> Answer:
    once.do(key, lambda: once.selector.release(given["draw"]))
    return {}


def add(once: Once, given: Answer, key: str) -> Answer:
    option = given.get("option", given["name"])
    once.do(key, lambda: once.selector.add_option(option, given["name"], given.get("cost")))
    return {}


def remove(once: Once, given: Answer, key: str) -> Answer:
    once.do(key, lambda: once.selector.remove_option(given["name"]))
    return {}


def budget(once: Once, given: Answer, key: str) -> Answer:
    once.do(key, lambda: once.selector.add_budget(given["more"]))
    return {}


def note(once: Once, given: Answer, key: str) -> Answer:
    once.do(key, lambda: once.selector.note(given["name"], given["value"]))
    return {}


def recommend(once: Once, given: Answer, key: str) -> Answer:
    return once.selector.recommend().to_dict()


def state(once: Once, given: Answer, key: str) -> Answer:
    selector = once.selector
    with selector._journal.lock:  # all as of one moment
        paused = selector.paused
        return {
            "version": __version__,
            "settings": selector.settings.saved(),
            "goal": selector.settings.goal.saved(),
            "budget": selector.budget,
            "spent": selector.spent,
            "remaining": selector.remaining if math.isfinite(selector.remaining) else None,
            "done": selector.done,
            "leader": selector.leader,
            "paused": paused and paused._asdict(),
            "failing": selector.failing,
            "removed": selector.removed,
            "pending": [of_draw(draw) for draw in selector.pending],
        }


def options(once: Once, given: Answer, key: str) -> Answer:
    selector = once.selector
    return {
        "options": {name: plain(option) for name, option in selector.options.items()},
        "items": {name: plain(item) for name, item in selector.items.items()},
    }


def notes(once: Once, given: Answer, key: str) -> Answer:
    with once.journal.lock:
        return {"notes": {name: json.loads(text) for name, text in once.journal.view().notes.items()}}


def results(once: Once, given: Answer, key: str) -> Answer:
    found = once.selector._evidence(None)
    return {
        **found,
        "options": [plain(option) for option in found["options"]],
        "values": [values.tolist() for values in found["values"]],
        "goal": goal_of(found["goal"]).saved(),
        "batches": [[batch._asdict() for batch in each] for each in found["batches"]],
        "replicates": [replicates.tolist() for replicates in found["replicates"]],
        "numbers": {name: [column.tolist() for column in each] for name, each in found["numbers"].items()},
    }


def of_draw(draw: Draw) -> Answer:
    found = {**draw._asdict(), "option": plain(draw.option)}
    if draw.item_name is None:
        del found["item"], found["item_name"]
    else:
        found["item"] = plain(draw.item)
    return found


def plain(option: Any) -> Any:
    """As JSON; None for objects that it cannot hold, which the client knows by name."""
    found = kept(option)
    return None if found is None else found[0]


ANSWERS: tuple[tuple[Operation, Callable[[Once, Answer, str], Answer]], ...] = (
    (ASK, ask),
    (TELL, tell),
    (FAIL, fail),
    (RELEASE, release),
    (RECOMMEND, recommend),
    (STATE, state),
    (OPTIONS, options),
    (NOTES, notes),
    (RESULTS, results),
    (ADD, add),
    (REMOVE, remove),
    (BUDGET, budget),
    (NOTE, note),
)
