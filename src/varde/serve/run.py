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


def token_of(host: str, file: Path | None) -> str | None:
    """The token as given; there may be none where only this machine can look."""
    if file is not None:
        return token_in(file)
    if given := os.environ.get("VARDE_TOKEN"):
        return check_token(given, "VARDE_TOKEN")
    if not is_local(host):
        raise ValueError(f"--host {host} can be reached from elsewhere: write --token-file, or set VARDE_TOKEN")
    return None


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
        found.listen(2048)
    except OSError as error:
        found.close()
        raise ValueError(f"port {port} of {host} is not available ({error.strerror}): write another --port") from None
    return found


def allow_many_connections() -> None:
    """As many open files as this process may have: silent connections must not keep others out."""
    with suppress(ImportError, ValueError, OSError):
        import resource  # not on Windows

        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def serve(selector: Selector, host: str, port: int, token: str | None, where: str) -> None:
    """Serve until Ctrl-C; ``token_of`` says when there may be no token."""
    try:
        import uvicorn

        from .app import application
    except ImportError:
        raise ImportError("serve needs starlette and uvicorn: pip install 'varde[serve]'") from None
    allow_many_connections()
    # No access log: addresses and headers hold the token.  No limit_concurrency: silent connections would count.
    config = uvicorn.Config(
        application(selector, token),
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws="none",
        lifespan="off",
        timeout_keep_alive=5,
        timeout_graceful_shutdown=2,
    )
    with listening(host, port) as found, suppress(KeyboardInterrupt):  # which ended it
        shown = f"[{host}]" if ":" in host else host
        once = ", once with /?token= and the token" if token else ""
        print(f"varde: {where} is shown at http://{shown}:{found.getsockname()[1]}{once}", file=sys.stderr, flush=True)
        uvicorn.Server(config).run(sockets=[found])
