"""The rivers, entry by entry."""

import numpy as np
import pytest

from varde.environments import forked_river_swim, river_swim


def dense(world):
    model = world.model
    size = len(model.states)
    table, means = np.zeros((size, len(world.actions), size)), np.zeros((size, len(world.actions)))
    owners = np.repeat(np.arange(size), model.states["width"])
    for s, (first, count, label, _, mean) in zip(owners, model.pairs.tolist(), strict=True):
        means[s, label] = mean
        for successor, chance, *_ in model.outcomes[first : first + count].tolist():
            table[s, label, successor] += chance
    return table, means


def test_river_swim():
    table, means = dense(river_swim(4))
    left = np.eye(4, k=-1)
    left[0, 0] = 1.0
    right = np.array([[0.7, 0.3, 0, 0], [0.1, 0.6, 0.3, 0], [0, 0.1, 0.6, 0.3], [0, 0, 0.7, 0.3]])
    np.testing.assert_allclose(table[:, 0], left)
    np.testing.assert_allclose(table[:, 1], right)
    assert means.tolist() == [[0.05, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 1.0]]


def test_forked_river_swim():
    """L = 4: start 0, branches 1 2 3 and 4 5 6."""
    table, means = dense(forked_river_swim(4))
    assert forked_river_swim(4).actions == ["left", "right", "switch"]
    assert table[:, 0].argmax(1).tolist() == [0, 0, 1, 2, 0, 4, 5]
    assert table[:, 2].argmax(1).tolist() == [0, 4, 5, 3, 1, 2, 6]
    assert table[0, 1, [0, 1]].tolist() == [0.7, 0.3]
    assert table[1, 1, [0, 1, 2]].tolist() == table[4, 1, [0, 4, 5]].tolist() == [0.1, 0.6, 0.3]
    assert table[3, 1, [2, 3]].tolist() == table[6, 1, [5, 6]].tolist() == [0.7, 0.3]
    assert means[0, 0] == 0.05 and means[3, 1] == 1.0 and means[6, 1] == 0.95 and means.sum() == 2.0


@pytest.mark.parametrize("length", [3, 5, 10, 15, 25])
def test_the_shortcut_changes_one_row(length):
    plain, _ = dense(forked_river_swim(length))
    cut, _ = dense(forked_river_swim(length, shortcut=True))
    changed = np.argwhere((plain != cut).any(axis=2))
    assert changed.tolist() == [[length, 1]]
    assert cut[length, 1, length - 1] == 0.1 and plain[length, 1, 0] == 0.1


def test_too_short():
    with pytest.raises(ValueError, match="length is 1"):
        river_swim(1)
    with pytest.raises(ValueError, match="length is 2"):
        forked_river_swim(2)
