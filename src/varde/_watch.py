"""A process that ends the commands of this one when it is gone, however it went: kill -9, a closed terminal, a crash.

A shell of its own session reads from a pipe which groups of processes are at work.  When the pipe closes, which happens
when this process ends and at no other time, it ends those that are left.
"""

from __future__ import annotations

import atexit
import contextlib
import subprocess
import threading

# "+ 12" and "- 12" are groups that begin and end; what is left is asked to end, and ended two seconds later.
WATCH = """
trap '' HUP INT TERM
left=' '
while read -r sign group; do
    case $sign in
    +) left="$left$group " ;;
    -) left="${left%% $group *} ${left#* $group }" ;;
    esac
done
for group in $left; do kill -s TERM -- "-$group" && late=yes; done
test -z "$late" || sleep 2
for group in $left; do kill -s KILL -- "-$group"; done
"""


class Watch:
    """Watches over groups of processes; begins with the first."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.shell: subprocess.Popen[bytes] | None = None

    def over(self, group: int) -> None:
        """End this group with this process."""
        with self.lock:
            if self.shell is None:
                quiet = subprocess.DEVNULL
                atexit.register(self.close)
                self.shell = subprocess.Popen(
                    ["/bin/sh", "-c", WATCH], stdin=subprocess.PIPE, stdout=quiet, stderr=quiet, start_new_session=True
                )
            self.write("+", group)

    def done(self, group: int) -> None:
        """It has ended."""
        with self.lock:
            self.write("-", group)

    def write(self, sign: str, group: int) -> None:
        if self.shell is not None and self.shell.stdin is not None:
            with contextlib.suppress(OSError):  # the watcher is gone: commands go on all the same
                self.shell.stdin.write(f"{sign} {group}\n".encode())
                self.shell.stdin.flush()

    def close(self) -> None:
        """End what is left, and watch no more."""
        with self.lock:
            if self.shell is not None:
                self.shell.communicate()
                self.shell = None


watch = Watch()
