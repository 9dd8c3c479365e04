"""Requests that share a turn are kept together, refused one by one, and forgotten together."""

import pytest

import varde
from varde.selection.log import TransactionLostError
from varde.serve.once import Once


@pytest.fixture
def selector(tmp_path):
    with varde.Selector(["a", "b"], budget=50, store=tmp_path / "s.sqlite") as selector:
        yield selector


def test_of_several_in_a_turn_one_may_be_refused(selector):
    once = Once(selector)
    changes = [
        lambda: once.do("1", lambda: selector.tell("a", 1.0)),
        lambda: once.do("2", lambda: selector.tell("nobody", 1.0)),
        lambda: once.do("3", lambda: selector.tell("b", 2.0)),
    ]
    first, second, third = once.together(changes)
    assert (first, third) == (True, True)
    assert "there is no option 'nobody'" in str(second)
    assert selector.spent == 2
    assert once.together(changes[:1]) == [None]  # done before
    assert selector.spent == 2


def test_a_lost_turn_is_made_again_and_its_keys_are_not_kept(selector, monkeypatch):
    once, log = Once(selector), selector._journal.log
    commit, lost = log.commit, [True]

    def losing():
        if lost.pop() if lost else False:
            raise TransactionLostError("lost on the way")
        commit()

    monkeypatch.setattr(log, "commit", losing)
    assert once.together([lambda: once.do("1", lambda: selector.tell("a", 1.0))]) == [True]
    assert selector.spent == 1
    assert sum(event.kind == "tell" for event in log.since(0)) == 1


def test_a_turn_that_the_disk_refuses_is_forgotten_whole(selector, monkeypatch):
    once, log = Once(selector), selector._journal.log

    def full():
        raise varde.StoreError("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(log, "commit", full)
        with pytest.raises(varde.StoreError, match="full"):
            once.together([lambda: once.do("1", lambda: selector.tell("a", 1.0))])
    assert selector.spent == 0
    assert once.together([lambda: once.do("1", lambda: selector.tell("a", 1.0))]) == [True]
    assert selector.spent == 1


def test_what_was_refused_halfway_undoes_no_other(selector):
    once = Once(selector)

    def halfway():
        selector.tell("a", 1.0)
        raise ValueError("and then no more")

    first, second = once.together([lambda: once.do("1", lambda: selector.tell("b", 2.0)), halfway])
    assert first is True
    assert str(second) == "and then no more"
    assert [event.kind for event in selector._journal.past()].count("tell") == 2
    assert selector.spent == 2


def test_keys_are_read_from_the_file(selector, tmp_path):
    once = Once(selector)
    (draws,) = once.together([lambda: once.ask("k", 2)])
    with varde.Selector.open(tmp_path / "s.sqlite") as other:
        again = Once(other)
        assert again.ask("k", 2) == draws
        other.tell(draws[0], 1.0)
        assert again.ask("k", 2) == draws[1:]
        assert again.ask("another", 1) != draws[1:]
