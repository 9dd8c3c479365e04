"""Commands: what is filled in, what is read, what is ended."""

import os
import signal
import threading
import time
import tracemalloc

import pytest

from tests.unnoticed import interrupted_unnoticed
from varde.selection.shell import Command, CommandError


def value_of(template, option="a", *, columns=("option",), **settings):
    return Command(template, list(columns), **settings)(option, seed=7)


def test_the_number_is_in_the_last_line_that_says_anything():
    assert value_of("echo loading {option}; echo 3.25; echo") == 3.25


def test_seed_and_columns_are_filled_in():
    command = Command("test {option} = x && echo {size}{seed}", ["option", "size"])
    assert command({"option": "x", "size": 4}, seed=7) == 47.0


@pytest.mark.parametrize(
    "nasty", ["a b", "$(touch gone)", "; echo 9", "it's", 'say "x"', "`id`", "*", "-n", "", "\\", "ä"]
)
def test_what_is_filled_in_reaches_the_command_as_one_word(nasty, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "wanted").write_text(nasty)
    assert value_of('test "$(cat wanted)" = {option} && echo 1', nasty) == 1.0
    assert os.listdir(tmp_path) == ["wanted"]


def test_values_are_in_the_environment_too():
    assert value_of('echo {option} >/dev/null; sh -c "echo $VARDE_SEED"') == 7.0


def test_code_for_another_shell_has_the_option_in_its_environment():
    assert value_of("sh -c 'expr \"$VARDE_OPTION\" + 1'", "4") == 5.0
    with pytest.raises(ValueError, match="is the same for every option"):
        value_of("sh -c 'echo $VARDE_OPTIONS'")


def test_options_that_are_commands_are_one_word_and_a_hint_is_given():
    with pytest.raises(CommandError, match=r"not found; if options are whole commands, write sh -c \{option\}"):
        value_of("{option} | cat && {option}", "echo 3")
    assert value_of("sh -c {option}", "echo 3") == 3.0


def test_braces_that_are_no_placeholder_stay():
    assert value_of("echo 4 {option} | awk '{print $1}'") == 4.0
    assert value_of("test {option} = a && test {x} = '{'x} && echo 5") == 5.0


def test_inside_quotes_the_environment_has_the_value():
    assert value_of('test "--name=$VARDE_OPTION" = --name={option} && echo 1', "a $(b) 'c'") == 1.0


@pytest.mark.parametrize(("clock", "least"), [("wall", 0.2), ("cpu", 0.0)])
def test_with_a_clock_the_result_is_the_time_it_took(clock, least):
    taken = value_of("sleep 0.2; echo 900 {option}", clock=clock)
    assert least <= taken < 900.0
    with pytest.raises(CommandError, match="code 3"):
        value_of("exit 3 # {option}", clock=clock)


def test_a_command_that_ignores_the_option_is_refused():
    with pytest.raises(ValueError, match="same for every option"):
        Command("run --seed {seed}", ["option"])


@pytest.mark.parametrize(
    ("template", "why"),
    [
        ("echo {option}; exit 3", "ended with code 3"),
        ("echo no such file: {option} >&2; exit 1", "ended with code 1: no such file: a"),
        ("kill -9 $$ {option}", "SIGKILL"),
        ("true {option}", "it printed nothing"),
        ("echo about 3 {option}", "the last line gives 'about 3 a'"),
        *((f"echo {text} # {{option}}", "print a decimal number") for text in ("nan", "-inf", "1_000", "0x10", "٣")),
        ("echo 1e999 # {option}", "print a decimal number"),
        ("sleep 20 # {option}", "longer than 0.2 s"),
        ("no-such-program {option}", "code 127"),
    ],
)
def test_what_goes_wrong_is_told(template, why):
    with pytest.raises(CommandError, match=why):
        value_of(template, timeout=0.2 if "sleep" in template else None)


def test_a_pattern_takes_its_last_match():
    assert value_of("echo loss 3; echo loss 2.5; echo done {option}", pattern=r"loss (\S+)") == 2.5
    with pytest.raises(CommandError, match="the pattern matches nothing"):
        value_of("echo {option}", pattern="loss (.*)")


def test_a_late_command_is_ended_with_all_it_started(tmp_path):
    left = tmp_path / "pid"
    with pytest.raises(CommandError, match="longer than"):
        value_of(f"sh -c 'echo $$ > {left}; sleep 60' & wait # {{option}}", timeout=0.5)
    assert not alive(int(left.read_text()))


def test_stop_ends_what_runs_and_begins_nothing_more():
    command, told = Command("sleep 60 # {option}", ["option"]), []

    def call():
        try:
            command("a", seed=1)
        except CommandError as error:
            told.append(str(error))

    thread = threading.Thread(target=call)
    thread.start()
    until = time.monotonic() + 60.0
    while not command.running and time.monotonic() < until:
        time.sleep(0.01)
    command.stop()
    thread.join()
    call()
    assert told == ["the command was killed by SIGTERM", "stopped before it began"]


def alive(pid):
    try:
        os.kill(pid, signal.SIG_DFL)
    except ProcessLookupError:
        return False
    with open(f"/proc/{pid}/stat") as stat:
        return stat.read().rsplit(")", 1)[1].split()[0] != "Z"


def test_items_are_filled_in_through_the_environment_too(tmp_path):
    command = Command('test {item} = "$VARDE_ITEM" && echo {answer}{option}', ["option"], items=["item", "answer"])
    assert command("7", seed=1, item={"item": "$(touch x); 'q' \"", "answer": 4}) == 47.0
    plain = Command("printf %s {item} | wc -c; echo {option} >&2", ["option"], items=["item"])
    assert plain("a", 1, "x'; echo 9; '") == len("x'; echo 9; '")
    assert not (tmp_path / "x").exists()


def test_items_and_options_have_columns_of_their_own():
    with pytest.raises(ValueError, match="both have a column 'size'"):
        Command("echo {size}", ["option", "size"], items=["item", "size"])
    with pytest.raises(ValueError, match="the same for every item"):
        Command("echo {option}", ["option"], items=["item"])


def test_an_interrupt_that_did_not_wake_it_ends_a_command_too(tmp_path):
    late = tmp_path / "late"
    with pytest.raises(KeyboardInterrupt), interrupted_unnoticed():
        value_of(f"sleep 10; touch {late}; echo 1 # {{option}}")
    assert not late.exists()


@pytest.mark.parametrize("text", ["3", "-3.5", "+.5", "5.", "1e-3", " 2E+2 \t"])
def test_plain_decimals_are_numbers(text):
    assert value_of(f"echo '{text}' # {{option}}") == float(text)


def test_of_output_without_end_only_the_end_is_kept():
    tracemalloc.start()
    try:
        assert value_of("yes | head -c 30000000; echo; yes | head -c 30000000 >&2; echo {option}", option="7") == 7.0
        assert tracemalloc.get_traced_memory()[1] < 2e7  # of 60 MB
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("how", ["sleep 300 &", "sleep 300 >/dev/null 2>&1 &", "(trap '' TERM; sleep 300) &"])
def test_what_a_command_leaves_behind_ends_with_it(tmp_path, how):
    left = tmp_path / "pid"
    assert value_of(f"{how} echo $! >{left}; echo {{option}}", option="7") == 7.0
    until = time.monotonic() + 60.0
    while alive(int(left.read_text())) and time.monotonic() < until:  # a killed process needs a processor to end
        time.sleep(0.01)
    assert not alive(int(left.read_text()))


def test_output_is_whole_however_many_looks_at_it_took():
    assert value_of("echo 1; sleep 0.25; seq 100000 >&2; sleep 0.15; echo {option}", option="7") == 7.0
