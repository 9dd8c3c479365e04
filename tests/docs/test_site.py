"""The built site: no warnings, every link and image leads somewhere, nothing comes from elsewhere."""

import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from .conftest import ROOT

FETCHES = {"script": "src", "img": "src", "iframe": "src", "source": "srcset", "object": "data", "embed": "src"}


class Reader(HTMLParser):
    """What a page has: anchors, links, and what a browser fetches for it."""

    def __init__(self):
        super().__init__()
        self.ids, self.links, self.fetched = set(), [], []

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.ids |= {found[name] for name in ("id", "name") if found.get(name)}
        if tag == "a" and found.get("href"):
            self.links.append(found["href"])
        if tag == "link" and "canonical" not in found.get("rel", ""):
            self.fetched.append(found["href"])
        if found.get(FETCHES.get(tag, "")):
            self.fetched.append(found[FETCHES[tag]])


@cache
def read(page):
    reader = Reader()
    reader.feed(page.read_text(encoding="utf-8"))
    return reader


def pages(site):
    return sorted(site.folder.rglob("*.html"))


def lost(page, address):
    """Whether a link or an image of a page leads nowhere."""
    parts = urlsplit(address)
    if parts.scheme or address.startswith("data:"):
        return False
    target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if target.is_dir():
        target /= "index.html"
    if not target.is_file():
        return True
    anchor = unquote(parts.fragment)
    return bool(anchor) and target.suffix == ".html" and anchor not in read(target).ids


def test_the_site_builds_without_a_warning(site):
    assert site.complaints == ""


def test_every_link_and_image_of_the_site_leads_somewhere(site):
    found = [(page, address) for page in pages(site) for address in read(page).links + read(page).fetched]
    assert len(found) > 1_000
    assert not [f"{page.name}: {address}" for page, address in found if lost(page, address)]


def test_nothing_on_a_page_is_fetched_from_elsewhere(site):
    for page in pages(site):
        elsewhere = [address for address in read(page).fetched if re.match(r"(?!data:)\w+:|//", address)]
        assert not elsewhere, page
    for style in site.folder.rglob("*.css"):
        assert not re.search(r"(@import|url\()\s*[\"']?(https?:)?//", style.read_text(encoding="utf-8")), style


def test_every_page_can_be_reached_from_the_first(site):
    """By following links, as a reader does."""
    seen, todo = set(), [site.folder / "index.html"]
    while todo:
        page = todo.pop()
        if page in seen or page.suffix != ".html":
            continue
        seen.add(page)
        local = [urlsplit(link).path for link in read(page).links if not urlsplit(link).scheme]
        todo += [(page.parent / unquote(path)).resolve() for path in local if path]
    assert not [page.name for page in pages(site) if page.resolve() not in seen | made_by_the_theme(site)]


def made_by_the_theme(site):
    return {(site.folder / name).resolve() for name in ("search.html", "genindex.html", "py-modindex.html")}


def written():
    """The pages of docs, without the notes for contributors."""
    pages = [page.relative_to(ROOT / "docs") for page in (ROOT / "docs").rglob("*.md")]
    return [page for page in pages if page.parts[0] != "design"]


def test_every_page_of_docs_is_on_the_site(site):
    assert not [str(page) for page in written() if not (site.folder / Path(page).with_suffix(".html")).is_file()]


def test_every_page_of_docs_has_a_description(site):
    for page in written():
        text = (site.folder / page).with_suffix(".html").read_text(encoding="utf-8")
        assert len(re.findall(r'<meta name="description" content="[^"]+">', text)) == 1, page
