"""``varde serve`` in a process of its own, on a free port, and requests to it."""

import http.client
import os
import re
import signal
import subprocess
import sys
from urllib.parse import urlsplit

TOKEN = "a-token-for-tests-only-0123456789"


class Server:
    """Shows a store that exists; started again it has the same port."""

    def __init__(self, store, *arguments, token=TOKEN):
        self.store, self.token, self.port = store, token, 0
        self.start(*arguments)

    def start(self, *arguments):
        environment = {**os.environ, "VARDE_TOKEN": self.token or ""}
        command = [sys.executable, "-m", "varde", "serve", str(self.store), "--port", str(self.port), *arguments]
        self.process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True, encoding="utf-8")
        said = self.process.stderr.readline()
        found = re.search(r"http://[^\s,]+", said)
        assert found, said + self.process.stderr.read()
        self.url = found.group()
        self.port = urlsplit(self.url).port
        return self

    def kill(self):
        self.process.kill()  # -9
        self.process.wait()
        self.process.stderr.close()

    def stop(self):
        """Ctrl-C; all that it said since it began to listen."""
        self.process.send_signal(signal.SIGINT)
        code, said = self.process.wait(20), self.process.stderr.read()
        return code, said

    def send(self, path="/", method="GET", **headers):
        """(status, headers, body) of one request; names of headers with _ for -; None leaves one out."""
        standard = {"authorization": f"Bearer {self.token}" if self.token else None}
        sent = standard | {name.replace("_", "-"): value for name, value in headers.items()}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, path, None, {name: value for name, value in sent.items() if value is not None})
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read().decode()
        finally:
            connection.close()
