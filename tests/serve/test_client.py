"""A selection through a server is the selection, also when the server is killed in the middle."""

import inspect
import json
import pickle
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import varde
from varde.serve.client import Remote
from varde.serve.operations import OPERATIONS

pytest.importorskip("uvicorn", reason="no server: pip install varde[serve]")

from .server import TOKEN, Server, Thread


def value_of(draw):
    return {"a": 0.0, "b": 0.4, "c": 1.0, "d": 0.2}.get(draw.name, 0.0) + draw.seed / 2**31


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = Thread(tmp_path_factory.mktemp("served") / "s.sqlite", ["a", "b", "c"], budget=5000)
    yield server
    server.kill()


@pytest.fixture(scope="module")
def there(server):
    return varde.connect(server.url, token=TOKEN)


def test_an_address_makes_the_client_of_a_server(there):
    assert isinstance(there, Remote)
    assert there.options == {"a": "a", "b": "b", "c": "c"}
    assert TOKEN not in repr(there)


def test_the_client_has_what_the_server_can_serve_of_a_selector_and_nothing_else():
    here, there = ({name for name in dir(kind) if not name.startswith("_")} for kind in (varde.Selector, Remote))
    assert there < here
    assert here - there == {"open", "together", "events", "evidence"}  # what the server is made of


def test_every_argument_of_a_method_that_the_server_carries_out_is_a_field():
    for name in ("tell", "fail", "release", "add_option", "remove_option", "add_budget", "note"):
        arguments = set(inspect.signature(getattr(varde.Selector, name)).parameters) - {"self"}
        assert arguments <= OPERATIONS[name].fields.keys(), name


def test_draws_and_the_recommendation_are_those_of_a_file(tmp_path):
    server = Server(tmp_path / "there.sqlite", "--options", "a,b,c", "--budget", "40", "--seed", "5")
    try:
        here = varde.Selector(["a", "b", "c"], budget=40, seed=5, store=tmp_path / "here.sqlite")
        there = varde.connect(server.url, token=TOKEN)
        while not here.done:
            draw = here.ask()
            assert there.ask() == draw
            assert here.tell(draw, value_of(draw)) == there.tell(draw, value_of(draw))
        assert there.done
        assert there.ask() is None
        assert there.ask(3) == []
        assert there.recommend().to_dict() == here.recommend().to_dict()
        assert (there.spent, there.remaining, there.leader) == (here.spent, here.remaining, here.leader)
        assert (there.settings.saved(), there.budget) == (here.settings.saved(), here.budget)
        code, said = server.stop()
        assert code == 0
        assert "Traceback" not in said
    finally:
        server.kill()


def test_changes_of_plan_arrive(there):
    there.add_option({"size": np.int64(3)}, "d")
    there.add_option((1, 2))
    assert there.options["d"] == {"size": 3} and there.options["(1, 2)"] == [1, 2]
    for name in ("d", "(1, 2)"):
        there.remove_option(name)
    assert there.removed == ("d", "(1, 2)")
    there.add_budget(7)
    assert there.budget == 5007
    there.note("who", ["me", np.int64(1)])
    there.note("nobody", None)
    assert there.notes["who"] == ["me", 1] and there.notes["nobody"] is None


def test_failed_and_released_draws_come_again(there):
    draws = there.ask(2)
    assert there.pending[-2:] == draws
    for draw in draws:
        there.release(draw)
    again = there.ask(2)
    assert again == draws
    there.tell(again[0], value_of(draw))
    there.fail(again[1], ValueError("no luck"))
    assert there.pending == []


def test_errors_are_those_of_a_selector(there):
    draw = there.ask()
    there.tell(draw, 0.5)
    with pytest.raises(varde.AlreadyToldError, match="the first is kept"):
        there.tell(draw, 0.5)
    with pytest.raises(ValueError, match="there is no draw 99999"):
        there.tell(99999, 1.0)
    with pytest.raises(ValueError, match="there is no option 'x'"):
        there.remove_option("x")
    with pytest.raises(TypeError, match="expected a number"):
        there.tell(draw, "fast")
    with pytest.raises(ValueError, match="another selection"):
        there.tell(there.ask()._replace(seed=1), 1.0)


def test_many_results_counts_and_summaries_arrive_whole_or_not_at_all(tmp_path):
    server = Thread(tmp_path / "there.sqlite", ["a", "b", "c"])
    try:
        here, there = varde.Selector(["a", "b", "c"]), varde.connect(server.url, token=TOKEN)
        given = {
            "a": {"successes": 12, "trials": 400},
            "b": [0.0, np.float64(1.0)],
            "c": {"mean": 0.1, "sem": 0.01, "n": 99},
        }
        for selector in (here, there):
            assert selector.tell_many(given, once="monday") == (4, (), False)
            assert selector.tell_many(given, once="monday") == (0, (), True)
            assert selector.tell("c", successes=3, trials=9)
            draws = selector.ask(2)
            assert selector.tell_many([(draws[0], 0.5), (draws[1].id, 0.25)]).counted == 2
            with pytest.raises(
                ValueError, match="2 of 3 results cannot be told, so none is; row 2: there is no option 'x'"
            ):
                selector.tell_many([("a", 1.0), ("x", 1.0), (99, 1.0)])
            with pytest.raises(TypeError, match="row 2: the result of b is None"):
                selector.tell_many([("a", 1.0), ("b", None)])
            told = selector.tell_many([("a", None), ("x", 1.0), ("b", 1.0)], skip=True)
            assert (told.counted, [where for where, _ in told.skipped]) == (1, ["row 1", "row 2"])
        ours, theirs = here.recommend(), there.recommend()
        assert ours.to_dict() == theirs.to_dict()
        assert ours.batches == theirs.batches
    finally:
        server.kill()


def test_a_selector_of_a_server_can_be_sent_to_another_process(there):
    assert pickle.loads(pickle.dumps(there)).spent == there.spent


def test_a_wrong_token_and_a_wrong_address_say_so(server, monkeypatch):
    monkeypatch.delenv("VARDE_TOKEN", raising=False)
    with pytest.raises(varde.StoreError, match="the token is wrong"):
        varde.connect(server.url, token="another-token-of-some-length")
    with pytest.raises(varde.StoreError, match="wants a token"):
        varde.connect(server.url)
    with pytest.raises(varde.StoreError, match="does not answer"):
        varde.connect("http://127.0.0.1:9", patience=0)
    with pytest.raises(ValueError, match="is not shown"):
        varde.connect(f"http://me:{TOKEN}@localhost:8399")
    with pytest.raises(ValueError, match="a server"):
        varde.Selector(["a", "b"], store=server.url)
    with pytest.raises(ValueError, match="a server"):
        varde.Selector.open(server.url)


def test_a_request_sent_twice_is_done_once(server):
    first = server.post("/ask", {"n": 2}, idempotency_key="twice")
    assert server.post("/ask", {"n": 2}, idempotency_key="twice") == first
    id = first[1]["draws"][0]["id"]
    for _ in range(2):
        assert server.post("/tell", {"draw": id, "value": 1}, idempotency_key="told") == (200, {"counted": True})
    assert server.post("/tell", {"draw": id, "value": 1})[0] == 409
    spent = server.get("/state")[1]["spent"]
    for _ in range(2):  # by name there is no draw to tell the second from the first
        server.post("/tell", {"results": [{"draw": "b", "value": 1}]}, idempotency_key="named")
    assert server.get("/state")[1]["spent"] == spent + 1


def test_a_key_that_comes_with_another_request_is_refused_and_nothing_acknowledged(server):
    (first, second) = (draw["id"] for draw in server.post("/ask", {"n": 2}, idempotency_key="asked")[1]["draws"])
    assert server.post("/tell", {"draw": first, "value": 1}, idempotency_key="own")[0] == 200
    spent = server.get("/state")[1]["spent"]
    others = [("/tell", {"draw": second, "value": 1}), ("/tell", {"draw": first, "value": 2}), ("/ask", {"n": 1})]
    for path, fields in others:
        status, found = server.post(path, fields, idempotency_key="own")
        assert status == 422 and "belongs to another request" in found["error"], path
    assert server.post("/ask", {"n": 1}, idempotency_key="asked")[0] == 422
    assert server.post("/tell", {"value": 1, "draw": first}, idempotency_key="own")[0] == 200  # the same, in disorder
    assert server.get("/state")[1]["spent"] == spent
    assert server.post("/tell", {"draw": second, "value": 1}, idempotency_key="another")[0] == 200


WORKER = """
import sys, time, varde
url, token, name = sys.argv[1:]
selector = varde.connect(url, token=token)
told = []
while not selector.done:
    for draw in selector.ask(2):
        value = {"a": 0.0, "b": 0.4, "c": 1.0}[draw.name] + draw.seed / 2**31
        assert selector.tell(draw, value) is True
        told.append(draw.id)
print(*told)
"""


def test_a_server_killed_again_and_again_loses_nothing_and_counts_nothing_twice(tmp_path):
    budget = 160
    server = Server(tmp_path / "s.sqlite", "--options", "a,b,c", "--budget", str(budget))
    try:
        workers = [
            subprocess.Popen([sys.executable, "-c", WORKER, server.url, TOKEN, str(i)], stdout=-1, text=True)
            for i in range(2)
        ]
        watching = varde.connect(server.url, token=TOKEN)
        for part in (0.25, 0.6):
            while watching.spent < part * budget:
                time.sleep(0.01)
            server.kill()
            server.start()
        told = [int(id) for worker in workers for id in worker.communicate()[0].split()]
        assert [worker.returncode for worker in workers] == [0, 0]
        assert sorted(told) == list(range(1, budget + 1))
        assert (watching.spent, watching.pending, watching.leader) == (budget, [], "c")
        found = watching.recommend()
    finally:
        server.kill()
    with varde.Selector.open(tmp_path / "s.sqlite") as here:
        assert here.recommend().to_dict() == found.to_dict()
        events = here.events()
    assert sum(event.kind == "tell" for event in events) == budget
    assert sum(event.kind == "ask" for event in events) == budget  # no draw was handed out and forgotten


def test_an_answer_lost_with_the_server_is_given_by_the_next(tmp_path):
    server = Server(tmp_path / "s.sqlite", "--options", "a,b", "--budget", "30")
    try:
        asked = server.post("/ask", {"n": 3}, idempotency_key="k1")
        server.post("/tell", {"draw": "a", "value": 2}, idempotency_key="k2")
        server.kill()
        server.start()
        assert server.post("/tell", {"draw": "b", "value": 2}, idempotency_key="k2")[0] == 422
        again = server.post("/ask", {"n": 3}, idempotency_key="k1")
        told = server.post("/tell", {"draw": "a", "value": 2}, idempotency_key="k2")
        held = [draw["id"] for draw in server.get("/state")[1]["pending"]]
        assert [draw["id"] for draw in again[1]["draws"]] == held
        assert len(held) == 2  # of three asked for one was told, by its name
        assert set(held) < {draw["id"] for draw in asked[1]["draws"]}
        assert told == (200, {"counted": True})
        assert server.get("/state")[1]["spent"] == 1
    finally:
        server.kill()


def test_threads_share_a_selector(there):
    seen, lock = [], threading.Lock()

    def work():
        for _ in range(5):
            draw = there.ask()
            with lock:
                seen.append(draw.id)
            there.tell(draw, value_of(draw))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == len(set(seen)) == 20


def test_a_server_that_has_too_much_to_do_is_asked_again(there, monkeypatch):
    right, answers = Remote._exchange, [(503, b"Service Unavailable"), (502, b"<html>")]
    monkeypatch.setattr(Remote, "_exchange", lambda *given: answers.pop() if answers else right(*given))
    assert there.spent >= 0
    assert answers == []


def test_other_goals_and_numpy_numbers_go_through(tmp_path):
    import numpy as np

    server = Thread(tmp_path / "s.sqlite", ["a", "b"], budget=30, goal=varde.Best("profit", latency="<= 5"))
    try:
        there = varde.connect(server.url, token=TOKEN)
        for number in range(8):
            draw = there.ask()
            there.tell(draw, {"profit": np.float64(number), "latency": np.int64(number % 3)})
        found = there.recommend()
        assert set(found.rows[0].numbers) == {"latency"}
        assert json.dumps(found.to_dict())
    finally:
        server.kill()
