"""Requests that share a turn are kept together, refused one by one, and forgotten together.

These are tests of a class of its own: over HTTP nobody decides which requests share a turn, or when a disk is full.
"""

import pytest

import varde
from varde.selection.log import TransactionLostError
from varde.serve.once import Once
from varde.serve.operations import OPERATIONS, RefusedError


@pytest.fixture
def selector(tmp_path):
    with varde.Selector(["a", "b"], budget=50, store=tmp_path / "s.sqlite") as selector:
        yield selector


def told(once, key, draw, value):
    """Tells it under that key, as a change."""
    return lambda: once.carry_out(OPERATIONS["tell"], {"draw": draw, "value": value}, key)


def kinds(selector):
    return [event.kind for event in selector.events()]


def test_of_several_in_a_turn_one_may_be_refused(selector):
    once = Once(selector)
    first, second, third = once.together(
        [told(once, "1", "a", 1.0), told(once, "2", "nobody", 1.0), told(once, "3", "b", 2.0)]
    )
    assert first == third == {"counted": True}
    assert "there is no option 'nobody'" in str(second)
    assert selector.spent == 2
    again, other = once.together([told(once, "1", "a", 1.0), told(once, "1", "a", 5.0)])
    assert again == {"counted": True}
    assert "belongs to another request" in str(other)
    assert selector.spent == 2


def test_a_lost_turn_is_made_again_and_its_keys_are_not_kept(selector, monkeypatch):
    once, log = Once(selector), selector._journal.log
    commit, lost = log.commit, [True]

    def losing():
        if lost.pop() if lost else False:
            raise TransactionLostError("lost on the way")
        commit()

    monkeypatch.setattr(log, "commit", losing)
    assert once.together([told(once, "1", "a", 1.0)]) == [{"counted": True}]
    assert selector.spent == 1
    assert kinds(selector).count("tell") == 1


def test_a_turn_that_the_disk_refuses_is_forgotten_whole(selector, monkeypatch):
    once, log = Once(selector), selector._journal.log

    def full():
        raise varde.StoreError("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(log, "commit", full)
        with pytest.raises(varde.StoreError, match="full"):
            once.together([told(once, "1", "a", 1.0)])
    assert selector.spent == 0
    assert once.together([told(once, "1", "a", 1.0)]) == [{"counted": True}]
    assert selector.spent == 1


def test_what_was_refused_halfway_undoes_no_other(selector):
    once = Once(selector)

    def halfway():
        selector.tell("a", 1.0)
        raise ValueError("and then no more")

    first, second = once.together([told(once, "1", "b", 2.0), halfway])
    assert first == {"counted": True}
    assert str(second) == "and then no more"
    assert kinds(selector).count("tell") == 2
    assert selector.spent == 2


def test_keys_are_read_from_the_file(selector, tmp_path):
    once = Once(selector)
    ((found,)) = once.together([lambda: once.carry_out(OPERATIONS["ask"], {"n": 2}, "k")])
    with varde.Selector.open(tmp_path / "s.sqlite") as other:
        again = Once(other)
        assert again.carry_out(OPERATIONS["ask"], {"n": 2}, "k")["draws"] == found["draws"]
        other.tell(found["draws"][0]["id"], 1.0)
        assert again.carry_out(OPERATIONS["ask"], {"n": 2}, "k")["draws"] == found["draws"][1:]
        assert again.carry_out(OPERATIONS["ask"], {"n": 1}, "another")["draws"] != found["draws"][1:]
        with pytest.raises(RefusedError, match="belongs to another request"):
            again.carry_out(OPERATIONS["ask"], {"n": 3}, "k")
