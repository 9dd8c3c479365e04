"""What every test, and every process that one starts, has around it."""

import os
import shutil
import signal
import sys

import hypothesis
import pytest

# A change is judged by the same cases as the one before it, however busy the machine is; `make long` looks for more.
LONG = "VARDE_LONG" in os.environ
hypothesis.settings.register_profile(
    "same cases", derandomize=not LONG, deadline=None, max_examples=200 if LONG else 50
)
hypothesis.settings.load_profile("same cases")

# Ctrl-C must reach the tests of it, also where a script runs them in the background and the shell has it ignored.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Hundreds of tests start a Python of their own, which must not compile the sources each time, whatever the shell says.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Tests run side by side; threads of linear algebra that wait for each other took ten times what the work takes.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"]


@pytest.fixture(scope="module")
def browser():
    """A real browser, which fetches nothing by itself."""
    playwright = pytest.importorskip("playwright.sync_api", reason="no browser test: pip install playwright")
    if CHROMIUM is None:
        pytest.skip("no browser test: no chromium on this machine")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        yield browser
        browser.close()
