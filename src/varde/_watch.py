"""A watcher process that ends this process's commands when it dies, however it dies: kill -9, closed terminal, crash.

A shell in its own session reads from a pipe which process groups are running.  The pipe closes only when this process
ends; then the shell ends the groups that are left.
"""

from __future__ import annotations

import atexit
import contextlib
import subprocess
import threading

# "+ 12" and "- 12": a group starts or ends; groups that are left get SIGTERM, and SIGKILL two seconds later.
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
    """Watches process groups; started with the first."""

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
        """This group has ended."""
        with self.lock:
            self.write("-", group)

    def write(self, sign: str, group: int) -> None:
        if self.shell is not None and self.shell.stdin is not None:
            with contextlib.suppress(OSError):  # the watcher is gone: commands run on without it
                self.shell.stdin.write(f"{sign} {group}\n".encode())
                self.shell.stdin.flush()

    def close(self) -> None:
        """End what is left and stop watching."""
        with self.lock:
            if self.shell is not None:
                self.shell.communicate()
                self.shell = None


watch = Watch()
