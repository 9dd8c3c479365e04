"""Nothing that comes as data is run: values of options, names in a file, cells of a table."""

import csv
import io
import json
import os

import pytest
from typer.testing import CliRunner

import varde
from tests.attack.data import rewrite
from tests.long import times
from varde.cli import app
from varde.selection import shell
from varde.selection.shell import Command, CommandError

HOSTILE = [
    "x\ntouch gone",
    "x\nEND\ntouch gone\n",
    "$(touch gone)",
    "`touch gone`",
    "'; touch gone; '",
    '"; touch gone; "',
    "'\"'\"; touch gone #",
    "$((a[$(touch gone)]))",
    "${x:=$(touch gone)}",
    "; touch gone",
    "& touch gone &",
    "| touch gone",
    "\\\ntouch gone\n",
    ") ; touch gone ; (",
    "} ; touch gone ; {",
    "*",
    "-n",
    " two  blanks ",
    "trailing\n\n",
    "",
    "\x1b[2J\r\x07é",
]
# Where a word may stand the option is one, as given, and goes to the file `seen`.
WHOLE = [
    "printf %s {option} >seen; echo 1",
    'printf %s "$VARDE_OPTION" >seen; echo 1',
    'echo "it\'s" >/dev/null; printf %s {option} >seen; echo 1',
    'x={option}; printf %s "$x" >seen; echo 1',
    'x="$(printf %s. {option})"; printf %s "${x%.}" >seen; echo 1',
    "(printf %s {option}) >seen; echo 1",
    "case {option} in nothing) ;; *) printf %s {option} >seen;; esac; echo 1",
    "printf %s 'it'\"'\"'s' >/dev/null; printf %s {option} >seen; echo 1",
    "sh -c 'printf %s \"$1\" >seen' sh {option}; echo 1",
    "sh -c 'printf %s \"$VARDE_OPTION\" >seen'; echo 1",
]


@pytest.fixture(params=["/bin/sh", "/bin/bash"])
def any_shell(request, tmp_path, monkeypatch):
    if not os.path.exists(request.param):
        pytest.skip(f"no {request.param}")
    monkeypatch.setattr(shell, "SHELL", request.param)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("template", WHOLE)
def test_no_value_is_run_or_taken_apart(any_shell, template):
    command = Command(template, ["option"])
    for value in times(HOSTILE[WHOLE.index(template) % 2 :: 2], HOSTILE):  # half of them, or all
        assert command(value, seed=3) == 1.0
        with open("seen", newline="") as file:
            assert file.read() == value
        assert os.listdir(".") == ["seen"]


def test_a_here_document_holds_the_value_of_a_variable_and_no_more(any_shell):
    command = Command("cat >seen <<END\nit's $VARDE_OPTION\nEND\necho 1", ["option"])
    for value in HOSTILE:
        assert command(value, seed=3) == 1.0
        with open("seen", newline="") as file:
            assert file.read() == f"it's {value}\n"
        assert os.listdir(".") == ["seen"]


def test_columns_that_differ_in_case_or_are_no_words_of_the_shell_keep_apart(any_shell):
    columns = ["s", "S", "größe", "a b"]
    command = Command("echo {s}{S}{größe}.{seed}", columns)
    assert command(dict(zip(columns, "1234", strict=True)), seed=5) == 123.5


@pytest.mark.parametrize("value", ["a\0b", "\ud800", "x" * 10_000_000])
def test_what_no_command_can_be_given_is_a_failure_of_that_draw(any_shell, value):
    with pytest.raises(CommandError):
        Command("echo 1 # {option}", ["option"])(value, seed=1)


def test_options_of_a_file_are_not_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "options.json").write_text(json.dumps(["x\ntouch gone", "y'; touch gone; '"]))
    found = CliRunner().invoke(app, ["run", "true {option}; echo 1", "--options", "options.json", "--budget", "8"])
    assert found.exit_code in (0, 3) and os.listdir(tmp_path) == ["options.json"], found.output


# -- files ---------------------------------------------------------------------------------------


def store_with(path, goal):
    varde.Selector(["a", "b"], budget=20, store=path).close()
    with varde.Selector.open(path) as selector:
        first, *others = selector.events()
    rewrite(path, [first._replace(settings={**first.settings, "goal": goal}), *others])
    return path


@pytest.mark.parametrize(
    "name", ["measure", "Bernoulli", "Instance", "NamedTuple", "helper", "verb", "tuple", "os.system"]
)
def test_a_file_can_name_no_callable_but_a_record(tmp_path, name):
    with pytest.raises(ValueError):
        varde.Selector.open(store_with(tmp_path / "s.db", [name, "touch gone"]))


@pytest.mark.parametrize(
    "saved", [["Top"], ["Top", 1, 2, 3], ["Top", "x"], ["Quantile", {"a": 1}], "Top", [], None, {}]
)
def test_a_record_with_wrong_settings_is_refused(tmp_path, saved):
    with pytest.raises(ValueError):
        varde.Selector.open(store_with(tmp_path / "s.db", saved))


def test_the_command_in_a_file_is_never_run(tmp_path):
    store, mark = str(tmp_path / "s.db"), tmp_path / "ran"
    asked = ["--options", "1,2", "--budget", "8", "--store", store]
    CliRunner().invoke(app, ["run", f"touch {mark}; echo {{option}}", *asked])
    mark.unlink()
    refused = CliRunner().invoke(app, ["run", "echo {option}", *asked])
    assert refused.exit_code == 2 and "made by another command" in refused.stderr and not mark.exists()


def test_no_cell_of_a_selection_is_a_formula():
    names = ["=HYPERLINK(1)", "@SUM(1)", "+1", "-1", "\t=1", "\r=1"]
    found = varde.select(lambda option, rng: rng.random(), names, budget=60)
    cells = [row[0] for row in csv.reader(io.StringIO(found.to_csv()))][1:]
    assert not [cell for cell in cells if cell[:1] in "=@+-\t\r"]
