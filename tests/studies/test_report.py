"""The report: one page and one table of whatever is in the folder."""

import csv
import re
from dataclasses import replace

import pytest

from varde.studies import Cell, Figure, Outcome, Study
from varde.studies.report import NoResultsError, write_report

from ..contrast import pale
from .results import HOSTILE, put, put_docs, put_hostile

FIGURE = Figure(across="pulls", up="error", log=True, best=0.1)
CURVE = Study(
    "mine", "Mine: a curve", (), 10, figure=FIGURE, place="Table 2", notes=["a < note"], method="A", unit="ms"
)
ROWS = [
    Outcome("p", name, "s", step, 10, level / step, 0.01, low=0.5 * level / step, high=2.0 * level / step)
    for name, level in (("A", 1.0), ("B", 2.0))
    for step in range(1, 13)
]


def report(folder):
    page, table = write_report(folder)
    return page.read_text(), list(csv.DictReader(table.read_text().splitlines()))


def test_a_study_has_its_table_its_curves_and_its_notes(tmp_path):
    put(tmp_path, CURVE, ROWS, ["A is ahead"])
    page, table = report(tmp_path)
    for words in (
        "Mine: a curve",
        "Table 2; 10 runs, seed 0",
        "A is ahead",
        "a &lt; note",
        "Measured in ms, at the last",
    ):
        assert words in page
    assert page.count('<figure class="chart"') == 1 and "strong" in page and "<script" not in page
    assert len(table) == 24 and float(table[0]["low"]) == 0.5 and table[0]["setting"] == "s"


def test_published_numbers_have_their_verdict(tmp_path):
    put_docs(tmp_path, "table-1")
    page, table = report(tmp_path)
    shown = re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", page))
    assert "on all 56 printed shares" in shown and page.count("<circle") == 56
    for row in (row for row in table if row["published"]):
        assert f"{float(row['published']):.2f} → {float(row['value']):.2f}" in shown
    assert "Not at full size" in shown and "not measured: stylized, decision-functions" in shown


def test_the_same_folder_gives_the_same_bytes(tmp_path):
    put(tmp_path, CURVE, ROWS)
    first = [path.read_bytes() for path in write_report(tmp_path)]
    (tmp_path / "elsewhere").mkdir()
    assert [path.read_bytes() for path in write_report(tmp_path, tmp_path / "elsewhere")] == first


def test_no_name_breaks_the_page_or_runs_in_a_spreadsheet(tmp_path):
    put_hostile(tmp_path)
    page, table = report(tmp_path)
    assert "<script" not in page and "<img" not in page and "onload=alert(3)>" not in page
    assert HOSTILE.replace("<", "&lt;").replace(">", "&gt;") in page
    assert all(not row[column].startswith(("=", "+", "-", "@")) for row in table for column in ("problem", "setting"))


def test_a_file_that_is_none_is_named_and_left_out(tmp_path):
    put(tmp_path, CURVE, ROWS)
    put(tmp_path, replace(CURVE, name="other"), ROWS)
    (tmp_path / "again.json").write_text((tmp_path / "mine.json").read_text())
    for name, text in (("a.json", "["), ("b.json", "{}"), ("c.json", '{"rows": [3]}'), ("d.json.xz", "x")):
        (tmp_path / name).write_text(text)
    page, table = report(tmp_path)
    assert len(table) == 48 and "the study mine is in another file too" in page
    assert all(f"{name}: not a results file" in page for name in ("a.json", "b.json", "c.json", "d.json.xz"))


def test_nothing_to_report_on_says_what_to_do(tmp_path):
    with pytest.raises(NoResultsError, match="write varde reproduce table-1"):
        write_report(tmp_path)
    with pytest.raises(NoResultsError, match="is not a folder"):
        write_report(tmp_path / "nowhere")


def test_a_phone_shows_all_of_it_in_light_and_dark(tmp_path, browser):
    put(tmp_path, CURVE, ROWS)
    put_docs(tmp_path, "table-1")
    write_report(tmp_path)
    for scheme in ("light", "dark"):
        page = browser.new_page(viewport={"width": 360, "height": 640}, color_scheme=scheme)
        page.goto((tmp_path / "report.html").as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        assert pale(page) == []
        page.close()


@pytest.mark.parametrize("steps", [(), (5, 1)])
def test_steps_ascend(steps):
    with pytest.raises(ValueError, match="steps is"):
        Cell("p", "a", "", steps, abs)
