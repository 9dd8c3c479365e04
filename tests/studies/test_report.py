"""The report: what it says, what it leaves out, and that no name breaks it."""

import csv
import io
import json
import re
from html.parser import HTMLParser

import pytest

from varde.studies.figure import Figure
from varde.studies.judging.verdict import judged
from varde.studies.papers import Paper
from varde.studies.report import NoResultsError, load, write_report
from varde.studies.report.section import thin
from varde.studies.report.words import mark
from varde.studies.study import Outcome, Study

from .results import DOCS, HOSTILE, IMAGE, answer, put, put_curves, put_docs, put_hostile, rows_of


def report(folder):
    page, table = (path.read_text() for path in write_report(folder))
    return page, list(csv.DictReader(io.StringIO(table)))


class Tags(HTMLParser):
    """Every element of a page, and whether all are closed in order."""

    VOID = ("meta", "link", "path", "br")

    def __init__(self, page):
        super().__init__()
        self.open, self.found, self.text = [], [], []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def test_published_and_measured_side_by_side(tmp_path):
    put_docs(tmp_path, "table-1", "table-1-fair")
    page, table = report(tmp_path)
    assert "56 printed shares: chi-square" in page
    assert page.count("<circle") == 56 and "chosen with these numbers in view" in page
    shown = " ".join(" ".join(Tags(page).text).split())
    for row in json.loads((DOCS / "table-1.json").read_text())["rows"]:
        assert f"{row['published']:.2f} {row['value']:.2f}" in shown
    in_order = "Table 1: error", "<h2>Further, not of the paper", "Table 1 on equal terms: final"
    assert sorted(in_order, key=page.index) == list(in_order)
    assert "Not in this folder: stylized, decision-functions" in page
    assert len(table) == 56 + 92
    one = next(row for row in table if row["verdict"] == "cannot tell")
    assert float(one["low"]) < float(one["value"]) < float(one["high"]) and float(one["margin"]) > 0.5
    assert "The 14 settings that were chosen to fit" in page and "random.Random(42)" in page


def test_curves_can_be_read_off(tmp_path):
    study = put_curves(tmp_path)
    page, table = report(tmp_path)
    assert page.count('<figure class="chart"') == 1 and len(table) == len(rows_of(study))
    last = [row for row in rows_of(study) if row.algorithm == "UCT"][-1]
    data = re.search(r'<tr data-v="([^"]*)" data-l="[^"]*" data-h="[^"]*"><th scope="row"><svg.*?</svg>UCT', page)[1]
    assert data.split(";")[-1] == f"{last.value:.4f}" and len(data.split(";")) == 10
    assert "V*" in page and "highest value throughout" in page and "fewer runs" in page.lower()


def test_the_same_folder_gives_the_same_bytes_whatever_was_written_before(tmp_path):
    put_docs(tmp_path, "table-1")
    put_curves(tmp_path)
    first = [path.read_bytes() for path in write_report(tmp_path)]
    again = [path.read_bytes() for path in write_report(tmp_path)]
    (tmp_path / "elsewhere").mkdir()
    other = [path.read_bytes() for path in write_report(tmp_path, tmp_path / "elsewhere")]
    assert first == again == other
    assert sorted(path.name for path in tmp_path.glob("report.*")) == ["report.csv", "report.html"]


def test_no_name_breaks_the_page(tmp_path):
    put_hostile(tmp_path)
    page, table = report(tmp_path)
    tags = Tags(page)
    assert [attributes for tag, attributes in tags.found if tag == "script"] == [{}]
    assert not [tag for tag, _ in tags.found if tag == "img"]
    assert not [name for _, attributes in tags.found for name in attributes if name.startswith("on")]
    assert HOSTILE in "".join(tags.text)
    assert all(not row[column].startswith(("=", "+", "-", "@")) for row in table for column in ("problem", "setting"))
    assert {row["problem"] for row in table} >= {"'=1+1"}


def test_no_title_breaks_the_page(tmp_path):
    for name, title in (("a", f"{HOSTILE} [x](javascript:alert(4))"), ("b", f"{IMAGE} `|`")):
        mine = Paper(title, {f"part {HOSTILE}": [Study(name, name, (), 10, unit=IMAGE, method=IMAGE)]}).studies[name]()
        put(tmp_path, mine, [Outcome("p", "a", "", 1, 10, 1.0, 0.1)], [answer("as stated", IMAGE, HOSTILE)])
    page, table = report(tmp_path)
    assert not [tag for tag, _ in Tags(page).found if tag == "img"] and page.count("<script>") == 1
    assert {row["paper"] for row in table} == {f"{HOSTILE} [x](javascript:alert(4))", f"{IMAGE} `|`"}


def test_a_results_file_tells_of_a_study_of_ones_own(tmp_path):
    notes, findings = ["as I like"], ["a is fine", answer("in part", "3 of 5", "a wins")]
    study = Study("mine", "Mine & yours", (), 10, percent=True, digits=1, notes=notes, findings=lambda rows: findings)
    put(tmp_path, study, [Outcome("p", "a", "s", 1, 10, 30.0, 1.0)])
    page, _ = report(tmp_path)
    assert "“a wins”" in page and "in part</b>: 3 of 5" in page and "our threshold: above all" in page
    assert "<h3>Mine &amp; yours</h3>" in page
    assert "<li>as I like</li>" in page and "<li>a is fine</li>" in page and "6.7 … 65.2" in page


def test_a_results_file_may_say_nothing_about_its_study(tmp_path):
    study = Study("mine", "Mine & yours", (), 10, percent=True, digits=1)
    put(tmp_path, study, [Outcome("p", "a", "s", 1, 10, 30.0, 1.0)])
    data = json.loads((tmp_path / "mine.json").read_text())
    del data["about"]
    (tmp_path / "mine.json").write_text(json.dumps(data))
    assert "<h3>mine</h3>" in report(tmp_path)[0] and "30.00" in report(tmp_path)[0]


def test_the_page_of_ones_own_study_is_labelled_as_its_figure(tmp_path):
    figure = Figure(across="coin tosses", up="share of heads", log=True, best=0.5)
    study = Study("mine", "Mine", (), 10, figure=figure, span=(0.0, 0.6))
    put(tmp_path, study, [Outcome("p", "a", "s", step, 10, 0.5, 0.1) for step in range(20)])
    page, *_ = report(tmp_path)
    assert '<p class="up">share of heads</p>' in page and '<p class="across">coin tosses</p>' in page
    assert '<i class="name"' in page and re.search(r'data-range="[^"]*;1;0"', page)  # V*; logarithmic upwards
    assert 'data-h="0.6000;' in page


def test_published_numbers_are_as_printed_wherever_they_are_shown(tmp_path):
    study = Study("mine", "Mine", (), 10, published_runs=100)
    rows = [Outcome("p", name, "s", 1, 100, 200.0, 0.1, 0.3, unit=unit) for name, unit in (("a", 0.1), ("b", 0.001))]
    put(tmp_path, study, [judged(study, row) for row in rows])
    page, table = report(tmp_path)
    assert [row["published"] for row in table] == ["0.3", "0.300"]
    assert page.count(">0.3<") == page.count(">0.300<") == 2  # in the table, and among the different


def test_a_study_of_ones_own_has_its_place_and_its_reasons(tmp_path):
    always = [(lambda row: True, "it rains")]
    study = Study("mine", "Mine", (), 10, place="Table 9", percent=True, published_runs=10, reasons=always)
    put(tmp_path, study, [judged(study, Outcome("p", "a", "s", 1, 10_000, 30.0, 1.0, 99.0))])
    page, [row] = report(tmp_path)
    assert "1 outside of the margin" in page and "Table 9" in page and "Likely: it rains." in page
    assert row["likely_reason"] == "it rains" and row["paper"] == row["part"] == ""


@pytest.mark.parametrize(
    ("about", "why"),
    [
        (3, "not a results file"),
        ({"title": 3}, "title is 3: write a text"),
        ({"digits": -1}, "digits is -1"),
        ({"runs": True}, "runs is True"),
        ({"notes": None}, "notes is None"),
        ({"span": "wide"}, "span is 'wide'"),
        ({"percent": "yes"}, "percent is 'yes'"),
        ({"findings": [1]}, "findings has 1, which is neither an answer nor a text"),
        ({"findings": [{"number": 1, "grade": "holds"}]}, "neither an answer nor a text"),
        ({"findings": [{**answer("in part").parts, "number": "one"}]}, "neither an answer nor a text"),
        ({"figure": "x"}, "which is no figure"),
        ({"figure": {"sizes": {"p": "large"}}}, "which is no figure"),
        ({"figure": {"log": 3}}, "which is no figure"),
        ({"figure": {"shown": "a"}}, "which is no figure"),
        ({"figure": {"unheard": 1}}, "which is no figure"),
        ({"paper": {"title": "t", "parts": {"a": ["other"]}}}, "which is no outline of a paper"),
        ({"paper": [1]}, "which is no outline of a paper"),
    ],
)
def test_a_file_that_says_nonsense_about_its_study_is_named_and_left_out(tmp_path, about, why):
    put_docs(tmp_path, "table-1")
    rows = [Outcome("p", "a", "s", step, 10, 0.5, 0.1)._asdict() for step in range(20)]
    data = {"study": "mine", "seed": 0, "version": "1", "about": about, "rows": rows}
    (tmp_path / "mine.json").write_text(json.dumps(data))
    report(tmp_path)
    _, [skipped] = load(tmp_path)
    assert skipped.file == "mine.json" and why in skipped.why


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "not JSON, or damaged"),
        ("[1]", "not a results file"),
        ('{"study": "x", "seed": 0, "version": "1", "rows": []}', "no rows"),
        ('{"study": "x", "seed": 0, "version": "1", "rows": [{"problem": 1}]}', "row 1 lacks one of"),
        ('{"study": 3, "seed": 0, "version": "1", "rows": [1]}', "study is a name"),
        (b"\xff\xfe", "not JSON, or damaged"),
        ("[" * 100_000, "not JSON, or damaged"),
    ],
)
def test_foreign_files_are_named_and_left_out(tmp_path, text, why):
    put_docs(tmp_path, "table-1")
    (tmp_path / "other.json").write_bytes(text if isinstance(text, bytes) else text.encode())
    _, skipped = load(tmp_path)
    assert len(skipped) == 1 and skipped[0].file == "other.json" and why in skipped[0].why
    assert "Left out of this report" in report(tmp_path)[0]


@pytest.mark.parametrize(
    "change",
    [{"value": "12"}, {"runs": 0}, {"step": 1.5}, {"verdict": "fine"}, {"published": None}, {"stderr": True}],
)
def test_rows_of_another_kind_are_refused(tmp_path, change):
    data = json.loads((DOCS / "table-1.json").read_text())
    data["rows"][3].update(change)
    (tmp_path / "table-1.json").write_text(json.dumps(data))
    with pytest.raises(NoResultsError, match="row 4"):
        write_report(tmp_path)


def test_nothing_to_report_on(tmp_path):
    with pytest.raises(NoResultsError, match=r"there are no results in .*: write varde reproduce table-1"):
        write_report(tmp_path)
    with pytest.raises(NoResultsError, match="is not a folder"):
        write_report(tmp_path / "nowhere")
    assert list(tmp_path.iterdir()) == []


def test_a_study_without_all_its_rows_says_so(tmp_path):
    data = json.loads((DOCS / "table-1.json").read_text())
    data["rows"] = data["rows"][:9]
    (tmp_path / "table-1.json").write_text(json.dumps(data))
    page, *_ = report(tmp_path)
    assert "9 printed shares" in page


def test_two_files_of_one_study(tmp_path):
    put_docs(tmp_path, "table-1")
    (tmp_path / "z.json").write_text((DOCS / "table-1.json").read_text())
    assert [file.file for file in load(tmp_path)[1]] == ["z.json"]


def test_the_page_stays_small_however_much_there_is(tmp_path):
    study = Study("large", "Large", (), 10)
    rows = [
        Outcome(f"problem {p}", f"algorithm {a}", f"setting of {a} " * 5, step, 10, step / 7.0 + a, 0.123, None, None)
        for p in range(26)
        for a in range(26)
        for step in range(60)
    ]
    put(tmp_path, study, rows)
    page, *_ = report(tmp_path)
    assert len(page.encode()) < 2_000_000 and "24 of 26 curves" in page and "first 24 problems" in page


def test_numbers_that_are_none(tmp_path):
    study = Study("odd", "Odd", (), 10)
    values = [float("nan"), float("inf"), -1.5, 0.0, 1e-300, 1e300]
    put(
        tmp_path,
        study,
        [Outcome("p", f"a{i}", "", step, 1, v, 0.0, None, None) for i, v in enumerate(values) for step in range(12)],
    )
    assert "\u22121.5" in report(tmp_path)[0]


def test_thinning_keeps_the_ends():
    assert thin(list(range(1000)), 100)[0] == 0 and thin(list(range(1000)), 100)[-1] == 999
    assert len(set(thin(list(range(1000)), 100))) == 100 and thin([1, 2], 100) == [1, 2]


def test_a_line_for_every_statement_with_its_words_and_a_link_to_the_runs(tmp_path):
    study = put_curves(tmp_path)
    page, _ = report(tmp_path)
    assert "Statement by statement" in page and "“highest value throughout”" in page and "1, picture, Section 5" in page
    assert f'href="#study-{study.name.replace("-", "-2d-")}">runs' in page


@pytest.mark.parametrize(
    ("kind", "grade", "sign", "style"),
    [
        ("limit", "not shown at these sizes", "·", "open"),
        ("limit", "shown at these sizes", "·", "open"),
        ("law", "false as printed", "✗", "bad"),
        ("law", "cannot be tested", "·", "open"),
        ("table", "contradicted", "✗", "bad"),
        ("picture", "in part", "◐", "fair"),
        ("table", "as stated", "✓", "good"),
        ("summary", "not graded", "·", "open"),
    ],
)
def test_red_only_where_a_sentence_is_contradicted(kind, grade, sign, style):
    assert mark(answer(grade, kind=kind)) == (sign, style)


def test_a_heat_map_counts_the_comparisons_with_rivals(tmp_path):
    study = Study("mine", "Mine", (), 10, figure=Figure(heat=("UCT", "BTS")))
    values = {"A": (1.0, 3.0), "UCT": (2.0, 2.0), "BTS": (0.0, 0.0), "BTS, rollout": (9.0, 9.0)}
    rows = [Outcome("Lake", n, "s", step, 10, v[i], 0.1) for n, v in values.items() for i, step in enumerate((10, 20))]
    put(tmp_path, study, rows)
    page, _ = report(tmp_path)
    assert "<b>3 of 4</b>" in page and "first from 20, 3" in page and "color-mix(in srgb, var(--good) 52%" in page


def test_deviations_are_those_of_two_shares(tmp_path):
    study = Study("mine", "Mine", (), 10, percent=True, published_runs=100)
    rows = [Outcome("p", n, "", 1, 100, v, 1.0, 50.0) for n, v in (("a", 50.0), ("b", 50.0 + 2**0.5 * 5.0))]
    put(tmp_path, study, [judged(study, row) for row in rows])
    page, *_ = report(tmp_path)
    assert (
        "2 printed shares: chi-square 1.0 on 2 (p = 0.6" in page and "the largest deviation 1.0 standard errors" in page
    )
