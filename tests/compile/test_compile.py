"""Dispatch by type in both engines; what is kept on disk and what is not; first runs in fresh processes."""

import shutil
import textwrap
from typing import NamedTuple

import numpy as np
import pytest

import varde
from tests.compile.fresh import SOURCE, fresh
from varde._compile import canonical, compile_seconds, helper, is_ours, is_plain, kernel, verb
from varde.decisions import influence


class Square(NamedTuple):
    side: float


class Disc(NamedTuple):
    radius: float


@verb
def area(shape):
    """How much it covers."""


@verb(fallback=True)
def corners(shape):
    return 0


@area.of(Square)
def square_area(shape):
    return shape.side * shape.side


@area.of(Disc)
def disc_area(shape):
    return 3.0 * shape.radius * shape.radius


@corners.of(Square)
def square_corners(shape):
    return 4


@helper
def describe(shape):
    return area(shape) + 100.0 * corners(shape)


@kernel
def measure(shape):
    return describe(shape)


@pytest.mark.parametrize(("shape", "answer"), [(Square(2), 404.0), (Disc(1), 3.0)])
def test_the_type_chooses_in_both_engines(shape, answer):
    assert measure.python(shape) == measure(shape) == answer


def test_a_missing_case_names_the_next_step():
    with pytest.raises(TypeError, match=r"area is not defined for int: write @area.of\(int\)"):
        area(3)


def test_a_second_definition_is_refused():
    with pytest.raises(TypeError, match="area is already defined for Square"):
        area.of(Square)(disc_area)


def test_python_objects_run_in_the_python_engine():
    class Blob:
        pass

    area.of(Blob)(lambda blob: 7.0)
    assert measure(Blob()) == 7.0


def test_records_get_one_machine_type():
    rule = canonical(varde.VarDE(varde.Gaps(1, 1), varde.Floor(2, True), True))
    assert [type(x) for x in (*rule.decision, *rule.noise, rule.warm_start)] == [float, bool, float, int, int]
    assert canonical(varde.Bernoulli((1, 0))).means.dtype == np.float64
    frozen = np.ones(2)
    frozen.flags.writeable = False
    assert canonical(varde.Bernoulli(frozen)).means.flags.writeable


def test_whose_records_are_whose():
    assert is_ours(varde.VarDE()) and not is_ours(Square(1.0))

    class Mine(NamedTuple):
        pass

    assert not is_ours(varde.VarDE(Mine()))
    assert is_plain(varde.VarDE(Mine())) and not is_plain(object())


def test_teaching_our_record_a_verb_makes_it_foreign():
    """What a user's file adds must never reach the stored kernels."""
    assert is_ours(varde.Uniform())
    influence.of(varde.Uniform)(lambda decision, values, weights: None)
    assert not is_ours(varde.Uniform())


# -- fresh processes -----------------------------------------------------------------------------

RUN = """
import varde, numpy as np
result = varde.bandits.measure(varde.VarDE(varde.Average()), varde.Bernoulli([0.6, 0.4]), 40, runs=20, seed=1)
print(result.answers[:, -1].tolist())
"""


def test_import_is_light(tmp_path):
    heavy = ("numba", "scipy", "matplotlib", "typer", "rich")
    out, _ = fresh(f"import sys, varde; print([m for m in {heavy} if m in sys.modules])", tmp_path)
    assert out.strip() == "[]"


def test_cold_says_that_it_compiles_and_warm_does_not(tmp_path):
    cold, said = fresh(RUN, tmp_path)
    assert said.count("compiling") == 1
    warm, silent = fresh(RUN, tmp_path)
    assert cold == warm and silent == ""


def test_a_change_in_a_called_file_is_noticed(tmp_path):
    """The stamp of a cached function covers its own file only; ours covers the package."""
    package = tmp_path / "src" / "varde"
    shutil.copytree(SOURCE, package)
    before, _ = fresh(RUN, tmp_path / "cache", package.parent)
    file = package / "bandits" / "problems.py"
    text = file.read_text()
    assert "1.0 if uniform(rng) < bandit.means[arm] else 0.0" in text
    file.write_text(text.replace("1.0 if uniform(rng) <", "0.0 if uniform(rng) <").replace("else 0.0", "else 1.0"))
    after, said = fresh(RUN, tmp_path / "cache", package.parent)
    assert "compiling" in said and before != after


def test_a_users_record_leaves_nothing_behind(tmp_path):
    (tmp_path / "guest.py").write_text(
        textwrap.dedent("""
        from typing import NamedTuple
        from varde.bandits.loop import select
        class Guest(NamedTuple):
            pass
        @select.of(Guest)
        def first(algorithm, memory, arms, t, rng):
            return t % 2
        """)
    )
    cache = tmp_path / "cache"
    fresh(RUN, cache)
    stored = sorted(p.name for p in cache.rglob("*.nb?"))
    guest = "import varde, guest; varde.bandits.measure(guest.Guest(), varde.Bernoulli([0.6, 0.4]), 40, runs=2)"
    fresh(guest, cache, tmp_path)
    assert sorted(p.name for p in cache.rglob("*.nb?")) == stored
    (tmp_path / "guest.py").unlink()
    assert fresh(RUN, cache)[1] == ""


def test_an_unwritable_cache_warns_and_works(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    out, said = fresh(RUN, blocked)
    assert out.startswith("[") and "Set VARDE_CACHE_DIR" in said


def test_time_spent_compiling_is_known():
    @kernel
    def twice(x):
        return 2 * x

    before = compile_seconds()
    assert twice(3) == 6
    compiled = compile_seconds()
    assert compiled > before
    assert twice(4) == 8 and compile_seconds() == compiled
