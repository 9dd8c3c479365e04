"""The reference has every public name, once."""

import importlib
import re
from collections import Counter
from types import ModuleType

import pytest

from .conftest import ROOT

ROOMS = ["bandits", "planning", "learning", "worlds", "environments", "studies", "testing", "protocols"]


def resolved(path):
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(module), name)


@pytest.fixture(scope="module")
def entries():
    texts = [page.read_text() for page in (ROOT / "docs" / "reference").glob("*.md")]
    return re.findall(r"\.\. (?:auto\w+|py:data):: (varde[\w.]+)", "\n".join(texts))


def test_every_public_name_is_in_the_reference(entries):
    there = {id(resolved(entry)) for entry in entries}
    modules = [importlib.import_module(name) for name in ["varde", *(f"varde.{room}" for room in ROOMS)]]
    public = {f"{module.__name__}.{name}": getattr(module, name) for module in modules for name in module.__all__}
    assert len(public) > 100
    assert not [name for name, thing in public.items() if id(thing) not in there and not isinstance(thing, ModuleType)]


def test_no_name_is_in_the_reference_twice(entries):
    times = Counter(id(resolved(entry)) for entry in entries)
    assert not [entry for entry in entries if times[id(resolved(entry))] > 1]


def test_no_entry_of_the_reference_has_the_docstring_of_a_builtin(site):
    pages = sorted((site.folder / "reference").glob("*.html"))
    assert len(pages) > 10
    assert not [page.name for page in pages if "bytes_or_buffer" in page.read_text() or "int([x])" in page.read_text()]
