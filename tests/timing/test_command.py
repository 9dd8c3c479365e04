"""One run of a real command."""

import io
import tempfile
import time

import pytest

from varde.timing import Command, TimingError, combinations
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


@pytest.mark.parametrize("shell", ["/bin/sh", None])
def test_parameters_are_filled_in_and_shown(shell, errors):
    command = Command("test {n} = 'a b'", {"n": "a b"} if shell else {"n": "a"}, shell)
    assert command.name == ("test a b = 'a b'" if shell else "test a = 'a b'")
    assert command.run(errors)[1] == (0 if shell else 1)


def test_a_value_is_never_run_by_the_shell(errors, tmp_path):
    Command("echo {n}", {"n": f"$(touch {tmp_path}/ran); touch {tmp_path}/ran"}).run(errors)
    assert not list(tmp_path.iterdir())


def test_an_unknown_program_is_refused_in_words(errors):
    with pytest.raises(TimingError, match="there is no program 'nosuch'"):
        Command("nosuch", shell=None).run(errors)


def test_every_combination_of_the_parameters_that_a_command_has():
    lists = [("n", "1,2"), ("k", "a,b")]
    assert len(combinations("run {n} {k}", lists)) == 4
    assert [command.values for command in combinations("run {k}", lists)] == [{"k": "a"}, {"k": "b"}]
    assert [command.name for command in combinations("run", lists)] == ["run"]


@pytest.mark.parametrize("lists", [[("n n", "1")], [("n", "1,,2")], [("n", "1"), ("n", "2")]])
def test_wrong_parameters_are_refused(lists):
    with pytest.raises(ValueError, match="write"):
        combinations("{n}", lists)


def test_nothing_said_is_no_words():
    assert last_line(io.BytesIO(b"\n \n")) == ""
