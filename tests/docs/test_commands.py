"""Commands shown on the pages exist, with the options that they are shown with."""

import re
import shlex

import pytest
import typer

from varde.cli import app

from .conftest import ROOT

COMMANDS = typer.main.get_command(app).commands
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "benchmarks").glob("*.md"))]
BLOCK = re.compile(r"^```(.*?)\n(.*?)^```", re.DOTALL | re.MULTILINE)
SHELL = ("", "console", "text", "bash", "sh", "shell")


def shown(text):
    """The commands in the blocks of a page, one list of words each."""
    for block in (code for language, code in BLOCK.findall(text) if language in SHELL):
        for line in block.replace("\\\n", " ").splitlines():
            found = re.match(r"(?:\$ )?(varde [a-z].*)", line)
            if found:
                words = shlex.split(found[1].split(" | ")[0], comments=True)
                yield words[: words.index(";") if ";" in words else None]


def unknown(words):
    """What is wrong with a command, if anything is."""
    command = COMMANDS.get(words[1])
    if command is None:
        return words[1]
    options = {name for one in command.params for name in [*one.opts, *one.secondary_opts]} | {"--help"}
    given = [word.split("=")[0] for word in words[2:] if re.match(r"--?[a-zA-Z]", word)]
    return " ".join(word for word in given if word not in options)


def commands():
    return [(page.name, words) for page in PAGES for words in shown(page.read_text()) if len(words) > 1]


def test_there_are_commands_to_check():
    assert len(commands()) > 40


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_of_a_page_exist_with_their_options(page):
    assert not [(words, wrong) for words in shown(page.read_text()) if len(words) > 1 and (wrong := unknown(words))]
