"""Gymnasium environments that planning goes forward in: put back once per simulation, and stepped on from there.

A simulation begins where the user's environment is.  Nothing is saved on its way; only what joins the tree is named.
A name is the observation and the legal actions there: in a tree without shared nodes a node is then a history of
observations, which is right whatever the environment hides.

There are two ways back: its attributes are copied, or, where they cannot be, the environment saves itself.  Random
streams are never copied, since simulations would all draw the same card: those that are found draw from the stream of
the simulation.  Some parts begin anew when they are copied, or are kept where no copy comes.  So a way is used only if
walks with the same random numbers agree twice, put back in the middle or not.
"""

from __future__ import annotations

import contextlib
import copy
import random
import threading
import types
from collections.abc import Callable, Hashable, Iterator
from typing import Any, NamedTuple, NoReturn

import numpy as np

from .function import SimulationError
from .spaces import PLAIN_WRAPPERS, Moves, hashable, without
from .stepping import refuse_unsteady, reset

WALKS, STEPS = 4, 8  # episodes and steps to verify a way
SAVING = (("get_state", "set_state"), ("clone_state", "restore_state"))
STREAMS = (np.random.Generator, np.random.RandomState, random.Random)
CONSTANT = ("P", "metadata", "_metadata", "_saved_kwargs")  # attributes that no step changes
SHARED = ("pygame", "pyglet", "logging")  # modules whose objects cannot be copied, and need not be
LENT = ("_np_random", "np_random", "render_mode")  # attributes of the user's that are put aside meanwhile
UNCHANGING = frozenset((int, float, bool, str, type(None), type, types.FunctionType, np.float64, np.float32, np.int64))
BUSY = threading.RLock()  # held while an environment is reset, or stepped and put back
REMEDY = (
    "Write a function step(state, action, rng) with actions=..., or give the environment get_state() and "
    "set_state(state); varde.learn takes it as it is"
)


class Seen(NamedTuple):
    """A state as far as it can be told: what was observed, and what can be done."""

    name: Hashable
    legal: tuple[Any, ...]


class Forward:
    """An environment, and a verified way back to where it is.

    A limit on the steps of an episode (``truncated``) does not end the world.  ``key`` makes a name of an observation.
    """

    def __init__(self, env: Any, key: Callable[[Any], Hashable] | None = None):
        refuse_unsteady(env)
        self.env, self.key, self.moves = env, key or hashable, Moves(env, drawn=True)
        self.core = env.unwrapped
        self.way: Any = None  # once it is verified

    def start(self, rng: np.random.Generator) -> Seen:
        """Where the environment is now; the start of an episode if none has begun."""
        with BUSY:
            layer = self.env
            while layer is not self.core and not hasattr(layer, "has_reset"):
                layer = layer.env
            if not getattr(layer, "has_reset", True):
                reset(self.env, int(rng.integers(2**31)))
            legal = self.moves.legal(self.core, {})
            self.way = self._verified(legal or self.moves.all)
            return Seen("where the environment is", legal)

    def actions(self, state: Seen) -> tuple[Any, ...]:
        return state.legal

    def now(self, seen: Any) -> Seen:
        """Where it is now, given what was observed; simulations begin there from now on."""
        with BUSY:
            legal = self.moves.legal(self.core, {})
            self.way = self._verified(legal or self.moves.all)
            return Seen(self.key(seen), legal)

    def simulation(self, rng: np.random.Generator) -> Callable[..., tuple[Seen, float, bool]]:
        """A step function of one simulation, which begins where the environment is and goes on wherever it is."""
        env, moves, key = self.way.restored(rng), self.moves, self.key
        step, legal, core = moves.step, moves.legal, env.unwrapped

        def on(state: Any, action: Any, rng: Any) -> tuple[Seen, float, bool]:
            seen, reward, over, _, info = step(env, action)
            return Seen(key(seen), legal(core, info)), reward, over

        return on

    @contextlib.contextmanager
    def simulating(self) -> Iterator[None]:
        """Around simulations: where they step the user's environment, it is put back at the end."""
        with self.way.borrowed():
            yield

    def step(self, state: Any, action: Any, rng: Any) -> NoReturn:
        raise TypeError(f"{self.env} is planned in by one simulation at a time: leave out workers= and batch=")

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"{self.env} can be put back in this process only: leave out workers= and batch=")

    def _verified(self, legal: tuple[Any, ...]) -> Any:
        """The first way back that is right, to the place where the environment is now."""
        if self.way is not None:  # it was verified before
            return type(self.way)(self.env)
        reasons = []
        for kind in (Copies, Own) if saving(self.core) else (Copies,):
            try:
                way: Any = kind(self.env)
                with way.borrowed():
                    wrong = self._wrong(way, legal)
            except Exception as error:
                first = "if reset() sets that, call it first; " if isinstance(error, AttributeError) else ""
                wrong = f"{first}a step failed: {type(error).__name__}: {error}"
            if not wrong:
                return way
            reasons.append(f"by {kind.__doc__}: {wrong}")
        raise SimulationError(f"{self.env} cannot be planned {'; '.join(reasons)}. {REMEDY}")

    def _wrong(self, way: Any, legal: tuple[Any, ...]) -> str:
        """What is wrong with a way, if anything."""
        before = global_states()
        walks = [[self._walk(way, legal, seed, back) for seed in range(WALKS)] for back in (False, True, False)]
        if before != global_states():
            return "it draws from the global np.random or random: let it draw from self.np_random"
        for on, back, again in zip(*walks, strict=True):
            for one, two, three in zip(on, back, again, strict=False):
                if not one == two == three:
                    where = ", when it was put back" if one == three else ""
                    return (
                        f"action {one[0]} led elsewhere, or gave another reward, with the same random numbers{where}: "
                        "let all of them come from self.np_random"
                    )
        return ""

    def _walk(self, way: Any, legal: tuple[Any, ...], seed: int, back: bool) -> list[Any]:
        """The transitions of an episode with random actions; put ``back`` where it is in the middle, or not."""
        rng, choices = np.random.default_rng(seed), np.random.default_rng(seed)
        env, over = way.restored(rng), False
        found: list[Any] = []
        while legal and not over and len(found) < STEPS:
            if back and len(found) == STEPS // 2:
                env = way.again(env, rng)
            action = legal[int(choices.integers(len(legal)))]
            seen, reward, over, _, info = self.moves.step(env, action)
            legal = self.moves.legal(env.unwrapped, info)
            found.append((action, hashable(seen), reward, over))
        return found


def global_states() -> dict[str, Any]:
    """The states of the generators that any code may draw from."""
    numpys: Any = np.random.get_state()
    return {"random": random.getstate(), "np.random": [np.asarray(part).tobytes() for part in numpys]}


def saving(core: Any) -> Any:
    """The names of two methods by which an environment saves and restores itself."""
    return next((pair for pair in SAVING if all(callable(getattr(core, name, None)) for name in pair)), None)


def layers_of(env: Any) -> list[Any]:
    """Wrappers that matter, outermost first, and the environment itself."""
    layers = [without(env, PLAIN_WRAPPERS)]
    while layers[-1] is not env.unwrapped:
        layers.append(layers[-1].env)
    return layers


# -- ways back -------------------------------------------------------------------------------------


class Copies:
    """copies of its attributes"""  # in new objects: what a class does when it is copied or pickled is not asked

    def __init__(self, env: Any):
        layers = layers_of(env)
        self.shared = shared_by(layers)
        memo = dict(self.shared)
        self.layers = copied(layers, memo)  # as it is now, whatever becomes of it
        self.streams = [part for part in memo.values() if isinstance(part, STREAMS)]
        self.memo = self.shared  # what is taken in place of a copy

    def restored(self, rng: np.random.Generator) -> Any:
        stand_ins = {id(stream): stand_in(stream, rng) for stream in self.streams}
        self.memo = {**self.shared, **stand_ins, **{id(part): part for part in stand_ins.values()}, id(rng): rng}
        return self._drawing(copied(self.layers, dict(self.memo)), rng)

    def again(self, env: Any, rng: np.random.Generator) -> Any:
        """The same environment where it is now, put back there."""
        return self._drawing(copied(layers_of(env), dict(self.memo)), rng)

    def _drawing(self, made: list[Any], rng: np.random.Generator) -> Any:
        core = made[-1]
        core.np_random, core.render_mode = rng, silent(core)
        return made[0]

    def borrowed(self) -> contextlib.AbstractContextManager[None]:
        return contextlib.nullcontext()


def copied(layers: list[Any], memo: dict[int, Any]) -> list[Any]:
    """Layers with copies of their attributes, but for what is in ``memo``."""
    made = [object.__new__(type(layer)) for layer in layers]
    memo.update((id(layer), new) for layer, new in zip(layers, made, strict=True))
    for layer, new in zip(layers, made, strict=True):
        attributes = new.__dict__
        for name, part in vars(layer).items():
            attributes[name] = part if type(part) in UNCHANGING else copy.deepcopy(part, memo)
    return made


def stand_in(stream: Any, rng: np.random.Generator) -> Any:
    """A stream of the same kind that draws from ``rng``."""
    if isinstance(stream, random.Random):
        return random.Random(int(rng.integers(2**63)))
    return rng if isinstance(stream, np.random.Generator) else np.random.RandomState(rng.bit_generator)


def shared_by(layers: list[Any]) -> dict[int, Any]:
    """What copies share, by id: spaces, windows, modules."""
    return {id(part): part for layer in layers for name, part in vars(layer).items() if is_shared(name, part)}


def is_shared(name: str, part: Any) -> bool:
    kind = type(part)
    return (
        name in CONSTANT
        or kind is types.ModuleType
        or str(kind.__module__).split(".")[0] in SHARED
        or any(base.__name__ in ("Space", "EnvSpec") for base in kind.__mro__)
    )


def silent(core: Any) -> Any:
    """The render mode for simulated steps: not in a window."""
    mode = getattr(core, "render_mode", None)
    return None if mode == "human" else mode


class Own:
    """its own saving and restoring"""  # of the user's environment; wrappers around it have attributes

    def __init__(self, env: Any):
        *self.uppers, self.core = self.layers = layers_of(env)
        names = saving(self.core)
        self.get, self.put = (getattr(self.core, name) for name in names)
        self.memo = shared_by(self.layers) | {id(layer): layer for layer in self.layers}
        self.here = self._saved()

    def _saved(self) -> Any:
        return self._copied(self.get()), [self._copied(vars(layer)) for layer in self.uppers]

    def _copied(self, saved: Any) -> Any:
        try:
            return copy.deepcopy(saved, dict(self.memo))
        except TypeError:  # an object that only the environment can read
            return saved

    def _put(self, saved: Any) -> None:
        self.put(self._copied(saved[0]))
        for layer, attributes in zip(self.uppers, saved[1], strict=True):
            vars(layer).clear()
            vars(layer).update(self._copied(attributes))

    def restored(self, rng: np.random.Generator) -> Any:
        self._put(self.here)
        self.core.np_random = rng
        return self.layers[0]

    def again(self, env: Any, rng: np.random.Generator) -> Any:
        self._put(self._saved())
        self.core.np_random = rng
        return env

    @contextlib.contextmanager
    def borrowed(self) -> Iterator[None]:
        with BUSY:
            now, kept = self._saved(), {name: vars(self.core)[name] for name in LENT if name in vars(self.core)}
            try:
                self.core.render_mode = silent(self.core)
                yield
            finally:
                self._put(now)
                vars(self.core).update(kept)
