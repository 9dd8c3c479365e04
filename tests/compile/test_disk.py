"""What is kept on disk and what is not; first runs in fresh processes."""

import os
import shutil
import textwrap
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from tests.compile.fresh import SOURCE, fresh
from varde._compile.disk import cache_folder, read, write

# What is compiled fastest.
RUN = """
import varde, numpy as np
bandit = varde.bandits.Bernoulli([0.6, 0.4])
result = varde.bandits.measure(varde.bandits.Uniform(), bandit, 40, runs=20, seed=1, engine="compiled")
print(result.answers[:, -1].tolist())
"""


def test_import_is_light(tmp_path):
    heavy = ("numba", "scipy", "matplotlib", "typer", "rich")
    out, _ = fresh(f"import sys, varde; print([m for m in {heavy} if m in sys.modules])", tmp_path)
    assert out.strip() == "[]"


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    """A cache after its first run, and what that wrote; to be copied, not changed."""
    folder = tmp_path_factory.mktemp("first") / "cache"
    return folder, *fresh(RUN, folder)


@pytest.fixture
def filled(first, tmp_path):
    return shutil.copytree(first[0], tmp_path / "cache")


def test_cold_says_that_it_compiles_and_warm_does_not(first, filled):
    _, cold, said = first
    assert "compiling many_runs, which takes some seconds (kept on disk for next time)" in said
    warm, silent = fresh(RUN, filled)
    assert cold == warm and silent == ""


@pytest.fixture
def copied(tmp_path):
    """A copy of the package, to be edited."""
    return Path(shutil.copytree(SOURCE, tmp_path / "src" / "varde", ignore=shutil.ignore_patterns("__pycache__")))


def edit(file, old, new):
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def test_other_code_is_compiled_again_and_the_same_code_elsewhere_is_not(first, filled, copied):
    assert fresh(RUN, filled, copied.parent) == (first[1], "")
    edit(copied / "bandits" / "problems.py", "1.0 if uniform(rng) < bandit.means[arm] else 0.0", "0.0")
    after, said = fresh(RUN, filled, copied.parent)
    assert "compiling" in said and after != first[1]
    assert fresh(RUN, filled) == (first[1], "")  # what was compiled before the edit is still there


def test_a_users_record_leaves_nothing_behind(filled, tmp_path):
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
    stored = sorted(p.name for p in filled.rglob("*.*"))
    fresh(RUN.replace("varde.bandits.Uniform()", "__import__('guest').Guest()"), filled, tmp_path)
    assert sorted(p.name for p in filled.rglob("*.*")) == stored


# -- damage ----------------------------------------------------------------------------------------


def test_a_damaged_cache_is_compiled_again(first, filled):
    whole, (code,) = first[1], filled.rglob("*.kernel")
    code.write_bytes(code.read_bytes()[:-100])
    again, said = fresh(RUN, filled)
    assert again == whole and "compiling" in said and read(code) is not None


def test_every_turned_bit_and_every_cut_is_noticed(tmp_path):
    path, rng = tmp_path / "f.kernel", np.random.default_rng(1)
    write(path, b"x" * 500)
    good = path.read_bytes()
    for at in rng.integers(0, len(good), 200):
        turned = good[:at] + bytes([good[at] ^ (1 << int(rng.integers(8)))]) + good[at + 1 :]
        for damaged in (turned, good[:at], good + good[: at + 1], os.urandom(at)):
            path.write_bytes(damaged)
            assert read(path) is None
    path.write_bytes(good)
    assert read(path) == b"x" * 500


def test_what_nobody_has_read_for_two_months_goes(tmp_path):
    for name in ("old.kernel", "killed.part", "read.kernel", "notes.txt"):
        (tmp_path / name).write_bytes(b"x")
        os.utime(tmp_path / name, (1e9, 1e9))
    read(tmp_path / "read.kernel")
    write(tmp_path / "new.kernel", b"x")
    assert {path.name for path in tmp_path.iterdir()} == {"read.kernel", "notes.txt", "new.kernel"}


def test_whoever_reads_while_others_write_gets_the_whole_or_nothing(tmp_path):
    path, whole = tmp_path / "f.kernel", b"x" * 100_000
    with ThreadPoolExecutor(4) as pool:
        writers = [pool.submit(write, path, whole) for _ in range(40)]
        found = {read(path) for _ in range(200)}
        for writer in writers:
            writer.result()
    assert found <= {None, whole} and read(path) == whole
    assert [left.name for left in tmp_path.iterdir()] == ["f.kernel"]


def test_a_write_that_fails_leaves_nothing_behind(tmp_path, monkeypatch):
    monkeypatch.setattr(Path, "replace", full_disk)
    with pytest.raises(OSError, match="full"):
        write(tmp_path / "f.kernel", b"x")
    assert not list(tmp_path.iterdir())


def full_disk(*_):
    raise OSError("the disk is full")


# A folder that can only be read: chmod does not keep root, who runs tests in containers, from writing.
READ_ONLY = """
import pathlib, varde._compile.disk as disk
def refuse(*_): raise OSError(30, "Read-only file system")
disk.make_writable, pathlib.Path.write_bytes = refuse, refuse
"""


def test_a_cache_that_can_only_be_read_is_read_and_a_warning_says_what_is_not_kept(first, filled):
    assert fresh(READ_ONLY + RUN, filled) == (first[1], "")
    next(filled.rglob("*.kernel")).unlink()
    out, said = fresh(READ_ONLY + RUN, filled)
    assert out == first[1] and "Read-only file system" in said and "Set VARDE_CACHE_DIR" in said


def test_a_file_in_place_of_the_folder_is_no_cache(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("VARDE_CACHE_DIR", str(tmp_path / "file"))
    with pytest.warns(UserWarning, match="Set VARDE_CACHE_DIR"):
        assert cache_folder.__wrapped__() is None


def test_without_a_home_there_is_no_cache(monkeypatch):
    for name in ("VARDE_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", no_home)
    with pytest.warns(UserWarning, match="cannot be kept .*no home.*Set VARDE_CACHE_DIR"):
        assert cache_folder.__wrapped__() is None


def no_home():
    raise RuntimeError("no home")


def test_the_systems_cache_folder_is_used(tmp_path, monkeypatch):
    monkeypatch.delenv("VARDE_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder.__wrapped__().parent == tmp_path / "varde"
