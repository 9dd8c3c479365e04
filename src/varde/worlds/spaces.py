"""Environments by names: their actions, their observations as hashable values, and their answers, checked."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from ..check import MOST, shown, whole
from .function import number, truth
from .sampled import is_box, of_box

MOST_ACTIONS = (1 << 15) - 1
# Wrappers that only affect truncation and rendering.
PLAIN_WRAPPERS = (
    *("TimeLimit", "OrderEnforcing", "PassiveEnvChecker"),
    *("RecordEpisodeStatistics", "RecordVideo", "HumanRendering"),
)
PLAIN = frozenset((int, str, bool, bytes, type(None)))  # equal if they look equal


def is_environment(given: Any) -> bool:
    """Whether it is a Gymnasium environment, or a vector of them."""
    verbs = callable(getattr(given, "reset", None)) and callable(getattr(given, "step", None))
    return verbs and hasattr(given, "action_space") and hasattr(given, "unwrapped")


def without(env: Any, wrappers: Sequence[str]) -> Any:
    """The environment without those wrappers around it."""
    while env is not env.unwrapped and type(env).__name__ in wrappers:
        env = env.env
    return env


# -- observations --------------------------------------------------------------------------------


def hashable(seen: Any) -> Hashable:
    """Something hashable that is equal for equal observations; nan is equal to nan, and -0.0 to 0.0."""
    if type(seen) in PLAIN or (type(seen) is tuple and PLAIN.issuperset(map(type, seen))):
        return seen
    if isinstance(seen, np.ndarray):
        if seen.dtype.hasobject:
            return seen.shape, tuple(map(hashable, seen.ravel().tolist()))
        return seen.dtype.str, seen.shape, (seen + 0.0 if seen.dtype.kind == "f" else seen).tobytes()
    if isinstance(seen, np.generic):
        seen = seen.item()
    if isinstance(seen, float):
        return "nan" if math.isnan(seen) else seen
    if isinstance(seen, dict):
        return tuple(sorted(((name, hashable(value)) for name, value in seen.items()), key=lambda pair: str(pair[0])))
    if isinstance(seen, (tuple, list)):
        return tuple(map(hashable, seen))
    if isinstance(seen, (set, frozenset)):
        return frozenset(map(hashable, seen))
    if hasattr(seen, "__array__"):  # of another library
        return hashable(np.asarray(seen))
    return seen


def is_continuous(space: Any) -> bool:
    """Whether an observation space has a continuous part."""
    parts = getattr(space, "spaces", None)
    if parts is not None:
        return any(map(is_continuous, parts.values() if isinstance(parts, dict) else parts))
    return type(space).__name__ == "Box" and space.dtype.kind == "f"


# -- actions -------------------------------------------------------------------------------------


class Moves:
    """The actions of an environment by name: numbers, or tuples of numbers where several are taken at once.

    If the environment has a method ``action_masks()`` or gives ``info["action_mask"]``, only those actions are legal.
    ``drawn`` says that they may be continuous: then ``sample`` draws them, and ``all`` has some.
    """

    def __init__(self, env: Any, drawn: bool = False):
        self.sample: Any = None
        space = env.action_space
        if drawn and is_box(space):
            self.sample, rng = of_box(space), np.random.default_rng(0)
            self.all = tuple(self.sample(None, rng) for _ in range(8))
        else:
            self.all = discrete_actions(env)
        self._as_array: Callable[[Any], Any] | None = None
        if not hasattr(space, "n") or np.ndim(space.n):
            dtype = getattr(space, "dtype", None)
            self._as_array = tuple if dtype is None else lambda action: np.array(action, dtype).reshape(space.shape)

    def legal(self, core: Any, info: Any) -> tuple[Any, ...]:
        """The legal actions in the present state of an environment, after a step with that ``info``."""
        mask = info.get("action_mask") if isinstance(info, dict) else None
        if mask is None:
            ask = getattr(core, "action_masks", None)
            if not callable(ask):
                return self.all
            mask = ask()
        return masked(self.all, mask)

    def step(self, env: Any, action: Any) -> tuple[Any, float, bool, bool, Any]:
        """What the environment answers: observation, reward, whether it is over, whether it was cut short, info."""
        answer = env.step(action if self._as_array is None else self._as_array(action))
        if not isinstance(answer, tuple) or len(answer) != 5:
            raise TypeError(
                f"step returned {shown(answer, 200)}: return Gymnasium's five, (observation, reward, over, cut, info)"
            )
        seen, reward, over, cut, info = answer
        return seen, number(reward), truth(over), truth(cut), info


def masked(actions: tuple[Any, ...], mask: Any) -> tuple[Any, ...]:
    """The actions that a mask leaves."""
    mask = np.asarray(mask)
    if mask.shape != (len(actions),) or mask.all():
        return actions  # a mask of something else, or of nothing
    return tuple(itertools.compress(actions, mask.tolist()))


def discrete_actions(env: Any) -> tuple[Any, ...]:
    """The actions of an environment by name."""
    space = env.action_space
    found = _numbered(space)
    if found is None:
        raise TypeError(
            f"{env} has the actions {space}, which are not discrete: wrap it so that action_space.n says how many, or "
            "write a function step(state, action, rng) with actions=..."
        )
    return found


def _numbered(space: Any) -> tuple[Any, ...] | None:
    """The actions of a discrete space; tuples, if it has several parts."""
    if hasattr(space, "nvec"):  # MultiDiscrete
        sizes, firsts = np.ravel(space.nvec).tolist(), np.ravel(getattr(space, "start", 0 * space.nvec)).tolist()
        return _product([range(first, first + size) for first, size in zip(firsts, sizes, strict=True)], space)
    if type(space).__name__ == "MultiBinary":
        return _product([range(2)] * math.prod(space.shape), space)
    if isinstance(getattr(space, "spaces", None), tuple):
        parts = [_numbered(part) for part in space.spaces]
        return None if None in parts else _product([part for part in parts if part is not None], space)
    if type(space).__name__ == "Box" and space.dtype.kind in "iu" and space.is_bounded():
        bounds = zip(space.low.ravel().tolist(), space.high.ravel().tolist(), strict=True)
        return _product([range(low, high + 1) for low, high in bounds], space)
    if not hasattr(space, "n") or getattr(space, "shape", ()) != ():
        return None
    first = whole("action_space.start", getattr(space, "start", 0), "the number of the first action", -MOST)
    return tuple(range(first, first + whole("action_space.n", space.n, "how many actions there are", 1, MOST_ACTIONS)))


def _product(parts: Sequence[Sequence[Any]], space: Any) -> tuple[Any, ...]:
    if math.prod(map(len, parts)) > MOST_ACTIONS:
        raise TypeError(f"the actions {space} are more than {MOST_ACTIONS:,}: wrap it so that there are fewer")
    return tuple(itertools.product(*parts))
