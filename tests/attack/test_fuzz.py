"""A short run of the fuzzer with fixed seeds; `make attack` runs it for long with fresh ones."""

import ast
from pathlib import Path

import pytest

import varde
from tests.attack.fuzz import ADVICE, FINE, in_processes, summary

SOURCES = sorted(Path(varde.__file__).parent.rglob("*.py"))
READERS = {"results.py", "snapshot.py", "event_of", "decode"}  # say what is wrong, to whoever says what to do about it
ELSEWHERE = {"wanted", "problem", "what", "family", "REMEDY", "REFUSED", "cells", "error"}  # advice that is filled in


@pytest.mark.parametrize("settings", [(1, 100), (3, 60, "compiled", "tabulate")], ids=str)
def test_every_call_ends_in_a_right_result_or_in_words(settings):
    found = in_processes(*settings)
    assert all(line["kind"] in FINE for line in found), summary(found)


def words_of(node):
    """The text of a raised message, what is filled in left out; None if it is made elsewhere."""
    texts = [part for part in ast.walk(node) if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
    return None if not texts or names & ELSEWHERE else "".join(t.value for t in texts)


def refusals(path):
    """(line, words) of every ValueError and TypeError raised in a file."""
    nodes = [*ast.walk(ast.parse(path.read_text()))]
    readers = [node for node in nodes if isinstance(node, ast.FunctionDef) and node.name in READERS]
    skipped = {part for reader in readers for part in ast.walk(reader)}
    for node in nodes:
        call = node.exc if isinstance(node, ast.Raise) and node not in skipped else None
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") in ("ValueError", "TypeError") and call.args:
            yield node.lineno, words_of(call.args[0])


def test_every_error_says_what_to_write():
    mute = [
        f"{path.name}:{line}: {words}"
        for path in SOURCES
        if path.name not in READERS
        for line, words in refusals(path)
        if words is not None and not ADVICE.search(words)
    ]
    assert not mute, "\n".join(mute)
