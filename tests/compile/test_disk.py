"""What is kept on disk and what is not; first runs in fresh processes."""

import os
import pickle
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from tests.compile.fresh import SOURCE, fresh
from varde._compile import kernel
from varde._compile.disk import Storage, cache_folder, linked, read, write

# A kernel of ours, as far as anybody can tell, which is compiled in no time.
RUN = """
import numpy as np
from varde._compile import kernel
from varde.arrays import largest

def highest(values):
    return largest(values)

highest.__module__ = "varde.arrays"
print(kernel(highest)(np.array([1.0, 3.0, 2.0])))
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


def test_cold_says_that_it_compiles_and_warm_neither_says_so_nor_imports_numba(first, filled):
    _, cold, said = first
    assert "compiling highest, which takes some seconds (kept on disk for next time)" in said
    warm, silent = fresh(f"{RUN}import sys\nprint('numba' in sys.modules)", filled)
    assert warm == f"{cold}False\n" and silent == ""


def test_what_is_loaded_goes_on_once_numba_compiles_something_else(first, filled):
    out, said = fresh(f"{RUN}{RUN.replace('highest', 'peak')}print(kernel(highest)(np.ones(3)))", filled)
    assert out == f"{first[1] * 2}1.0\n" and "compiling peak" in said and "highest" not in said


def test_machine_code_of_another_processor_is_not_there(tmp_path, monkeypatch):
    monkeypatch.setenv("VARDE_CACHE_DIR", str(tmp_path))
    own = Storage("twice", (float,), True)
    write(own.path.with_stem(f"{own.name}-{'0' * 24}"), b"x")
    assert not Storage("twice", (float,), True).is_there
    write(own.path, b"x")
    assert Storage("twice", (float,), True).is_there


def test_machine_code_that_needs_what_is_not_here_is_not_loaded(first):
    (file,) = first[0].rglob("*.kernel")
    code, wrapper, environment, needed = pickle.loads(read(file))
    assert linked("highest", code, wrapper, environment, [*needed, "no_such_function"]) is None
    assert callable(linked("highest", code, wrapper, environment, needed))


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
    edit(copied / "arrays.py", "top = max(top, values[i])", "top = max(top, 2.0 * values[i])")
    after, said = fresh(RUN, filled, copied.parent)
    assert "compiling" in said and after != first[1]
    assert fresh(RUN, filled) == (first[1], "")  # what was compiled before the edit is still there


def test_a_users_record_leaves_nothing_behind(tmp_path):
    said = fresh(RUN.replace('__module__ = "varde.arrays"', '__module__ = "users.own"'), tmp_path)[1]
    assert "compiling highest, which takes some seconds (not kept)" in said and not list(tmp_path.iterdir())


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
    for at in rng.integers(0, len(good), 40):
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
import pathlib
def refuse(*_): raise OSError(30, "Read-only file system")
pathlib.Path.write_bytes = refuse
"""


def test_a_cache_that_can_only_be_read_is_read_and_a_warning_says_what_is_not_kept(first, filled):
    assert fresh(READ_ONLY + RUN, filled) == (first[1], "")
    next(filled.rglob("*.kernel")).unlink()
    out, said = fresh(READ_ONLY + RUN, filled)
    assert out == first[1] and "Read-only file system" in said and "Set VARDE_CACHE_DIR" in said


@kernel
def twice(x):
    return 2.0 * x


twice.python.__module__ = "varde.made_up"  # ours, so that it is kept


def test_a_file_in_place_of_the_folder_is_no_cache(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("VARDE_CACHE_DIR", str(tmp_path / "file"))
    with pytest.warns(UserWarning, match="Set VARDE_CACHE_DIR"):
        assert twice(2.0) == 4.0


def test_without_a_home_there_is_no_cache(monkeypatch):
    for name in ("VARDE_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", no_home)
    with pytest.warns(UserWarning, match="cannot be kept .*no home.*Set VARDE_CACHE_DIR"):
        assert twice(2) == 4.0


def no_home():
    raise RuntimeError("no home")


def test_the_systems_cache_folder_is_used(tmp_path, monkeypatch):
    monkeypatch.delenv("VARDE_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder().parent == tmp_path / "varde"
