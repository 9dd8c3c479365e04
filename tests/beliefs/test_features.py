"""What options have in common."""

import dataclasses

import numpy as np

from varde.beliefs.features import rows_of, space_of


class Table:
    """As much of a data frame as is used."""

    def __init__(self, **columns):
        self.data, self.columns = columns, list(columns)

    def __getitem__(self, name):
        return self.data[name]


@dataclasses.dataclass
class Design:
    width: float
    kind: str


def test_features_are_read_from_whatever_options_are():
    def kinds(options, features=None):
        space = space_of(rows_of([str(k) for k in range(len(options))], options, features))
        return [(each.name, each.kind) for each in space.parameters]

    assert kinds([1, 2, 3, 4]) == [("option", "linear")]
    assert kinds(["1", "10", "100"]) == [("option", "log")]
    assert kinds([("a", True), ("b", False), ("a", False)]) == [("[0]", "category"), ("[1]", "linear")]
    assert kinds([{"x": 1, "y": "u"}, {"y": "v", "x": 1}, {"y": "v", "x": 1}]) == [("y", "category")]
    assert kinds([Design(1.0, "a"), Design(2.0, "b"), Design(4.0, "a")]) == [("width", "log"), ("kind", "category")]
    assert kinds([{"depth": None}, {"depth": 3}, {"depth": 3}]) == [("depth", "category")]
    assert kinds([{"name": "p", "x": 1}, {"name": "q", "x": 2}]) == [("x", "linear")]  # each has a name of its own
    three = [object(), object(), object()]
    assert kinds(three, Table(a=[1, 2, 3], b=[True, False, True])) == [("a", "linear"), ("b", "linear")]
    assert kinds(three, np.arange(9).reshape(3, 3)) == [(f"[{k}]", "linear") for k in range(3)]
    assert kinds(three, np.random.default_rng(0).random((3, 20))) == [("embedding", "embedding")]
    assert kinds(["a", "bb", "cccc"], len) == [("option", "log")]


def test_any_two_values_of_a_category_are_as_far_apart_as_the_ends_of_a_number():
    space = space_of(rows_of("abcd", [{"k": k, "x": x} for k, x in (("u", 0), ("v", 5), ("w", 10), ("w", 10))]))
    squares = space.squares(np.arange(3), np.arange(3))
    np.testing.assert_allclose(squares[0], 1.0 - np.eye(3), atol=1e-12)
    assert squares[1, 0, 2] == 1.0
