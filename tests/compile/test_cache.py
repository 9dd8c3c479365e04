"""What is kept on disk and what is not; first runs in fresh processes."""

import os
import shutil
import stat
from pathlib import Path

import pytest

from tests.compile.fresh import SOURCE, fresh
from varde._compile import kernel
from varde._compile.cache import cache_folder, folder, is_kept, make_private, tidy

# A kernel of ours, as far as anybody can tell, which is compiled in no time.
RUN = """
import numpy as np
import varde.moments
from varde._compile import kernel
from varde.arrays import largest

def highest(values):
    return largest(values)

highest.__module__ = "varde.moments"
highest.__code__ = highest.__code__.replace(co_filename=varde.moments.__file__)
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


def test_cold_says_that_it_compiles_and_warm_does_not(first, filled):
    _, cold, said = first
    assert "compiling highest, which takes some seconds (kept on disk for next time)" in said
    before = contents_of(filled)
    assert fresh(RUN, filled) == (cold, "") and contents_of(filled) == before


def contents_of(folder):
    return {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@pytest.fixture
def copied(tmp_path):
    """A copy of the package, to be edited."""
    return Path(shutil.copytree(SOURCE, tmp_path / "src" / "varde", ignore=shutil.ignore_patterns("__pycache__")))


def edit(file, old, new):
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def test_a_changed_helper_is_never_served_from_the_cache(tmp_path, copied):
    """Numba looks at the file of the kernel alone, and here that of a helper changes."""
    cache = tmp_path / "cache"
    before, _ = fresh(RUN, cache, copied.parent)
    assert before == "3.0\n" and fresh(RUN, cache, copied.parent) == (before, "")
    edit(copied / "arrays.py", "top = max(top, values[i])", "top = min(top, values[i])")
    after, said = fresh(RUN, cache, copied.parent)
    assert after == "1.0\n" and "compiling" in said
    edit(copied / "arrays.py", "top = min(top, values[i])", "top = max(top, values[i])")
    assert fresh(RUN, cache, copied.parent) == (before, "")  # what was compiled before the edit is still there


def test_a_users_record_leaves_nothing_behind(tmp_path):
    said = fresh(RUN.replace('__module__ = "varde.moments"', '__module__ = "users.own"'), tmp_path)[1]
    assert "compiling highest, which takes some seconds (not kept)" in said and not list(tmp_path.iterdir())


@pytest.mark.parametrize("suffix", ["nbi", "nbc"])
def test_a_damaged_cache_is_compiled_again(first, filled, suffix):
    (code,) = filled.rglob(f"*.{suffix}")
    code.write_bytes(code.read_bytes()[:-100])
    assert fresh(RUN, filled)[0] == first[1]
    assert fresh(RUN, filled) == (first[1], "")  # and mended


# -- whose folder it is ----------------------------------------------------------------------------

NOBODY = 65534  # another user
ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives folders away")


def test_the_folders_that_we_make_are_private(first):
    made = [first[0], first[0] / "kernels", *(first[0] / "kernels").iterdir()]
    assert len(made) == 3 and {stat.S_IMODE(each.stat().st_mode) for each in made} == {0o700}


@pytest.mark.parametrize("mode", [0o770, 0o707, pytest.param(0o700, marks=ROOT)])
def test_a_folder_that_others_can_write_to_is_neither_read_nor_written(first, filled, mode):
    """What lies there would be run: here it is damaged, which nobody notices."""
    (inside,) = (filled / "kernels").iterdir()
    for code in filled.rglob("*.nb?"):
        code.write_bytes(b"anything")
    before = contents_of(filled)
    inside.chmod(mode)
    if mode == 0o700:
        os.chown(inside, NOBODY, -1)
    out, said = fresh(RUN, filled)
    assert out == first[1] and "cannot be kept" in said and "others can write" in said and "VARDE_CACHE_DIR" in said
    assert contents_of(filled) == before


def test_a_folder_of_another_user_is_refused(tmp_path, monkeypatch):
    make_private(tmp_path / "own")
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    with pytest.raises(PermissionError, match="others can write"):
        make_private(tmp_path / "own")


def test_a_folder_that_others_could_replace_is_refused(tmp_path):
    """Not so if only the owner of a file may rename it, as in /tmp."""
    for mode, refused in ((0o777, True), (0o1777, False), (0o755, False)):
        tmp_path.chmod(mode)
        try:
            make_private(tmp_path / "cache")
        except PermissionError:
            assert refused
        else:
            assert not refused


def test_a_link_of_somebody_is_not_followed_twice(tmp_path, monkeypatch):
    """What it led to when it was looked at is what is used."""
    (tmp_path / "link").symlink_to(tmp_path / "own")
    monkeypatch.setenv("VARDE_CACHE_DIR", str(tmp_path / "link"))
    assert folder().is_relative_to(tmp_path.resolve() / "own")


@kernel
def twice(x):
    return 2.0 * x


twice.python.__module__ = "varde.made_up"  # ours, so that it is kept


@pytest.fixture
def anew():
    """A kernel that nobody has compiled yet."""
    twice.versions.clear()


def test_a_file_in_place_of_the_folder_is_no_cache(tmp_path, monkeypatch, anew):
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("VARDE_CACHE_DIR", str(tmp_path / "file"))
    with pytest.warns(UserWarning, match="Set VARDE_CACHE_DIR"):
        assert twice(2.0) == 4.0


def test_without_a_home_there_is_no_cache(monkeypatch, anew):
    for name in ("VARDE_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", no_home)
    with pytest.warns(UserWarning, match="cannot be kept .*no home.*Set VARDE_CACHE_DIR"):
        assert twice(2) == 4.0


def no_home():
    raise RuntimeError("no home")


def test_a_full_disk_costs_no_second_compilation(tmp_path, monkeypatch, anew):
    monkeypatch.setenv("VARDE_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(os, "replace", full_disk)  # by which Numba puts a file in its place
    with pytest.warns(UserWarning, match="the disk is full"):
        assert twice(2.0) == 4.0
    monkeypatch.undo()
    assert not is_kept("twice") and twice(3.0) == 6.0


def full_disk(*_):
    raise OSError("the disk is full")


def test_the_systems_cache_folder_is_used(tmp_path, monkeypatch):
    monkeypatch.delenv("VARDE_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder().parent == tmp_path / "varde" and folder().parent == cache_folder()


def test_what_nobody_has_used_for_two_months_goes(tmp_path):
    for name in ("old", "recent", "used"):
        (tmp_path / name / "code").mkdir(parents=True)
        if name != "recent":
            os.utime(tmp_path / name, (1e9, 1e9))
    tidy(tmp_path / "used")
    assert {path.name for path in tmp_path.iterdir()} == {"recent", "used"}
