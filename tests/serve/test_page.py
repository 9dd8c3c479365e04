"""The live page in a real browser: it asks for the token, follows the results, and runs nothing foreign."""

import json
import re

import pytest

import varde

from .server import TOKEN, Server

pytest.importorskip("uvicorn", reason="no server: pip install varde[serve]")
HOSTILE = '<img src=x onerror=alert(1)><script>alert(2)</script>"\' style="color:red" &amp;'


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    options = folder / "options.json"
    options.write_text(json.dumps([HOSTILE, "plain", "better"]))
    server = Server(folder / "s.sqlite", "--options", str(options), "--budget", "400")
    yield server
    server.kill()


@pytest.fixture
def watched(browser, server):
    """A page that is logged in; it may fetch from nobody else, and complain of nothing but lost connections."""
    context, heard = browser.new_context(), []
    context.set_default_timeout(15_000)
    page = context.new_page()
    page.on("console", lambda message: heard.append(message.text))
    page.on("pageerror", lambda error: heard.append(str(error)))
    page.on("dialog", lambda dialog: (heard.append(dialog.message), dialog.dismiss()))
    page.on("request", lambda request: request.url.startswith((server.url, "data:")) or heard.append(request.url))
    page.goto(server.url)
    assert page.url == f"{server.url}/login"
    page.get_by_label("Token").fill(TOKEN)
    page.get_by_role("button").click()
    page.wait_for_selector("#state.live")
    yield page
    context.close()
    quiet = re.compile(
        "Failed to load resource: (net::ERR_|the server responded with a status of 502)"
    )  # a dead server
    assert [words for words in heard if not quiet.match(words)] == []


def tell(server, n):
    there = varde.connect(server.url, token=TOKEN)
    for draw in there.ask(n):
        there.tell(draw, {"better": 2.0, "plain": 1.0}.get(draw.name, 0.5) + draw.seed / 2**31)
    return there


def test_the_page_follows_the_results_and_shows_hostile_names_as_they_are(watched, server):
    there = tell(server, 30)
    watched.get_by_text("30 of 400 spent").wait_for()
    assert watched.locator("tbody th").first.inner_text() == "better"
    assert HOSTILE in watched.locator("tbody th").all_inner_texts()
    assert watched.locator("main img, main script").count() == 0
    watched.evaluate("window.first = document.querySelector('tbody tr')")
    watched.locator("summary").last.click()
    before = watched.locator("h1").inner_text(), watched.title()
    there = tell(server, 12)
    watched.get_by_text("42 of 400 spent").wait_for()
    assert watched.evaluate("window.first.isConnected && window.first.cells[0].textContent") == "better"  # not replaced
    assert watched.locator("details").last.get_attribute("open") is not None
    assert before == (there.recommend().goal_record.headline(there.recommend()),) * 2
    bar = watched.locator("tbody tr .bar i").first
    assert bar.evaluate("bar => bar.style.width") == "100%"


def test_a_cookie_reads_and_changes_nothing(watched, server):
    (cookie,) = watched.context.cookies()
    assert cookie["httpOnly"] and cookie["sameSite"] == "Strict"
    assert TOKEN not in cookie["value"]
    assert TOKEN not in watched.content()
    sent = {"authorization": None, "cookie": f"{cookie['name']}={cookie['value']}"}
    assert server.send("GET", "/state", **sent)[0] == 200
    assert server.send("POST", "/tell", {"draw": "plain", "value": 1}, **sent)[0] == 401
    until, _, signature = cookie["value"].partition(".")
    for forged in (f"{int(until) + 1}.{signature}", f"{until}.{'0' * 64}", f"1.{signature}", until, ""):
        assert server.send("GET", "/state", authorization=None, cookie=f"{cookie['name']}={forged}")[0] == 401


def test_a_page_of_another_site_gets_nothing(watched, server, browser):
    tell(server, 1)
    before = varde.connect(server.url, token=TOKEN).spent
    other = watched.context.new_page()
    other.goto("data:text/html,<p>elsewhere")
    forged = f"""fetch("{server.url}/tell", {{method: "POST", mode: "no-cors", credentials: "include",
        body: JSON.stringify({{draw: "plain", value: 9}})}}).then(() => "sent", () => "refused")"""
    other.evaluate(forged)
    assert other.evaluate(f'fetch("{server.url}/state").then((a) => a.text(), () => "refused")') == "refused"
    assert varde.connect(server.url, token=TOKEN).spent == before


def test_a_wrong_token_opens_no_page(browser, server):
    page = browser.new_page()
    page.goto(f"{server.url}/login")
    page.get_by_label("Token").fill("something else")
    page.get_by_role("button").click()
    page.get_by_role("alert").wait_for()
    assert page.context.cookies() == []
    assert page.goto(f"{server.url}/events").status == 401
    page.close()


def test_without_a_script_the_page_shows_what_was_known_when_it_was_loaded(browser, server):
    tell(server, 8)
    context = browser.new_context(java_script_enabled=False, extra_http_headers={"authorization": f"Bearer {TOKEN}"})
    page, heard = context.new_page(), []
    page.on("console", lambda message: heard.append(message.text))
    page.goto(server.url)
    assert page.locator("noscript span").is_visible() and page.locator("#state").is_hidden()
    boxes = [bar.bounding_box()["width"] for bar in page.locator("tbody .chance i").all()]
    cells = [cell.bounding_box()["width"] for cell in page.locator("tbody .chance").all()]
    assert min(boxes) < 0.3 * cells[0]  # every chance was drawn as 100 %
    places = {round(label.bounding_box()["x"]) for label in page.locator(".axis span").all()}
    assert len(places) == page.locator(".axis span").count() > 1
    assert heard == []
    context.close()


def test_an_error_page_of_a_proxy_does_not_take_the_place_of_the_results(watched, server):
    tell(server, 8)
    watched.locator("tbody tr").first.wait_for()
    watched.route("**/*", lambda route: route.fulfill(status=502, body="Bad Gateway"))
    server.kill()
    with watched.expect_request(lambda request: request.method == "HEAD"):
        watched.locator("#state.lost", has_text="no answer from the server since").wait_for()
    assert watched.locator("tbody tr").first.is_visible()
    watched.unroute("**/*")
    server.start()
    watched.wait_for_selector("#state.live")


def test_a_server_started_again_is_found_by_the_page(watched, server):
    tell(server, 1)
    server.kill()
    watched.wait_for_selector("#state.lost")
    server.start()
    watched.wait_for_selector("#state.live")
