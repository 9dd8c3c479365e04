"""``varde serve``: a live page of a selection, for people who want to watch."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .app import OPTIONS, app
from .options import Place, place, ready


@app.command(rich_help_panel=OPTIONS)
def serve(
    store: Annotated[
        Place, typer.Argument(parser=place, metavar="STORE", help="the selection: its file or postgresql://...")
    ],
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="address to listen on; a token is required if others can reach it")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes any free port")] = 8399,
    token_file: Annotated[
        Path | None, typer.Option(help="file with the token, created if it does not exist; or set VARDE_TOKEN")
    ] = None,
) -> None:
    """Show a live page of a selection, which others may be running. It only reads. Ctrl-C stops it.

    Without a token it is for this machine only; with one, open the address once with /?token= and the token.
    """
    from ..selection import Selector
    from ..selection.log import read_only
    from ..serve import run

    token = ready(run.token_of, host, token_file)
    with ready(lambda: Selector.open(read_only(store))) as selector:
        ready(run.serve, selector, host, port, token, str(store))
