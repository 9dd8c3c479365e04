"""One run of a real command."""

import io
import tempfile
import time

import pytest

from varde.timing import Command, TimingError
from varde.timing.command import last_line


@pytest.fixture
def errors():
    with tempfile.TemporaryFile() as file:
        yield file


def test_the_clock_runs_as_long_as_the_command(errors):
    began = time.perf_counter()
    taken, code = Command("sleep 0.05").run(errors)
    assert code == 0 and 0.05 <= taken <= time.perf_counter() - began


def test_exit_code_and_last_words(errors):
    assert Command("echo one >&2; echo two >&2; exit 7").run(errors)[1] == 7
    assert last_line(errors) == ": two"


def test_an_unknown_program_is_refused_in_words(errors):
    with pytest.raises(TimingError, match="there is no program 'nosuch'"):
        Command("nosuch", shell=False).run(errors)


def test_nothing_said_is_no_words():
    assert last_line(io.BytesIO(b"\n \n")) == ""
