"""The page and the plot of a selection, the page in a real browser too."""

import builtins
import dataclasses
import itertools

import numpy as np
import pytest

from tests.contrast import pale
from varde import Best
from varde.selection import Selection
from varde.selection.evidence import Evidence
from varde.show.ranges import scale_of

HOSTILE = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def found():
    rng = np.random.default_rng(3)
    chances, counts = (0.735, 0.71, 0.68, 0.62, 0.3), (500, 420, 240, 80, 25)
    values = [(rng.random(n) < p).astype(float) for p, n in zip(chances, counts, strict=True)] + [np.array([])] * 2
    names = ["three examples", "short", HOSTILE, "none" * 40, "rude", "broken", "untried"]
    failing = {"broken": "<b>TimeoutError</b>: no answer"}
    return Selection.of(Evidence(names, names, values, budget=1500, spent=1265, failing=failing))


def test_page_stands_alone(found, tmp_path):
    text = found.to_html()
    assert found.to_html(tmp_path / "page.html") is None, "a notebook would show all of it"
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == text
    assert HOSTILE not in text and "<b>Timeout" not in text and "&lt;script&gt;alert(1)" in text
    assert "http://" not in text and "https://" not in text
    assert text.count("<tr class=") == len(found.rows) and "possible" in text


@pytest.fixture(scope="module")
def many():
    """300 options: one good, two that may be, the others far behind or failing."""
    rng = np.random.default_rng(4)
    values = [rng.normal(9.0, 1.0, 90), rng.normal(8.9, 1.0, 80), rng.normal(8.9, 1.0, 80)]
    values += [rng.normal(5.0, 1.0, 10) for _ in range(288)] + [np.array([])] * 9
    names = [f"option {i}" for i in range(300)]
    return Selection.of(Evidence(names, names, values, failing=dict.fromkeys(names[291:], "no memory")))


def test_what_is_out_of_the_race_is_folded_away(many, found):
    text = many.to_html()
    top, *folds = text.split('<details class="fold">')
    verdicts = [row.verdict for row in many.rows]
    assert top.count("<tr class=") == 300 - verdicts.count("rejected") + 4 - 7
    assert [fold.split("</summary>")[0] for fold in folds] == [
        f"<summary>{verdicts.count('rejected') - 4:,} more rejected options",
        "<summary>7 more failing options",
    ]
    assert text.count("<tr class=") == 300 and 'class="fold"' not in found.to_html(), "two or three rows are not folded"


def test_one_absurd_option_leaves_room_for_the_others(many):
    estimates = many.standings.estimate.copy()
    estimates[-10] = -1e9
    absurd = dataclasses.replace(many, standings=many.standings._replace(estimate=estimates))
    assert scale_of(absurd.ranked) == scale_of(many.ranked)
    assert absurd.to_html().count('class="beyond"') == 1, "an arrow points at it"


def test_notebook(found):
    text = found._repr_html_()
    assert HOSTILE not in text and "<script" not in text and "<table" in text


def test_plot(found):
    pytest.importorskip("matplotlib", reason="no plot: pip install 'varde[plot]'")
    from matplotlib.figure import Figure

    axes = Figure().subplots()
    assert found.plot(axes) is axes
    assert axes.get_yticklabels()[0].get_text() == "three examples"
    assert len(axes.get_yticklabels()) == 5, "what has no results has no place"


def test_plot_without_matplotlib(found, monkeypatch):
    real = builtins.__import__

    def missing(name, *rest):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(ImportError, match=r"pip install 'varde\[plot\]'"):
        found.plot()


@pytest.mark.xdist_group("browser")
@pytest.mark.parametrize("width, scheme", [(1200, "light"), (360, "dark")])
def test_page_in_a_browser(found, browser, tmp_path, width, scheme):
    found.to_html(tmp_path / "page.html")
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page, heard = context.new_page(), []
    page.on("console", lambda message: heard.append(message.text))
    page.on("pageerror", lambda error: heard.append(str(error)))
    page.on("dialog", lambda dialog: (heard.append(dialog.message), dialog.dismiss()))
    page.on("request", lambda request: request.url.startswith(("data:", "file:")) or heard.append(request.url))
    page.goto((tmp_path / "page.html").as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("tbody tr").count() == len(found.rows)
    assert page.locator("tbody th").all_inner_texts()[0] == "three examples"
    # The marks are drawn where the scale puts them: the best one on its dashed line.
    box = page.locator("tr.best path.mark").bounding_box()
    level = page.locator("tr.best path.level").bounding_box()
    assert abs(box["x"] + box["width"] / 2 - level["x"]) < 2
    for number in (".chance", ".verdict", ".interval"):
        assert page.locator(f"tr.best {number}").is_visible()
    box = page.locator("tr.best .interval").bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= width
    # Pointing at a line lifts it out, and the drawing says its numbers.
    line = page.locator("tr.possible").first
    before = line.locator("th").evaluate("e => getComputedStyle(e).backgroundColor")
    line.hover()
    assert line.locator("th").evaluate("e => getComputedStyle(e).backgroundColor") != before
    assert "95 % interval" in line.locator("svg title").text_content()
    context.close()
    assert heard == []


@pytest.mark.xdist_group("browser")
@pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (360, "dark")])
def test_every_word_can_be_read_and_no_name_fills_the_page(browser, tmp_path, width, scheme):
    results = list(np.random.default_rng(1).normal(size=(3, 20)))
    names = ["שלום (2)", "a prompt of many words " * 200, "plain", "broken"]
    failing = {"broken": "no memory"}
    made = Selection.of(Evidence(names, names, [*results, np.array([])], failing=failing))
    made.to_html(tmp_path / "page.html")
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page.goto((tmp_path / "page.html").as_uri())
    assert pale(page) == []
    assert max(row.bounding_box()["height"] for row in page.locator("tbody tr").all()) < 320
    assert page.locator("bdi[title]").count() == 1
    page.close()


@pytest.mark.xdist_group("browser")
@pytest.mark.parametrize("width", [760, 1000])
def test_many_columns_leave_room_for_the_drawing_and_its_scale(browser, tmp_path, width):
    rng = np.random.default_rng(1)
    values = [rng.normal(100.0 - 20.0 * i, 5.0, 40) for i in range(1, 5)]
    numbers = {"latency": [rng.exponential(50.0, 40) for _ in values], "error": [np.zeros(40) for _ in values]}
    goal = Best("profit", "max", latency="<= 90", error="< 0.05")
    made = Selection.of(Evidence("1234", "1234", values, goal=goal, numbers=numbers))
    made.to_html(tmp_path / "page.html")
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.goto((tmp_path / "page.html").as_uri())
    labels = [label.bounding_box() for label in page.locator(".axis span:visible").all()]
    assert len(labels) > 1 or width < 1000
    assert all(one["x"] + one["width"] < other["x"] for one, other in itertools.pairwise(labels))
    heads = [head.evaluate("it => it.scrollWidth - it.clientWidth") for head in page.locator("thead th").all()]
    assert max(heads) <= 0
    page.close()


@pytest.mark.xdist_group("browser")
@pytest.mark.parametrize("paper", ["background: #f5f5f5; color: rgb(0 0 0 / 87%)", "background: #222; color: #fff"])
def test_every_word_can_be_read_in_a_notebook_light_or_dark(found, browser, paper):
    page = browser.new_page()
    page.set_content(f"<body style='{paper}'>{found._repr_html_()}</body>")
    assert {row.verdict for row in found.rows} == {"best", "possible", "rejected", "failing"}
    assert pale(page) == []
    page.close()


@pytest.mark.xdist_group("browser")
@pytest.mark.parametrize("width", [360])
def test_folded_rows_open_in_line_with_the_others_and_are_printed(many, browser, tmp_path, width):
    many.to_html(tmp_path / "page.html")
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.goto((tmp_path / "page.html").as_uri())
    folded = page.locator(".fold tr.rejected").first
    assert not folded.is_visible() and page.locator("tr.failing .reason").first.is_visible()
    page.locator(".fold summary").first.click()
    assert folded.is_visible() and page.evaluate("document.documentElement.scrollWidth") <= width
    levels = [page.locator(f"{row} path.level").first.bounding_box()["x"] for row in ("tr.best", ".fold tr.rejected")]
    assert abs(levels[0] - levels[1]) < 1
    page.emulate_media(media="print")
    assert page.locator(".fold tr.failing").first.is_visible() and page.locator("thead").first.is_visible()
    page.close()
