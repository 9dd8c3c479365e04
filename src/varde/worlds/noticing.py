"""Mistakes in a user's world that no step shows: states that never come up again, and random numbers from elsewhere.

States that are objects of a class without ``__eq__`` are equal to nothing but themselves.  Two of them with the same
contents are the proof that they should be equal.  A step that draws from the generator of ``random`` or ``np.random``
moves it on; it is called again before anything is said, since somebody else may have done that, and a step that seeds
the generator from ``rng`` is right.
"""

from __future__ import annotations

import random
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from .function import Function
from .spaces import hashable
from .visited import Atlas

PACKAGE = str(Path(__file__).parents[1])
MOST = 300  # states that are looked at
TIMES = 10  # steps that are taken again


def warn(message: str) -> None:
    """Warn at the line outside of this package that called it."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, stacklevel=level)


# -- states ----------------------------------------------------------------------------------------


def twins(atlas: Atlas) -> str:
    """What to say if two states have the same contents but are not equal; nothing if all is well."""
    if atlas.key is not None:
        return ""
    met: dict[Any, Any] = {}
    for state in atlas.states[:MOST]:
        held = contents(state)
        try:
            other = met.setdefault(held, state) if held is not None else state
        except TypeError:  # something in it cannot be hashed
            continue
        if other is not state and other != state:
            kind = type(identified(state)).__name__
            return (
                f"two states have the same contents and still count as different, because {kind} has no __eq__ and "
                f"__hash__: no state is ever met again. Write @dataclass(frozen=True) above class {kind}, or let "
                "states be tuples, or write key=function, which returns a tuple of what matters"
            )
    return ""


def identified(state: Any) -> Any:
    """The part of a state that is equal to nothing but itself, or None; the state may come with the time."""
    by_identity: Any = object.__hash__
    for part in state if type(state) is tuple else (state,):
        if type(part).__hash__ is by_identity and not callable(part):
            return part
    return None


def contents(state: Any) -> Any:
    """What a state holds, if one part of it is equal to nothing but itself."""
    part = identified(state)
    if part is None:
        return None
    names = [name for kind in type(part).__mro__ for name in getattr(kind, "__slots__", ())]
    held = {**getattr(part, "__dict__", {}), **{name: getattr(part, name) for name in names if hasattr(part, name)}}
    rest = [other for other in state if other is not part] if type(state) is tuple else []
    if not held or any(identified(value) is not None for value in held.values()):
        return None  # it cannot be known what those hold
    return (type(part), hashable(held), *rest)


# -- random numbers --------------------------------------------------------------------------------


def global_states() -> dict[str, Any]:
    """The states of the generators that any code may draw from."""
    numpys: Any = np.random.get_state()
    return {"random": random.getstate(), "np.random": [np.asarray(part).tobytes() for part in numpys]}


def foreign_draws(world: Function, atlas: Atlas, before: dict[str, Any]) -> str:
    """What to say if steps draw from a generator whose state was another ``before``; nothing if they do not."""
    now = global_states()
    if now == before or world.observed is not None or atlas.slots is not None:  # environments have their own generators
        return ""
    kept = random.getstate(), np.random.get_state()
    try:
        for s in [s for s, legal in enumerate(atlas.legal[:MOST]) if legal][:TIMES]:
            name = moved(world, *atlas.pair(s, 0))
            if name:
                return (
                    f"the step draws from {name}, not from the rng that it is given: the same seed gives other results "
                    f"each time. Write rng.random(), rng.normal(), rng.integers(6) and so on in place of {name}"
                )
    except Exception:  # it said so already, or will
        return ""
    finally:
        random.setstate(kept[0])
        np.random.set_state(kept[1])
    return ""


def moved(world: Function, state: Any, action: Any) -> str:
    """The generator that a step draws from, if where it is afterwards depends on where it was before."""
    start, ends = global_states(), []
    for _ in range(2):
        world.step(state, action, np.random.default_rng(0))
        ends.append(global_states())
    return next((name for name in start if start[name] != ends[0][name] != ends[1][name]), "")
