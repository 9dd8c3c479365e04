"""A paper of somebody else, through the command line: headline, sentences, axes and reasons are on its page."""

import json
import re
from html import unescape
from pathlib import Path

import pytest
from typer.testing import CliRunner

from varde.cli import app

PAPER = Path(__file__).parents[2] / "examples" / "own_paper.py"  # two studies, a table, a figure, two statements


def varde(*args):
    done = CliRunner().invoke(app, list(map(str, args)))
    assert done.exit_code == 0, done.output
    return done.output


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    varde("reproduce", PAPER, "--runs", 1000, "--workers", 1, "--quiet", "--out", folder)
    return folder


@pytest.fixture(scope="module")
def page(folder):
    return unescape((folder / "report.html").read_text())


def test_its_title_and_its_numbers_are_the_headline(folder, page):
    assert "<h1" in page and ">Waiting well, measured again</h1>" in page
    numbers = [row for row in json.loads((folder / "table-2.json").read_text())["rows"] if "published" in row]
    words = [row["verdict"] for row in numbers if row["published"] is not None]
    assert len(words) == 4 and words[-1] == "different"
    assert "4 printed numbers: " in page and "1 outside of the margin" in page
    assert "2 statements: 1 about tables (1 as stated), 1 about figures (1 in part)" in page
    assert "Variance Driven Exploration" not in page


def test_every_part_has_its_sentence_and_every_statement_its_line(page):
    [answers] = re.findall(r'<ul class="answers">.*?</ul>', page, re.S)
    assert "Waiting times: " in answers and "Load: " in answers and "✗" in answers  # a number is different
    assert "1 statement: 1 as stated" in answers and "1 statement: 1 in part" in answers
    assert "“a pool has the shortest waits, day and night”" in page and "ahead in 4 of 4" in page


def test_its_figure_has_its_axes_units_and_scale_and_its_method_is_drawn_heavier(page):
    assert '<p class="up">wait (ms)</p>' in page and '<p class="across">load (%)</p>' in page
    assert re.search(r'data-range="[^"]*;1;0"', page)  # logarithmic upwards
    assert "measured in ms" in page and re.search(r"± [\d.]+\s+ms", page)
    assert len(re.findall(r'<g class="c0 d0 strong"', page)) == 1


def test_its_reasons_and_notes_are_there(page):
    assert "Likely: the paper does not say how ties are broken." in page
    assert "the paper gives no arrival rates" in page


def test_a_report_needs_no_code_of_the_paper(folder, page, tmp_path):
    for name in ("table-2", "figure-4"):
        (tmp_path / f"{name}.json").write_bytes((folder / f"{name}.json").read_bytes())
    varde("report", tmp_path)
    assert unescape((tmp_path / "report.html").read_text()) == page
    (tmp_path / "figure-4.json").unlink()
    varde("report", tmp_path)
    assert "Not in this folder: figure-4." in (tmp_path / "report.html").read_text()


def test_it_is_listed_and_measured_in_part(tmp_path):
    listed = varde("list", PAPER)
    assert "Waiting well: Load\nfigure-4" in listed and "6 cells, 2,000 runs" in listed
    there = varde("reproduce", f"{PAPER}:Load", "--runs", 10, "--workers", 1, "--json", "--out", tmp_path)
    assert [json.loads(line)["study"] for line in there.splitlines()] == ["figure-4"]
    done = CliRunner().invoke(app, ["reproduce", f"{PAPER}:figure-5"])
    assert done.exit_code == 2 and "did you mean figure-4?" in done.output
