"""``Remote``: a Selector whose work is done by a server.

A request without an answer is sent again, with the same key, until the server is back; it is carried out once.
"""

from __future__ import annotations

import http.client
import inspect
import json
import math
import os
import threading
import time
import uuid
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from .._files import StoreError
from ..check import real, refuse
from ..selection.batches import batch_of
from ..selection.checks import check_text, check_value, in_plain_text, name_of, shorten, why
from ..selection.draws import Draw
from ..selection.failures import Outages, Pause
from ..selection.goals import goal_from
from ..selection.selector import Selector
from ..selection.settings import Settings
from ..selection.telling import BATCHES, AlreadyToldError, Row, Told, check_fields, refused

FORM = 'Selector("http://host:8399", token=...)'
ERRORS = {error.__name__: error for error in (AlreadyToldError, StoreError, TypeError, RuntimeError)}
AWAY = (502, 504)  # what a proxy says of a server that is not there
BUSY = 503  # and nothing of ours: too many at once
LONGEST = 0.5  # seconds between two tries
FIRST = 10.0  # seconds to wait for a server that has never answered
ANSWER = 120.0  # seconds to wait for an answer


class Remote(Selector):
    """A selection on a server (``varde serve``), made by ``varde.Selector("http://host:8399", token=...)``.

    ``token`` is the server's, by default the environment variable ``VARDE_TOKEN``.  If the server does not answer,
    the client keeps trying for ``patience`` seconds.
    """

    _glance = 1.0

    def __init__(self, address: str, *, token: str | None = None, patience: float = 60.0):
        self._patience = real("patience", patience, "seconds, 0 or more", lambda seconds: seconds >= 0.0)
        self._token = os.environ.get("VARDE_TOKEN") if token is None else check_text("token", token).strip()
        if self._token and not (self._token.isascii() and self._token.isprintable()):
            raise ValueError(
                "the token, which is not shown, has characters that no token has: write it as varde serve showed it"
            )
        self._place = place_of(address)
        self._lines = threading.local()
        self._answered = False
        self._settings = Settings.read(self._state()["settings"])

    __signature__ = inspect.Signature([*inspect.signature(__init__).parameters.values()][1:])

    def __reduce__(self) -> tuple[Any, ...]:
        return remote, (self._place.geturl(), self._token, self._patience)

    # -- talking to the server -------------------------------------------------------------------

    def _get(self, path: str) -> Any:
        return self._request("GET", path, None)

    def _post(self, path: str, **fields: Any) -> Any:
        try:
            text = json.dumps({name: value for name, value in fields.items() if value is not None}, default=unpacked)
        except (TypeError, ValueError) as error:
            raise TypeError(
                f"this cannot be sent to {self._place.geturl()} ({error}): write what JSON can hold"
            ) from None
        return self._request("POST", path, text.encode())

    def _request(self, method: str, path: str, body: bytes | None) -> Any:
        headers = {"Accept": "application/json"}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        if body is not None:
            headers |= {"Content-Type": "application/json", "Idempotency-Key": uuid.uuid4().hex}
        began, wait = time.monotonic(), 0.0
        while True:
            try:
                status, text = self._exchange(method, self._place.path + path, body, headers)
                problem = f"it says {status}"
                if not (status in AWAY or (status == BUSY and not text.startswith(b"{"))):
                    self._answered = True
                    return self._understood(status, text)
            except (OSError, http.client.HTTPException) as error:
                problem = in_plain_text(error) or type(error).__name__
                self.close()
            patience = self._patience if self._answered else min(self._patience, FIRST)
            if time.monotonic() - began + wait >= patience:
                raise StoreError(
                    f"{self._place.geturl()} does not answer ({problem}): is varde serve running there?"
                ) from None
            time.sleep(wait)
            wait = min(2.0 * wait or 0.02, LONGEST)

    def _exchange(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> tuple[int, bytes]:
        """One request and its answer, on a connection of this thread and process, which stays open."""
        line = getattr(self._lines, "line", None)
        if line is None or line.process != os.getpid():
            line = self._lines.line = Line(self._place)
        line.connection.request(method, path, body, headers)
        response = line.connection.getresponse()
        return response.status, response.read()

    def _understood(self, status: int, text: bytes) -> Any:
        where = self._place.geturl()
        try:
            found = json.loads(text)
        except ValueError:
            found = None
        if not isinstance(found, dict) or not (status == 200 or "error" in found):
            raise StoreError(f"{where} answered {status}, and is not a varde server: write the address of one")
        if status == 200:
            return found
        words = str(found["error"])
        if status in (401, 403):
            raise StoreError(f"{where} refuses: {words}" if self._token else f"{where} wants a token: write {FORM}")
        raise ERRORS.get(found.get("kind", ""), ValueError)(words)

    def _state(self) -> dict[str, Any]:
        found: dict[str, Any] = self._get("/state")
        if not isinstance(found.get("settings"), dict):
            raise StoreError(f"{self._place.geturl()} is not a varde server: write the address of one")
        return found

    # -- asking and answering --------------------------------------------------------------------

    def _ask(self, n: int | None, worker: str) -> Draw | list[Draw] | None:
        found = [draw_from(draw) for draw in self._post("/ask", n=1 if n is None else n)["draws"]]
        return found if n is not None else found[0] if found else None

    def _tell(self, draw: Draw | int | str, value: Any, cost: float | None) -> bool:
        return bool(self._post("/tell", **row_of({"draw": draw, "value": value, "cost": cost}))["counted"])

    def _tell_rows(self, rows: list[Row], once: str | None = None, skip: bool = False) -> Told:
        results, bad = [], []
        for row in rows:
            try:
                check_fields(row.fields)
                results.append((row.where, row_of(row.fields)))
            except (TypeError, ValueError) as error:
                bad.append((row.where, error))
        if bad and not skip:
            raise refused(bad, len(rows))
        if len(rows) == 1 and not rows[0].where:
            return Told(int(self._post("/tell", **results[0][1])["counted"]))
        found = self._post("/tell", results=[fields for _, fields in results], once=once, skip=skip or None)
        places = {f"row {place}": where for place, (where, _) in enumerate(results, 1)}
        skipped = [(places.get(where, where), why) for where, why in found["skipped"]]
        return Told(found["counted"], (*((where, str(error)) for where, error in bad), *skipped), found["before"])

    def fail(self, draw: Draw | int, reason: object = "", *, retry_after: float | None = None) -> None:
        self._post("/fail", draw=which(draw), reason=why(reason), retry_after=retry_after)

    def release(self, draw: Draw | int) -> None:
        self._post("/release", draw=which(draw))

    # -- changes of plan -------------------------------------------------------------------------

    def add_option(self, option: Any, name: str | None = None, cost: float | None = None) -> None:
        self._post("/options/add", name=name_of(option) if name is None else name, option=option, cost=cost)

    def remove_option(self, name: str) -> None:
        self._post("/options/remove", name=name)

    def add_budget(self, more: float) -> None:
        self._post("/budget", more=more)

    def note(self, name: str, value: Any) -> None:
        if value is None:
            refuse("value", value, "anything else that JSON can hold")
        self._post("/note", name=name, value=value)

    def noted(self, name: str) -> Any:
        return self._get("/notes")["notes"].get(check_text("name", name))

    # -- what is known ---------------------------------------------------------------------------

    @property
    def done(self) -> bool:
        return bool(self._state()["done"])

    @property
    def paused(self) -> Pause | None:
        found = self._state()["paused"]
        return found and Pause(**found)

    @property
    def settings(self) -> Settings:
        return self._settings

    @property
    def budget(self) -> float | None:
        found: float | None = self._state()["budget"]
        return found

    @property
    def spent(self) -> float:
        found: float = self._state()["spent"]
        return found

    @property
    def remaining(self) -> float:
        found: float | None = self._state()["remaining"]
        return math.inf if found is None else found

    @property
    def pending(self) -> list[Draw]:
        return [draw_from(draw) for draw in self._state()["pending"]]

    @property
    def leader(self) -> str | None:
        found: str | None = self._state()["leader"]
        return found

    @property
    def options(self) -> dict[str, Any]:
        return dict(self._get("/options")["options"])

    @property
    def items(self) -> dict[str, Any]:
        return dict(self._get("/options")["items"])

    @property
    def removed(self) -> tuple[str, ...]:
        return tuple(self._state()["removed"])

    @property
    def failing(self) -> dict[str, str]:
        return dict(self._state()["failing"])

    def _evidence(self, stopped: str | None) -> dict[str, Any]:
        found = self._get("/results")
        return {
            **found,
            "goal": goal_from(found["goal"]).shown,
            "values": [np.array(values, dtype=float) for values in found["values"]],
            "replicates": [np.array(replicates, dtype=np.int64) for replicates in found["replicates"]],
            "numbers": {name: [np.array(x, dtype=float) for x in each] for name, each in found["numbers"].items()},
            "stopped": stopped or found["stopped"],
            "bounds": found["bounds"] and tuple(found["bounds"]),
            "outages": Outages(*found["outages"]),
            "batches": [[batch_of("it", batch) for batch in each] for each in found["batches"]],
        }

    def __repr__(self) -> str:
        return f"<Selector: at {shorten(self._place.geturl())}>"

    def close(self) -> None:
        """Close the connection of this thread; the next request makes another."""
        self._lines.line = None


class Line:
    """A connection that is closed when it is no longer used."""

    def __init__(self, place: Any):
        kind = http.client.HTTPSConnection if place.scheme == "https" else http.client.HTTPConnection
        self.connection = kind(str(place.hostname), place.port, timeout=ANSWER)
        self.process = os.getpid()

    def __del__(self) -> None:
        self.connection.close()


def remote(address: str, token: str | None, patience: float) -> Remote:
    return Remote(address, token=token, patience=patience)


def place_of(address: str) -> Any:
    """The parts of an address, which must not contain a secret."""
    try:
        found = urlsplit(address.rstrip("/"))
        right = bool(found.hostname) and found.port != 0
    except ValueError:
        found, right = None, False
    if found is None or not right or found.query or found.fragment or "@" in found.netloc:
        raise ValueError(f"the address of the server cannot be used, and is not shown: write {FORM}")
    return found


def draw_from(found: dict[str, Any]) -> Draw:
    return Draw(**{name: found[name] for name in Draw._fields if name in found})


def which(draw: Any) -> Any:
    return draw.id if isinstance(draw, Draw) else draw


def row_of(fields: Mapping[str, Any]) -> dict[str, Any]:
    """A result as the server reads it."""
    draw, value = fields["draw"], fields.get("value")
    if fields.keys().isdisjoint(BATCHES) and not isinstance(value, Mapping | tuple | list):
        value = check_value(draw, value)
    found = {**fields, "draw": which(draw), "value": value, "seed": draw.seed if isinstance(draw, Draw) else None}
    return {name: part for name, part in found.items() if part is not None}


def unpacked(value: Any) -> Any:
    """NumPy numbers and other mappings, as JSON types."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    raise TypeError(f"it holds a {type(value).__name__}: write numbers, text, lists and dicts")
