"""What ``varde plan`` and ``varde learn`` share: the world a name stands for, and how episodes in it end."""

from __future__ import annotations

import ast
import contextlib
import importlib
import importlib.util
import inspect
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .app import FAILED, STOPPED, out, refuse, say
from .tracebacks import show_own

if TYPE_CHECKING:
    from ..worlds.episodes import Stage

LONGEST = 1000  # moves of an episode, where nothing else ends it

Name = Annotated[
    str, typer.Argument(metavar="WORLD", help="a Gymnasium environment by name, or module:name, or file.py:name")
]
Steps = Annotated[int | None, typer.Option(min=1, help="longest episode, in moves", show_default="the world's")]
Chance = Annotated[int, typer.Option("--random", min=0, help="episodes of random play to compare with")]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="setting of the environment: --set map_name=8x8"),
]
AsJson = Annotated[bool, typer.Option("--json", help="everything as JSON on standard output")]


def failing(work: Callable[[], None], name: str, done: Sequence[Any]) -> str:
    """What stopped the work, if anything; Ctrl-C is not an error.  Where nothing is ``done``, misuse is refused."""
    from ..worlds.function import SimulationError

    try:
        work()
    except KeyboardInterrupt:
        pass
    except (TypeError, ValueError) as error:
        return str(error) if done else refuse(str(error))
    except SimulationError as error:
        return str(error)
    except Exception as error:  # of the world's own
        return f"{name} failed: {type(error).__name__}: {error}"
    return ""


def show(played: Any, as_json: bool) -> None:
    if as_json:
        print(json.dumps(played.to_dict()))
    else:
        out().print(str(played), highlight=False, markup=False, soft_wrap=True)


def end(failure: str, whole: int, episodes: int, interrupted: bool = False) -> None:
    """With an exit code if not everything was done."""
    if failure:
        say(failure)
        raise typer.Exit(FAILED)
    if whole < episodes or interrupted:
        say(f"stopped after {whole} of {episodes} episodes")
        raise typer.Exit(STOPPED)


# -- which world -----------------------------------------------------------------------------------


def stage_of(name: str, settings: Sequence[str], watched: bool = False) -> Stage:
    """Where to play: an environment by name, or ``name`` in a module or a file.

    ``watched`` says that a policy will play, which depends on observations.
    """
    from ..worlds.episodes import Environment, Simulated, Watched

    kind = Watched if watched else Environment
    given = dict(map(setting, settings))
    place, _, attribute = name.rpartition(":")
    if name.endswith(".py"):
        raise ValueError(f"{name} is a file: write {name}:NAME with the name of a world in it")
    module = None
    if place.endswith(".py"):
        module = loaded(Path(place))
    elif place and importlib.util.find_spec(place.partition(".")[0]) is not None:
        with in_own_code(place):
            module = importlib.import_module(place)
    if module is None or not hasattr(module, attribute):
        if place.endswith(".py"):
            raise ValueError(f"{place} has nothing called {attribute}: write the name of a world in it")
        return kind(environment(name, given))
    world, how = getattr(module, attribute), {}
    if inspect.isclass(world) or (inspect.isfunction(world) and not hasattr(module, "actions")):
        with in_own_code(name):
            world = world(**given)
    elif given:
        raise ValueError(f"--set is for environments and classes, {name} is neither: leave it out")
    elif inspect.isfunction(world):  # a step
        how = {part: getattr(module, part) for part in ("actions", "start", "key") if hasattr(module, part)}
    if hasattr(world, "unwrapped"):
        return kind(world)
    return Simulated(world, **how)


@contextlib.contextmanager
def in_own_code(what: str) -> Iterator[None]:
    """An error in it is shown with the user's lines."""
    try:
        yield
    except Exception as error:
        show_own(error)
        raise ValueError(f"{what} cannot be used ({type(error).__name__}: {error}): correct it") from error


def setting(text: str) -> tuple[str, Any]:
    """NAME=VALUE; a value that is not a Python literal is text."""
    name, equals, value = text.partition("=")
    if not equals or not name.isidentifier():
        raise ValueError(f"--set {text}: write NAME=VALUE, such as --set map_name=8x8")
    try:
        return name, ast.literal_eval({"true": "True", "false": "False"}.get(value, value))
    except (SyntaxError, ValueError):
        return name, value


def loaded(file: Path) -> Any:
    """A file as a module, which can import its neighbours."""
    spec = importlib.util.spec_from_file_location(file.stem, file)
    if not file.is_file() or spec is None or spec.loader is None:
        raise ValueError(f"there is no file {file}: write the path of one, as in world.py:step")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(file.absolute().parent))
    with in_own_code(str(file)):
        spec.loader.exec_module(module)
    return module


def environment(name: str, settings: dict[str, Any]) -> Any:
    """A Gymnasium environment."""
    try:
        import gymnasium
    except ModuleNotFoundError:
        raise ImportError("Gymnasium is missing: pip install 'varde[gym]'") from None
    try:
        return gymnasium.make(name, **settings)
    except Exception as error:  # of its own kinds, from a name that is not known to a setting that is refused
        raise ValueError(f"{name} cannot be made ({error}): write another name or other settings") from error
