"""A real server in a process of its own, or in a thread, and requests to it byte by byte."""

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from urllib.parse import urlsplit

import varde

TOKEN = "a-token-for-tests-only-0123456789"


class Server:
    """``varde serve`` on a free port; started again it has the same one."""

    def __init__(self, store, *arguments, token=TOKEN):
        self.store, self.token, self.port = store, token, 0
        self.start(*arguments)

    def start(self, *arguments):
        environment = {**os.environ, "VARDE_TOKEN": self.token or ""}
        command = [sys.executable, "-m", "varde", "serve", str(self.store), "--port", str(self.port), *arguments]
        command += [] if self.token else ["--no-token"]
        self.process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True, encoding="utf-8")
        said = self.process.stderr.readline()
        found = re.search(r"http://\S+", said)
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
        self.process.stderr.close()
        return code, said

    def send(self, method, path, body=None, **headers):
        """(status, headers, body) of one request; names of headers with _ for -; None leaves one out."""
        standard = {"authorization": f"Bearer {self.token}" if self.token else None}
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
        if body is not None:
            standard["content-type"] = "application/json"
        sent = standard | {name.replace("_", "-"): value for name, value in headers.items()}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, path, body, {name: value for name, value in sent.items() if value is not None})
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()
        finally:
            connection.close()

    def post(self, path, fields, **headers):
        status, _, body = self.send("POST", path, fields, **headers)
        return status, json.loads(body)

    def get(self, path, **headers):
        status, _, body = self.send("GET", path, **headers)
        return status, json.loads(body)


class Thread(Server):
    """The same in a thread of this process: it cannot be killed, and is there at once."""

    def __init__(self, store, options, token=TOKEN, **settings):
        from varde.serve.app import application
        from varde.serve.connections import Server as Uvicorn
        from varde.serve.run import listening

        self.token, self.selector = token, varde.Selector(options, store=store, **settings)
        self.socket, app = listening("127.0.0.1", 0), application(self.selector, token)
        self.port = self.socket.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.uvicorn = Uvicorn(app, "", app.leave)
        self.thread = threading.Thread(target=self.uvicorn.run, args=([self.socket],))
        self.thread.start()
        while not self.uvicorn.started:
            time.sleep(0.001)

    def kill(self):
        self.uvicorn.should_exit = True
        self.thread.join()
        self.socket.close()
        self.selector.close()
