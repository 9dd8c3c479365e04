"""Run the server: its token, its socket."""

from __future__ import annotations

import os
import secrets
import socket
import stat
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..selection import Selector

LEAST = 16  # letters of a token; fewer could be guessed
LOOPBACK = ("127.", "::1")


def is_local(host: str) -> bool:
    """Whether only this machine can reach it; every address that a name stands for counts."""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except OSError as error:
        raise ValueError(
            f"--host is {host!r}, which is not an address of this machine ({error}): write 127.0.0.1"
        ) from None
    return bool(found) and all(str(entry[4][0]).startswith(LOOPBACK) for entry in found)


def token_of(host: str, file: Path | None, open_to_all: bool) -> str | None:
    """The token as given; on this machine one is made, and shown only once.  None only where no other can ask."""
    if file is not None:
        return token_in(file)
    local = is_local(host)
    if open_to_all:
        if not local:
            raise ValueError(f"--host {host} can be reached from elsewhere: leave --no-token out")
        return None
    if given := os.environ.get("VARDE_TOKEN"):
        return check_token(given, "VARDE_TOKEN")
    if not local:
        raise ValueError(f"--host {host} can be reached from elsewhere: write --token-file, or set VARDE_TOKEN")
    if not sys.stderr.isatty():
        raise ValueError("a token made now would be shown in a log: write --token-file, or set VARDE_TOKEN")
    made = secrets.token_urlsafe(32)
    print(f"varde: the token, shown only once, is {made}", file=sys.stderr, flush=True)
    return made


def token_in(file: Path) -> str:
    """The token in a file, which is created, readable by this user only, if it does not exist."""
    try:
        with open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as made:
            made.write(secrets.token_urlsafe(32) + "\n")
    except FileExistsError:
        if os.name == "posix" and file.stat().st_mode & (stat.S_IRGRP | stat.S_IROTH):
            raise ValueError(f"{file} can be read by others: write chmod 600 {file}, and a new token into it") from None
    return check_token(file.read_text(encoding="utf-8", errors="replace").strip(), str(file))


def check_token(token: str, where: str) -> str:
    if len(token) < LEAST or not (token.isascii() and token.isprintable()) or " " in token:
        raise ValueError(
            f"the token of {where} is not accepted: write {LEAST} or more ASCII characters, without spaces"
        )
    return token


def listening(host: str, port: int) -> socket.socket:
    family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
    # With its protocol, or asyncio does not know it for TCP, and answers wait 40 ms (Nagle, delayed acknowledgement).
    found = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((host, port))
    except OSError as error:
        found.close()
        raise ValueError(f"port {port} of {host} is not available ({error.strerror}): write another --port") from None
    return found


def serve(selector: Selector, host: str, port: int, token: str | None, where: str) -> None:
    """Serve until Ctrl-C; ``token_of`` says when there may be no token."""
    try:
        from .app import application
        from .connections import Server
    except ImportError:
        raise ImportError("serve needs starlette and uvicorn: pip install 'varde[serve]'") from None
    app = application(selector, token)
    with listening(host, port) as found:
        shown = f"[{host}]" if ":" in host else host
        server = Server(app, f"varde: {where} is served at http://{shown}:{found.getsockname()[1]}", app.leave)
        with suppress(KeyboardInterrupt):  # which ended it
            server.run(sockets=[found])
