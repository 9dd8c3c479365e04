"""Named random streams, the same bits in Python and compiled.

A key is made from a seed and names: ``key(0, "table-1", "BAI.1", "SR")``.  Run ``r`` of that cell
draws from ``stream(key, r)`` only, so its outcome does not depend on the number of threads, on how
runs are split into chunks, or on which other cells exist.

The generator is xoshiro256++ (Blackman and Vigna 2021): four words of state, a nanosecond a draw,
period 2**256 - 1.  A ``numpy.random.Generator`` would take longer to build than a short run takes.
"""

from __future__ import annotations

import hashlib
import math

import numpy as np

from ._compile import helper

MASK = 0xFFFFFFFFFFFFFFFF  # arithmetic modulo 2**64: a no-op on machine words, needed on Python's integers
GOLDEN = 0x9E3779B97F4A7C15
ULP = 1.0 / 9007199254740992.0  # 2**-53


def key(seed: int, *names: object) -> np.ndarray:
    """A key of 256 bits for ``(seed, *names)``."""
    digest = hashlib.blake2b(repr((int(seed), *map(str, names))).encode(), digest_size=32)
    return np.frombuffer(digest.digest(), dtype=np.uint64).copy()


@helper
def scramble(word):
    """A bijection of 64-bit words in which every input bit moves every output bit (splitmix64)."""
    word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & MASK
    return word ^ (word >> 31)


@helper
def start(rng, key, run):
    """Put ``rng`` at the beginning of the stream of run ``run``."""
    for i in range(4):
        rng[i] = scramble((int(key[i]) + int(np.uint64(4 * run + i + 1)) * GOLDEN) & MASK)


def stream(key: np.ndarray, run: int = 0) -> np.ndarray:
    """The random stream of run ``run``: the ``rng`` that every verb takes last."""
    rng = np.empty(4, np.uint64)
    start(rng, key, run)
    return rng


@helper
def _rotate(word, by):
    return ((word << by) & MASK) | (word >> (64 - by))


@helper
def bits(rng):
    """64 random bits."""
    a, b, c, d = int(rng[0]), int(rng[1]), int(rng[2]), int(rng[3])
    word = (_rotate((a + d) & MASK, 23) + a) & MASK
    carried = (b << 17) & MASK
    c ^= a
    d ^= b
    rng[1] = b ^ c
    rng[0] = a ^ d
    rng[2] = c ^ carried
    rng[3] = _rotate(d, 45)
    return word


@helper
def uniform(rng):
    """A double in [0, 1)."""
    return (bits(rng) >> 11) * ULP


@helper
def integer(n, rng):
    """An integer in 0 .. n - 1, biased by less than n * 2**-53."""
    return int(n * uniform(rng))


@helper
def roulette(weights, total, rng):
    """An index with probability weights[i] / total; the last one gets what rounding leaves."""
    rest, last = uniform(rng) * total, weights.size - 1
    for i in range(last):
        rest -= weights[i]
        if rest < 0.0:
            return i
    return last


@helper
def shuffle(items, size, rng):
    """Permute the first ``size`` of an array in place (Fisher and Yates)."""
    for i in range(size - 1, 0, -1):
        j = integer(i + 1, rng)
        items[i], items[j] = items[j], items[i]


# -- normal draws: the ziggurat (Marsaglia and Tsang 2000), 256 layers of equal area --------------

LAYERS = 256
EDGE = 3.6541528853610088  # where the tail begins, for 256 layers
AREA = 0.00492867323399


def _ziggurat() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Right edge, density at the edge, and share of each layer that lies wholly under the curve."""
    edges, heights = np.empty(LAYERS + 1), np.empty(LAYERS + 1)
    # Layer 0 is the base strip together with the tail; its edge is that of a box of the same area.
    edges[0], edges[1], edges[LAYERS] = AREA / math.exp(-0.5 * EDGE * EDGE), EDGE, 0.0
    for i in range(2, LAYERS):
        below_edge = AREA / edges[i - 1] + math.exp(-0.5 * edges[i - 1] ** 2)
        edges[i] = math.sqrt(-2.0 * math.log(below_edge))
    for i in range(LAYERS + 1):
        heights[i] = math.exp(-0.5 * edges[i] ** 2)
    return edges, heights, edges[1:] / edges[:-1]


EDGES, HEIGHTS, INSIDE = _ziggurat()


@helper
def normal(rng):
    """A standard normal draw."""
    while True:
        word = bits(rng)
        layer = word & 255
        position = (word >> 11) * (2.0 * ULP) - 1.0
        x = position * EDGES[layer]
        if abs(position) < INSIDE[layer]:
            return x
        if layer == 0:
            return _tail(position, rng)
        low, high = HEIGHTS[layer], HEIGHTS[layer + 1]
        if low + uniform(rng) * (high - low) < math.exp(-0.5 * x * x):
            return x


@helper
def _tail(side, rng):
    """A normal draw beyond EDGE, on the side of the sign of ``side`` (Marsaglia 1964)."""
    while True:
        x = -math.log(1.0 - uniform(rng)) / EDGE
        y = -math.log(1.0 - uniform(rng))
        if y + y > x * x:
            return EDGE + x if side > 0.0 else -EDGE - x


# -- gamma, beta and Dirichlet draws (Marsaglia and Tsang 2000) -----------------------------------


@helper
def exponential(rng):
    """A draw with density exp(-x)."""
    return -math.log(1.0 - uniform(rng))


@helper
def gamma(shape, rng):
    """A gamma draw of mean ``shape`` > 0: the cube of a normal one, with rejection.

    Below 1, Gamma(a) is Gamma(a + 1) times U^(1/a); at 1 it is exponential, the shape of a flat prior.
    """
    if shape == 1.0:
        return exponential(rng)
    factor = 1.0
    if shape < 1.0:
        factor = (1.0 - uniform(rng)) ** (1.0 / shape)
        shape += 1.0
    d = shape - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    while True:
        x = normal(rng)
        v = 1.0 + c * x
        if v <= 0.0:
            continue
        v = v * v * v
        u = 1.0 - uniform(rng)
        square = x * x
        if u < 1.0 - 0.0331 * square * square or math.log(u) < 0.5 * square + d * (1.0 - v + math.log(v)):
            return factor * d * v


@helper
def beta(successes, failures, rng):
    """A beta draw of mean successes / (successes + failures)."""
    above, below = gamma(successes, rng), gamma(failures, rng)
    # Two draws with shapes far below 1 may both underflow; return the mean then.
    return above / (above + below) if above + below > 0.0 else successes / (successes + failures)


@helper
def dirichlet(counts, prior, shares, rng):
    """Fill ``shares`` with a draw of the probabilities whose weights are ``counts + prior``."""
    total = 0.0
    for i in range(shares.size):
        shares[i] = gamma(counts[i] + prior, rng)
        total += shares[i]
    for i in range(shares.size):
        shares[i] /= total
