"""Every operation of the server: its fields, what it does, an example.

Routes (app.py), their description (``openapi``) and the requests of the client (client.py) are made from this table.
Most operations are methods of ``Selector``, of the same name and with its arguments as fields.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import __version__
from ..check import shown
from ..selection.draws import Draw
from ..selection.telling import BATCHES, Row, Told
from ..selection.worker import OUTSIDE
from ..show.saving import encode

if TYPE_CHECKING:
    from ..selection import Selector

MOST_DRAWS = 10_000  # in one answer
MOST_RESULTS = 10_000  # in one request
LONGEST_KEY = 200
Answer = dict[str, Any]


class RefusedError(Exception):
    """A request that is not served, and why."""

    def __init__(self, status: int, message: str):
        super().__init__(message)
        self.status = status


class Field(NamedTuple):
    """One field of a request."""

    kinds: tuple[str, ...]  # as JSON Schema calls them; none: anything
    about: str
    required: bool = False


class Operation(NamedTuple):
    """An operation of the server: POST with fields if it changes something, else GET."""

    name: str
    about: str
    fields: Mapping[str, Field] = {}
    example: Any = None  # a request
    answer: Any = {}  # and its answer
    call: Callable[[Selector, Answer, str], Answer] | None = None  # of the selection, the fields, and who asks
    again: Callable[[Selector, Answer, Sequence[int]], Answer] = lambda *_: {}  # of a request that was carried out

    @property
    def method(self) -> str:
        return "POST" if self.fields else "GET"

    @property
    def path(self) -> str:
        return f"/{self.name}"

    def carry_out(self, selector: Selector, given: Answer, author: str = "") -> Answer:
        """By ``call``, or else by the method of that name."""
        if self.call is not None:
            return self.call(selector, given, author)
        getattr(selector, self.name)(**given)
        return {}


# -- what they do ----------------------------------------------------------------------------------


def ask(selector: Selector, given: Answer, author: str) -> Answer:
    n: int = given.get("n", 1)
    if not 1 <= n <= MOST_DRAWS:
        raise RefusedError(422, f"n is {shown(n)}: write 1 to {MOST_DRAWS:,}")
    draws = selector.ask(n, worker=author or OUTSIDE, wait=False)
    paused = None if draws else selector.paused
    return {
        "draws": [of_draw(draw) for draw in draws],
        "done": not draws and selector.done,
        "paused": paused and paused._asdict(),
    }


def ask_again(selector: Selector, given: Answer, ids: Sequence[int]) -> Answer:
    """The draws of an earlier request that are still pending."""
    return {"draws": [of_draw(draw) for draw in selector.pending if draw.id in ids], "done": False, "paused": None}


def tell(selector: Selector, given: Answer, author: str) -> Answer:
    results = given.get("results")
    if other := next((name for name in given if (name in ONE) is (results is not None)), None):
        raise RefusedError(422, f"the request has {other} {'and' if results else 'without'} results: leave it out")
    if results is None:
        for name in ("draw", "value"):
            if name not in given and (name == "draw" or BATCHES.isdisjoint(given)):
                raise RefusedError(422, f"the result has no {name}: write {ONE[name].about}")
        return {"counted": bool(selector.tell_many([Row("", result_of(given))]).counted)}
    if len(results) > MOST_RESULTS:
        raise RefusedError(422, f"there are {len(results):,} results: write up to {MOST_RESULTS:,} at once")
    rows = [Row(f"row {i}", result_of(checked(each, ONE, f"row {i}"))) for i, each in enumerate(results, 1)]
    return selector.tell_many(rows, once=given.get("once"), skip=given.get("skip", False))._asdict()


def tell_again(selector: Selector, given: Answer, ids: Sequence[int]) -> Answer:
    """All that could be counted was."""
    return Told(len(given["results"]))._asdict() if "results" in given else {"counted": True}


def result_of(given: Answer) -> Answer:
    """A result as ``tell`` takes it."""
    found = dict(given)
    seed, draw = found.pop("seed", None), found.get("draw")
    if seed is not None and isinstance(draw, int):
        found["draw"] = Draw(draw, None, f"draw {draw}", seed, 0)
    if isinstance(found.get("value"), list):
        found["value"] = tuple(found["value"])
    return found


def state(selector: Selector, given: Answer, author: str) -> Answer:
    paused, remaining = selector.paused, selector.remaining
    return {
        "version": __version__,
        "settings": selector.settings.saved(),
        "budget": selector.budget,
        "spent": selector.spent,
        "remaining": remaining if math.isfinite(remaining) else None,
        "done": selector.done,
        "leader": selector.leader,
        "paused": paused and paused._asdict(),
        "failing": selector.failing,
        "removed": selector.removed,
        "pending": [of_draw(draw) for draw in selector.pending],
    }


def options(selector: Selector, given: Answer, author: str) -> Answer:
    both = {"options": selector.options, "items": selector.items}
    return {what: {name: plain(each) for name, each in named.items()} for what, named in both.items()}


def results(selector: Selector, given: Answer, author: str) -> Answer:
    found = selector.evidence()
    return {"results": encode({**found, "options": [plain(option) for option in found["options"]]})}


def of_draw(draw: Draw) -> Answer:
    found = {**draw._asdict(), "option": plain(draw.option), "item": plain(draw.item)}
    if draw.item_name is None:
        del found["item"], found["item_name"]
    return found


def plain(option: Any) -> Any:
    """As JSON; None for objects that it cannot hold, which the client knows by name."""
    try:
        return json.loads(json.dumps(option, allow_nan=False))
    except (TypeError, ValueError, RecursionError):
        return None


# -- the table -------------------------------------------------------------------------------------

DRAW = {"draw": Field(("integer",), "the id of the draw", True)}
NAME = {"name": Field(("string",), "its name", True)}
ONE = {
    "draw": Field(("integer", "string"), "the id of the draw, or the name of an option"),
    "value": Field((), "the result, a number; an object if the goal names several numbers"),
    "seed": Field(("integer",), "the seed of the draw; a draw of another selection is refused"),
    "successes": Field(("integer",), "instead of a value: how many of the trials gave 1, the others 0"),
    "trials": Field(("integer",), "how many trials there were"),
    "mean": Field(("number",), "instead of a value: the mean of several"),
    "sem": Field(("number",), "its standard error"),
    "n": Field(("integer",), "how many it is the mean of"),
}
MANY = {
    "results": Field(("array",), f"up to {MOST_RESULTS:,} objects of these fields, instead of them"),
    "once": Field(("string",), "a label of all results: what was told under it before is not counted again"),
    "skip": Field(("boolean",), "leave bad results out; `skipped` says which and why"),
}
WHY = {
    "reason": Field(("string",), "why, for people"),
    "retry_after": Field(("number",), "seconds to wait before the next try, as a service asked"),
}
OPTION = {
    "option": Field((), "what to evaluate, anything", True),
    "name": Field(("string",), "its name; the option as text if it is left out"),
    "cost": Field(("number",), "the cost of one result, if options have costs"),
    "alike": Field((), "its row, if options resemble each other by rows that were given"),
}
TABLE = (
    Operation(
        "ask",
        "The next draws, planned together; none if there is nothing to hand out now. `done`: whether that is final.",
        {"n": Field(("integer",), f"how many, 1 to {MOST_DRAWS:,}; 1 if it is left out")},
        {"n": 1},
        {
            "draws": [{"id": 7, "name": "b", "option": "b", "seed": 1234567, "replicate": 2}],
            "done": False,
            "paused": None,
        },
        ask,
        ask_again,
    ),
    Operation(
        "tell",
        "The result of a draw, or many in `results`. They are on disk when the answer comes. `counted` is false for a "
        "draw that was handed out twice and has one already; of many it is how many were counted. If one of many is "
        "refused none is kept.",
        ONE | MANY,
        {"draw": 7, "value": 0.83},
        {"counted": True},
        tell,
        tell_again,
    ),
    Operation(
        "fail",
        "A draw failed: it counts nowhere and costs nothing, and is handed out again.",
        DRAW | WHY,
        {"draw": 7, "reason": "out of memory"},
    ),
    Operation(
        "release",
        "Give a draw back: it is handed out again, with the same id and seed.  This is not a failure.",
        DRAW,
        {"draw": 7},
    ),
    Operation("add_option", "One more option, or one that was removed.", OPTION, {"option": "d"}),
    Operation("remove_option", "Its results stay, and it gets no more.", NAME, {"name": "a"}),
    Operation("add_budget", "More to spend.", {"more": Field(("number",), "how much, above 0", True)}, {"more": 100}),
    Operation(
        "note",
        "Keep a note with the selection.",
        NAME | {"value": Field((), "anything that JSON can hold", True)},
        {"name": "by", "value": "me"},
    ),
    Operation(
        "recommend",
        "The recommendation, how sure it is, and every option and result; `sentence` puts it in words.",
        call=lambda selector, *_: selector.recommend().to_dict(),
    ),
    Operation(
        "state",
        "Where the selection stands: budget, spent, leader, pending draws, pauses, failing options.",
        call=state,
    ),
    Operation("options", "The options and the items of a fixed test set by name.", call=options),
    Operation("notes", "The notes kept with the selection.", call=lambda selector, *_: {"notes": selector.notes}),
    Operation("results", "The data behind a recommendation, for `varde.connect`.", call=results),
)
OPERATIONS = {each.name: each for each in TABLE}


# -- checking requests, and describing them --------------------------------------------------------

KINDS: dict[str, tuple[tuple[type, ...], str]] = {  # of JSON: types, and what people call it
    "integer": ((int,), "a whole number"),
    "number": ((int, float), "a number"),
    "string": ((str,), "text"),
    "array": ((list,), "a list"),
    "boolean": ((bool,), "true or false"),
}


def checked(found: Any, wanted: Mapping[str, Field], where: str = "the request") -> Answer:
    """The fields of a request, or of one of its results."""
    if not isinstance(found, dict):
        raise RefusedError(422, f"{where} is {shown(found)}: write an object with {', '.join(wanted)}")
    for name, value in found.items():
        if name not in wanted:
            raise RefusedError(422, f"{where} has {shown(name)}: write {', '.join(wanted)}")
        kinds = wanted[name].kinds
        if kinds and not any(type(value) in KINDS[kind][0] for kind in kinds):
            words = " or ".join(KINDS[kind][1] for kind in kinds)
            raise RefusedError(422, f"{name} is {shown(value)}: write {words}")
    for name, field in wanted.items():
        if field.required and name not in found:
            raise RefusedError(422, f"{where} has no {name}: write {field.about}")
    return found


ERRORS = {
    "400": "no JSON",
    "401": "no token, or a wrong one",
    "403": "made by a page of another site",
    "408": "the request did not arrive in time",
    "409": "the draw already has its result, or there is nothing to recommend yet",
    "413": "too large",
    "422": "a field is wrong, or the Idempotency-Key belongs to another request: `error` says what to write instead",
    "503": "the file or the database cannot be used now",
}
KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "a text that no other request has: a request sent twice is carried out once",
    "schema": {"type": "string", "maxLength": LONGEST_KEY},
}


def openapi() -> Answer:
    """The operations as OpenAPI 3.1, from which clients can be generated."""
    return {
        "openapi": "3.1.0",
        "info": {"title": "varde serve", "version": __version__, "description": "One selection over HTTP."},
        "security": [{"token": []}],
        "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
        "paths": {each.path: {each.method.lower(): described(each)} for each in OPERATIONS.values()},
    }


def described(operation: Operation) -> Answer:
    found: Answer = {
        "operationId": operation.name,
        "summary": operation.about,
        "responses": {
            "200": {"description": "done", "content": content({"type": "object"}, operation.answer)},
            **{status: {"description": why} for status, why in ERRORS.items()},
        },
    }
    if operation.method == "POST":
        schema = {
            "type": "object",
            "additionalProperties": False,
            "required": [field for field, (_, _, required) in operation.fields.items() if required],
            "properties": {
                field: {"description": about, **({"type": list(kinds)} if kinds else {})}
                for field, (kinds, about, _) in operation.fields.items()
            },
        }
        found["parameters"] = [KEY]
        found["requestBody"] = {"required": True, "content": content(schema, operation.example)}
    return found


def content(schema: Answer, example: Any) -> Answer:
    return {"application/json": {"schema": schema, **({} if example is None else {"example": example})}}
