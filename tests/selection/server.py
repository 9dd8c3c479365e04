"""A PostgreSQL server of Debian's packages, on a port and in a folder of its own, and a wire to it that can be cut."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from pathlib import Path

PASSWORD = "s3cret-of-the-tests"


def programs():
    """The folder of initdb and postgres, or None."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: float(path.parent.name))
    return folders[-1] if folders else None


def missing():
    """Why there can be no server here; None: there can."""
    if programs() is None:
        return "PostgreSQL is not installed: apt-get install postgresql"
    import pwd

    if os.getuid() == 0 and "postgres" not in {entry.pw_name for entry in pwd.getpwall()}:
        return "PostgreSQL does not run as root, and there is no user postgres"
    try:
        import psycopg  # noqa: F401
    except ImportError:
        return "psycopg is not installed: pip install varde[postgres]"
    return None


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class Server:
    """Commits reach the disk as in life: nothing is switched off to be faster."""

    def __init__(self):
        self.folder, self.port, self.process = Path(tempfile.mkdtemp(prefix="varde-postgres-")), free_port(), None
        self.halted = []
        self.user = "postgres" if os.getuid() == 0 else None  # as root it refuses to run
        if self.user:
            shutil.chown(self.folder, self.user)
        (self.folder / "password").write_text(PASSWORD)
        self.run("initdb", "-D", self.data, "-U", "varde", "-A", "scram-sha-256", "-E", "UTF8", "--locale=C.UTF-8",
                 f"--pwfile={self.folder / 'password'}")  # fmt: skip
        self.start()

    @property
    def data(self):
        return self.folder / "data"

    def run(self, program, *arguments):
        command = [programs() / program, *map(str, arguments)]
        subprocess.run(command, user=self.user, cwd=self.folder, check=True, capture_output=True)

    def start(self):
        command = [programs() / "postgres", "-D", self.data, "-p", str(self.port), "-c", "listen_addresses=127.0.0.1"]
        with (self.folder / "log").open("a") as log:
            self.process = subprocess.Popen(
                [*command, "-c", f"unix_socket_directories={self.folder}"],
                user=self.user, cwd=self.folder, stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip
        while not self.answers():
            assert self.process.poll() is None, (self.folder / "log").read_text()
            time.sleep(0.02)

    def answers(self):
        import psycopg

        with contextlib.suppress(psycopg.OperationalError):
            psycopg.connect(self.url()).close()
            return True
        return False

    def halt_writers(self):
        """Nothing in the background takes the log to the disk from now on, until the server is started again."""
        writers = "SELECT pid FROM pg_stat_activity WHERE backend_type <> 'client backend'"
        self.halted = [pid for (pid,) in self.sql(writers)]
        for pid in self.halted:
            os.kill(pid, signal.SIGSTOP)

    def stop(self):
        """At once, as if it crashed; what was committed it finds in its log when it starts again."""
        self.process.send_signal(signal.SIGQUIT)
        for pid in self.halted:
            os.kill(pid, signal.SIGKILL)  # halted, they cannot hear that they are to go
        self.process.wait(60)
        self.halted = []

    def remove(self):
        if self.process.poll() is None:
            self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def url(self, database="postgres", port=None, user="varde"):
        return f"postgresql://{user}:{PASSWORD}@127.0.0.1:{port or self.port}/{database}"

    def sql(self, statement, database="postgres"):
        import psycopg

        with psycopg.connect(self.url(database), autocommit=True) as connection:
            cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []


class Wire:
    """A port that leads to the server; what goes through it is lost when the test says so."""

    def __init__(self, port):
        self.target, self.open, self.lock, self.pairs = port, True, threading.Lock(), []
        self.cuts = self.unanswered = 0
        self.lose = 0  # so many of the next commits are made and not answered
        self.words = None
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                near, _ = self.listener.accept()
                with contextlib.suppress(OSError):
                    if self.open:
                        self.lead(near, socket.create_connection(("127.0.0.1", self.target)))
                        continue
                near.close()

    def lead(self, near, far):
        with self.lock:
            self.pairs.append((near, far))
        for source, target, look in ((near, far, self.asks), (far, near, self.answers)):
            source.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self.carry, args=(source, target, look), daemon=True).start()

    def carry(self, source, target, look):
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                look(data)
                target.sendall(data)
        for one in (source, target):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
        source.close()

    def asks(self, data):
        if self.words is not None and self.words in data:
            self.words = None
            self.open = False
            self.cut()
            self.meanwhile()
            self.open = True

    def answers(self, data):
        if self.lose and b"COMMIT\0" in data:
            self.lose -= 1
            self.unanswered += 1
            self.cut()

    def stop(self, words, meanwhile):
        """Cut when these words come, before they go on, and let nobody in until ``meanwhile`` has happened."""
        self.words, self.meanwhile = words, meanwhile

    def cut(self):
        with self.lock:
            pairs, self.pairs = self.pairs, []
            self.cuts += 1
        for pair in pairs:
            for one in pair:
                with contextlib.suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)

    def close(self):
        self.open = False
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.cut()
