"""The site is built once, however many processes run the tests."""

import fcntl
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]


class Site(NamedTuple):
    folder: Path
    complaints: str


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    shared = tmp_path_factory.getbasetemp()
    shared = shared.parent if "PYTEST_XDIST_WORKER" in os.environ else shared
    folder, log = shared / "site", shared / "site.log"
    with open(shared / "site.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not log.exists():
            build = [sys.executable, "-m", "sphinx", "-q", "-n", "-j", "2", ROOT / "docs", folder]
            done = subprocess.run(build, capture_output=True, text=True, check=False)
            log.write_text(done.stderr + (f"sphinx ended with {done.returncode}" if done.returncode else ""))
    return Site(folder, log.read_text())
