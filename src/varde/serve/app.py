"""The routes: JSON for programs, pages for people.  guard.py has already checked who may."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

from .._files import StoreError
from ..selection import AlreadyToldError
from .answers import ANSWERS, Answer
from .bodies import RefusedError, body, fields
from .group_commit import Turns
from .guard import SESSION, Guard
from .live import MOST_WATCHING, Live
from .once import LONGEST, Once
from .openapi import openapi
from .operations import Operation
from .pages import docs_page, live_page, login_page, script, stylesheet

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

Endpoint = Callable[[Request], Awaitable[Response]]


def application(selector: Selector, token: str | None = None) -> Guard:
    """The selection as an ASGI application, for ``varde serve`` or a server of your own.

    Without a token it serves requests to localhost only.
    """
    once = Once(selector)
    turns = Turns(once)
    routes = [
        Route(operation.path, endpoint(turns, operation, answer), methods=[operation.method])
        for operation, answer in ANSWERS
    ]
    people = People(Live(selector))
    routes += [
        Route("/", people.page),
        Route("/events", people.events),
        Route("/login", people.login, methods=["GET", "POST"]),
        Route("/static/style.css", styled),
        Route("/static/live.js", scripted),
        Route("/docs", explained),
        Route("/openapi.json", described),
        Route("/health", healthy),
    ]
    people.guard = Guard(Starlette(routes=routes, exception_handlers={HTTPException: not_here}), token, people.leave)
    return people.guard


def endpoint(turns: Turns, operation: Operation, answer: Callable[[Once, Answer, str], Answer]) -> Endpoint:
    async def serve(request: Request) -> Response:
        try:
            if operation.method == "GET":
                return as_json(await run_in_threadpool(answer, turns.once, {}, ""))
            given, key = await fields(request, operation.fields), key_of(request)
            return as_json(await turns.take(lambda: answer(turns.once, given, key)))
        except (RefusedError, ValueError, TypeError, RuntimeError) as error:
            return refused(error)

    return serve


def key_of(request: Request) -> str:
    key = request.headers.get("idempotency-key", "")
    if len(key) > LONGEST or not (key.isascii() and key.isprintable()):
        raise RefusedError(422, f"the Idempotency-Key cannot be used: write up to {LONGEST} ASCII characters")
    return key


def refused(error: Exception) -> Response:
    """The reason in words, and the exception that ``varde.Selector`` would raise."""
    if isinstance(error, RefusedError):
        status = error.status
    elif isinstance(error, StoreError):
        status = 503
    else:
        status = 409 if isinstance(error, AlreadyToldError | RuntimeError) else 422
    return as_json({"error": str(error), "kind": type(error).__name__}, status)


def as_json(found: Any, status: int = 200) -> Response:
    headers = {"connection": "close"} if status == 413 else None
    return Response(json.dumps(found), status, headers, media_type="application/json")


async def not_here(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    words = {
        404: "there is nothing here: GET /docs says what there is",
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
        page, policy = live_page(self.live.title, self.live.html)
        return HTMLResponse(page, headers={"content-security-policy": policy})

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


async def styled(request: Request) -> Response:
    return Response(stylesheet(), media_type="text/css")


async def scripted(request: Request) -> Response:
    return Response(script(), media_type="text/javascript")


async def explained(request: Request) -> Response:
    return HTMLResponse(docs_page())


async def described(request: Request) -> Response:
    return as_json(openapi())


async def healthy(request: Request) -> Response:
    return as_json({"ok": True})
