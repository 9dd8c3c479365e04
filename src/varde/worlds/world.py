"""``as_world``: a world from a table, a Gymnasium environment, an object or a function."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable
from copy import copy
from typing import Any, NoReturn

import numpy as np

from .._compile import in_python, is_record
from ..check import shown
from ..protocols import Environment, Record, World
from .environment import Forward
from .function import Actions, Function, Sample, SimulationError, Step
from .gymnasium import DISCOUNT, ahead_in, from_gymnasium, has_table
from .hidden import as_hidden
from .record import ends_noisily, num_actions, step, transition
from .sampled import is_box, of_box
from .spaces import is_environment
from .table import Table, numbered

PACKAGE = __name__.partition(".")[0]
KINDS = (
    "a table (varde.tabulate, varde.environments), a Gymnasium environment with discrete actions or its name, an "
    "object with step(state, action, rng) and actions(state), or a function step(state, action, rng) with actions=..."
)


WorldLike = Table | Function | Record | Environment | World | Step  # what ``as_world`` understands


def as_world(
    given: WorldLike | str,
    actions: Actions | None = None,
    *,
    start: Any = None,
    key: Callable[[Any], Hashable] | None = None,
    player: Callable[[Any], int] | None = None,
    sample_action: Sample | None = None,
    observe: Callable[[Any], Hashable] | None = None,
) -> Table | Function:
    """Make a world: a ``Table``, which is sampled inside the kernel, or a ``Function``, which is called.

    >>> world = as_world(lambda state, action, rng: (state + action, -1.0), actions=[1, 2], start=0)
    >>> world.start, world.actions(7)
    (0, (1, 2))

    ``start`` replaces the world's own start.  ``player`` makes it a game.  ``sample_action`` draws actions that are too
    many to list; so does a Gymnasium ``Box`` as ``actions``.  ``observe`` says what is seen of a state.  Steps may be
    asked for from any state visited before, as planning does; an environment that is only stepped forwards is a
    ``stepping.Walk``.
    """
    if isinstance(given, str):
        given = made(given)
    if player is not None and not callable(player):
        raise TypeError(f"player is {shown(player)}: write a function of the state that says who moves, 0 or 1")
    if is_box(actions):
        actions, sample_action = None, of_box(actions)
    if sample_action is not None and not callable(sample_action):
        raise TypeError(f"sample_action is {shown(sample_action)}: write a function sample_action(state, rng)")
    table, environment = isinstance(given, Table) or _is_model(given), is_environment(given)
    if sample_action is not None and (actions is not None or table or environment):
        raise TypeError(f"{given!r:.200} knows its actions: leave out sample_action=, or actions=")
    if observe is not None and (table or environment or isinstance(given, Function)):
        raise TypeError(
            f"observe= cannot hide the state of {given!r:.200}, in which a belief cannot begin: write a function "
            "step(state, action, rng), or an object that has one"
        )
    if table:
        if actions is not None or key is not None:
            raise TypeError(f"a {type(given).__name__} knows its states and actions: leave out actions= and key=")
        made_of = given if isinstance(given, Table) else numbered(given)
        if player is not None:
            made_of = made_of.with_players(player)
        return made_of if start is None else made_of.starting_at(start)
    if environment:
        return _of_environment(given, actions, start, key, player)
    if isinstance(given, Function):
        if start is None and player is None and sample_action is None:
            return given
        world = copy(given)
        world.start = given.start if start is None else start
        world.player = given.player if player is None else player
        world.sample = given.sample if sample_action is None else sample_action
        return world
    observe = getattr(given, "observe", None) if observe is None else observe
    world = _of_functions(given, actions, start, key, player, sample_action)
    return world if observe is None else as_hidden(world, observe)


def _of_environment(env: Any, actions: Any, start: Any, key: Any, player: Any) -> Table | Function:
    """The world of a Gymnasium environment: its table, or itself, in which simulations go forward."""
    if actions is not None or player is not None:
        what, name = ("its actions", "actions") if actions is not None else ("one player", "player")
        raise TypeError(f"{env} knows {what}: leave out {name}=")
    if has_table(env) and key is None:
        return from_gymnasium(env, start)
    if start is not None:
        raise TypeError(f"{env} starts where reset() puts it: leave out start=")
    forward = Forward(env, key)
    world = Function(forward.step, forward.actions, forward.start)
    world.env, world.forward, world.sample = env, forward, forward.moves.sample
    world.horizon, world.discount = ahead_in(env), DISCOUNT
    return world


def _of_functions(given: Any, actions: Any, start: Any, key: Any, player: Any, sample: Sample | None) -> Function:
    """The world of a step function, or of an object that has one."""
    step = getattr(given, "step", given)
    if not callable(step):
        raise TypeError(f"{shown(given)} is not a world: write {KINDS}")
    legal = () if sample is not None else actions if actions is not None else getattr(given, "actions", None)
    if legal is None:
        refuse_without_actions(given)
    check_step(step)
    own_player = getattr(given, "player", None)
    world = Function(
        step,
        legal,
        getattr(given, "start", None) if start is None else start,
        getattr(given, "key", None) if key is None else key,
        own_player if player is None and callable(own_player) else player,
    )
    world.sample = sample
    for known in ("horizon", "discount"):
        setattr(world, known, getattr(given, known, None))
    return world


def refuse_without_actions(given: Any) -> NoReturn:
    """Refuse a world of which nobody said what actions there are."""
    if getattr(given, "__module__", "").startswith(f"{PACKAGE}.environments"):
        raise TypeError(f"{given.__name__} makes a world: write {given.__name__}(...), with its size and so on")
    raise TypeError(f"{given!r:.200} does not say what actions there are: write actions=[...] or actions=function")


def check_step(step: Callable[..., Any]) -> None:
    """Refuse a step that cannot be called with a state, an action and a generator."""
    try:
        signature = inspect.signature(step)
    except (TypeError, ValueError):  # some built-in functions have none
        return
    try:
        signature.bind(None, None, None)
    except TypeError:
        name = getattr(step, "__qualname__", type(step).__name__)
        raise TypeError(
            f"{name}{signature} does not take a state, an action and a generator: write step(state, action, rng), "
            "which returns where the action leads from that state, and the reward; for a simulator that keeps its "
            "state itself, let the state be a copy of the simulator, with key=..."
        ) from None


def stepped(table: Table) -> Function:
    """The same world, called for each step, as knowledge given in Python needs it."""
    if ends_noisily(table.model):
        raise TypeError(f"a {type(table.model.model).__name__} pays at its ends: leave out value= and prior=")

    model = in_python(table.model)

    def go(name: Hashable, action: Hashable, rng: np.random.Generator) -> tuple[Hashable, float]:
        state = table.state(name)
        words = rng.integers(2**64, size=4, dtype=np.uint64)
        successor, reward = transition(model, state, table.legal(state).index(action), words)
        return table.states[int(successor)], float(reward)

    def start(rng: np.random.Generator) -> Hashable:
        return table.states[table.start]

    game = bool((table.model.states["sign"] < 0).any())
    player = (lambda name: table.mover(table.state(name))) if game else None
    return Function(go, lambda name: table.legal(table.state(name)), start, player=player)


def made(name: str) -> Any:
    """A Gymnasium environment by its name."""
    try:
        import gymnasium
    except ModuleNotFoundError:
        raise ImportError("Gymnasium is missing: pip install 'varde[gym]'") from None
    try:
        return gymnasium.make(name)
    except Exception as error:  # of its own kinds
        raise ValueError(f"{name!r:.100} is not an environment that can be made ({error}): write {KINDS}") from error


def _is_model(given: Any) -> bool:
    """Whether a record has the two verbs that every model has."""
    if not is_record(given):
        return False
    try:
        return bool(num_actions.find(type(given)) and step.find(type(given)))
    except TypeError:
        return False


def draw_start(world: Table | Function, rng: np.random.Generator) -> Any:
    """A state in which an episode begins, by name."""
    if isinstance(world, Table):
        numbers = list(world.starts)
        drawn = numbers[0] if len(numbers) == 1 else rng.choice(numbers, p=list(world.starts.values()))
        return world.states[int(drawn)]
    if world.start is None:
        raise ValueError(
            "the world does not say where it starts: write a state (in learn: start=...), or give it an attribute start"
        )
    if not callable(world.start):
        return world.start
    try:
        return world.start(rng)
    except SimulationError:
        raise
    except Exception as error:
        raise SimulationError(f"the world failed at its start: {type(error).__name__}: {error}") from error
