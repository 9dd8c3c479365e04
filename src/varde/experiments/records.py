"""Records that prove themselves: a mark, a length, the content, a checksum.

The content is a line of JSON and, of a block, its sums bit for bit.  A record can be told from anything around it.
"""

from __future__ import annotations

import hashlib
import json
import re
import struct
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

import numpy as np

from .study import Sums

MARK = b"\x93varde\r\n"


class Block(NamedTuple):
    """What is kept of a finished block."""

    fingerprint: str
    study: str
    problem: str
    algorithm: str
    first: int
    sums: Sums
    seconds: float  # of computing, wherever that was
    finished: str = ""  # when, in UTC


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def frame(head: Mapping[str, Any], rest: bytes = b"") -> bytes:
    content = json.dumps(head).encode() + b"\n" + rest
    return MARK + struct.pack("<I", len(content)) + content + checksum(content)


def frames(data: Any) -> Iterator[tuple[dict[str, Any], bytes]]:
    """Every intact frame in ``data``, whatever lies between them; a damaged table may hold what is no bytes at all."""
    if not isinstance(data, bytes):
        return
    for mark in re.finditer(re.escape(MARK), data):
        begin = mark.end() + 4
        length = int.from_bytes(data[mark.end() : begin], "little")
        content, check = data[begin : begin + length], data[begin + length : begin + length + 16]
        if len(content) == length and check == checksum(content):
            head, _, rest = content.partition(b"\n")
            yield json.loads(head), rest


def checksum(content: bytes) -> bytes:
    return hashlib.sha256(content).digest()[:16]


def frame_of(block: Block) -> bytes:
    runs, total, squares = block.sums
    head = {**block._asdict(), "finished": block.finished or now(), "runs": runs}
    del head["sums"]
    head["dtypes"] = [array.dtype.str for array in (total, squares)]
    return frame(head, total.tobytes() + squares.tobytes())


def block_of(found: tuple[dict[str, Any], bytes]) -> Block:
    head, rest = dict(found[0]), found[1]
    total, squares = (np.dtype(name) for name in head.pop("dtypes"))
    columns = len(rest) // (total.itemsize + squares.itemsize)
    split = columns * total.itemsize
    arrays = np.frombuffer(rest[:split], total), np.frombuffer(rest[split:], squares)
    return Block(sums=Sums(head.pop("runs"), *arrays), **head)
