"""What counts in the fingerprint of a kernel: what its machine code is made of, and nothing else."""

import importlib
import json
import pkgutil
import shutil
import sys
from pathlib import Path

import pytest

import varde
from tests.compile.fresh import SOURCE, fresh
from varde._compile import Kernel
from varde._compile.reach import UnclearError, reached
from varde._compile.verb import Verb

# Fingerprints of five kernels, without Numba.
PRINT = """
import json, hashlib, sys, varde
from varde import VarDE, bandits, planning, learning
from varde._compile.reach import reached
from varde.bandits.loop import many_runs
from varde.planning.trial import grow
from varde.learning.run import travel
kernels = {
    "uniform": (many_runs, bandits.Uniform, bandits.Bernoulli),
    "ucbe": (many_runs, bandits.UCBE, bandits.Bernoulli),
    "varde": (many_runs, VarDE, varde.Gaps, varde.Pooled, bandits.Bernoulli),
    "tree": (grow, planning.UCT),
    "learner": (travel, learning.PSRL),
}
lines = {name: reached(kernel.python, classes)[0] for name, (kernel, *classes) in kernels.items()}
assert "numba" not in sys.modules
print(json.dumps({name: hashlib.sha256(repr(text).encode()).hexdigest() for name, text in lines.items()}))
"""

ALL = {"uniform", "ucbe", "varde", "tree", "learner"}
BANDITS = {"uniform", "ucbe", "varde"}
NEW_CASE = """

from .loop import update

@update.of(Uniform)
def take_notice(algorithm, memory, arms, arm, reward):
    arms.counts[arm] += 0
"""
EDITS = {
    "a comment": ("bandits/problems.py", "@pull.of(Bernoulli)", "# why\n\n@pull.of(Bernoulli)", set()),
    "documentation": ("arrays.py", '"""The largest', '"""Also the largest', set()),
    "another record": ("bandits/ocba.py", "(NamedTuple):\n", "(NamedTuple):\n    a: int\n", set()),
    "an algorithm": ("bandits/ucbe.py", "arms.means[i] +", "arms.means[i] -", {"ucbe"}),
    "a helper deep down": ("random.py", "(64 - by)", "(63 - by)", ALL),
    "a constant": ("random.py", "ULP = 1.0", "ULP = 2.0", ALL),
    "a default of a verb": ("bandits/loop.py", "return first_largest(arms.means)", "return 0", BANDITS),
    "a new case of a verb": ("bandits/uniform.py", "arms.counts.size", "arms.counts.size" + NEW_CASE, {"uniform"}),
    "not inlined": ("tournament.py", "@helper\ndef play", "@helper(apart=True)\ndef play", {"ucbe", "varde"}),
}  # fmt: skip


@pytest.fixture(scope="module")
def prints():
    return json.loads(fresh(PRINT, "unused")[0])


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    return Path(shutil.copytree(SOURCE, tmp_path_factory.mktemp("copied") / "varde"))


@pytest.mark.parametrize("kind", EDITS)
def test_an_edit_discards_the_kernels_that_it_reaches(kind, prints, copied):
    file, old, new, changed = EDITS[kind]
    text = (SOURCE / file).read_text()
    assert old in text
    (copied / file).write_text(text.replace(old, new))
    try:
        after = json.loads(fresh(PRINT, "unused", copied.parent, PYTHONDONTWRITEBYTECODE="1")[0])
    finally:
        shutil.copy2(SOURCE / file, copied / file)
    assert {name for name in prints if after[name] != prints[name]} == changed


def test_all_of_every_kernel_can_be_followed():
    """Whatever records it is given: all of them are kept on disk."""
    for module in pkgutil.walk_packages(varde.__path__, "varde."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    ours = [module for name, module in sys.modules.items() if name.startswith("varde.")]
    values = [value for module in ours for value in vars(module).values()]
    classes = {cls for value in values if isinstance(value, Verb) for cls in value.cases}
    found = [value for value in values if isinstance(value, Kernel)]
    assert len(found) > 10
    for each in found:
        assert reached(each.python, {cls for cls in classes if cls.__module__.startswith("varde.")})


def made(text, **scope):
    """The function ``run`` of a module of the package with that text."""
    scope |= {"__name__": "varde.made_up"}
    exec(text, scope)
    return scope["run"]


TEXT = """
from typing import NamedTuple
import math
import numpy as np
from varde._compile import helper, verb

TABLE = np.array([1.0, 2.0])
SIZES = (3, 4)

class Point(NamedTuple):
    x: float
    y: float = 1.0

ORIGIN = Point(0.0)

@verb
def length(thing):
    pass

@length.of(Point)
def length_of_point(point):
    return math.hypot(point.x, point.y)

@helper
def shift(x, by=2.0):
    return x + by

def maker(scale):
    def inner(x):
        return scale * x
    return inner

double = maker(2.0)

def run(x):
    '''Runs.'''
    made = Point(x)
    return length(made) + shift(x) + TABLE[0] + SIZES[1] + double(x) + ORIGIN.x + (1 if x in (1, 2) else 0)
"""


@pytest.mark.parametrize(
    "change",
    [
        ("np.array([1.0, 2.0])", "np.array([1.0, 2.5])"),
        ("np.array([1.0, 2.0])", "np.array([1, 2])"),
        ("(3, 4)", "(3, 5)"),
        ("y: float = 1.0", "y: float = 2.0"),
        ("    x: float\n    y: float = 1.0", "    y: float\n    x: float = 1.0"),
        ("Point(0.0)\n", "Point(0.0, 3.0)\n"),
        ("math.hypot(point.x, point.y)", "math.hypot(point.y, point.x)"),
        ("math.hypot", "math.dist"),
        ("by=2.0", "by=3.0"),
        ("maker(2.0)", "maker(3.0)"),
        ("@verb\n", "@verb(fallback=True)\n"),
        ("@helper\n", "@helper(apart=True)\n"),
        ("x in (1, 2)", "x in (1, 3)"),
        ("import math\n", "import numpy as math\n"),
    ],
    ids=lambda change: " ".join(change[1].split()),
)
def test_what_machine_code_is_made_of_counts(change):
    assert change[0] in TEXT
    assert reached(made(TEXT.replace(*change)), ())[0] != reached(made(TEXT), ())[0]


@pytest.mark.parametrize("text", [f"# more\n\n{TEXT}", TEXT.replace("Runs.", "Goes."), f"{TEXT}\nOTHER = 3\n"])
def test_comments_documentation_and_names_that_are_not_used_do_not_count(text):
    assert reached(made(text), ())[0] == reached(made(TEXT), ())[0]


@pytest.mark.parametrize("value", [{"a": 1}, object(), json, json.dumps, Path, iter([1])], ids=lambda v: f"{v!r:.20}")
def test_what_cannot_be_followed_is_said(value):
    with pytest.raises(UnclearError):
        reached(made("def run(x): return (x, THING)", THING=value), ())


def test_a_kernel_that_cannot_be_followed_is_not_kept(tmp_path):
    from varde._compile import kept

    places = [
        kept.Kept(made("def run(x): return THING", THING=thing), {}, str(tmp_path)).place((), Codegen())
        for thing in (object(), 1.0)
    ]
    assert places[0] is None and places[1] is not None


class Codegen:
    def magic_tuple(self):
        return ("processor",)


def test_what_numba_was_told_counts_not_what_came_later():
    """It asks a verb once for each type, and goes on with that answer."""
    verb = Verb(lambda record: 0, fallback=True)
    verb.resolved[int] = verb.body
    verb.of(int)(lambda record: 1)
    assert verb.serving(int) is verb.body
