"""What every test, and every process that one starts, has around it."""

import os
import signal
import sys

# Ctrl-C must reach the tests of it, also where a script runs them in the background and the shell has it ignored.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Hundreds of tests start a Python of their own, which must not compile the sources each time, whatever the shell says.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Tests run side by side; threads of linear algebra that wait for each other took ten times what the work takes.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")
