"""Provenance of a result: versions, machine and commit.

It is the last line of a results file, separate from the numbers: all lines before it are the same bytes on any machine,
and so is the whole file on the same machine and commit.  It is never used in comparisons.
"""

from __future__ import annotations

import functools
import os
import platform
import re
import subprocess
from pathlib import Path

import numpy as np

from .study_files import Source

Made = dict[str, str]
PACKAGE = Path(__file__).parents[1]
NAMES = ("commit", "study commit", "Python", "numpy", "numba", "system", "processor", "cores")


def made_with(source: Source | None = None) -> Made:
    """The provenance of this process; ``source`` is the user's study file, whose commit is separate from varde's."""
    found = {"commit": commit_of(PACKAGE, ("__init__.py",), ("*.py",))}
    if source is not None:
        names = tuple(name for name, _ in source.files)
        found["study commit"] = commit_of(Path(source.path).parent, names, names)
    return {name: text for name, text in {**found, **machine()}.items() if text}


@functools.cache
def machine() -> Made:
    from importlib.metadata import version

    return {
        "Python": platform.python_version(),
        "numpy": np.__version__,
        "numba": version("numba"),
        "system": platform.platform(terse=True),
        "processor": processor(),
        "cores": str(os.cpu_count() or ""),
    }


def processor() -> str:
    """The name of the processor if the system has it, else its architecture."""
    try:
        named = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    except OSError:
        named = None
    return " ".join((named[1] if named else platform.processor() or platform.machine()).split())


@functools.cache
def commit_of(folder: Path, kept: tuple[str, ...], files: tuple[str, ...]) -> str:
    """The commit of the checkout with these files, and whether they differ from it; None without a checkout.

    A package installed inside another checkout is not one of its files, hence ``kept``.
    """
    try:
        if not git(folder, "ls-files", "--", *kept):
            return ""
        commit = git(folder, "rev-parse", "--short=12", "HEAD")
        return f"{commit} with changes" if git(folder, "status", "--porcelain", "--", *files) else commit
    except (OSError, subprocess.SubprocessError):
        return ""


def git(folder: Path, *words: str) -> str:
    command = ["git", "--no-optional-locks", *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True, timeout=10)
    return done.stdout.strip()


def in_words(version: str, made: Made) -> str:
    """varde 0.1.0 (commit 1a2b3c), Python 3.12.1, ..., 2 cores"""
    commits = [f"{name} {made[name]}" for name in NAMES[:2] if name in made]
    parts = [f"varde {version}" + (f" ({', '.join(commits)})" if commits else "")]
    parts += [f"{name} {made[name]}" for name in ("Python", "numpy", "numba") if name in made]
    parts += [made[name] for name in ("system", "processor") if name in made]
    parts += [f"{made['cores']} cores"] if "cores" in made else []
    return ", ".join(parts)
