"""The picture of rule.md in a real browser: it chooses what Python chooses, and works by keys and without a script."""

import random

import numpy as np
import pytest

from varde.beliefs import Floor, Pooled
from varde.beliefs.belief import NOTHING, Belief, believed
from varde.decisions import LogSumExp, Regret
from varde.rule import next_sample

NAMES = "ABC"


@pytest.fixture
def opened(browser, site):
    contexts, heard = [], []

    def open_it(**how):
        context = browser.new_context(**how)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: heard.append(str(error)))
        page.on("request", lambda request: request.url.startswith(("file:", "data:")) or heard.append(request.url))
        page.goto((site.folder / "rule.html").as_uri())
        return page

    yield open_it
    for context in contexts:
        context.close()
    assert not heard


def move(page, words, value):
    slider = page.get_by_label(words, exact=True)
    slider.evaluate("(it, value) => { it.value = value; it.dispatchEvent(new Event('input')); }", str(value))


def chosen(page):
    return page.locator("#rule-picture").get_attribute("data-choice")


def in_python(decision, model, means, noise, samples):
    counts, means = np.array(samples), np.array(means)
    squares = np.square(noise) * (counts - 1)
    common = NOTHING._replace(pooled=squares.sum() / (counts - 1).sum())
    belief = Belief(counts, means, *believed(model, common, counts, means, squares))
    return NAMES[next_sample(decision, belief, np.empty(3))]


def test_the_picture_chooses_what_the_package_chooses(opened):
    page, draw, seen = opened(), random.Random(17), set()
    for _ in range(12):
        means = [draw.randint(30, 70) / 100 for _ in NAMES]
        noise = [draw.randint(1, 60) / 100 for _ in NAMES]
        samples = [draw.randint(2, 60) for _ in NAMES]
        temperature = draw.randint(1, 40) / 100
        for i, name in enumerate(NAMES):
            move(page, f"mean of {name}", means[i])
            move(page, f"noise of {name}", noise[i])
            move(page, f"samples of {name}", samples[i])
        move(page, "temperature", temperature)
        page.get_by_label("decision", exact=True).select_option("soft maximum")
        assert chosen(page) == in_python(LogSumExp(temperature), Floor(0.01), means, noise, samples)
        page.get_by_label("decision", exact=True).select_option("regret")
        assert chosen(page) == in_python(Regret(), Pooled(), means, noise, samples)
        assert f"The next sample goes to {chosen(page)}" in page.locator("#rule-picture .sentence").inner_text()
        seen.add(chosen(page))
    assert seen == set(NAMES)


def test_sliders_move_by_keys_and_a_sample_that_is_taken_is_counted(opened):
    page = opened(viewport={"width": 360, "height": 740})
    slider = page.get_by_label("samples of B", exact=True)
    before = int(slider.input_value())
    slider.focus()
    page.keyboard.press("ArrowRight")
    assert int(slider.input_value()) == before + 1
    taken = chosen(page)
    page.get_by_role("button", name="take this sample").click()
    assert int(page.get_by_label(f"samples of {taken}", exact=True).input_value()) == before + 1 + (taken == "B")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_without_a_script_and_on_paper_there_is_a_still_picture(opened):
    plain = opened(java_script_enabled=False)
    assert plain.locator(".rule-still img").first.is_visible() and plain.locator("#rule-picture").is_hidden()
    printed = opened()
    assert printed.locator(".rule-still img").first.is_hidden() and printed.locator("#rule-picture").is_visible()
    printed.emulate_media(media="print")
    assert printed.locator(".rule-still img").first.is_visible() and printed.locator("#rule-picture").is_hidden()
