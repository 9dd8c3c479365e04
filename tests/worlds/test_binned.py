"""Numbers as bins: of equal width between quantiles, by edges, or by a function."""

import gymnasium
import numpy as np
import pytest

from varde.worlds.binned import Binned, discretised, is_continuous

SEEN = [np.array([x, 100.0 * x]) for x in np.linspace(0.0, 1.0, 201)]


def test_bins_are_equally_wide_between_the_outer_percents():
    bins = Binned(4)
    bins.fit(SEEN)
    np.testing.assert_allclose(bins.edges[0], [0.255, 0.5, 0.745])
    assert bins(np.array([0.3, 99.0])) == (1, 3) and bins(np.array([-1e9, 1e9])) == (0, 3)


def test_units_do_not_matter():
    plain, other = Binned(5), Binned(5)
    plain.fit(SEEN)
    other.fit([1024.0 * seen - 512.0 for seen in SEEN])
    assert [plain(seen) for seen in SEEN] == [other(1024.0 * seen - 512.0) for seen in SEEN]


def test_every_part_has_its_own():
    bins = discretised([[0.5], None])
    bins.fit(SEEN)
    assert bins(np.array([0.4, 7.0])) == (0,) and bins(np.array([0.6, 7.0])) == (1,)
    bins = discretised([3, np.array([30.0, 10.0])])
    bins.fit(SEEN)
    assert bins(np.array([0.0, 20.0])) == (0, 1)


def test_whole_numbers_stay_as_they_are():
    bins = Binned(2)
    bins.fit([{"b": x, "a": (np.int64(3), np.array([x]))} for x in (0.0, 1.0)])
    assert bins({"b": 0.9, "a": (np.int64(7), np.array([0.1]))}) == (0, 1, 7)


def test_a_part_that_never_changes_is_one_bin():
    bins = Binned(9)
    bins.fit([np.array([1.0, x]) for x in (0.0, 1.0)])
    assert bins(np.array([5.0, 0.0])) == (0, 0)


@pytest.mark.parametrize("given", ["10", True, 0, 2.5, [3, "x"], [[float("inf")]]])
def test_what_is_no_number_of_bins_is_refused(given):
    with pytest.raises((TypeError, ValueError), match="key"):
        discretised(given)


@pytest.mark.parametrize(
    ("bins", "seen", "words"),
    [
        ([3, 3, 3], SEEN, "has 3 entries, and 2 continuous parts"),
        (3, [1, 2], "no part of the observation is continuous"),
        (3, [np.array([np.nan])], "not always finite"),
    ],
)
def test_bins_that_do_not_fit_are_refused(bins, seen, words):
    with pytest.raises(ValueError, match=words):
        Binned(bins).fit(seen)


def test_what_is_continuous():
    box, small = gymnasium.spaces.Box(0, 1, (2,)), gymnasium.spaces.Discrete(3)
    assert is_continuous(box) and not is_continuous(small)
    assert is_continuous(gymnasium.spaces.Dict(a=small, b=gymnasium.spaces.Tuple([small, box])))
