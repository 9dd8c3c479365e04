"""The page and the plot of a selection, the page in a real browser too."""

import builtins
import shutil

import numpy as np
import pytest

from varde.selection import Selection

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
]
HOSTILE = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def found():
    rng = np.random.default_rng(3)
    chances, counts = (0.735, 0.71, 0.68, 0.62, 0.3), (500, 420, 240, 80, 25)
    values = [(rng.random(n) < p).astype(float) for p, n in zip(chances, counts, strict=True)] + [np.array([])] * 2
    names = ["three examples", "short", HOSTILE, "none" * 40, "rude", "broken", "untried"]
    failing = {"broken": "<b>TimeoutError</b>: no answer"}
    return Selection.of(names, names, values, budget=1500, spent=1265, failing=failing)


def test_page_stands_alone(found, tmp_path):
    text = found.to_html(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == text
    assert HOSTILE not in text and "<b>Timeout" not in text and "&lt;script&gt;alert(1)" in text
    assert "http://" not in text and "https://" not in text
    assert text.count("<tr class=") == len(found.rows) and "possible" in text


def test_notebook(found):
    text = found._repr_html_()
    assert HOSTILE not in text and "<script" not in text and "<table" in text


def test_plot(found):
    pytest.importorskip("matplotlib", reason="no plot: pip install varde[plot]")
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
    with pytest.raises(ImportError, match=r"pip install varde\[plot\]"):
        found.plot()


@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip("playwright.sync_api", reason="no browser test: pip install playwright")
    if CHROMIUM is None:
        pytest.skip("no browser test: no chromium on this machine")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        yield browser
        browser.close()


@pytest.mark.xdist_group("browser")
@pytest.mark.parametrize("width, scheme", [(1200, "light"), (1200, "dark"), (360, "light")])
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
    assert page.locator("tr.best .chance").is_visible() and page.locator("tr.best .verdict").is_visible()
    # Pointing at a line lifts it out, and the drawing says its numbers.
    line = page.locator("tr.possible").first
    before = line.locator("th").evaluate("e => getComputedStyle(e).backgroundColor")
    line.hover()
    assert line.locator("th").evaluate("e => getComputedStyle(e).backgroundColor") != before
    assert "95 % interval" in line.locator("svg title").text_content()
    context.close()
    assert heard == []
