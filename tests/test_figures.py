"""Figures are what their scripts draw today, and pages show both of a pair."""

import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FIGURES = ROOT / "docs" / "figures"
SCRIPTS = sorted(path.stem for path in FIGURES.glob("*.py") if "def draw(theme" in path.read_text())
EVERY_PAGE = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
PAGES = [page for page in EVERY_PAGE if "<picture>" in page.read_text()]


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_figure_is_what_its_script_draws(name, monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(FIGURES)
    monkeypatch.chdir(tmp_path)  # code of a guide may write files
    style, script = importlib.import_module("style"), importlib.import_module(name)
    for theme in (style.LIGHT, style.DARK):
        assert script.draw(theme).svg() == (FIGURES / f"{name}-{theme.name}.svg").read_text(encoding="utf-8")


def test_every_figure_has_a_script():
    assert {path.stem.rpartition("-")[0] for path in FIGURES.glob("*.svg")} == set(SCRIPTS)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_picture_is_shown_in_light_and_in_dark_and_in_words(page):
    for picture in re.findall(r"<picture>.*?</picture>", page.read_text(), re.DOTALL):
        dark, light = (re.search(rf'{name}="(.+?)"', picture)[1] for name in ("srcset", "src"))
        assert (light[:-10], light[-10:], dark[-9:]) == (dark[:-9], "-light.svg", "-dark.svg")
        assert (page.parent / light).exists() and (page.parent / dark).exists()
        assert len(re.search(r'alt="(.*?)"', picture, re.DOTALL)[1]) > 20


def test_the_opening_picture_and_its_words_say_the_same_numbers():
    readme = (ROOT / "README.md").read_text()
    words = re.search(r'alt="(Where .*?)"', readme)[1]
    drawn = re.sub(r"<[^>]*>", " ", (FIGURES / "opening-light.svg").read_text())
    assert set(re.findall(r"[\d.]+ %", words)) == set(re.findall(r"[\d.]+ %(?= sure| with)", drawn))
