"""Every operation of the server and its fields, for checking requests and for the OpenAPI page."""

from __future__ import annotations

from typing import Any, NamedTuple

MOST_DRAWS = 10_000  # in one answer
MOST_RESULTS = 10_000  # in one request


class Field(NamedTuple):
    """One field of a request."""

    kinds: tuple[str, ...]  # as JSON Schema calls them; none: anything
    about: str
    required: bool = False


class Operation(NamedTuple):
    """An operation of the server."""

    method: str
    path: str
    about: str
    fields: dict[str, Field]
    example: Any = None  # a request
    answer: Any = None  # and its answer


DRAW = Field(("integer",), "the id of the draw", True)
DRAWN = {"id": 7, "name": "b", "option": "b", "seed": 1234567, "replicate": 2}

ASK = Operation(
    "POST",
    "/ask",
    "The next draws, planned together; none if there is nothing to hand out now. `done` says whether that is final.",
    {"n": Field(("integer",), f"how many, 1 to {MOST_DRAWS:,}; 1 if it is left out")},
    {"n": 1},
    {"draws": [DRAWN], "done": False, "paused": None},
)
TELL = Operation(
    "POST",
    "/tell",
    "The result of a draw, or many in `results`. They are on the disk when the answer comes. `counted` is false for a "
    "draw that was handed out twice and has a result already; of many results it is how many were counted. If one of "
    "many is refused none is kept.",
    {
        "draw": Field(("integer", "string"), "the id of the draw, or the name of an option"),
        "value": Field(("number", "object", "array"), "the result; an object if the goal names several numbers"),
        "cost": Field(("number",), "its cost, if costs come back with the results"),
        "seed": Field(("integer",), "the seed of the draw; a draw of another selection is refused"),
        "successes": Field(("integer",), "instead of a value: how many of the trials gave 1, the others 0"),
        "trials": Field(("integer",), "how many trials there were"),
        "mean": Field(("number",), "instead of a value: the mean of several"),
        "sem": Field(("number",), "its standard error"),
        "n": Field(("integer",), "how many it is the mean of"),
        "results": Field(("array",), f"up to {MOST_RESULTS:,} objects of these fields, instead of them"),
        "once": Field(("string",), "a label of all results: what was told under it before is not counted again"),
        "skip": Field(("boolean",), "leave bad results out; `skipped` says which and why"),
    },
    {"draw": 7, "value": 0.83},
    {"counted": True},
)
FAIL = Operation(
    "POST",
    "/fail",
    "A draw failed: it counts nowhere and costs nothing, and is handed out again.",
    {
        "draw": DRAW,
        "reason": Field(("string",), "why, for people"),
        "retry_after": Field(("number",), "seconds to wait before the next try, as a service asked"),
    },
    {"draw": 7, "reason": "out of memory"},
    {},
)
RELEASE = Operation(
    "POST",
    "/release",
    "Give a draw back: it is handed out again, with the same id and seed.  This is not a failure.",
    {"draw": DRAW},
    {"draw": 7},
    {},
)
ADD = Operation(
    "POST",
    "/options/add",
    "One more option; one that was removed comes back with its results.",
    {
        "name": Field(("string",), "its name", True),
        "option": Field((), "what to evaluate, anything; its name if it is left out"),
        "cost": Field(("number",), "the cost of one result, if options have costs"),
    },
    {"name": "d"},
    {},
)
REMOVE = Operation(
    "POST",
    "/options/remove",
    "Remove an option: it is no longer drawn or recommended. Its results stay.",
    {"name": Field(("string",), "its name", True)},
    {"name": "a"},
    {},
)
BUDGET = Operation(
    "POST",
    "/budget",
    "More to spend.",
    {"more": Field(("number",), "how much to add, above 0", True)},
    {"more": 100},
    {},
)
NOTE = Operation(
    "POST",
    "/note",
    "Keep a note with the selection.",
    {"name": Field(("string",), "its name", True), "value": Field((), "anything that JSON can hold", True)},
    {"name": "made by", "value": "model 3"},
    {},
)
RECOMMEND = Operation(
    "GET",
    "/recommend",
    "The recommendation, how sure it is, and every option and result; `sentence` puts it in words.",
    {},
)
STATE = Operation(
    "GET", "/state", "Where the selection stands: budget, spent, leader, pending draws, pauses, failing options.", {}
)
OPTIONS = Operation("GET", "/options", "The options and the items of a fixed test set by name.", {})
NOTES = Operation("GET", "/notes", "The notes kept with the selection, by name.", {})
RESULTS = Operation("GET", "/results", "The data behind a recommendation, for a remote `varde.Selector`.", {})

OPERATIONS = (ASK, TELL, FAIL, RELEASE, RECOMMEND, STATE, OPTIONS, NOTES, RESULTS, ADD, REMOVE, BUDGET, NOTE)
