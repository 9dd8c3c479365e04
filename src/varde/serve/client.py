"""``Remote``: a selection on a server, with the methods of a Selector that a server can serve.

A request without an answer is sent again, with the same key, until the server is back; it is carried out once.
"""

from __future__ import annotations

import functools
import http.client
import inspect
import json
import math
import os
import threading
import time
import uuid
from collections.abc import Callable, Mapping
from typing import Any, Concatenate, Generic, ParamSpec, Self, TypeVar, overload
from urllib.parse import SplitResult, urlsplit

import numpy as np

from .._files import StoreError
from ..check import real, whole
from ..selection.checks import check_text, in_plain_text, name_of, shorten, why
from ..selection.draws import Draw
from ..selection.failures import Pause
from ..selection.result import Selection
from ..selection.selector import Selector
from ..selection.settings import Settings
from ..selection.telling import AlreadyToldError, Told, rows_of
from ..show.saving import decode
from .operations import OPERATIONS

FORM = 'varde.connect("http://host:8399", token=...)'
ERRORS = {error.__name__: error for error in (AlreadyToldError, StoreError, TypeError, RuntimeError)}
AWAY = (502, 504)  # what a proxy says of a server that is not there
BUSY = 503  # and nothing of ours: too many at once
LONGEST = 0.5  # seconds between two tries
FIRST = 10.0  # seconds to wait for a server that has never answered
ANSWER = 120.0  # seconds to wait for an answer
GLANCE = 1.0  # seconds between two looks at whether a pause is over

Value = TypeVar("Value")
Given = ParamSpec("Given")
Method = Callable[Concatenate[Any, Given], Value]


def sent(method: Method[Given, Value]) -> Method[Given, Value]:
    """A method of ``Selector`` that the server carries out: its arguments are the fields of a request."""
    signature, operation = inspect.signature(method), OPERATIONS[method.__name__]

    @functools.wraps(method)
    def call(self: Any, /, *given: Given.args, **named: Given.kwargs) -> Value:
        fields = by_id(signature.bind(self, *given, **named).arguments)
        if "reason" in fields:
            fields["reason"] = why(fields["reason"])
        if "option" in fields and fields.get("name") is None:
            fields["name"] = name_of(fields["option"])  # of a tuple, not of the list that JSON makes of it
        left_out = {name: each.default for name, each in signature.parameters.items()}
        right = {name: value for name, value in fields.items() if value is not left_out.get(name)}
        answer = self._do(operation.name, **{name: right[name] for name in right if name in operation.fields})
        counted: Value = answer.get("counted")
        return counted

    return call


class Known(Generic[Value]):
    """A property that the server knows: a field of one of its answers."""

    def __init__(self, field: str, make: Callable[[Any], Any] = lambda found: found, from_: str = "state"):
        self.field, self.make, self.operation = field, make, from_

    def __get__(self, remote: Remote, owner: Any = None) -> Value:
        found: Value = self.make(remote._do(self.operation)[self.field])
        return found


class Remote:
    """A selection on a server, made by ``varde.connect``: its methods do what those of ``varde.Selector`` do."""

    def __init__(self, address: str, token: str | None, patience: float):
        self._patience = real("patience", patience, "seconds, 0 or more", lambda seconds: seconds >= 0.0)
        self._token = os.environ.get("VARDE_TOKEN") if token is None else check_text("token", token).strip()
        if self._token and not (self._token.isascii() and self._token.isprintable()):
            raise ValueError(
                "the token, which is not shown, has characters that no token has: write it as varde serve showed it"
            )
        self._place = place_of(address)
        self._lines = threading.local()
        self._answered = False
        if not isinstance(self._do("state").get("settings"), dict):
            raise StoreError(f"{self._place.geturl()} is not a varde server: write the address of one")

    def __reduce__(self) -> tuple[Any, ...]:
        return Remote, (self._place.geturl(), self._token, self._patience)

    # -- talking to the server -------------------------------------------------------------------

    def _do(self, name: str, /, **fields: Any) -> Any:
        """The answer of the server."""
        operation = OPERATIONS[name]
        body, headers = None, {"Accept": "application/json"}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        if operation.method == "POST":
            body = self._encoded(fields)
            headers |= {"Content-Type": "application/json", "Idempotency-Key": uuid.uuid4().hex}
        began, wait = time.monotonic(), 0.0
        while True:
            try:
                status, text = self._exchange(operation.method, self._place.path + operation.path, body, headers)
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

    def _encoded(self, fields: dict[str, Any]) -> bytes:
        try:
            return json.dumps(fields, default=unpacked, allow_nan=False).encode()
        except (TypeError, ValueError, RecursionError) as error:
            raise TypeError(
                f"this cannot be sent to {self._place.geturl()} ({error}): write what JSON can hold, and finite numbers"
            ) from None

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

    # -- asking and answering --------------------------------------------------------------------

    @overload
    def ask(self, n: None = None, *, wait: bool = True) -> Draw | None: ...
    @overload
    def ask(self, n: int, *, wait: bool = True) -> list[Draw]: ...

    def ask(self, n: int | None = None, *, wait: bool = True) -> Draw | list[Draw] | None:
        """The next draw, or the next ``n``; None, or fewer, if nothing can be handed out now."""
        wanted = 1 if n is None else whole("n", n, "how many draws to hand out, 1 or more")
        while True:
            found = self._do("ask", n=wanted)
            draws = [draw_from(draw) for draw in found["draws"]]
            left = found["paused"]["seconds"] if found["paused"] and wait else 0.0
            if draws or not left:
                return draws if n is not None else draws[0] if draws else None
            time.sleep(min(left, GLANCE))

    tell = sent(Selector.tell)
    fail = sent(Selector.fail)
    release = sent(Selector.release)
    add_option = sent(Selector.add_option)
    remove_option = sent(Selector.remove_option)
    add_budget = sent(Selector.add_budget)
    note = sent(Selector.note)

    def tell_many(self, results: Any, *, once: str | None = None, skip: bool = False) -> Told:
        """Record many results at once: all of them, or none if there is an error."""
        rows = list(rows_of(results))
        bad = [(row.where, row.fields) for row in rows if isinstance(row.fields, Exception)]
        if bad and not skip:
            raise bad[0][1]
        good = [row for row in rows if not isinstance(row.fields, Exception)]
        label = {} if once is None else {"once": once}
        found = self._do("tell", results=[by_id(row.fields) for row in good], skip=bool(skip), **label)
        places = {f"row {place}": row.where for place, row in enumerate(good, 1)}
        skipped = [(places.get(where, where), why) for where, why in found["skipped"]]
        return Told(found["counted"], (*((where, str(error)) for where, error in bad), *skipped), found["before"])

    # -- what is known ---------------------------------------------------------------------------

    def recommend(self) -> Selection:
        """The recommended option and how sure that is; possible at any time."""
        known = {record.__name__: record for record in Selection._records}
        return Selection._of(**decode(self._do("results")["results"], known))

    done = Known[bool]("done")
    paused = Known["Pause | None"]("paused", lambda found: found and Pause(**found))
    settings = Known[Settings]("settings", Settings.read)
    budget = Known["float | None"]("budget")
    spent = Known[float]("spent")
    remaining = Known[float]("remaining", lambda found: math.inf if found is None else found)
    pending = Known[list[Draw]]("pending", lambda found: [draw_from(draw) for draw in found])
    leader = Known["str | None"]("leader")
    removed = Known[tuple[str, ...]]("removed", tuple)
    failing = Known[dict[str, str]]("failing")
    options = Known[dict[str, Any]]("options", from_="options")  # None for those that JSON cannot hold
    items = Known[dict[str, Any]]("items", from_="options")
    notes = Known[dict[str, Any]]("notes", from_="notes")

    def __repr__(self) -> str:
        return f"<Remote: a selection at {shorten(self._place.geturl())}>"

    def close(self) -> None:
        """Close the connection of this thread; the next request makes another."""
        self._lines.line = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class Line:
    """A connection that is closed when it is no longer used."""

    def __init__(self, place: SplitResult):
        kind = http.client.HTTPSConnection if place.scheme == "https" else http.client.HTTPConnection
        self.connection = kind(str(place.hostname), place.port, timeout=ANSWER)
        self.process = os.getpid()

    def __del__(self) -> None:
        self.connection.close()


def place_of(address: Any) -> SplitResult:
    """The parts of an address, which must not contain a secret."""
    try:
        found = urlsplit(check_text("address", address).rstrip("/"))
        right = found.scheme in ("http", "https") and bool(found.hostname) and found.port != 0
    except ValueError:
        found, right = urlsplit(""), False
    if not right or found.query or found.fragment or "@" in found.netloc:
        raise ValueError(f"the address of the server cannot be used, and is not shown: write {FORM}")
    return found


def draw_from(found: dict[str, Any]) -> Draw:
    return Draw(**{name: found[name] for name in Draw._fields if name in found})


def by_id(fields: dict[str, Any]) -> dict[str, Any]:
    """A result as the server reads it, with the id of its draw, and its seed if that is known."""
    draw = fields.get("draw")
    return {**fields, "draw": draw.id, "seed": draw.seed} if isinstance(draw, Draw) else fields


def unpacked(value: Any) -> Any:
    """NumPy numbers and other mappings, as JSON types."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    raise TypeError(f"it holds a {type(value).__name__}: write numbers, text, lists and dicts")
