"""What the documents show is true: code runs, numbers come from results files."""

import doctest
import importlib
import json
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import varde.protocols
import varde.selection.option_lists
import varde.selection.shell
import varde.show.sheet
import varde.studies
import varde.testing
import varde.worlds.discovered  # noqa: F401  (their examples are run)
from tests.long import times

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize(
    "name",
    [
        "varde.show.sheet",
        "varde.decisions.decision",
        "varde.bandits.measure",
        "varde.certainty.paired",
        "varde.environments.forked_river_swim",
        "varde.environments.river_swim",
        "varde.studies.bandit_cells",
        "varde.rule",
        "varde.learning.learn",
        "varde.learning.learner",
        "varde.learning.measure",
        "varde.learning.within",
        "varde.planning.measure",
        "varde.planning.planner",
        "varde.selection.option_lists",
        "varde.selection.result",
        "varde.selection.select",
        "varde.selection.selector",
        "varde.selection.shell",
        "varde.protocols",
        "varde.worlds.gymnasium",
        "varde.worlds.discovered",
        "varde.worlds.solve",
        "varde.worlds.tabulate",
        "varde.worlds.world",
        "varde.testing",
    ],
)
def test_docstring_examples(name):
    outcome = doctest.testmod(sys.modules[name], optionflags=doctest.NORMALIZE_WHITESPACE)
    assert outcome.attempted > 0 and outcome.failed == 0


DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
PAGES = [page for page in DOCUMENTS if "```python" in page.read_text()]


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_code_of_a_page_runs_and_prints_what_the_page_shows(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # some write files
    monkeypatch.syspath_prepend(ROOT / "docs" / "tables")
    text = page.read_text()
    assert importlib.import_module("outputs").run(text, page.name) == text


@pytest.mark.parametrize("page", DOCUMENTS, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_of_a_page_lead_somewhere(page):
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL))
    lost = [link for link in links if "://" not in link and not (page.parent / link).exists()]
    assert not lost


SCRIPTS = sorted(path.stem for path in (ROOT / "docs" / "tables").glob("*_tables.py"))


@pytest.mark.parametrize("script", SCRIPTS)
def test_tables_come_from_the_results_files(script, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "docs" / "tables")
    fill = importlib.import_module("fill")
    assert fill.filled(script) == fill.page_of(script).read_text()


BENCHMARKS = {  # each prints two numbers, more than 0
    "selection": """
        selection.RUNS = 4
        print(len(selection.goals(2, 1)), len(selection.PARTS))
        """,
    "alike": """
        for part in (alike.worlds("doses", 2, 1), alike.peer("strangers", "doses", 2, 1)):
            print(part["runs"])
        """,
    "bandits": """
        instance = bandits.INSTANCES["BAI.4"]
        for name in ("SR", "VarDE"):
            print(bandits.nanoseconds(bandits.algorithms()[name], instance.bandit, 300, 5, 1))
        """,
    "planning": """
        world = planning.sailing()
        for name in ("UCT", "VarDE as printed"):
            search = planning.Search(planning.algorithms()[name], world.model, world.start, 50)
            print(planning.microseconds(search, 200, 1))
        """,
    "peers_planning": """
        for run in (peers_planning.dict_uct, peers_planning.planned(peers_planning.UCT())):
            print(peers_planning.microseconds(run, 50))
        """,
    "learning": """
        print(learning.speed(learning.AGENTS["VarDE-Q"], 5))
        print(learning.speed(learning.AGENTS["eps-Q"], 5))
        """,
}


COMPILED = ("bandits", "planning", "peers_planning", "learning")  # for half a minute: for `make long`

RUN_ALL = """
import contextlib, io, json, sys
for name, code in json.load(sys.stdin).items():
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, {name: __import__(name)})
    print(json.dumps([name, *map(float, printed.getvalue().split()[-2:])]), flush=True)
"""


def test_benchmarks_run():
    """In one process, since each would import and compile the same code again."""
    chosen = {name: code for name, code in BENCHMARKS.items() if name not in times(COMPILED, ())}
    codes = json.dumps({name: textwrap.dedent(code) for name, code in chosen.items()})
    command, folder = [sys.executable, "-c", RUN_ALL], ROOT / "benchmarks"
    done = subprocess.run(command, input=codes, capture_output=True, text=True, check=False, cwd=folder)
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [name for name, *_ in answers] == list(chosen)
    assert not [name for name, *numbers in answers if len(numbers) != 2 or min(numbers) <= 0.0]
