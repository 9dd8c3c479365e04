"""Environments in Gymnasium's functional form: a state goes in, a state comes out, and nothing needs restoring."""

from __future__ import annotations

import sys
from collections.abc import Hashable
from typing import Any

import numpy as np

from .restoring import PLAIN_WRAPPERS, jax_key
from .spaces import Moves, as_number, hashable, without


def functional(given: Any) -> Any | None:
    """The ``FuncEnv`` that ``given`` is, or merely wraps."""
    if all(callable(getattr(given, verb, None)) for verb in ("initial", "transition", "reward", "terminal")):
        return given
    core = getattr(given, "unwrapped", None)
    found = getattr(core, "func_env", None)
    return found if found is not None and without(given, PLAIN_WRAPPERS) is core else None


class Functional:
    """The steps of a ``FuncEnv``, in one compiled function where it is written in JAX.

    States are identified by their numbers.
    """

    def __init__(self, given: Any, env: Any):
        self.given, self.env, self.moves = given, env, Moves(env)
        self.in_jax = _in_jax(env)
        self._step = self._transition
        if self.in_jax:
            import jax  # type: ignore[import-not-found]

            self._step = jax.jit(self._transition)

    def actions(self, state: Any) -> tuple[Any, ...]:
        return self.moves.all

    def start(self, rng: np.random.Generator) -> Any:
        """Where the environment is, or a state in which an episode begins."""
        now = getattr(getattr(self.given, "unwrapped", None), "state", None)
        return self.env.initial(self._draws(rng)) if now is None else now

    def observed(self, seen: Any) -> Any:
        """The present state of an environment; the observation of a ``FuncEnv`` is its state."""
        return seen if self.given is self.env else self.given.unwrapped.state

    def step(self, state: Any, action: Any, rng: np.random.Generator) -> tuple[Any, float, bool]:
        successor, reward, over = self._step(state, self.moves.as_taken(action), self._draws(rng))
        return successor, as_number(reward), bool(over)

    def key(self, state: Any) -> Hashable:
        if not self.in_jax:
            return hashable(state)
        import jax

        return tuple([hashable(leaf) for leaf in jax.device_get(jax.tree_util.tree_leaves(state))])

    def _transition(self, state: Any, action: Any, draws: Any) -> tuple[Any, Any, Any]:
        env = self.env
        successor = env.transition(state, action, draws)
        return successor, env.reward(state, action, successor, draws), env.terminal(successor, draws)

    def _draws(self, rng: np.random.Generator) -> Any:
        return jax_key(rng) if self.in_jax else rng


def _in_jax(env: Any) -> bool:
    if "jax" not in sys.modules:
        return False
    import jax

    try:
        leaves = jax.tree_util.tree_leaves(env.initial(jax.random.PRNGKey(0)))
    except Exception:  # it draws from a Generator
        return False
    return any(isinstance(leaf, jax.Array) for leaf in leaves)
