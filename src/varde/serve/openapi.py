"""The operations as OpenAPI 3.1, from which clients can be generated."""

from __future__ import annotations

from typing import Any

from .. import __version__
from .operations import OPERATIONS, Operation

ERRORS = {
    "400": "no JSON",
    "401": "no token, or a wrong one",
    "403": "made by a page of another site",
    "409": "the draw already has its result, or there is nothing to recommend yet",
    "413": "too large",
    "422": "a field is wrong: `error` says which, and what to write instead",
    "503": "the file or the database cannot be used now",
}
KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "a text that no other request has: a request sent twice is carried out once",
    "schema": {"type": "string", "maxLength": 200},
}


def openapi() -> dict[str, Any]:
    """The whole description."""
    paths: dict[str, Any] = {}
    for operation in OPERATIONS:
        paths.setdefault(operation.path, {})[operation.method.lower()] = described(operation)
    return {
        "openapi": "3.1.0",
        "info": {"title": "varde serve", "version": __version__, "description": "One selection over HTTP."},
        "security": [{"token": []}],
        "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
        "paths": paths,
    }


def described(operation: Operation) -> dict[str, Any]:
    found: dict[str, Any] = {
        "operationId": operation.path.strip("/").replace("/", "_") + ("" if operation.method == "POST" else "_get"),
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
            "required": [name for name, field in operation.fields.items() if field.required],
            "properties": {
                name: {"description": field.about, **({"type": list(field.kinds)} if field.kinds else {})}
                for name, field in operation.fields.items()
            },
        }
        found["parameters"] = [KEY]
        found["requestBody"] = {"required": True, "content": content(schema, operation.example)}
    return found


def content(schema: dict[str, Any], example: Any) -> dict[str, Any]:
    return {"application/json": {"schema": schema, **({} if example is None else {"example": example})}}
