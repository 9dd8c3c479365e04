"""The routes of the page, and who may look.

token   in the header ``Authorization: Bearer ...``, or once in the address, ``/?token=...``, which sets a cookie
host    without a token only this machine is served, by its own names: a page of another site that calls itself by our
        address (DNS rebinding) has another one
"""

from __future__ import annotations

import hashlib
import hmac
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ..show.page import asset, document
from ..show.page.text import join, tag
from .live import Live

try:
    from starlette.applications import Starlette
    from starlette.datastructures import MutableHeaders
    from starlette.requests import Request
    from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
    from starlette.routing import Route
except ImportError:
    raise ImportError("serve needs starlette and uvicorn: pip install 'varde[serve]'") from None

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from ..selection import Selector

LOCAL = ("localhost", "127.0.0.1", "::1")
HEADERS = {
    # Styles in attributes are the widths of bars.
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src-elem 'self'; "
    "style-src-attr 'unsafe-inline'; connect-src 'self'; img-src data:; form-action 'none'; base-uri 'none'; "
    "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",  # an address may hold the token
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}


def application(selector: Selector, token: str | None = None) -> ASGIApp:
    """The page as an ASGI application; without a token it serves requests to localhost only."""
    live = Live(selector)

    async def page(request: Request) -> Response:
        await live.refresh()
        return HTMLResponse(framed(live))

    async def now(request: Request) -> Response:
        await live.refresh()
        if request.query_params.get("seen") == live.version:
            return Response(status_code=204)
        return JSONResponse({"version": live.version, "title": live.title, "html": live.html})

    async def style(request: Request) -> Response:
        sheets = asset("style.css"), asset("ranges.css", "varde.show"), asset("live.css", __package__)
        return Response("\n".join(sheets), media_type="text/css")

    async def script(request: Request) -> Response:
        return Response(asset("live.js", __package__), media_type="text/javascript")

    routes = [
        Route("/", page),
        Route("/now", now),
        Route("/static/style.css", style),
        Route("/static/live.js", script),
    ]
    return Guard(Starlette(routes=routes), token)


def framed(live: Live) -> str:
    """The whole page, which without a script shows what was known when it was loaded."""
    words = "This page needs JavaScript to follow the results: reload it for newer ones."
    state = tag("span", "connecting", id="state", role="status", hidden=True)
    top = tag("p", state, tag("noscript", tag("span", words)), class_="top")
    # Relative addresses: a proxy may serve the page below a path.
    head = '<link rel="stylesheet" href="static/style.css">\n<script src="static/live.js" defer></script>'
    return document(live.title, head, join([top, tag("div", live.html, id="live", data_version=live.version)]))


class Guard:
    """Passes on only the requests of those who may look, and adds the headers to every answer."""

    def __init__(self, app: ASGIApp, token: str | None):
        self.app, self.token = app, token
        self.secret = hmac.new((token or "").encode(), b"varde page", hashlib.sha256).hexdigest()
        self.cookie = f"varde_{self.secret[:8]}"  # browsers share cookies between the servers of a machine

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        request = Request(scope)
        await (self.refusal(request) or self.app)(scope, receive, guarded)

    def refusal(self, request: Request) -> Response | None:
        """What those get who may not look, or who have just shown the token; None for all others."""
        if self.token is None:
            if name_of(request.headers.get("host", "")) in LOCAL:
                return None
            words = "without a token only this machine is served: write http://localhost and the port"
            return PlainTextResponse(words, 403)
        given = request.query_params.get("token")
        if given is not None and request.url.path == "/" and self.knows(given):
            found = RedirectResponse("./", 303)  # an address without the token, also in the history of the browser
            secure = request.url.scheme == "https"
            found.set_cookie(self.cookie, self.secret[8:], secure=secure, httponly=True, samesite="lax")
            return found
        scheme, _, bearer = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and self.knows(bearer.strip()):
            return None
        if same(request.cookies.get(self.cookie, ""), self.secret[8:]):
            return None
        words = "the token is missing or wrong: open the address with /?token= and the token once, or write the header "
        return PlainTextResponse(f"{words}Authorization: Bearer and the token", 401, {"WWW-Authenticate": "Bearer"})

    def knows(self, given: str) -> bool:
        return same(given, self.token or "")


def same(one: str, other: str) -> bool:
    """Compared in constant time, whatever their lengths."""
    return hmac.compare_digest(*(hashlib.sha256(text.encode("utf-8", "replace")).digest() for text in (one, other)))


def name_of(host: str) -> str:
    """A Host header without its port."""
    try:
        return (urlsplit(f"//{host}").hostname or "").rstrip(".")
    except ValueError:
        return ""
