"""A server whose database is cut off, and which is killed itself, loses nothing and counts nothing twice."""

import threading
import time
import uuid

import pytest

import varde

pytest.importorskip("uvicorn", reason="no server: pip install varde[serve]")

from tests.selection import server as databases

from .server import TOKEN, Server

pytestmark = pytest.mark.skipif(databases.missing() is not None, reason=str(databases.missing()))
BUDGET = 240


@pytest.fixture
def database():
    started = databases.Server()
    yield started
    started.remove()


def test_a_server_in_front_of_a_database_survives_cuts_and_kills(database):
    wire = databases.Wire(database.port)
    url = f"{database.url(port=wire.port)}#{uuid.uuid4().hex}"
    server = Server(url, "--options", "a,b,c", "--budget", str(BUDGET))
    told, lock = [], threading.Lock()

    def work():
        there = varde.connect(server.url, token=TOKEN)
        while not there.done:
            for draw in there.ask(2):
                assert there.tell(draw, draw.seed / 2**31) is True
                with lock:
                    told.append(draw.id)

    workers = [threading.Thread(target=work) for _ in range(6)]
    try:
        for worker in workers:
            worker.start()
        for part in (0.2, 0.4, 0.6, 0.8):
            while len(told) < part * BUDGET:
                time.sleep(0.01)
            wire.lose = 1  # a commit is made, and its answer lost
            if part == 0.4:
                server.kill()
                server.start()
        for worker in workers:
            worker.join()
        there = varde.connect(server.url, token=TOKEN)
        assert (there.spent, there.pending) == (BUDGET, [])
    finally:
        server.kill()
    assert sorted(told) == list(range(1, BUDGET + 1))
    assert wire.unanswered >= 3
    with varde.Selector.open(url) as here:
        events = here._journal.past()
    wire.close()
    assert sum(event.kind == "tell" for event in events) == BUDGET
    assert sum(event.kind == "ask" for event in events) == BUDGET
