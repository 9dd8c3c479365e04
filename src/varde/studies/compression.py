"""Compression of the values of runs: [runs, numbers] to bytes and back, bit for bit.

A curve usually does not change from one step to the next, so each number is stored as the difference from the one
before it.  Values that are all 0 or 1 take one bit each.
"""

from __future__ import annotations

import zlib

import numpy as np

BITS, DOUBLES = b"1", b"8"  # first byte: what follows
HEAD = 9  # bytes: that, runs and numbers


def packed(values: np.ndarray) -> bytes:
    shape = np.array(values.shape, "<u4").tobytes()
    body: np.ndarray
    if ((values == 0.0) | (values == 1.0)).all():
        kind, bits = BITS, values.astype(np.uint8)
        bits[:, 1:] ^= bits[:, :-1].copy()
        body = np.packbits(bits)
    else:
        kind, words = DOUBLES, np.ascontiguousarray(values, "<f8").view("<u8").copy()
        words[:, 1:] ^= words[:, :-1].copy()
        body = np.ascontiguousarray(words.T).view(np.uint8).reshape(-1, 8).T  # like bytes together
    return kind + shape + zlib.compress(np.ascontiguousarray(body).tobytes(), 6)


def unpacked(data: bytes) -> np.ndarray:
    """[runs, numbers]: whole numbers of a byte where all are 0 or 1, else doubles."""
    runs, columns = np.frombuffer(data[1:HEAD], "<u4").astype(int)
    body = np.frombuffer(zlib.decompress(data[HEAD:]), np.uint8)
    if data[:1] == BITS:
        bits = np.unpackbits(body, count=runs * columns).reshape(runs, columns)
        return np.asarray(np.bitwise_xor.accumulate(bits, axis=1))
    words = np.ascontiguousarray(body.reshape(8, -1).T).view("<u8").reshape(columns, runs).T
    return np.ascontiguousarray(np.bitwise_xor.accumulate(words, axis=1)).view("<f8")


def runs_of(data: bytes) -> int:
    return int(np.frombuffer(data[1:5], "<u4")[0])


def is_bits(data: bytes) -> bool:
    """Whether all values are 0 or 1."""
    return data[:1] == BITS
