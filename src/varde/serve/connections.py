"""uvicorn, which here gives nobody a connection for nothing: a request must come within seconds."""

from __future__ import annotations

import asyncio
import socket
import sys
from collections.abc import Callable
from typing import Any, ClassVar

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

SLOWEST = 10.0  # seconds in which the head of a request must have arrived, after the connection or the last answer
MOST_SILENT = 300  # connections that have not yet sent a request; if there are more, the oldest is closed


class Timed(H11Protocol):
    """A connection with a time limit.  Those that say nothing cannot keep others out, however many there are."""

    silent: ClassVar[dict[Timed, None]] = {}  # oldest first
    limit: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self.silent[self] = None
        if len(self.silent) > MOST_SILENT:
            next(iter(self.silent)).give_up()
        self.limit = self.loop.call_later(SLOWEST, self.give_up)

    def handle_events(self) -> None:
        before = self.cycle
        super().handle_events()
        if self.cycle is not before:
            self.spoke()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if not self.transport.is_closing():
            self.spoke()
            self.limit = self.loop.call_later(SLOWEST, self.give_up)

    def connection_lost(self, exc: Exception | None) -> None:
        self.spoke()
        super().connection_lost(exc)

    def spoke(self) -> None:
        self.silent.pop(self, None)
        if self.limit is not None:
            self.limit.cancel()

    def give_up(self) -> None:
        self.spoke()
        self.transport.close()


class Server(uvicorn.Server):
    """Announces the address once it listens, and ends those who watch when it ends."""

    def __init__(self, app: Any, announcement: str, leave: Callable[[], None]):
        # No access log: requests are private, and headers hold the token.
        config = uvicorn.Config(
            app,
            http=Timed,
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            ws="none",
            h11_max_incomplete_event_size=16 * 1024,
            limit_concurrency=1000,
            timeout_graceful_shutdown=2,
        )
        super().__init__(config)
        self.announcement, self.leave = announcement, leave

    def handle_exit(self, sig: int, frame: Any) -> None:
        self.leave()
        super().handle_exit(sig, frame)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            print(self.announcement, file=sys.stderr, flush=True)
