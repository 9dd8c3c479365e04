"""varde run, as a new user meets it."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time

import pytest
from typer.testing import CliRunner

from varde.cli import app

VARDE = [sys.executable, "-c", "from varde.cli import main; main()"]
# Prints 10, 20 or 30 and a digit of the seed: the largest is clear.
NOISY = "echo {option}.$(( {seed} % 10 ))"


def varde(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_a_clear_case_is_sure():
    found = varde("run", NOISY, "--options", "10,20,30", "--budget", 24)
    assert found.exit_code == 0, found.output
    assert found.stdout.startswith("Take 30: after 24 evaluations it is ahead of")
    assert "rejected" in found.stdout


def test_smaller_is_better_with_min():
    assert varde("run", NOISY, "--options", "10,20,30", "--budget", 24, "--min").stdout.startswith("Take 10:")


def test_a_coin_flip_is_not_sure():
    found = varde("run", "echo $(( {seed} % 100 )) {option} | cut -d ' ' -f 1", "--options", "a,b", "--budget", 12)
    assert found.exit_code == 3, found.output


def test_json_and_page(tmp_path):
    page = tmp_path / "page.html"
    found = varde("run", NOISY, "--options", "10,20", "--budget", 12, "--json", "--html", page)
    told = json.loads(found.stdout)
    assert told["best_name"] == "20" and told["spent"] == 12 and len(told["values"]["10"]) >= 3
    assert page.read_text().lower().startswith("<!doctype html>")


@pytest.mark.parametrize("closed", [">&-", ">/dev/full"])
def test_an_answer_that_cannot_be_printed_is_saved(tmp_path, closed):
    command = f'"$0" -c "from varde.cli import main; main()" run "echo {{option}}" --options 1,2 --budget 6 {closed}'
    ended = subprocess.run(
        ["sh", "-c", command, sys.executable], check=False, cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    (saved,) = tmp_path.glob("varde-answer-*.json")
    assert json.loads(saved.read_text())["best_name"] == "2"
    assert "could not be printed (" in ended.stderr and f"it is in {saved}" in ended.stderr
    assert ended.returncode == 1


def test_an_answer_is_printed_in_any_encoding():
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    asked = [*VARDE, "run", "expr length {option}", "--options", "ä,üüü", "--budget", "6"]
    ended = subprocess.run(asked, check=False, env=environment, capture_output=True, text=True, timeout=120)
    assert ended.returncode in (0, 3) and "xfc" in ended.stdout, ended


def test_columns_of_a_file_and_costs(tmp_path):
    designs = tmp_path / "designs.csv"
    designs.write_text("s,S,price\n1,5,1\n2,9,2\n")
    asked = ["run", "echo {s}{S}.{seed}", "--options", designs, "--budget", 30, "--cost", "price", "--json"]
    told = json.loads(varde(*asked).stdout)
    assert told["best_name"] == "s=2 S=9 price=2" and 28 <= told["spent"] <= 30


def test_an_option_that_fails_is_left_out_and_named():
    found = varde("run", "test {option} != b && echo 1.{seed}", "--options", "a,b,c", "--budget", 20)
    assert "failing: 3 of 3 calls failed, last: the command ended with code 1" in found.stdout
    assert "varde: b is left out: 3 of 3 calls failed" in found.stderr


def test_when_all_fail_the_reason_is_told():
    found = varde(
        "run", "echo no licence >&2; exit 4 # {option}", "--options", "a,b", "--budget", 20, "--calls", "backoff=0.01"
    )
    assert found.exit_code == 1
    assert "varde: no call has worked: " in found.stderr
    assert "of 2 options failed in a row (the last, of 'a': the command ended with code 4: no licence)" in found.stderr


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["echo {option}", "--options", "a,b"], "--budget is missing"),
        (["echo {option}", "--budget", "9"], "--options is missing"),
        (["echo {option}", "--options", "a", "--budget", "9"], "has 1 option(s), 'a', to choose from"),
        (["echo {option}", "--options", "", "--budget", "9"], "is not a file and has 0 option(s)"),
        (["echo {option}", "--options", "a,b", "--budget", "9", "-j", "100000"], "workers is 100000: write"),
        (["echo {option}", "--options", "a,b", "--budget", "9", "--html", "."], "a file you may write to"),
        (["echo {option}", "--options", "a,a", "--budget", "9"], "comes twice"),
        (["echo {option}", "--options", "a,b", "--budget", "1"], "write 2 or more"),
        (["echo {opinion}", "--options", "a,b", "--budget", "9"], "is the same for every option"),
        (["echo {option}", "--options", "a,b", "--budget", "9", "--time", "sun"], "write wall or cpu"),
        (
            ["echo {option}", "--options", "a,b", "--budget", "9", "--time", "cpu", "--pattern", "(.*)"],
            "leave --pattern",
        ),
        (["echo {option}", "--options", "a,b", "--budget", "9", "-j", "0"], "workers is 0"),
        (["echo {option}", "--options", "a,b", "--budget", "9", "--pattern", "x"], "has no group"),
        (["echo {option}", "--options", "a,b", "--budget", "9", "--pattern", "("], "is not a regular expression"),
        (["echo {option}", "--options", "a,b", "--budget", "9", "--cost", "price"], "no column 'price'"),
        (["echo {option}", "--options", "a,b", "--budget", "9", "--calls", "timeout=0"], "timeout is 0"),
        (["echo {option}", "--options", "a,b", "--budget", "9", "--calls", "speed=3"], "--calls has 'speed=3'"),
        (["echo {option}", "--options", "a,b", "--budget", "9", "--calls", "timeout=1_0"], "timeout is '1_0'"),
        (["echo {option}", "--options", "a,b", "--budget", "9", "--html", "no/such/folder/x.html"], "cannot write"),
    ],
)
def test_misuse_is_said_before_anything_runs(arguments, why, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = varde("run", *arguments, "--store", "s.db")
    assert found.exit_code == 2 and why in found.stderr, found.output


def test_the_same_command_goes_on_and_a_larger_budget_adds(tmp_path):
    store = tmp_path / "s.db"

    def asked(budget, command=NOISY, *more):
        return varde("run", command, "--options", "10,20", "--budget", budget, "--store", store, *more)

    first = asked(12)
    assert asked(12).stdout == first.stdout
    assert asked(20).stdout.startswith("Take 20: after 20 evaluations")
    other = asked(20, "echo {option}")
    assert other.exit_code == 2 and "made by another command" in other.stderr
    timed = asked(20, NOISY, "--time", "cpu", "--goal", "max")
    assert timed.exit_code == 2, timed.output


@pytest.mark.parametrize(("clock", "slow"), [("wall", "sleep 0.1"), ("cpu", "head -c 30000000 /dev/zero | md5sum")])
def test_the_result_is_how_long_a_command_took(clock, slow):
    whole = ["run", "sh -c {option}", "--options", f"echo 900,{slow}", "--budget", 12, "--time", clock, "--json"]
    told = json.loads(varde(*whole).stdout)
    assert told["best_name"] == "echo 900" and max(told["values"]["echo 900"]) < 900
    assert all(value >= (0.1 if clock == "wall" else 0.001) for value in told["values"][slow])
    assert abs(len(told["values"][slow]) - len(told["values"]["echo 900"])) <= 6, "in turn"


def test_waiting_takes_no_time_of_the_processor():
    told = json.loads(
        varde("run", "sleep {option}", "--options", "0.2,0.3", "--budget", 6, "--time", "cpu", "--json").stdout
    )
    assert max(told["values"]["0.3"]) < 0.15


def test_a_second_process_with_nothing_to_do_says_so(tmp_path):
    store = tmp_path / "s.db"
    asked = ["--options", "10,20", "--budget", 6]
    varde("ask", store, *asked, "-n", 6)  # all of it, and no answers
    found = varde("run", NOISY, *asked, "--store", store)
    assert found.exit_code == 3 and "other processes are working on all" in found.stderr, found.output


def wait_until(happened, seconds=120.0):
    until = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < until, "it never happened"
        time.sleep(0.02)


def test_ctrl_c_keeps_the_results_and_ends_the_commands(tmp_path):
    store, mark, ran = tmp_path / "s.db", tmp_path / "alive", tmp_path / "ran"
    ran.mkdir()
    # Results are kept in order, four draws at a time: by the seventh some are, and it sleeps.
    slow = f"mkdir {ran}/$$; test $(ls {ran} | wc -l) -gt 6 && mkdir {mark} 2>/dev/null && exec sleep 100; {NOISY}"
    asked = ["run", slow, "--options", "10,20", "--budget", "400", "-j", "2", "--store", str(store)]
    process = subprocess.Popen([*VARDE, *asked], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_until(mark.exists)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130, err
    assert "stopped; the same command continues" in err
    assert not commands_with(str(mark))
    with sqlite3.connect(store) as file:
        kept = file.execute("SELECT count(*) FROM results").fetchone()[0]
        assert file.execute("SELECT count(*) FROM failures").fetchone()[0] == 0
    assert kept and f"after {kept} of 400 evaluations" in out


def commands_with(text):
    """Processes whose command line has the text in it."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                if text.encode() in file.read() and int(pid) != os.getpid():
                    found.append(pid)
        except OSError:
            continue
    return found


def test_a_fixed_test_set_is_judged_item_by_item(tmp_path):
    cases, store = tmp_path / "cases.csv", tmp_path / "s.db"
    cases.write_text("item,weight\n" + "".join(f"case {i},{i}\n" for i in range(12)))
    asked = ["run", "test {item} && echo $(( {weight} * {option} ))", "--options", "1,2,3", "--items", cases]
    found = varde(*asked, "--store", store)
    assert found.exit_code == 0 and found.stdout.startswith("Take 3: after 36 evaluations"), found.output
    assert "judged on all items." in " ".join(found.stdout.split())
    told = json.loads(varde(*asked, "--store", store, "--json").stdout)
    assert told["spent"] == 36 and dict(zip(told["items"]["2"], told["values"]["2"], strict=True))["case 5"] == 10.0
    rows = sqlite3.connect(store).execute("SELECT i.name, r.value FROM results r JOIN items i USING (replicate)")
    assert ("case 11", 33.0) in rows.fetchall()
    few = varde(*asked, "--budget", 9, "--json")
    assert json.loads(few.stdout)["spent"] == 9


def test_a_test_set_that_the_command_does_not_use_is_refused():
    found = varde("run", "echo {option}", "--options", "1,2", "--items", "a,b")
    assert found.exit_code == 2 and "write {item} where the item goes" in found.stderr
