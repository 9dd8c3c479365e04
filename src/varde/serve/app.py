"""The routes: JSON for programs, pages for people.  guard.py has already checked who may."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import parse_qs

from .._files import StoreError
from ..selection import AlreadyToldError
from .guard import SESSION, Guard
from .live import MOST_WATCHING, Live
from .once import Once
from .operations import LONGEST_KEY, OPERATIONS, Answer, Operation, RefusedError, checked, openapi
from .pages import live_page, login_page, script, stylesheet

try:
    from starlette.applications import Starlette
    from starlette.concurrency import run_in_threadpool
    from starlette.exceptions import HTTPException
    from starlette.requests import Request
    from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse
    from starlette.routing import Route
except ImportError:
    raise ImportError("serve needs starlette and uvicorn: pip install 'varde[serve]'") from None

if TYPE_CHECKING:
    from ..selection import Selector

MOST_BYTES = 2**20  # of a body
SLOWEST = 10.0  # seconds in which a body must have arrived


def application(selector: Selector, token: str | None = None) -> Guard:
    """The selection as an ASGI application, for ``varde serve`` or a server of your own.

    Without a token it serves requests to localhost only.
    """
    once, people = Once(selector), People(Live(selector))
    routes = [Route(each.path, endpoint(once, each), methods=[each.method]) for each in OPERATIONS.values()]
    routes += [
        Route("/", people.page),
        Route("/events", people.events),
        Route("/login", people.login, methods=["GET", "POST"]),
        Route("/static/style.css", fixed(lambda: Response(stylesheet(), media_type="text/css"))),
        Route("/static/live.js", fixed(lambda: Response(script(), media_type="text/javascript"))),
        Route("/openapi.json", fixed(lambda: as_json(openapi()))),
        Route("/health", fixed(lambda: as_json({"ok": True}))),
    ]
    people.guard = Guard(Starlette(routes=routes, exception_handlers={HTTPException: not_here}), token, people.leave)
    return people.guard


def fixed(make: Callable[[], Response]) -> Callable[[Request], Awaitable[Response]]:
    async def serve(request: Request) -> Response:
        return make()

    return serve


def endpoint(once: Once, operation: Operation) -> Callable[[Request], Awaitable[Response]]:
    async def serve(request: Request) -> Response:
        try:
            if operation.method == "GET":
                return as_json(await run_in_threadpool(operation.carry_out, once.selector, {}))
            given = checked(await fields(request), operation.fields)
            return as_json(await once.take(operation, given, key_of(request)))
        except (RefusedError, ValueError, TypeError, RuntimeError) as error:
            return refused(error)

    return serve


def key_of(request: Request) -> str:
    key = request.headers.get("idempotency-key", "")
    if len(key) > LONGEST_KEY or not (key.isascii() and key.isprintable()):
        raise RefusedError(422, f"the Idempotency-Key cannot be used: write up to {LONGEST_KEY} ASCII characters")
    return key


async def fields(request: Request) -> Answer:
    """The JSON in a request; an empty body is an object without fields."""
    kind = request.headers.get("content-type", "").split(";")[0].strip().lower()
    if kind != "application/json":  # which no form of another site can send
        raise RefusedError(415, "the request is not JSON: write the header Content-Type: application/json")
    text = await body(request)
    try:
        found: Answer = json.loads(text, parse_constant=no_number) if text.strip() else {}
    except (ValueError, RecursionError):
        raise RefusedError(400, "the request is not valid JSON: write an object") from None
    return found


def no_number(name: str) -> NoReturn:
    raise RefusedError(400, f"the request has {name}, which is not a JSON number: write a finite one")


async def body(request: Request) -> bytes:
    """The whole body, unless it is too large or too slow."""
    too_much = RefusedError(413, f"the request has more than {MOST_BYTES:,} bytes: write several smaller ones")
    announced = request.headers.get("content-length", "0")
    if announced.isdecimal() and len(announced) < 20 and int(announced) > MOST_BYTES:
        raise too_much
    parts, size = [], 0
    try:
        async with asyncio.timeout(SLOWEST):
            async for part in request.stream():
                size += len(part)
                if size > MOST_BYTES:
                    raise too_much
                parts.append(part)
    except TimeoutError:
        raise RefusedError(408, f"the request did not arrive within {SLOWEST:g} s: send it again") from None
    return b"".join(parts)


def refused(error: Exception) -> Response:
    """The reason in words, and the exception that a Selector would raise."""
    if isinstance(error, RefusedError):
        status = error.status
    elif isinstance(error, StoreError):
        status = 503
    else:
        status = 409 if isinstance(error, AlreadyToldError | RuntimeError) else 422
    return as_json({"error": str(error), "kind": type(error).__name__}, status)


def as_json(found: Any, status: int = 200) -> Response:
    headers = {"connection": "close"} if status in (408, 413) else None
    return Response(json.dumps(found), status, headers, media_type="application/json")


async def not_here(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    words = {
        404: "there is nothing here: GET /openapi.json says what there is",
        405: "use GET in place of POST, or POST in place of GET",
    }
    return as_json({"error": words.get(error.status_code, error.detail)}, error.status_code)


class People:
    """What a browser sees."""

    guard: Guard

    def __init__(self, live: Live):
        self.live = live

    async def page(self, request: Request) -> Response:
        await self.live.refresh()
        return HTMLResponse(live_page(self.live.title, self.live.html))

    async def events(self, request: Request) -> Response:
        if self.live.watching >= MOST_WATCHING:
            return as_json({"error": f"{MOST_WATCHING} viewers are connected already: try again later"}, 503)
        if request.method == "HEAD":
            return Response(media_type="text/event-stream")
        return StreamingResponse(self.live.stream(), media_type="text/event-stream")

    async def login(self, request: Request) -> Response:
        if not self.guard.token:
            return RedirectResponse("./", 303)
        if request.method == "GET":
            return HTMLResponse(login_page())
        try:
            form = parse_qs((await body(request)).decode("latin-1"), max_num_fields=5)
        except (RefusedError, ValueError) as error:
            return refused(error)
        if not self.guard.knows(form.get("token", [""])[0].strip()):
            return HTMLResponse(login_page(wrong=True), 401)
        found = RedirectResponse("./", 303)
        secure = request.url.scheme == "https"
        found.set_cookie(
            self.guard.cookie, self.guard.session(), SESSION, secure=secure, httponly=True, samesite="strict"
        )
        return found

    def leave(self) -> None:
        """End all streams."""
        self.live.over = True
