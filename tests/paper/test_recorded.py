"""What the pages say of the recorded results is what the results say."""

import re
from pathlib import Path

import pytest

from varde.paper import PAPER_RUNS, READINGS, STUDIES
from varde.paper.statements import graded
from varde.paper.summary import commits, numbers, rows_of, short_of
from varde.studies.report import as_html, load

ROOT = Path(__file__).parents[2]
PAGE, README = ((ROOT / name).read_text() for name in ("docs/paper.md", "README.md"))


@pytest.fixture(scope="module")
def recorded():
    results, skipped = load(ROOT / "docs" / "results" / "paper")
    assert not skipped
    return {result.name: result for result in results}


def test_they_were_made_at_one_clean_commit(recorded):
    [commit] = commits(recorded)
    assert re.fullmatch("[0-9a-f]{12}", commit) and f"Recorded at commit {commit}." in PAGE


def test_no_study_has_fewer_runs_than_the_paper_and_what_is_missing_is_named(recorded):
    """On the page and in README; and nothing is named that was measured."""
    for name, runs in {**PAPER_RUNS, **READINGS}.items():
        assert name not in recorded or recorded[name].runs >= runs
    absent = [name for name in STUDIES if name not in recorded]
    found = re.search(r"<!-- short -->\n(.*?)\n<!-- end", PAGE, re.DOTALL)[1]
    told = re.search(r"not measured: ([^.]*)", found)
    assert (told[1].split(", ") if told else []) == absent and all(name in README for name in absent)
    assert len(short_of(recorded)) == bool(absent)


def test_the_paper_s_runs_are_the_default():
    for name, runs in {**PAPER_RUNS, **READINGS}.items():
        assert STUDIES[name]().runs >= runs


def test_grades_computed_again_are_those_on_the_page(recorded):
    lines = dict(re.findall(r"^\| (\d+) \|.*?\| \w+ \| (.*? \| .*?) \|$", PAGE, re.MULTILINE))
    answers = graded(rows_of(recorded))
    assert {int(number): text for number, text in lines.items()} == {
        number: f"{one.grade} | {one.fitted}" for number, one in answers.items()
    }


def test_readme_and_the_page_say_the_same_numbers(recorded):
    assert numbers(recorded) in PAGE and numbers(recorded) in README


def test_readme_is_as_the_script_writes_it(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "docs" / "tables")
    import paper_tables

    assert paper_tables.readme() == README


def test_the_page_has_at_most_eight_thousand_words(recorded):
    page = re.sub(r"<style>.*?</style>", "", as_html(list(recorded.values()), []), flags=re.DOTALL)
    assert len(re.sub(r"<[^>]*>", " ", page).split()) <= 8_000 and "<script" not in page
