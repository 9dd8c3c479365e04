"""The examples in the documentation of planning, run."""

import doctest
import importlib
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent


@pytest.mark.parametrize("name", ["varde.mdp", "varde.planning.assess", "varde.planning.planner"])
def test_docstring_examples(name):
    if name == "varde.mdp":
        pytest.importorskip("gymnasium")
    outcome = doctest.testmod(importlib.import_module(name))
    assert outcome.attempted > 0 and outcome.failed == 0


def test_benchmark_runs():
    code = """
    import planning
    world = planning.sailing()
    for name in ("UCT", "VarDE text, direct softmax"):
        search = planning.Search(planning.algorithms()[name], world.model, world.start, 50)
        print(planning.microseconds(search, 200, 1))
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT / "benchmarks",
    )
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.split()) == 2
