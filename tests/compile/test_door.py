"""Records that stay inside: compiled and in Python the same numbers; arrays replaced through hold."""

from typing import NamedTuple

import numpy as np
import pytest

from varde._compile import Door, helper, kernel, verb


class Grid(NamedTuple):
    cells: np.ndarray  # [R, C]
    rows: np.ndarray  # [R] int32


class Board(NamedTuple):
    grid: Grid
    scale: float
    size: int
    fair: bool


class Loose(NamedTuple):
    scale: float


@verb
def unit(thing):
    """How much one is worth."""


@unit.of(Board, Loose)
def scale(thing):
    return thing.scale


@helper
def total(board):
    grid, amount = board.grid, 0.0
    for r in range(grid.cells.shape[0]):
        for c in range(grid.cells.shape[1]):
            amount += grid.cells[r, c] * grid.rows[r]
    return amount * unit(board) + board.size + (0.5 if board.fair else 0.0)


@kernel
def play(held, times, bonus):
    board, log = held
    log[0] += times
    return total(board) + bonus * times + log.size


def make(rows=2, fair=True):
    return Board(Grid(np.arange(3.0 * rows).reshape(rows, 3), np.arange(1, rows + 1, dtype=np.int32)), 1.5, 7, fair)


@pytest.mark.parametrize("fair", [True, False])
def test_compiled_is_what_python_computes(fair):
    log = np.zeros(4)
    door = Door(play, (make(fair=fair), log), int, float)
    assert door.compiled
    assert door.call(2, 0.25) == play.python((make(fair=fair), np.zeros(4)), 2, 0.25)
    assert log[0] == 2


def test_a_plain_call_is_the_same():
    door = Door(play, (make(), np.zeros(4)), int, float)
    assert play((make(), np.zeros(4)), 2, 0.25) == door.call(2, 0.25)


def test_a_longer_array_is_seen_after_hold():
    door, log = Door(play, (make(), np.zeros(4)), int, float), np.zeros(9)
    door.hold((make(rows=5), log))
    assert door.call(1, 0.0) == play.python((make(rows=5), np.zeros(9)), 1, 0.0)
    assert log[0] == 1


def test_records_live_as_long_as_the_call():
    call = Door(play, (make(), np.zeros(4)), int, float).call
    first = call(1, 0.0)
    junk = [np.full(6, 1e9) for _ in range(100)]
    assert len(junk) == 100 and call(1, 0.0) == first


def test_a_record_that_was_taught_a_verb_is_compiled_anew():
    class Coin(NamedTuple):
        side: float

    @verb(fallback=True)
    def worth(coin):
        return 1.0

    @kernel
    def look(held):
        (coin,) = held
        return worth(coin)

    Coin.__module__ = look.python.__module__ = "varde.made_up"  # ours, so far
    Door(look, (Coin(1.0),))
    worth.of(Coin)(lambda coin: 2.0)
    Door(look, (Coin(1.0),))
    assert len(look.versions) == 2


def test_numbers_are_converted_and_counted():
    door = Door(play, (make(), np.zeros(4)), int, float)
    assert door.call(np.int64(2), 1) == door.call(2, 1.0)
    with pytest.raises(TypeError):
        door.call(2)
    with pytest.raises((TypeError, ValueError)):
        door.call("two", 1.0)


def test_other_types_get_other_machine_code():
    door = Door(play, (make(), np.zeros(4)), int, float)
    counts = np.zeros(4, np.int64)
    door.hold((make(), counts))
    door.call(3, 0.0)
    assert counts[0] == 3


def test_an_array_that_is_not_contiguous_is_written_in_python():
    log = np.zeros(8)[::2]
    door = Door(play, (make(), log), int, float)
    assert not door.compiled
    assert door.call(2, 0.25) == play.python((make(), np.zeros(4)), 2, 0.25) and log[0] == 2


class Labelled(NamedTuple):
    name: str
    parts: tuple


def test_a_record_is_a_tuple_and_may_hold_texts_and_tuples():
    @kernel
    def unpack(records):
        (board, labelled), (_, first) = records, records[1].parts
        _, scale, size, _ = board
        return scale * size + first[1] + (100.0 if labelled.name == "a" else 0.0)

    for name, more in (("a", 100.0), ("b", 0.0)):
        door = Door(unpack, (make(), Labelled(name, (1, np.array([2.0, 4.0])))))
        assert door.compiled and door.call() == 14.5 + more


def test_a_python_object_runs_in_python():
    class Blob:
        scale = 2.0

    unit.of(Blob)(lambda blob: blob.scale)

    @kernel
    def worth(held, times):
        (thing,) = held
        return unit(thing) * times

    assert Door(worth, (Blob(),), int).call(3) == 6.0
