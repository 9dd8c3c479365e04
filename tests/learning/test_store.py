"""A learner in a file: it survives its process, goes on with the same bits, and is added to another."""

import inspect
import signal
import sqlite3
import subprocess
import sys
import threading

import numpy as np
import pytest

import varde
from varde.learning import Learner
from varde.learning.store import Store, read, written


def river(state, action, rng):
    """RiverSwim(5), whose far end closes the episode now and then."""
    if action == "left":
        return max(state - 1, 0), float(state == 0 and rng.random() < 0.05), False
    u = rng.random()
    if state == 4:
        return 4, 1.0, u < 0.2
    return state + (1 if u < 0.3 else -1 if u > 0.9 and state else 0), 0.0, False


HOW = {"actions": ["left", "right"], "start": 0, "discount": 0.95}


def same(policy, other):
    assert policy.visits == other.visits and dict(policy) == dict(other)
    np.testing.assert_array_equal(policy.certified.solved.values, other.certified.solved.values)


def steps(learner, first, last, state=0):
    """Ask and tell, step by step; random numbers by the number of the step."""
    for number in range(first, last):
        action = learner.ask(state)
        after, reward, over = river(state, action, np.random.default_rng(number))
        learner.tell(state, action, reward, after, over)
        state = 0 if over else after
    return state


@pytest.mark.parametrize("algorithm", [varde.VarDE(), varde.learning.MFBPI()], ids=["varde", "mf-bpi"])
def test_learn_goes_on_with_the_same_bits(tmp_path, algorithm):
    whole = varde.learn(river, 900, algorithm=algorithm, **HOW)
    for budget in (1, 40, 41, 300, 900):
        policy = varde.learn(river, budget, algorithm=algorithm, store=tmp_path / "river", **HOW)
        assert policy.spent == budget
    same(policy, whole)
    same(varde.learn(river, 900, algorithm=algorithm, store=tmp_path / "river", **HOW), whole)  # nothing to do


def test_ask_and_tell_go_on_with_the_same_bits(tmp_path):
    plain = Learner(["left", "right"], 0.95)
    steps(plain, 0, 400)
    place = 0
    for first in range(0, 400, 50):
        with Learner(["left", "right"], 0.95, store=tmp_path / "river") as learner:
            place = steps(learner, first, first + 50, place)
            learner.ask(place)  # of which nothing comes
    same(learner.recommend(), plain.recommend())


KILLED = """
import sys
import varde
{river}
tell = lambda steps: print(steps, flush=True)
print(varde.learn(river, 60_000, store=sys.argv[1], progress=tell, **{how}).spent, flush=True)
"""


def test_learn_survives_kills_at_any_moment(tmp_path):
    """Killed until it gets through: what is in the file is what an unbroken run had, whenever it was killed."""
    code = KILLED.format(river=inspect.getsource(river), how=HOW)
    seen, kills = [0], 0
    for lines in (1, 2, None):  # that it says of its progress before it is killed
        with subprocess.Popen([sys.executable, "-c", code, tmp_path / "river"], stdout=subprocess.PIPE) as process:
            if lines is None:
                assert process.stdout.read().endswith(b"60000\n")
                break
            for _ in range(lines):
                process.stdout.readline()
            process.kill()
        kills += process.returncode == -signal.SIGKILL
        store = Store(tmp_path / "river")
        seen.append(len(store.history()[0]) if store.format else 0)
        store.close()
    assert kills >= 1 and seen == sorted(seen)
    same(varde.learn(river, 60_000, store=tmp_path / "river", **HOW), varde.learn(river, 60_000, **HOW))


def test_what_was_told_is_in_the_file_when_tell_returns(tmp_path):
    learner = Learner(["left", "right"], store=tmp_path / "river")
    learner.tell(0, "left", 1.0, 0)
    with sqlite3.connect(tmp_path / "river") as db:
        assert db.execute("SELECT count(*) FROM turns").fetchone() == (1,)
        assert db.execute("SELECT name FROM states").fetchall() == [("0",)]


def test_two_learners_with_one_file_are_told_so(tmp_path):
    first, second = (Learner(["left", "right"], store=tmp_path / "river") for _ in range(2))
    first.tell(0, "left", 1.0, 0)
    with pytest.raises(varde.StoreError, match=r"another learner wrote.*give each its own store"):
        second.tell(0, "right", 1.0, 0)
    first.tell(0, "left", 1.0, 1)


def test_another_world_is_not_taken_for_the_same(tmp_path):
    Learner([0, 1], store=tmp_path / "a").close()
    with pytest.raises(ValueError, match=r"was made with discount=0.99 and now it is 0.9"):
        Learner([0, 1], 0.9, store=tmp_path / "a")
    varde.Selector(["x", "y"], store=tmp_path / "b").close()
    with pytest.raises(varde.StoreError, match="belongs to another program"):
        Learner([0, 1], store=tmp_path / "b")


def test_what_was_damaged_is_refused(tmp_path):
    with Learner([0, 1], store=tmp_path / "a") as learner:
        learner.tell(0, 0, 1.0, 1)
    with sqlite3.connect(tmp_path / "a") as db:
        db.execute("UPDATE turns SET data = x'0102'")
    db.close()
    with pytest.raises(varde.StoreError, match="damaged"):
        Learner([0, 1], store=tmp_path / "a")


NAMES = [0, -1.5, True, None, "a'b\n", b"\xff", (1,), (), ("x", (2, -0.5)), frozenset({1, "a", (2,)}), float("inf"), 1j]


@pytest.mark.parametrize("name", NAMES)
def test_names_are_read_as_they_were_written(name):
    assert read(written(name)) == name and type(read(written(name))) is type(name)


def test_names_that_cannot_be_written_are_refused(tmp_path):
    assert read(written(np.int64(3))) == 3
    learner = Learner([0, 1], store=tmp_path / "a")
    learner.tell(0, 0, 1.0, 1)
    with pytest.raises(varde.StoreError, match=r"is a object and cannot be kept in a file: write key=function"):
        learner.tell(object(), 0, 1.0, 1)


def test_states_that_only_a_key_names_are_met_again(tmp_path):
    def step(state, action, rng):
        after, reward, over = river(int(state[0]), action, rng)
        return np.array([after]), reward, over

    how = {**HOW, "start": np.array([0]), "key": lambda state: int(state[0])}
    for budget in (300, 600):
        policy = varde.learn(step, budget, store=tmp_path / "river", **how)
    assert policy.spent == 600 and policy[np.array([2])] == policy[2]


def test_threads_take_turns(tmp_path):
    learner = Learner([0, 1], store=tmp_path / "a")

    def work():
        for _ in range(50):
            learner.tell(0, learner.ask(0), 1.0, 0)

    threads = [threading.Thread(target=work) for _ in range(4)]
    [thread.start() for thread in threads], [thread.join() for thread in threads]
    assert learner.recommend().spent == 200
    learner.close()
    assert Learner([0, 1], store=tmp_path / "a").recommend().spent == 200
