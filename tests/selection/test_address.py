"""Addresses of databases: what they mean, and that nothing shows their passwords."""

from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from varde.selection.address import Address, as_place


@pytest.mark.parametrize(
    ("text", "shown", "name"),
    [
        (
            "postgresql://ann:pw@db.lab:5433/runs?sslmode=require#a%20b",
            "postgresql://ann@db.lab:5433/runs#a%20b",
            "a b",
        ),
        ("postgres://db.lab/runs", "postgresql://db.lab/runs#selection", "selection"),
        ("postgresql:///runs#x", "postgresql:///runs#x", "x"),
        ("postgresql://ann@[::1]:5432,[::2],h/runs", "postgresql://ann@[::1]:5432,[::2],h/runs#selection", "selection"),
        ("postgresql://h/d?password=pw#x", "postgresql://h/d#x", "x"),
    ],
)
def test_an_address_is_shown_without_password_and_settings(text, shown, name):
    address = as_place(text)
    assert (str(address), repr(address), address.name) == (shown, repr(shown), name)
    assert address.connection == text.partition("#")[0]


def test_files_are_no_addresses():
    for text in ("runs.db", "postgresql", "postgresql:/x", "http://h/d", "C://x"):
        assert as_place(text) == text


@settings(max_examples=40)
@given(st.text(min_size=3).filter(lambda text: text.strip()))
def test_whatever_the_password_it_is_not_shown(password):
    hidden = quote(password, safe="", errors="replace")
    address = Address(f"postgresql://ann:{hidden}@db.lab/runs#x")
    assert str(address) == "postgresql://ann@db.lab/runs#x"
    assert address.without_secrets(f"it said: {hidden}!") == "it said: ***!"


@settings(max_examples=40)
@given(st.text(alphabet="ab:/?#[]@%\u2100\u212b&=,. ", min_size=1, max_size=12))
def test_a_password_that_was_not_escaped_is_not_shown_either(middle):
    password = f"zyx{middle}wvu"
    try:
        shown = str(Address(f"postgresql://ann:{password}@db.lab/runs#x"))
    except ValueError as error:
        while error is not None:
            assert "zyx" not in str(error) and "wvu" not in str(error)
            error = error.__cause__ or error.__context__
    else:
        assert "zyx" not in shown and "wvu" not in shown
