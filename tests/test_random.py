"""The generator against its published vectors, its laws, and both engines against each other."""

import math

import numpy as np
import pytest

from varde._compile import kernel
from varde.random import EDGE, bits, integer, key, normal, roulette, shuffle, stream, uniform

# First outputs of xoshiro256++ from the state 1, 2, 3, 4.
REFERENCE = [41943041, 58720359, 3588806011781223, 3591011842654386, 9228616714210784205, 9973669472204895162]


@kernel
def fill(rng, words, uniforms, normals):
    for i in range(words.size):
        words[i] = bits(rng)
        uniforms[i] = uniform(rng)
        normals[i] = normal(rng)


def draw(engine, size, rng):
    words, uniforms, normals = np.zeros(size, np.uint64), np.zeros(size), np.zeros(size)
    engine(rng, words, uniforms, normals)
    return words, uniforms, normals


def test_reference_vector():
    rng = np.array([1, 2, 3, 4], np.uint64)
    assert [bits(rng) for _ in REFERENCE] == REFERENCE


def test_engines_agree_bit_for_bit():
    python = draw(fill.python, 5000, stream(key(7, "parity")))
    compiled = draw(fill, 5000, stream(key(7, "parity")))
    for a, b in zip(python, compiled, strict=True):
        assert np.array_equal(a, b)


def test_uniform_law():
    _, u, _ = draw(fill, 400_000, stream(key(0, "uniform")))
    assert u.min() >= 0.0 and u.max() < 1.0
    counts = np.histogram(u, 100, (0, 1))[0]
    chi2 = ((counts - 4000.0) ** 2 / 4000.0).sum()
    assert abs(chi2 - 99.0) < 5 * math.sqrt(2 * 99)


def test_normal_law():
    """Every bin of the distribution, the tail beyond the ziggurat's edge included."""
    _, _, x = draw(fill, 2_000_000, stream(key(0, "normal")))
    cuts = [-np.inf, -4.0, -EDGE, -3.0, -2.0, -1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0, EDGE, 4.0, np.inf]
    cdf = [0.5 * math.erfc(-c / math.sqrt(2.0)) for c in cuts]
    counts = np.histogram(x, cuts)[0]
    expected = np.diff(cdf) * x.size
    chi2 = ((counts - expected) ** 2 / expected).sum()
    free = len(counts) - 1
    assert abs(chi2 - free) < 5 * math.sqrt(2 * free)
    assert abs((x**4).mean() - 3.0) < 0.05


def test_below_and_shuffle_are_even():
    rng = stream(key(0, "shuffle"))
    counts = np.zeros((4, 4))
    for _ in range(6000):
        items = np.arange(4)
        shuffle(items, 4, rng)
        counts[np.arange(4), items] += 1
    assert abs(counts - 1500).max() < 5 * math.sqrt(6000 * 0.25 * 0.75)
    assert {integer(3, rng) for _ in range(100)} == {0, 1, 2}


def test_roulette_draws_in_proportion():
    rng, weights = stream(key(0, "roulette")), np.array([1.0, 0.0, 3.0, 4.0])
    counts = np.bincount([roulette(weights, 8.0, rng) for _ in range(8000)])
    assert counts[1] == 0 and abs(counts - 1000 * weights).max() < 5 * math.sqrt(8000 * 0.25)
    assert roulette(weights, 9e9, rng) == 3  # a total that is too large


def test_shuffle_leaves_the_rest_alone():
    items = np.arange(10)
    shuffle(items, 3, stream(key(0)))
    assert sorted(items[:3]) == [0, 1, 2] and list(items[3:]) == list(range(3, 10))


@pytest.mark.parametrize("other", [key(1, "a"), key(0, "b"), key(0, "a", "")])
def test_keys_differ_by_seed_and_name(other):
    assert not np.array_equal(key(0, "a"), other)
    assert np.array_equal(key(0, "a"), key(0, "a"))


def test_neighbouring_runs_are_unrelated():
    cell = key(0, "cell")
    draws = np.array([[uniform(rng) for _ in range(50)] for rng in (stream(cell, run) for run in range(400))])
    assert len({tuple(row) for row in draws}) == 400
    assert abs(np.corrcoef(draws[:-1].ravel(), draws[1:].ravel())[0, 1]) < 5 / math.sqrt(draws.size)
