"""A selection over HTTP: ``varde serve`` is the server, ``varde.connect("http://...")`` the client.

operations.py    every operation: its fields, what it does; routes, OpenAPI and the client are made from this table
once.py          a request sent twice is carried out once; requests that wait for the disk share one wait
app.py           the routes: JSON for programs, pages for people   (needs varde[serve])
guard.py         access: tokens, hosts, other sites, headers
run.py           the token, the socket; connections.py: uvicorn, with time limits
live.py          the page for people, and how intervals narrowed; pages.py, live.js, live.css: its frame, login
client.py        Remote, what ``varde.connect`` returns (needs no extra)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .client import Remote


def connect(address: str, *, token: str | None = None, patience: float = 60.0) -> Remote:
    """A selection that ``varde serve`` offers at ``address``, such as ``"http://host:8399"``.

    ``token`` is the server's, by default the environment variable ``VARDE_TOKEN``.  If the server does not answer, the
    client keeps trying for ``patience`` seconds.
    """
    from .client import Remote

    return Remote(address, token, patience)
