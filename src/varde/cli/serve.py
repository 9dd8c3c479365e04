"""``varde serve``: a selection over HTTP, for programs anywhere and for people who want to watch."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .app import OPTIONS, app, refuse
from .options import File, Wanted, ready, takes


@app.command(rich_help_panel=OPTIONS)
@takes("options items budget minimise goal limits seed crn alike calls stop margin")
def serve(
    file: File,
    wanted: Wanted,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="address to listen on; a token is required if others can reach it")
    ] = ("127.0.0.1"),
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes any free port")] = 8399,
    token_file: Annotated[
        Path | None, typer.Option(help="file with the token, created if it does not exist; or set VARDE_TOKEN")
    ] = None,
    open_to_all: Annotated[
        bool, typer.Option("--no-token", help="let everybody on this machine ask, tell and watch")
    ] = False,
) -> None:
    """Serve a selection over HTTP: ask, tell, recommend, and a page to watch. Ctrl-C stops it; nothing is lost.

    From Python: varde.connect("http://127.0.0.1:8399", token=...). From elsewhere: /openapi.json says how.
    """
    if open_to_all and token_file is not None:
        refuse("--no-token and --token-file exclude each other: write one of them")
    from ..serve import run

    token = ready(run.token_of, host, token_file, open_to_all)
    with ready(wanted.opened, file) as selector:
        ready(run.serve, selector, host, port, token, str(file))
