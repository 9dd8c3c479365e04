"""Addresses of databases: ``postgresql://user@host/database#name``, where ``name`` is one selection of several there.

Addresses are shown without password and settings.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

SCHEMES = ("postgresql", "postgres")
UNNAMED = "selection"
LONGEST = 100  # characters of a name
FORM = "postgresql://user@host/database#name"
ESCAPED = "password %40 for @, %2F for /, %3F for ?, %23 for #, %25 for %"


class Address:
    """Where a database is, and which selection in it."""

    def __init__(self, text: str):
        found = None
        with suppress(ValueError):  # whose message would show all of it
            found = urlsplit(text)
        account, at, hosts = ("", "", "") if found is None else found.netloc.rpartition("@")
        if found is None or "@" in account or "@" in found.path + found.query + found.fragment or not are_hosts(hosts):
            raise ValueError(
                f"the address of the database cannot be read, and is not shown: write {FORM}, and in a {ESCAPED}"
            )
        user, _, secret = account.partition(":")
        secrets = [secret, *(value for name, value in parse_qsl(found.query) if "pass" in name)]
        self.hidden: set[str] = {form for secret in secrets if secret for form in (secret, unquote(secret))}
        self.connection: str = text.partition("#")[0]  # as the driver takes it
        self.name: str = unquote(found.fragment) or UNNAMED
        if len(self.name) > LONGEST or not self.name.isprintable():
            raise ValueError(
                f"the selection is named {self.name[:LONGEST]!r}: write up to {LONGEST} printable characters after #"
            )
        self.shown: str = f"postgresql://{user}{at}{hosts}{found.path}#{found.fragment or UNNAMED}"

    def without_secrets(self, text: str) -> str:
        for secret in self.hidden:
            text = text.replace(secret, "***")
        return text

    def __str__(self) -> str:
        return self.shown

    def __repr__(self) -> str:
        return repr(self.shown)


def are_hosts(hosts: str) -> bool:
    """host, host:5432, [::1]:5432, or several of these; the rest of a password would not have a number as port."""
    ports = [host.rpartition(":")[2] for host in hosts.split(",") if ":" in host and not host.endswith("]")]
    return all(port.isascii() and port.isdecimal() for port in ports)


def as_place(store: Any) -> Any:
    """``store`` as an ``Address`` if it is the text of one."""
    return Address(store) if isinstance(store, str) and is_address(store) else store


def is_address(text: str) -> bool:
    return text.split("://", 1)[0].lower() in SCHEMES and "://" in text


def scheme_of(text: str) -> str:
    """What stands before "://" in an address; "" in the name of a file."""
    scheme, found, _ = text.partition("://")
    return scheme.lower() if found and scheme.isidentifier() and len(scheme) > 1 else ""
