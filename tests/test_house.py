"""What the pages for contributors say of the code is true: files exist, folders are named, commands are there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = ROOT / "src" / "varde"
PAGE = (ROOT / "docs" / "house.md").read_text()
GUIDE = (ROOT / "CONTRIBUTING.md").read_text()
TREE = PAGE.split("```")[1]


def test_files_in_the_tree_exist_in_the_folder_under_which_they_are_listed():
    room, lost = SOURCES, []
    for line in TREE.splitlines()[2:]:
        if not line.startswith(" "):
            break
        if found := re.match(r"  (\w+)(/|\.py)", line):
            room = SOURCES / found[1] if found[2] == "/" else SOURCES
        lost += [name for name in re.findall(r"\w+\.py", line) if not list(room.rglob(name))]
        lost += [name for name in re.findall(r"(\w+)/:", line) if not (room / name).is_dir()]
    assert not lost


def test_every_folder_and_file_at_the_top_is_in_the_tree():
    found = {path.name for path in SOURCES.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert not {name for name in found - {"__init__.py", "__main__.py"} if name not in TREE}


@pytest.mark.parametrize("text", [PAGE.replace(TREE, ""), GUIDE], ids=["house.md", "CONTRIBUTING.md"])
def test_paths_in_the_text_lead_to_files(text):
    named = {name for name in re.findall(r"`([\w./-]+\.(?:py|md|cff))`", text) if "yours" not in name}
    kept = [SOURCES, SOURCES.parent, ROOT, SOURCES / "environments"]
    # A file in the text of a row may be meant in any folder of the family: `picture.py`.
    lost = [name for name in named if not any((place / name).exists() for place in kept) and "/" in name]
    assert named and not lost
    assert not [name for name in named if "/" not in name and not list(ROOT.rglob(name))]


def test_the_guide_lists_every_target_of_make():
    targets = set(re.search(r"\.PHONY: (.*)", (ROOT / "Makefile").read_text())[1].split())
    assert targets == set(re.findall(r"^\| `make ([\w-]+)`", GUIDE, re.MULTILINE))
