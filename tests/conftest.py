"""Ctrl-C must reach the tests of it, also where a script runs them in the background and the shell has it ignored."""

import signal

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
