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
        "varde.learning.identify",
        "varde.solve",
        "varde.testing",
    ],
)
def test_docstring_examples(name):
    outcome = doctest.testmod(sys.modules[name], optionflags=doctest.NORMALIZE_WHITESPACE)
    assert outcome.attempted > 0 and outcome.failed == 0


def test_readme_code_runs():
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert len(blocks) >= 2
    namespace: dict = {"__name__": "readme"}
    for block in blocks:
        exec(compile(block, "README.md", "exec"), namespace)
    assert namespace["result"].error[-1] < 0.2


def test_readme_tables_come_from_the_results_files():
    spec = importlib.util.spec_from_file_location("tables", ROOT / "docs" / "tables.py")
    tables = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tables)
    text = (ROOT / "README.md").read_text()
    assert tables.filled(text) == text


@pytest.mark.parametrize("example", sorted((ROOT / "examples").glob("*.py")), ids=lambda p: p.name)
def test_examples_run(example):
    done = subprocess.run([sys.executable, str(example)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_benchmark_runs():
    code = """
    import bandits
    instance = bandits.INSTANCES["BAI.4"]
    for name in ("SR", "VarDE direct softmax"):
        print(bandits.nanoseconds(bandits.algorithms()[name], instance.bandit, 300, 5, 1))
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT / "benchmarks",
    )
    assert done.returncode == 0, done.stderr
