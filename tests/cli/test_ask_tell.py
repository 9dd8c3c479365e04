"""varde ask and varde tell, as a shell script or another language uses them."""

import json

import pytest
from typer.testing import CliRunner

from varde.cli import app
from varde.selection import Selector


def varde(*arguments, lines=None):
    return CliRunner().invoke(app, [str(argument) for argument in arguments], input=lines)


@pytest.fixture
def store(tmp_path):
    path = tmp_path / "s.db"
    assert varde("ask", path, "--options", "a,b", "--budget", 8).exit_code == 0
    return path


def test_a_whole_selection(tmp_path):
    path, made = tmp_path / "s.db", ["--options", "a,b", "--budget", "12"]
    while (asked := varde("ask", path, *made)).exit_code == 0:
        number, name, seed = asked.stdout.rstrip("\n").split("\t")
        told = varde("tell", path, number, f"{(name == 'b') + int(seed) % 7 / 100}")
        assert told.exit_code == 0, told.stderr
        made = []
    assert asked.exit_code == 1 and "the selection is over" in asked.stderr
    assert "12 of 12 spent; ahead: b" in told.stderr


def test_draws_as_json(store):
    draw = json.loads(varde("ask", store, "--json").stdout)
    assert draw == {"id": 2, "option": "b", "name": "b", "seed": draw["seed"], "replicate": 0}


def test_all_handed_out_is_not_over(store):
    assert len(varde("ask", store, "-n", 20).stdout.splitlines()) == 7
    asked = varde("ask", store)
    assert asked.exit_code == 3 and "tell some results" in asked.stderr


def test_answers_by_id_by_name_and_from_stdin(store):
    varde("ask", store, "-n", 3)
    assert varde("tell", store, 1, 0.5).exit_code == 0
    assert varde("tell", store, "b", 0.25).exit_code == 0
    assert varde("tell", store, 3, "-0.5").exit_code == 0
    told = varde("tell", store, "-", lines="4 0.75\nb\t1\n\n")
    assert "5 of 8 spent; ahead: b" in told.stderr


@pytest.mark.parametrize("value", ["-0.5", "-1e-3", "1e-3", "-.5", "+2", "-7"])
@pytest.mark.parametrize("way", [("1", "{}"), ("a", "{}"), ("--", "a", "{}")])
def test_numbers_with_a_sign_or_an_exponent(store, value, way):
    assert varde("tell", store, *(word.format(value) for word in way)).exit_code == 0
    with Selector.open(store) as selector:
        assert selector.recommend().values["a"].tolist() == [float(value)]


def test_a_name_may_begin_with_a_dash(tmp_path):
    varde("ask", tmp_path / "s.db", "--options=-O2,-O3", "--budget", 8)
    assert "ahead: -O3" in varde("tell", tmp_path / "s.db", "-O3", "-1.5").stderr


@pytest.mark.parametrize("flags", [["--min"], ["--crn"], ["--seed", 3], ["--min", "--budget", 50]])
def test_a_file_keeps_its_settings_and_what_contradicts_them_is_refused(store, flags):
    asked = varde("ask", store, *flags)
    assert asked.exit_code == 2 and f"leave {flags[0]}" in asked.stderr and "was made with" in asked.stderr
    assert "0 of 8 spent" not in asked.stderr and Selector.open(store).budget == 8, "nothing was changed"


def test_settings_that_agree_with_the_file_are_welcome(tmp_path):
    made = ["--min", "--crn", "--seed", 3]
    assert varde("ask", tmp_path / "s.db", "--options", "a,b", "--budget", 8, *made).exit_code == 0
    assert varde("ask", tmp_path / "s.db", *made).exit_code == 0
    assert varde("ask", tmp_path / "s.db").exit_code == 0


@pytest.mark.parametrize("again", [[], ["--options", "a,b"]])
def test_a_larger_budget_is_taken_a_smaller_one_changes_nothing_and_says_so(store, again):
    assert len(varde("ask", store, *again, "--budget", 12, "-n", 20).stdout.splitlines()) == 11
    assert f"{store} already has a budget of 12, which stays" in varde("ask", store, *again, "--budget", 5).stderr


def test_a_failure_is_told_with_its_reason(store):
    assert varde("tell", store, 1, "--failed", "out of memory").exit_code == 0
    assert varde("ask", store).stdout.split("\t")[0] == "2", "another option first"
    varde("tell", store, 2, 1.0)
    assert varde("ask", store).stdout.split("\t")[:2] == ["3", "a"], "the option that failed, with another seed"
    varde("tell", store, 3, 1.0)
    assert varde("ask", store).stdout.split("\t")[0] == "1", "the draw that failed is handed out again"


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ([9, 1.0], "there is no draw 9"),
        (["c", 1.0], "there is no option 'c'"),
        ([1, "high"], "the result is 'high'"),
        ([1, "nan"], "write a decimal number"),
        ([1, "1_000"], "write a decimal number"),
        ([1, "--fialed"], "write a decimal number, or --failed"),
        ([1], "there is no result"),
        ([1, 2.0, "--failed", "x"], "there is no result"),
        (["c", "--failed", "x"], "write the id"),
    ],
)
def test_what_cannot_be_is_refused(store, arguments, why):
    told = varde("tell", store, *arguments)
    assert told.exit_code == 2 and why in told.stderr, told.output


def test_a_second_answer_is_refused_and_the_first_kept(store):
    varde("tell", store, 1, 0.5)
    assert "the first is kept" in varde("tell", store, 1, 0.7).stderr


def test_a_wrong_line_says_which(store):
    told = varde("tell", store, "-", lines="1 0.5\n77 1\n")
    assert told.exit_code == 2 and "line 2: there is no draw 77" in told.stderr
    assert "2 of 8 spent" in varde("tell", store, "b", 1.0).stderr, "what came before it is kept"


def test_files_that_are_not_ours(tmp_path):
    assert "write --options to begin" in varde("ask", tmp_path / "s.db").stderr
    (tmp_path / "notes.txt").write_text("hello, this is no database at all, but long enough to look at" * 20)
    assert varde("tell", tmp_path / "notes.txt", 1, 1.0).exit_code == 2


def test_the_report_of_a_file(store, tmp_path):
    assert "no results yet" in varde("report", store).stderr
    varde("tell", store, "-", lines="".join(f"{name} {value}\n" for name in "ab" for value in (1, 2, 3)))
    assert varde("report", store).stdout.startswith("Take ")
    page, table = tmp_path / "page.html", tmp_path / "table.csv"
    told = varde("report", store, "--html", page, "--csv", table, "--json")
    assert json.loads(told.stdout)["spent"] == 6
    assert page.read_text().lower().startswith("<!doctype html>") and table.read_text().startswith("option,")


def test_a_fixed_test_set_is_asked_item_by_item(tmp_path):
    path = tmp_path / "s.db"
    made = ["--options", "a,b", "--items", "x y,z"]
    lines = varde("ask", path, "-n", 9, *made).stdout.splitlines()
    assert {tuple(line.split("\t")[i] for i in (1, 3)) for line in lines} == {
        (option, item) for option in "ab" for item in ("x y", "z")
    }
    assert "2 items, this is 1" in varde("ask", path, "--options", "a,b", "--items", "x").stderr
    assert "2 items, this is 1" in varde("ask", path, "--items", "x").stderr
    for line in lines:
        assert varde("tell", path, line.split("\t")[0], 1.0).exit_code == 0
    assert varde("ask", path).exit_code == 1, "all is judged"
    draw = json.loads(varde("ask", tmp_path / "j.db", "--json", "--options", "a,b", "--items", "x,z").stdout)
    assert draw["item"] == draw["item_name"] and draw["item"] in ("x", "z")


def test_options_that_resemble_each_other_come_from_the_columns_of_a_file(tmp_path):
    table = tmp_path / "designs.csv"
    table.write_text("s,S\n" + "".join(f"{s},{S}\n" for s in range(5) for S in range(10, 16)))
    path = tmp_path / "s.db"
    made = ["--options", table, "--budget", "20", "--alike"]  # fewer than options
    assert varde("ask", path, *made, "-n", 3).exit_code == 0
    assert [varde("tell", path, number, f"0.{number}").exit_code for number in (1, 2, 3)] == [0, 0, 0]
    with Selector.open(path) as selector:
        assert selector.settings.alike and {each.name for each in selector.recommend().alike.parameters} == {"s", "S"}
    assert varde("ask", path, "--alike").exit_code == 0
