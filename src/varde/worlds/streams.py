"""Random streams: those inside of an environment or a function, the global ones, and stand-ins for them."""

from __future__ import annotations

import functools
import math
import random
import types
from typing import Any

import numpy as np

NUMBERS = np.typecodes["AllInteger"] + np.typecodes["AllFloat"] + "?"
UNCHANGING = frozenset(  # immutable types
    (
        *(int, float, bool, complex, str, bytes, type(None), type, range),
        *(types.FunctionType, types.BuiltinFunctionType),
        *(np.dtype(kind).type for kind in NUMBERS),
    )
)
CONSTANT = ("P", "_saved_kwargs", "metadata", "_metadata")  # attributes that Gymnasium gives and nothing changes
DEEP = 6  # how deep streams and spaces are searched for


class Drawn(random.Random):
    """A ``random.Random`` that draws from a NumPy generator."""

    source: np.random.Generator

    def random(self) -> float:
        return self.source.random()

    def getrandbits(self, k: int) -> int:
        return int.from_bytes(self.source.bytes((k + 7) // 8), "little") >> (-k % 8)

    def seed(self, *_: Any) -> None:
        """Does nothing: the source is seeded."""


def stand_in(stream: Any) -> Any:
    """A stream of the same kind whose source can be set."""
    return Drawn() if isinstance(stream, random.Random) else type(stream)(np.random.PCG64(0))


def redirect(streams: list[Any], rng: np.random.Generator) -> None:
    """Let stand-ins draw from ``rng``."""
    for stream in streams:
        if isinstance(stream, Drawn):
            stream.source = rng
        else:
            stream.__init__(rng.bit_generator)


def found_in(layers: list[Any], most: float = math.inf) -> tuple[list[Any], list[Any]]:
    """What copies of an environment share, and its random streams; at most so many parts are searched."""
    known: set[int] = set()
    shared, streams, queue = [], [], [(layer, 0) for layer in layers]
    for part, depth in queue:
        if len(known) > most:
            break
        if id(part) in known:
            continue
        known.add(id(part))
        if isinstance(part, (np.random.Generator, np.random.RandomState, random.Random)):
            streams.append(part)
        elif is_common(part):
            shared.append(part)
        elif depth < DEEP and type(part) not in UNCHANGING and type(part) is not np.ndarray:
            inside = part.values() if isinstance(part, dict) else part if isinstance(part, (list, tuple)) else ()
            queue += [(inner, depth + 1) for inner in (*inside, *attributes(part).values())]
    named = [attributes(layer)[name] for layer in layers for name in CONSTANT if name in attributes(layer)]
    return [*shared, *(part for part in named if type(part) not in UNCHANGING)], streams


def attributes(part: Any) -> dict[str, Any]:
    """By name, if it has any: Numba's functions answer to every name, with something else."""
    own = getattr(part, "__dict__", None)
    return own if isinstance(own, dict) else {}


def is_common(part: Any) -> bool:
    """Whether all copies share it: spaces, windows, modules."""
    kind: Any = type(part)
    return is_common_kind(kind)


@functools.cache
def is_common_kind(kind: type) -> bool:
    return (
        kind is types.ModuleType
        or str(getattr(kind, "__module__", "")).split(".")[0] in ("pygame", "pyglet", "logging")
        or any(base.__name__ in ("Space", "EnvSpec") for base in kind.__mro__)
    )


# -- where a stream is -----------------------------------------------------------------------------


def global_states() -> dict[str, Any]:
    """The states of the generators that any code may draw from."""
    numpys: Any = np.random.get_state()
    return {"random": random.getstate(), "np.random": [np.asarray(part).tobytes() for part in numpys]}


def state_of(stream: Any) -> Any:
    if isinstance(stream, np.random.Generator):
        return stream.bit_generator.state
    return stream.getstate() if isinstance(stream, random.Random) else stream.get_state(legacy=False)


def put_back(stream: Any, state: Any) -> None:
    if isinstance(stream, np.random.Generator):
        stream.bit_generator.state = state
    elif isinstance(stream, random.Random):
        stream.setstate(state)
    else:
        stream.set_state(state)
