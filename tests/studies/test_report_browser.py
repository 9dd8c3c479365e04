"""The report in a real browser: nothing fetched, no complaint, every curve readable by mouse, finger and keys."""

import re

import pytest

from varde.studies.report import write_report

from .results import HOSTILE, put_curves, put_docs, put_hostile, rows_of

PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    put_docs(folder, "table-1", "table-1-fair")
    put_curves(folder)
    put_hostile(folder)
    write_report(folder)
    return folder


@pytest.fixture
def opened(browser, folder):
    """Open the report; in the end nothing may have been fetched, said or alerted."""
    contexts, heard = [], []

    def open_it(**how):
        context = browser.new_context(**how)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: heard.append(message.text))
        page.on("pageerror", lambda error: heard.append(str(error)))
        page.on("dialog", lambda dialog: (heard.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda request: request.url.startswith("data:") or heard.append(request.url))
        page.goto((folder / "report.html").as_uri())
        return page

    yield open_it
    for context in contexts:
        context.close()
    assert heard == [(folder / "report.html").as_uri()] * len(contexts)


def lake(page):
    """The first chart, in its section, opened as a reader would."""
    page.locator("section summary", has=page.get_by_role("heading", name="FrozenLake")).click()
    return page.locator("figure.chart").first


def line(figure, name):
    row = figure.locator("tbody tr").filter(has=figure.page.get_by_role("rowheader", name=name, exact=True))
    return [cell.inner_text() for cell in row.locator("td").all()]


def expected(step):
    from varde.paper import STUDIES

    return next(f"{row.value:.4f}" for row in rows_of(STUDIES["frozen-lake"]()) if row.step == step)


def test_a_finger_reads_a_curve_off(opened):
    page = opened(**PHONE)
    figure = lake(page)
    plot = figure.locator(".plot")
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    page.touchscreen.tap(box["x"] + box["width"] * 9 / 29, box["y"] + box["height"] / 2)
    assert figure.locator(".at").inner_text() == "10,000" and line(figure, "UCT")[0] == expected(10_000)


def test_a_phone_shows_all_of_it(opened):
    page = opened(**PHONE)
    for details in page.locator("details").all():
        details.evaluate("element => element.open = true")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert page.evaluate("document.querySelector('.plot i').getBoundingClientRect().height") >= 10


LUMINANCE = """() => {
  const channel = (c) => { c /= 255; return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; };
  const light = (text) => {
    const [r, g, b] = text.match(/[\\d.]+/g).map(Number);
    return 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  };
  const paper = light(getComputedStyle(document.body).backgroundColor);
  const ratio = (one, other) => (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
  const contrast = (text) => ratio(light(text), paper);
  const words = [...document.querySelectorAll("p, td, th, li, a, small, i, summary, .good, .bad, .fair, .open")];
  const curves = [...document.querySelectorAll("svg .line")];
  return [paper, Math.min(...words.map((e) => contrast(getComputedStyle(e).color))),
    Math.min(...curves.map((e) => contrast(getComputedStyle(e).stroke)))];
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast(opened, scheme):
    paper, words, curves = opened(color_scheme=scheme).evaluate(LUMINANCE)
    assert (paper > 0.9) == (scheme == "light") and (paper < 0.02) == (scheme == "dark")
    assert words >= 4.5 and curves >= 3.0


def test_names_are_shown_and_not_run(opened):
    page = opened()
    assert page.get_by_text(HOSTILE, exact=True).count() > 0
    assert page.locator("img").count() == 0 and page.locator("script").count() == 1


def test_a_forgotten_escape_would_still_not_run(opened, folder):
    """The page's policy: no script but its own."""
    page = opened()
    bad = folder / "bad.html"
    bad.write_text((folder / "report.html").read_text().replace("<main>", "<main><script>window.ran = 1</script>"))
    other = page.context.new_page()
    other.goto(bad.as_uri())
    assert other.evaluate("window.ran") is None
    assert other.locator("figure.chart .dot").count() > 0


def test_print(opened):
    page = opened(color_scheme="dark")
    pdf = page.pdf(format="A4", print_background=True)
    assert pdf.startswith(b"%PDF") and 3 < len(re.findall(rb"/Type\s*/Page[^s]", pdf)) < 40
    assert page.locator("details[open]").count() == 0  # folded again
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


def test_without_the_script_the_end_can_be_read(browser, folder):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((folder / "report.html").as_uri())
    assert line(lake(page), "UCT")[0] == expected(30_000)
    context.close()


def test_the_answers_are_on_the_first_screen_and_lead_to_their_sections(opened):
    page = opened(viewport={"width": 1280, "height": 800})
    assert all(one.bounding_box()["y"] < 800 for one in page.locator(".answers li").all())
    section = page.locator("#study-table-2d-1 > details")
    assert section.get_attribute("open") is None
    page.locator("nav a", has_text="Table 1").first.click()
    page.wait_for_function("document.querySelector('#study-table-2d-1').getBoundingClientRect().top < 100")
    assert section.get_attribute("open") is not None


def test_the_contents_stay_in_view_on_a_desk_and_fold_on_a_phone(opened):
    desk = opened(viewport={"width": 1280, "height": 800})
    desk.evaluate("scrollTo(0, document.body.scrollHeight - 1200)")
    assert 0 <= desk.locator("nav").bounding_box()["y"] < 60 and desk.locator("nav a").last.is_visible()
    phone = opened(**PHONE)
    assert phone.locator("nav").bounding_box()["height"] < 60
    phone.locator("nav summary").click()
    phone.locator("nav a", has_text="FrozenLake").click()
    phone.wait_for_function("document.querySelector('#study-frozen-2d-lake').getBoundingClientRect().top < 100")
    assert phone.locator("#study-frozen-2d-lake > details").get_attribute("open") is not None
    assert phone.locator("nav").bounding_box()["height"] < 60 and phone.locator("nav").bounding_box()["y"] >= 0
