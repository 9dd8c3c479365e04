"""The site in a real browser: every word can be read, nothing is cut off at a desk, and it works without a script."""

import pytest

from tests.contrast import pale
from tests.long import times

pytestmark = pytest.mark.xdist_group("site in a browser")
SOURCES = ("reproduced", "_downloads", "_static")  # files as they are, and a page with tests of its own
WIDE = """() => [...document.querySelectorAll("article pre, article .table-wrapper, article .formula")]
    .filter((part) => part.scrollWidth > part.clientWidth + 1 && part.clientWidth)
    .map((part) => part.textContent.trim().split("\\n").sort((a, b) => b.length - a.length)[0])"""


def written(site):
    pages = (path for path in site.folder.rglob("*.html") if path.relative_to(site.folder).parts[0] not in SOURCES)
    return sorted(pages)


def test_nothing_scrolls_sideways_at_a_desk_and_no_page_is_wider_than_a_phone(browser, site):
    page, wide = browser.new_page(), {}
    pages = written(site)
    reference = [path for path in pages if path.parent.name == "reference"]
    for path in times([path for path in pages if path not in reference[4:]], pages):  # which all look alike
        page.set_viewport_size({"width": 1440, "height": 900})
        page.goto(path.as_uri())
        found = page.evaluate(WIDE)
        page.set_viewport_size({"width": 360, "height": 740})
        found += ["the page"] if page.evaluate("document.documentElement.scrollWidth") > 360 else []
        wide |= {path.name: found} if found else {}
    page.close()
    assert wide == {}


@pytest.mark.parametrize(("name", "scheme"), [("start", "dark"), ("reference/select", "light")])
def test_every_word_can_be_read(browser, site, name, scheme):
    page = browser.new_page(color_scheme=scheme, viewport={"width": 1440, "height": 900})
    page.goto((site.folder / f"{name}.html").as_uri())
    assert pale(page) == []
    page.close()


def test_what_is_written_for_screen_readers(browser, site):
    page = browser.new_page()
    for name in ("rule", "reference/select"):
        page.goto((site.folder / f"{name}.html").as_uri())
        assert page.locator("[role=heading]:not([aria-level]), dl:not(:has(> dt)), th:not(:has(p))").count() == 0
    page.close()


def test_what_is_printed_fits_on_paper(browser, site):
    page = browser.new_page(viewport={"width": 718, "height": 1000})  # A4 between the margins of a browser
    page.emulate_media(media="print")
    page.goto((site.folder / "which-option.html").as_uri())
    for block in page.locator(".highlight pre").all():
        lines = len(block.inner_text().rstrip().split("\n"))
        assert block.evaluate("it => it.clientHeight / parseFloat(getComputedStyle(it).lineHeight)") < lines + 0.9
    page.close()


def test_tables_of_words_fit_on_a_phone(browser, site):
    page = browser.new_page(viewport={"width": 360, "height": 740})
    page.goto((site.folder / "rule.html").as_uri())
    table = page.locator("#what-the-theorems-promise .table-wrapper")
    assert table.evaluate("it => it.scrollWidth <= it.clientWidth")
    page.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_report_within_the_page_follows_the_theme_that_the_reader_chose(browser, site, theme):
    context = browser.new_context(color_scheme="null")
    page = context.new_page()
    page.goto((site.folder / "paper.html").as_uri())
    page.evaluate("theme => document.body.dataset.theme = theme", theme)
    page.locator("iframe.report").scroll_into_view_if_needed()
    report = page.frame_locator("iframe.report")
    report.locator("h1").wait_for()
    is_dark = report.locator("body").evaluate("() => matchMedia('(prefers-color-scheme: dark)').matches")
    assert is_dark == (theme == "dark")
    context.close()
