"""Who may look at the page, and what they cannot do."""

import socket
from contextlib import ExitStack

import pytest

import varde

pytest.importorskip("uvicorn", reason="no server: pip install varde[serve]")

from .server import TOKEN, Server

HOSTILE = "<script>alert(1)</script>\"'&\u202e"


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    path = tmp_path_factory.mktemp("shown") / "s.sqlite"
    with varde.Selector([HOSTILE, "b"], 500, store=path) as selector:
        for draw in selector.ask(10):
            selector.tell(draw, draw.seed / 2**31)
    return path


@pytest.fixture(scope="module")
def server(store):
    server = Server(store)
    yield server
    server.kill()


@pytest.fixture(scope="module")
def open_server(store):
    server = Server(store, token=None)
    yield server
    server.kill()


@pytest.mark.parametrize("given", [None, "Bearer ", "Bearer wrong", f"Basic {TOKEN}", f"Bearer {TOKEN}x", TOKEN, "ÿ"])
def test_nothing_is_shown_without_the_token(server, given):
    for path in ("/", "/now", "/static/style.css", "/nowhere", "/?token=wrong", f"/now?token={TOKEN}"):
        status, headers, body = server.send(path, authorization=given)
        assert status == 401 and headers["www-authenticate"] == "Bearer"
        assert "alert" not in body and TOKEN not in body


def test_a_token_in_the_address_becomes_a_cookie_once(server):
    status, headers, _ = server.send(f"/?token={TOKEN}", authorization=None)
    assert (status, headers["location"]) == (303, "./")
    cookie = headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=lax" in cookie and TOKEN not in cookie
    name, _, value = cookie.partition(";")[0].partition("=")
    assert server.send("/", authorization=None, cookie=f"{name}={value}")[0] == 200
    for forged in (value[:-1], value[::-1], "", TOKEN):
        assert server.send("/", authorization=None, cookie=f"{name}={forged}")[0] == 401


def test_every_answer_has_the_policy_and_hostile_names_are_text(server):
    for path, given in (("/", f"Bearer {TOKEN}"), ("/", None), ("/nowhere", f"Bearer {TOKEN}")):
        headers = server.send(path, authorization=given)[1]
        assert "default-src 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff" and headers["referrer-policy"] == "no-referrer"
        assert headers["cache-control"] == "no-store" and "server" not in headers
    assert "<script>alert" not in server.send()[2] and "&lt;script&gt;alert" in server.send()[2]


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "127.0.0.1.nip.io", ""])
def test_a_foreign_name_for_this_machine_is_refused_without_a_token(open_server, host):
    assert open_server.send(host=host)[0] == 403


def test_names_of_this_machine_are_served(open_server):
    for host in ("localhost", "localhost:8399", "LOCALHOST", "127.0.0.1:1", "[::1]:8399"):
        assert open_server.send(host=host)[0] == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_there_is_nothing_to_change(server, method):
    assert {server.send(path, method)[0] for path in ("/", "/now", "/static/live.js")} == {405}


def test_the_token_is_not_in_the_log(store):
    server = Server(store)
    try:
        server.send(f"/?token={TOKEN}", authorization="Bearer wrong-token-which-is-long")
        code, said = server.stop()
    finally:
        server.kill()
    assert code == 0 and said == ""


def test_silent_and_slow_connections_keep_nobody_out(store):
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if 0 <= hard < 2500:
        pytest.skip("this system lets nobody open so many files")
    resource.setrlimit(resource.RLIMIT_NOFILE, (1024, hard))
    server = Server(store)  # begins with the usual limit, which the connections below exceed
    resource.setrlimit(resource.RLIMIT_NOFILE, (2500, hard))
    try:
        with ExitStack() as stack:
            for number in range(1100):
                connection = stack.enter_context(socket.create_connection(("127.0.0.1", server.port), 20))
                if number % 2:
                    connection.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n")  # and no more
            assert server.send()[0] == 200
    finally:
        server.kill()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
