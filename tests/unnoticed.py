"""A Ctrl-C that Python overlooks: one that comes just before the main thread falls asleep, and does not wake it."""

import contextlib
import signal
import threading
import time


@contextlib.contextmanager
def interrupted_unnoticed(after=0.3):
    """Interrupts the body without waking it: another thread receives the signal, so nothing ends the sleep of this one.

    Ends it with KeyboardInterrupt as soon as it looks at signals again.
    """

    def interrupt():
        time.sleep(after)
        signal.pthread_kill(threading.get_ident(), signal.SIGUSR1)

    before = signal.signal(signal.SIGUSR1, signal.default_int_handler)
    threading.Thread(target=interrupt, daemon=True).start()
    try:
        yield
    finally:
        signal.signal(signal.SIGUSR1, before)
