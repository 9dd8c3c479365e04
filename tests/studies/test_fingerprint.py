"""Fingerprints: everything the numbers depend on, and nothing else."""

import functools
import sys
import types
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

import varde
from tests.long import times
from varde._compile import canonical
from varde._compile.cache import ROOT, code_digest, kernel_files, module_file, reachable, reached
from varde.paper import ALL
from varde.paper.tree_search import Outlook
from varde.random import key
from varde.studies import Cell, fingerprint
from varde.studies.fingerprint import block_fingerprint, cell_fingerprint, environment, function_digest, identity


def measure(thing, key, first, runs):
    return np.zeros((runs, 1))


def cell(thing=None, **changes):
    return replace(Cell("problem", "algorithm", "setting", (10,), functools.partial(measure, thing)), **changes)


@dataclass
class Setting:
    share: float
    steps: tuple = (1, 2)


def maker(share):
    return lambda key, first, runs: np.full((runs, 1), share)


THINGS = [
    None,
    True,
    1,
    1.0,
    1.0 + 2**-52,
    -0.0,
    0.0,
    "1",
    b"1",
    (1,),
    [1],
    (1, 2),
    ((1,), 2),
    {"a": 1},
    {"a": 2},
    {1, 2},
    range(3),
    np.float32(1),
    np.arange(3),
    np.arange(3.0),
    np.arange(3.0) + 1e-16,
    np.arange(6).reshape(2, 3),
    np.arange(6).reshape(3, 2),
    np.array([None, 1], object),
    np.array([None, 2], object),
    varde.VarDE(noise=varde.Floor(0.5)),
    varde.VarDE(varde.LogSumExp(0.1)),
    varde.VarDE(varde.LogSumExp(0.1 + 1e-16)),
    varde.bandits.Bernoulli(np.array([0.1, 0.2])),
    varde.bandits.Bernoulli(np.array([0.1, 0.3])),
    varde.bandits.Gaussian([0.1], [0.1]),
    Setting(0.1),
    Setting(0.2),
    Setting(0.1, (1,)),
    maker(0.1),
    maker(0.2),
    measure,
    np.maximum,
    np.minimum,
    max,
    min,
    float,
    int,
    functools.partial(measure, 1),
    functools.partial(measure, thing=1),
    Setting(0.1).__eq__,
]


def test_different_things_have_different_fingerprints():
    found = [cell_fingerprint("study", cell(thing), 0) for thing in THINGS]
    assert len(set(found)) == len(THINGS)
    assert found == [cell_fingerprint("study", cell(thing), 0) for thing in THINGS]


def test_the_same_thing_made_twice_has_the_same():
    for make in (lambda: maker(0.1), lambda: Setting(0.1), lambda: np.arange(4)[::2], lambda: {"b", "a"}):
        assert identity(make()) == identity(make())
    assert identity(np.arange(4)[::2]) == identity(np.array([0, 2]))


def test_all_parts_of_a_block_count():
    base = cell_fingerprint("study", cell(), 0)
    changed = [
        cell_fingerprint("other", cell(), 0),
        cell_fingerprint("study", cell(), 1),
        cell_fingerprint("study", cell(), 0, "text of a file"),
        *(
            cell_fingerprint("study", cell(**change), 0)
            for change in (
                {"problem": "p"},
                {"algorithm": "a"},
                {"setting": "s"},
                {"steps": (11,)},
                {"quantities": ("q",)},
            )
        ),
    ]
    blocks = [block_fingerprint(base, 0, 10), block_fingerprint(base, 0, 11), block_fingerprint(base, 1, 10)]
    assert len({base, *changed, *blocks}) == 1 + len(changed) + len(blocks)


@pytest.mark.parametrize("what", environment())
def test_the_code_counts(what, monkeypatch):
    base, there = cell_fingerprint("study", cell(), 0), environment()
    monkeypatch.setitem(there, what, "another")
    assert cell_fingerprint("study", cell(), 0) != base


def test_a_function_may_refer_to_itself():
    def again(n):
        return again(n - 1)

    assert identity(again) == identity(again)


@pytest.mark.parametrize(
    "thing",
    [iter([1]), np.random.default_rng(0), np.random.default_rng(0).normal, object()],
    ids=lambda thing: type(thing).__name__,
)
def test_what_changes_unseen_is_refused(thing):
    with pytest.raises(TypeError, match="no way to tell whether it has changed; write a number"):
        cell_fingerprint("study", cell(thing), 0)


@pytest.mark.parametrize("name", ALL)
def test_the_studies_of_the_paper_have_one_for_every_cell(name):
    one, two = ALL[name](), ALL[name]()
    found = [cell_fingerprint(name, cell, 0) for cell in one.cells]
    assert len(set(found)) == len(one.cells)
    assert found == [cell_fingerprint(name, cell, 0) for cell in two.cells]


def test_no_kernel_depends_on_the_words_of_studies():
    words = {"studies", "cli", "_page", "_table.py", "selection"}
    files = {path.relative_to(ROOT) for path in reachable(kernel_files())}
    assert not words & {path.parts[0] for path in files}
    assert {path for path in files if path.parts[0] == "paper"} <= {
        Path("paper/variances.py"),
        Path("paper/three_arms.py"),
        Path("paper/decision_runs.py"),
        Path("paper/__init__.py"),
    }


def made(text):
    """The function ``measure`` of a study's module with that text."""
    module = types.ModuleType("varde.paper.made_up")
    exec(text, module.__dict__)
    return module.measure


MEASURE = "SIZE = 3\n\ndef half(x):\n    return x / 2\n\n\ndef measure(key, first, runs):\n    return half(SIZE)\n"


DOCUMENTED = MEASURE.replace("runs):\n", 'runs):\n    """Half."""\n')


@pytest.mark.parametrize("text", [MEASURE, "# more\n" + MEASURE, DOCUMENTED, MEASURE + "TITLE = 'x'\n"])
def test_comments_and_words_of_a_study_do_not_count(text):
    assert function_digest(made(text)) == function_digest(made(MEASURE))


@pytest.mark.parametrize("change", [("x / 2", "x / 3"), ("SIZE = 3", "SIZE = 4"), ("half(SIZE)", "half(SIZE + 1)")])
def test_what_a_measure_does_counts(change):
    assert function_digest(made(MEASURE.replace(*change))) != function_digest(made(MEASURE))


CACHED = """
import functools

@functools.cache
def half(x, by=2):
    return x / by

def tripled(function):
    @functools.wraps(function)
    def call(x):
        return 3 * function(x)
    return call

@tripled
def third(x):
    return x / 3

class Pair:
    def sum(self):
        return self.total(1, 2)

    @staticmethod
    def total(a, b):
        return a + b

def measure(key, first, runs):
    return half(3) + third(3) + Pair().sum()
"""


@pytest.mark.parametrize("change", [("x / by", "x / 3"), ("by=2", "by=3"), ("x / 3", "x / 4"), ("a + b", "a - b")])
def test_a_measure_is_followed_through_caches_decorators_and_classes(change):
    assert function_digest(made(CACHED.replace(*change))) != function_digest(made(CACHED))


def files_of(cell):
    """The files that count in a cell's fingerprint, by name."""
    used = set()
    token = fingerprint._used.set(used)
    identity(cell)
    fingerprint._used.reset(token)
    modules, names = zip(*(word.split(" ", 1) for word in used), strict=True)
    return {path.relative_to(ROOT).as_posix() for path in reached([*map(module_file, modules)], set(names))}


def a_cell(study, problem, algorithm, *last):
    """A cell of the paper, its last arguments replaced by shorter ones."""
    found = next(c for c in ALL[study]().cells if (c.problem, c.algorithm) == (problem, algorithm))
    args = [arg._replace(horizon=5) if isinstance(arg, Outlook) else arg for arg in found.measure.args]
    return replace(found, measure=functools.partial(found.measure.func, *args[: len(args) - len(last)], *last))


CELLS = {
    "bandit": ("table-1", "BAI.4", "VarDE 0.1", (30, 60), False),
    "rejects": ("table-1", "BAI.3", "CR-A", (30, 60), False),
    "tree": ("frozen-lake", "FrozenLake", "BTS", (3, 6)),
    "gaps": ("frozen-lake", "FrozenLake, graph", "VarDE auto", (3, 6)),
    "learner": ("river-swim", "RiverSwim(5)", "VarDE-Nav", (200, 400), False),
    "rival": ("river-swim", "RiverSwim(5)", "MF-BPI", (200, 400), True),
}


@pytest.mark.parametrize("kind", list(CELLS)[: times(4, 6)])  # in plain Python a learner takes half a minute
def test_all_code_that_runs_counts(kind, monkeypatch):
    """In plain Python, where every function that is called shows its file."""
    from varde._compile.door import Door
    from varde._compile.kernel import Kernel

    def hold(door, records):
        door.call = functools.partial(door.kernel.python, canonical(records))

    monkeypatch.setattr(Kernel, "__call__", lambda self, *args: self.python(*map(canonical, args)))
    monkeypatch.setattr(Door, "hold", hold)
    tried, ran = a_cell(*CELLS[kind]), set()
    counting = files_of(tried)
    sys.setprofile(lambda frame, event, _: ran.add(frame.f_code.co_filename) if event == "call" else None)
    try:
        tried.measure(key(0), 0, 1)
    finally:
        sys.setprofile(None)
    ours = {Path(file).relative_to(ROOT).as_posix() for file in ran if file.startswith(str(ROOT))}
    ours = {file for file in ours if not file.startswith(("studies/", "paper/", "_compile/"))}
    assert ours and ours <= counting, sorted(ours - counting)


def test_a_planner_does_not_count_for_bandits_nor_a_rival_for_another():
    counting = {kind: files_of(a_cell(*CELLS[kind])) for kind in CELLS}
    assert not [file for file in counting["bandit"] if file.startswith(("planning/", "learning/", "worlds/", "cli/"))]
    assert not [file for file in counting["tree"] if file.startswith(("bandits/", "learning/"))]
    assert "bandits/varde.py" in counting["bandit"] and "bandits/varde.py" not in counting["rejects"]
    assert "learning/mf_bpi.py" not in counting["learner"]


def test_comments_and_documentation_do_not_count(tmp_path):
    one, other, third = (tmp_path / name for name in ("a.py", "b.py", "c.py"))
    one.write_text("def f(x):\n    return x + 1\n")
    other.write_text('"""Words."""\n\n\ndef f(x):\n    """More."""\n    # why\n    return x + 1\n')
    third.write_text("def f(x):\n    return x + 2\n")
    assert code_digest(one) == code_digest(other) != code_digest(third)
