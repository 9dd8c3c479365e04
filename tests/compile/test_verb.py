"""Dispatch by type in both engines."""

from typing import NamedTuple

import pytest

import varde
from varde._compile import helper, kernel, verb
from varde.bandits.loop import select


class Square(NamedTuple):
    side: float


class Disc(NamedTuple):
    radius: float


class Point(NamedTuple):
    place: float


class Spot(NamedTuple):
    place: float


@verb
def area(shape):
    """How much it covers."""


@verb(fallback=True)
def corners(shape):
    return 0


@area.of(Square)
def square_area(shape):
    return shape.side * shape.side


@area.of(Disc)
def disc_area(shape):
    return 3.0 * shape.radius * shape.radius


@area.of(Point, Spot)
def nothing(shape):
    return 0.0


@corners.of(Square)
def square_corners(shape):
    return 4


@helper
def describe(shape):
    return area(shape) + 100.0 * corners(shape)


@kernel
def measure(shape):
    return describe(shape)


@pytest.mark.parametrize(("shape", "answer"), [(Square(2), 404.0), (Disc(1), 3.0), (Point(5), 0.0), (Spot(5), 0.0)])
def test_the_type_chooses_in_both_engines(shape, answer):
    assert measure.python(shape) == measure(shape) == answer


def test_a_missing_case_names_the_next_step():
    with pytest.raises(TypeError, match=r"area is not defined for int: write @area.of\(int\)"):
        area(3)


def test_a_second_definition_is_refused():
    with pytest.raises(TypeError, match="area is already defined for Square"):
        area.of(Disc.__class__, Square)(disc_area)


def test_python_objects_run_in_the_python_engine():
    class Blob:
        pass

    area.of(Blob)(lambda blob: 7.0)
    assert measure(Blob()) == 7.0


def test_a_verb_is_called_what_its_function_is_called():
    assert (area.__name__, area.__doc__) == ("area", "How much it covers.")
    assert area.find(Square) is square_area and corners.find(Disc)(Disc(1.0)) == 0


FAMILIES = {
    varde.bandits.OCBA: r"OCBA\(\) chooses among options: write varde.select\(...\) or varde.bandits.measure\(...\)",
    varde.planning.UCT: r"UCT\(\) searches trees: write varde.plan\(...\) or varde.planning.measure\(...\)",
    varde.learning.PSRL: r"PSRL\(\) learns policies: write varde.learn\(...\) or varde.learning.measure\(...\)",
}
NEEDED = [varde.bandits.loop.select, varde.planning.trial.select, varde.learning.loop.act]


@pytest.mark.parametrize("algorithm", FAMILIES)
@pytest.mark.parametrize("needed", NEEDED, ids=lambda needed: needed.__module__)
def test_an_algorithm_of_another_family_hears_where_it_belongs(algorithm, needed):
    if algorithm in needed.cases:
        assert needed.find(algorithm) is needed.cases[algorithm]
    else:
        with pytest.raises(TypeError, match=FAMILIES[algorithm]):
            needed.find(algorithm)


def test_a_function_with_other_parameters_is_refused_where_it_is_written():
    class Few(NamedTuple):
        epsilon: float = 0.1

    with pytest.raises(TypeError, match=r"write def few\(algorithm, memory, arms, t, rng\)"):

        @select.of(Few)
        def few(algorithm, arms):
            return 0
