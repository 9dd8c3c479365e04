"""What is done to the server by those who mean it no good."""

import json
import re
import socket
import subprocess
import sys
from contextlib import ExitStack, suppress

import pytest
from typer.testing import CliRunner

pytest.importorskip("uvicorn", reason="no server: pip install varde[serve]")

from varde.cli import app
from varde.serve.guard import Guard
from varde.serve.run import is_local, token_in, token_of

from .server import TOKEN, Server, Thread

HOSTILE = "<script>alert(1)</script>\"'&\u202e"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = Thread(tmp_path_factory.mktemp("guarded") / "s.sqlite", [HOSTILE, "b"], budget=500)
    yield server
    server.kill()


@pytest.fixture(scope="module")
def open_server(tmp_path_factory):
    server = Thread(tmp_path_factory.mktemp("open") / "s.sqlite", ["a", "b"], token=None, budget=500)
    yield server
    server.kill()


def spent(server):
    return server.get("/state")[1]["spent"]


@pytest.mark.parametrize("given", [None, "Bearer ", "Bearer wrong", f"Basic {TOKEN}", f"Bearer {TOKEN}x", TOKEN, "ÿ"])
def test_nothing_is_answered_without_the_token(server, given):
    for method, path in (("GET", "/state"), ("GET", "/recommend"), ("GET", "/results"), ("GET", "/options")):
        status, headers, body = server.send(method, path, authorization=given)
        assert status == 401
        assert "authorization" in body.decode().lower()
        assert headers["www-authenticate"] == "Bearer"
    for path in ("/ask", "/tell", "/fail", "/release", "/add_budget", "/add_option", "/remove_option", "/note"):
        assert server.send("POST", path, {}, authorization=given)[0] == 401


def test_a_token_in_the_address_opens_nothing(server):
    assert server.send("GET", f"/state?token={TOKEN}", authorization=None)[0] == 401


def test_tokens_are_compared_in_constant_time(monkeypatch):
    import hmac

    compared = []
    right = hmac.compare_digest
    monkeypatch.setattr(hmac, "compare_digest", lambda a, b: compared.append((len(a), len(b))) or right(a, b))
    guard = Guard(None, TOKEN)
    assert guard.knows(TOKEN)
    assert not guard.knows("")
    assert not guard.knows("x" * 1000)
    assert compared == [(32, 32)] * 3


def test_every_answer_has_the_policy(server):
    for path, given in (("/state", f"Bearer {TOKEN}"), ("/state", None), ("/nowhere", f"Bearer {TOKEN}")):
        headers = server.send("GET", path, authorization=given)[1]
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy.replace("style-src-attr 'unsafe-inline'", "")  # of scripts and sheets, none
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
        assert "server" not in headers


FORGED = [
    {"origin": "https://evil.example"},
    {"origin": "null"},
    {"sec_fetch_site": "cross-site"},
    {"sec_fetch_site": "same-site"},
    {"origin": "http://localhost:1"},
]


@pytest.mark.parametrize("headers", FORGED)
def test_another_site_cannot_tell(server, open_server, headers):
    for one in (server, open_server):
        before = spent(one)
        assert one.send("POST", "/tell", {"draw": "b", "value": 1}, **headers)[0] == 403
        assert spent(one) == before


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", None])
def test_what_a_form_can_send_is_no_request(open_server, kind):
    assert open_server.send("POST", "/tell", {"draw": "b", "value": 1}, content_type=kind)[0] == 415


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8399", "localhost.evil.example", "127.0.0.1.nip.io", ""]
)
def test_a_foreign_name_for_this_machine_is_refused_without_a_token(open_server, host):
    assert open_server.send("GET", "/state", host=host)[0] == 403
    assert open_server.send("POST", "/tell", {"draw": "b", "value": 1}, host=host)[0] == 403


def test_names_of_this_machine_are_served(open_server):
    for host in ("localhost", "localhost:8399", "LOCALHOST", "127.0.0.1:1", "[::1]:8399"):
        assert open_server.send("GET", "/state", host=host)[0] == 200


def test_a_body_that_is_too_large_is_refused_however_it_comes(server):
    large = b'{"draw": "b", "value": 1, "x": "' + b"y" * 2**20 + b'"}'
    with suppress(BrokenPipeError, ConnectionResetError):  # it need not read all of it before it answers
        status, headers, body = server.send("POST", "/tell", large)
        assert status == 413
        assert b"more than 1,048,576 bytes" in body
        assert headers["connection"] == "close"
    with socket.create_connection(("127.0.0.1", server.port), 20) as connection:  # without saying how large it is
        head = f"POST /tell HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {TOKEN}\r\n"
        head += "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        connection.sendall(head.encode())
        with suppress(OSError):  # it does not listen any more
            for _ in range(40):
                connection.sendall(b"10000\r\n" + b" " * 0x10000 + b"\r\n")
        with suppress(ConnectionResetError):
            assert b" 413 " in connection.recv(4096)
    assert server.get("/health")[0] == 200


@pytest.fixture
def many_sockets():
    """As many open files as it takes, here and in processes begun from here."""
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 4096 if hard == resource.RLIM_INFINITY else min(4096, hard)
    if wanted < 2500:
        pytest.skip("this system lets nobody open so many files")
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_silent_connections_keep_nobody_out(many_sockets, tmp_path):
    server = Server(tmp_path / "s.sqlite", "--options", "a,b", "--budget", "500")
    try:
        with ExitStack() as stack:
            for number in range(1100):
                connection = stack.enter_context(socket.create_connection(("127.0.0.1", server.port), 20))
                if number % 2:
                    connection.sendall(b"POST /tell HTTP/1.1\r\nHost: x\r\n")  # and no more
                if number % 100 == 0:
                    assert server.get("/health")[0] == 200
            assert server.post("/tell", {"draw": "a", "value": 1})[0] == 200
        head = f"POST /tell HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {TOKEN}\r\n"
        head += "Content-Type: application/json\r\nContent-Length: 50\r\n\r\n{"
        with (
            socket.create_connection(("127.0.0.1", server.port), 60) as silent,
            socket.create_connection(("127.0.0.1", server.port), 60) as slow,
        ):
            slow.sendall(head.encode())
            assert silent.recv(1) == b""  # closed, though nobody else wants it
            assert b" 408 " in slow.recv(4096)
    finally:
        server.kill()


BAD = [
    (b"{", 400),
    (b"\xff\xfe", 400),
    (b"[" * 100_000, 400),
    (b'{"draw": 1, "value": NaN}', 400),
    (b'{"draw": 1, "value": Infinity}', 400),
    (b'{"draw": 1, "value": 1e999}', 422),
    (b'{"draw": 1, "value": ' + b"9" * 5000 + b"}", 400),
    (b"[]", 422),
    (b'"text"', 422),
    (b"{}", 422),
    (b'{"draw": 1}', 422),
    (b'{"draw": true, "value": 1}', 422),
    (b'{"draw": 1.5, "value": 1}', 422),
    (b'{"draw": -1, "value": 1}', 422),
    (b'{"draw": 100000000000000000000000, "value": 1}', 422),
    (b'{"draw": "b", "value": "1"}', 422),
    (b'{"draw": "b", "value": {"x": 1}}', 422),
    (b'{"draw": "\\ud800", "value": 1}', 422),
    (b'{"draw": "b", "value": 1, "price": 2}', 422),
    (b'{"draw": "b", "value": 1, "cost": 2}', 422),
    (b'{"results": 3}', 422),
    (b'{"results": [3]}', 422),
    (b'{"results": [], "draw": 1}', 422),
]


@pytest.mark.parametrize(("body", "expected"), BAD)
def test_what_cannot_be_understood_is_refused_in_plain_words(server, body, expected):
    before = spent(server)
    status, _, answer = server.send("POST", "/tell", body)
    assert status == expected
    assert "Traceback" not in answer.decode()
    assert "File" not in answer.decode()
    assert ":" in json.loads(answer)["error"]  # what came, and what to write instead
    assert spent(server) == before


def test_of_many_results_none_is_kept_if_one_is_wrong(server):
    before = spent(server)
    results = [{"draw": "b", "value": 1}, {"draw": "x", "value": 1}, {"draw": "b", "trials": 3}]
    status, found = server.post("/tell", {"results": results})
    assert status == 422
    assert "row 2: there is no option 'x'" in found["error"]
    assert "row 3" in found["error"]
    assert spent(server) == before
    status, found = server.post("/tell", {"results": results, "skip": True})
    assert (status, found["counted"], [where for where, _ in found["skipped"]]) == (200, 1, ["row 2", "row 3"])
    assert spent(server) == before + 1


@pytest.mark.parametrize("n", [0, -1, 10_001, 2**70])
def test_no_more_draws_than_fit_in_an_answer(server, n):
    status, found = server.post("/ask", {"n": n})
    assert status == 422
    assert "write 1 to 10,000" in found["error"]


def test_unknown_routes_and_methods_are_json(server):
    for method, path, expected in (("GET", "/nowhere", 404), ("GET", "/ask", 405), ("DELETE", "/tell", 405)):
        status, _, body = server.send(method, path)
        assert status == expected
        assert json.loads(body)["error"]
    assert server.get("/../../etc/passwd")[0] == 404
    assert server.get("/static/../app.py")[0] == 404


def test_a_question_about_the_events_does_not_wait_for_them(server):
    status, headers, body = server.send("HEAD", "/events")
    assert (status, body) == (200, b"")
    assert headers["content-type"].startswith("text/event-stream")


def test_a_key_that_could_hide_something_is_refused(server):
    assert server.post("/ask", {}, idempotency_key="x" * 201)[0] == 422
    assert server.post("/ask", {}, idempotency_key="\xe9")[0] == 422


def test_a_hostile_name_arrives_as_it_is_in_json(server):
    status, headers, body = server.send("GET", "/options")
    assert status == 200
    assert headers["content-type"] == "application/json"
    assert HOSTILE in json.loads(body)["options"]


def test_openapi_describes_every_route(server):
    status, found = server.get("/openapi.json", authorization=None)
    assert status == 200
    for path, methods in found["paths"].items():
        for method in methods:
            assert server.send(method.upper(), path, {} if method == "post" else None)[0] not in (404, 405, 500)


def test_neither_token_nor_names_are_in_the_log(tmp_path):
    server = Server(tmp_path / "s.sqlite", "--options", "secretive,b", "--budget", "20")
    try:
        server.post("/tell", {"draw": "secretive", "value": 1})
        server.send("POST", "/tell", b"{", authorization=f"Bearer {TOKEN}")
        server.send("GET", f"/state?token={TOKEN}", authorization="Bearer wrong-token-which-is-long")
        code, said = server.stop()
    finally:
        server.kill()
    assert code == 0
    assert TOKEN not in said
    assert "wrong-token" not in said
    assert "Traceback" not in said


def test_elsewhere_it_listens_only_with_a_good_token(tmp_path):
    begin = ["serve", str(tmp_path / "s.sqlite"), "--options", "a,b", "--port", "0", "--host", "0.0.0.0"]
    for more, token, words in (
        ([], "", "can be reached from elsewhere: write --token-file"),
        (["--no-token"], "", "leave --no-token out"),
        ([], "short", "write 16 or more ASCII characters"),
    ):
        ended = CliRunner().invoke(app, begin + more, env={"VARDE_TOKEN": token})
        assert ended.exit_code == 2
        assert words in ended.output
    assert not (tmp_path / "s.sqlite").exists()


def test_a_token_is_never_made_into_a_log(tmp_path):
    begin = ["serve", str(tmp_path / "s.sqlite"), "--options", "a,b", "--port", "0"]
    ended = CliRunner().invoke(app, begin, env={"VARDE_TOKEN": ""})
    assert ended.exit_code == 2
    assert "would be shown in a log: write --token-file" in ended.output


def test_a_token_made_is_shown_on_the_terminal_once(monkeypatch, capsys):
    monkeypatch.delenv("VARDE_TOKEN", raising=False)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    token = token_of("127.0.0.1", None, False)
    assert len(token) == 43
    assert capsys.readouterr().err == f"varde: the token, shown only once, is {token}\n"


def test_only_addresses_of_this_machine_are_local():
    assert is_local("127.0.0.1")
    assert is_local("::1")
    assert not is_local("0.0.0.0")
    assert not is_local("::")
    with pytest.raises(ValueError, match="not an address of this machine"):
        is_local("no.such.host.invalid")


def test_a_token_file_is_made_for_this_user_only(tmp_path):
    file = tmp_path / "token"
    token = token_in(file)
    assert re.fullmatch(r"[\w-]{43}", token)
    assert file.stat().st_mode & 0o777 == 0o600
    assert token_in(file) == token
    file.chmod(0o644)
    with pytest.raises(ValueError, match="chmod 600"):
        token_in(file)


def test_without_starlette_it_says_what_to_install(tmp_path):
    hidden = "import sys; sys.modules['starlette.applications'] = None; import varde.serve.app"
    ended = subprocess.run([sys.executable, "-c", hidden], check=False, capture_output=True, text=True)
    assert "ImportError: serve needs starlette and uvicorn: pip install 'varde[serve]'" in ended.stderr
