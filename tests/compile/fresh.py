"""Running code in a new process with a cache of its own."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import varde

SOURCE = Path(varde.__file__).parent


def fresh(code, cache, path=SOURCE.parent, **env):
    """Standard output and standard error of the code; it must not fail."""
    environment = {**os.environ, "VARDE_CACHE_DIR": str(cache), "PYTHONPATH": f"{path}:{SOURCE.parent}", **env}
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr
