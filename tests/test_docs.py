"""What the documents show is true: code runs, numbers come from results files."""

import doctest
import importlib.util
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import varde.testing  # noqa: F401  (its examples are run)

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize(
    "name",
    [
        "varde.decisions",
        "varde.bandits.identify",
        "varde.environments.forked_river_swim",
        "varde.environments.river_swim",
        "varde.gaps",
        "varde.learning.identify",
        "varde.mdp",
        "varde.planning.assess",
        "varde.planning.planner",
        "varde.selection.select",
        "varde.selection.selector",
        "varde.solve",
        "varde.testing",
    ],
)
def test_docstring_examples(name):
    outcome = doctest.testmod(sys.modules[name], optionflags=doctest.NORMALIZE_WHITESPACE)
    assert outcome.attempted > 0 and outcome.failed == 0


@pytest.mark.parametrize("page", ["README.md", "docs/planning.md", "docs/selection.md", "docs/selection-quality.md"])
def test_code_of_a_page_runs(page):
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)
    assert blocks
    namespace: dict = {"__name__": "page"}
    for block in blocks:
        exec(compile(block, page, "exec"), namespace)


@pytest.mark.parametrize(
    ("page", "script"), [("README.md", "tables"), ("docs/selection-quality.md", "selection_tables")]
)
def test_tables_come_from_the_results_files(page, script):
    spec = importlib.util.spec_from_file_location(script, ROOT / "docs" / f"{script}.py")
    tables = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tables)
    text = (ROOT / page).read_text()
    assert tables.filled(text) == text


@pytest.mark.parametrize("example", sorted((ROOT / "examples").glob("*.py")), ids=lambda p: p.name)
def test_examples_run(example):
    done = subprocess.run([sys.executable, str(example)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout


BENCHMARKS = {
    "bandits": """
        instance = bandits.INSTANCES["BAI.4"]
        for name in ("SR", "VarDE direct softmax"):
            print(bandits.nanoseconds(bandits.algorithms()[name], instance.bandit, 300, 5, 1))
        """,
    "selector": """
        for name in ("gap rule (default)", "UCBE"):
            print(selector.microseconds(selector.RULES[name], 20, 20, 1))
        """,
    "planning": """
        world = planning.sailing()
        for name in ("UCT", "VarDE text, direct softmax"):
            search = planning.Search(planning.algorithms()[name], world.model, world.start, 50)
            print(planning.microseconds(search, 200, 1))
        """,
    "learning": """
        print(learning.speed(learning.AGENTS["VarDE-Q"], 5))
        print(learning.allocation_times(learning.AGENTS["MDP-NaS"], 5).max())
        """,
    "selection": """
        chosen = [selection.paper()[3], selection.problems(1, seed=0)[0]]
        errors = selection.measure(chosen, [40, 40], 1, lambda line: None)
        rows = selection.summary(errors, ["BAI.4", "random"], [40, 40])
        print(len(rows), max(row["error"] for row in rows))
        """,
    "batches": """
        print(batches.wrong(batches.Batched(batches.GapVarDE(), 8), batches.paper()[3], 400, 1))
        print(batches.wrong(batches.Batched(batches.GapVarDE(), 30), batches.paper()[3], 400, 1))
        """,
}


@pytest.mark.parametrize("name", BENCHMARKS)
def test_benchmarks_run(name):
    code = f"import {name}\n" + textwrap.dedent(BENCHMARKS[name])
    folder = ROOT / "benchmarks"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert all(float(number) > 0.0 for number in done.stdout.split()) and len(done.stdout.split()) == 2
