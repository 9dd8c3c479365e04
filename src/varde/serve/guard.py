"""Access control, before anything of a request is read.

token    ``Authorization: Bearer ...`` may do everything; a cookie, which a browser would also send for other sites,
         may only read.  Without a token there is no check, so only requests from this machine are served.
host     without a token: must be a name of this machine, against DNS rebinding
origin   a request from a page that changes something must come from one of our own pages
"""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOCAL = ("localhost", "127.0.0.1", "::1")
OPEN = ("/login", "/openapi.json", "/health")  # nothing of the selection is there
SESSION = 30 * 24 * 3600  # seconds for which a browser stays logged in
POLICY = (
    "default-src 'none'; script-src 'self'; style-src-elem 'self'; style-src-attr 'unsafe-inline'; "  # widths of bars
    "connect-src 'self'; img-src data:; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",  # without any, browsers send the login form as from nowhere
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}
messages = logging.getLogger("varde")


class Guard:
    """Passes on only the requests that are allowed."""

    def __init__(self, app: ASGIApp, token: str | None, leave: Callable[[], None] = lambda: None):
        self.app, self.token = app, token
        self.leave = leave  # called when the server ends
        self.digest = digest(token.encode()) if token else b""
        self.cookie = "varde_" + self.sign("name")[:12] if token else ""  # another server on this machine has its own

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        begun = False

        async def guarded(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                ours = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
                message = {**message, "headers": [*message.get("headers", []), *ours]}
            await send(message)

        refusal = self.refusal(scope)
        if refusal is not None:
            await answer(guarded, *refusal)
            return
        try:
            await self.app(scope, receive, guarded)
        except Exception:
            messages.exception("%s %s could not be answered", scope["method"], scope["path"])
            if begun:
                raise
            await answer(guarded, 500, "something went wrong in the server: its log says what")

    def refusal(self, scope: Scope) -> tuple[Any, ...] | None:
        """(status, why, further headers), or None."""
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        host, path, reads = headers.get(b"host", ""), scope["path"], scope["method"] in ("GET", "HEAD")
        if not self.token and name_of(host) not in LOCAL:
            return 403, "without a token only this machine is served: write http://localhost and the port"
        if not reads and not is_ours(headers, host):
            return 403, "the request was made by a page of another site: it is not served"
        if not self.token or path in OPEN or path.startswith("/static/"):
            return None
        scheme, _, given = headers.get(b"authorization", "").partition(" ")
        if scheme.lower() == "bearer" and self.knows(given.strip()):
            return None
        if reads and self.is_session(headers.get(b"cookie", "")):
            return None
        if path == "/" and reads and not given:
            return 303, "log in first", (b"location", b"login")
        how = "the token is wrong" if given else "there is no token"
        return 401, f"{how}: write the header Authorization: Bearer and the token", (b"www-authenticate", b"Bearer")

    def knows(self, given: str) -> bool:
        """Whether it is the token, compared in constant time."""
        return hmac.compare_digest(digest(given.encode("latin-1", "replace")), self.digest)

    def sign(self, text: str) -> str:
        return hmac.new((self.token or "").encode(), f"varde page {text}".encode(), hashlib.sha256).hexdigest()

    def session(self) -> str:
        """The cookie of a browser: valid for a limited time, and the token cannot be derived from it."""
        until = str(int(time.time()) + SESSION)
        return f"{until}.{self.sign(until)}"

    def is_session(self, cookies: str) -> bool:
        for cookie in cookies.split(";"):
            name, _, value = cookie.strip().partition("=")
            until, _, signature = value.partition(".")
            if name == self.cookie and until.isascii() and until.isdecimal() and len(until) < 12:
                right = hmac.compare_digest(signature.encode("latin-1", "replace"), self.sign(until).encode())
                return right and int(until) > time.time()
        return False


def digest(text: bytes) -> bytes:
    return hashlib.sha256(text).digest()


def name_of(host: str) -> str:
    """A Host header without its port."""
    try:
        return (urlsplit(f"//{host}").hostname or "").rstrip(".")
    except ValueError:
        return ""


def is_ours(headers: dict[bytes, str], host: str) -> bool:
    """Whether a request does not come from a page, or comes from a page of this server."""
    if headers.get(b"sec-fetch-site", "none") not in ("none", "same-origin"):
        return False
    origin = headers.get(b"origin")
    return origin is None or origin.partition("://")[2].lower() == host.lower()


async def answer(send: Send, status: int, why: str, *headers: tuple[bytes, bytes]) -> None:
    body = json.dumps({"error": why}).encode()
    kind = (b"content-type", b"application/json")
    # Unread parts of the request must not be read as the next one.
    start = [kind, (b"content-length", str(len(body)).encode()), (b"connection", b"close"), *headers]
    await send({"type": "http.response.start", "status": status, "headers": start})
    await send({"type": "http.response.body", "body": body})
