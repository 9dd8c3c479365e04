"""The body of a request: limited in size, JSON, with the fields of the operation and no others."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NoReturn

from ..check import shown
from .operations import Field

if TYPE_CHECKING:
    from starlette.requests import Request

MOST_BYTES = 2**20  # of a body
IS: dict[str, Any] = {
    "integer": lambda value: type(value) is int,
    "number": lambda value: type(value) in (int, float),
    "string": lambda value: isinstance(value, str),
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "boolean": lambda value: isinstance(value, bool),
}
CALLED = {
    "integer": "a whole number",
    "number": "a number",
    "string": "text",
    "object": "numbers by name",
    "array": "a list",
    "boolean": "true or false",
}


class RefusedError(Exception):
    """A request that is not served, and why."""

    def __init__(self, status: int, message: str):
        super().__init__(message)
        self.status = status


async def body(request: Request) -> bytes:
    """The whole body, unless it is too large."""
    said = request.headers.get("content-length", "0")
    if said.isdecimal() and len(said) < 20 and int(said) > MOST_BYTES:
        too_much()
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > MOST_BYTES:
            too_much()
        parts.append(part)
    return b"".join(parts)


def too_much() -> NoReturn:
    raise RefusedError(413, f"the request has more than {MOST_BYTES:,} bytes: write several smaller ones")


async def fields(request: Request, wanted: Mapping[str, Field]) -> dict[str, Any]:
    """The JSON object in a request, checked; an empty body is an object without fields."""
    kind = request.headers.get("content-type", "").split(";")[0].strip().lower()
    if kind != "application/json":  # which no form of another site can send
        raise RefusedError(415, "the request is not JSON: write the header Content-Type: application/json")
    text = await body(request)
    try:
        found = json.loads(text, parse_constant=no_number) if text.strip() else {}
    except RefusedError:
        raise
    except (ValueError, RecursionError):
        raise RefusedError(400, "the request is not valid JSON: write an object") from None
    return checked(found, wanted)


def no_number(name: str) -> NoReturn:
    raise RefusedError(400, f"the request has {name}, which is not a JSON number: write a finite one")


def checked(found: Any, wanted: Mapping[str, Field], where: str = "the request") -> dict[str, Any]:
    if not isinstance(found, dict):
        raise RefusedError(422, f"{where} is {shown(found)}: write an object with {listed(wanted)}")
    for name, value in found.items():
        if name not in wanted:
            raise RefusedError(422, f"{where} has {shown(name)}: write {listed(wanted)}")
        kinds = wanted[name].kinds
        if kinds and not any(IS[kind](value) for kind in kinds):
            words = " or ".join(CALLED[kind] for kind in kinds)
            raise RefusedError(422, f"{name} is {shown(value)}: write {words}")
    for name, field in wanted.items():
        if field.required and name not in found:
            raise RefusedError(422, f"{where} has no {name}: write {field.about}")
    return found


def listed(wanted: Mapping[str, Field]) -> str:
    return ", ".join(wanted)
