"""Mistakes in a user's world that no single step shows: planning, learning and ``check_world`` look for the same ones.

* A step that answers otherwise the second time: given the same state, action and random numbers twice, a correct
  function returns the same twice.  One that moves the generator of ``random`` or ``np.random`` on draws from it; one
  that seeds the generator from ``rng`` leaves it in the same state both times.
* States that never come up again: objects of a class without ``__eq__`` are equal to nothing but themselves.  Two of
  them with the same contents are the proof that they should be equal.
"""

from __future__ import annotations

import random
import sys
import warnings
from collections.abc import Callable
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import numpy as np

from ..check import shown
from .discovered import Discovered
from .environment import global_states
from .function import Function
from .spaces import hashable

PACKAGE = str(Path(__file__).parents[1])
MOST = 300  # states that are looked at
TIMES = 10  # steps that are taken again: a state where nothing happens proves nothing


def warn(message: str) -> None:
    """Warn at the line outside of this package that called it."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, stacklevel=level)


def look_for_mistakes(
    world: Function, known: Discovered, times: int = TIMES, again: bool = True, refused: bool = False
) -> None:
    """Warn of mistakes; where nothing goes back, not ``again``, a step may answer otherwise the second time.

    Elsewhere such a step is ``refused`` by a learner: it would learn of states that it never was in.
    """
    if words := twins(known):
        warn(words)
    if world.forward is not None or known.slots is not None:
        return  # an environment was verified, what is hidden has no name; an action that is drawn has no name yet
    states = [s for s, legal in enumerate(known.legal[:MOST]) if legal and s not in known.recalled]
    pairs = [(s, a) for s in states for a in range(len(known.legal[s]))]
    for s, a in islice(cycle(pairs[:: max(len(pairs) // times, 1)]), times):
        try:
            drawn, other = repeated(world, *known.pair(s, a))
        except Exception:  # it said so already, or will
            return
        if other and not drawn and again and refused:
            raise ValueError(other)
        if drawn or (other and again):
            warn(drawn or other)
            return


# -- steps taken again -------------------------------------------------------------------------------


def repeated(world: Function, state: Any, action: Any) -> tuple[str, str]:
    """Take a step twice: what to say if it draws from a global generator, and if its answers differ."""
    kept = random.getstate(), np.random.get_state()
    there, answers = [global_states()], []
    try:
        for _ in range(2):
            answers.append(world.step(state, action, np.random.default_rng(0)))
            there.append(global_states())
    finally:
        random.setstate(kept[0])
        np.random.set_state(kept[1])
    name = next((name for name in there[0] if there[0][name] != there[1][name] != there[2][name]), "")
    if name:
        return (
            f"the step draws from {name}, not from the rng that it is given: the same seed gives other results "
            f"each time. Write rng.random(), rng.normal(), rng.integers(6) and so on in place of {name}"
        ), ""
    if visible(answers[0], world.key) == visible(answers[1], world.key):
        return "", ""
    return "", (
        f"the step answered {shown(answers[0])} and then {shown(answers[1])} for the same state {shown(state, 50)}, "
        f"action {shown(action, 50)} and random numbers: it continues from its own state, not from the state it is "
        "given, or draws from a source of its own. If it calls an environment, write varde.learn(env, ...) or "
        "varde.plan(env, ...). If it draws, draw from rng. To learn where nothing can go back, say how an episode "
        "begins: start=function(rng)"
    )


def visible(answer: Any, key: Callable[[Any], Any] | None) -> Any:
    """What can be compared of an answer: of states that are equal only to themselves, what they hold."""
    if not isinstance(answer, (tuple, list)) or not answer:
        return hashable(answer)
    state, *rest = answer[:3]
    if key is not None:
        state = key(state)
    elif identified(state) is not None:
        state = contents(state)
    return hashable((state, *rest))


# -- states that never come up again -----------------------------------------------------------------


def twins(known: Discovered) -> str:
    """What to say if two states have the same contents but are not equal; nothing if all is well."""
    if known.key is not None:
        return ""
    met: dict[Any, Any] = {}
    for state in known.states[:MOST]:
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
