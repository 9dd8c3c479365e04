"""``varde plan``: play whole episodes in a Gymnasium environment or in your own world."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import json
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from .app import WORLDS, app, out, refuse
from .options import ready
from .run import FAILED, STOPPED

if TYPE_CHECKING:
    from ..worlds.episodes import Episode, Stage

MISUSE = 2  # an exit code
LONGEST = 1000  # moves of an episode, where nothing else ends it


@app.command("plan", rich_help_panel=WORLDS)
def play_episodes(
    name: Annotated[
        str,
        typer.Argument(metavar="WORLD", help="a Gymnasium environment by name, or module:name, or file.py:name"),
    ],
    budget: Annotated[int, typer.Option(help="simulations per move, besides those kept from the last move")] = 1000,
    episodes: Annotated[int, typer.Option(min=1, help="episodes to play")] = 1,
    horizon: Annotated[
        int | None,
        typer.Option(
            help="how many steps to look ahead", show_default="50, or the world's own; up to 200 without a table"
        ),
    ] = None,
    discount: Annotated[
        float | None, typer.Option(help="discount factor per step", show_default="0.99, or the world's own")
    ] = None,
    seconds: Annotated[float, typer.Option(help="time limit per move", show_default=False)] = math.inf,
    stop: Annotated[
        float | None, typer.Option(help="end a search early, wrong with at most this probability, such as 0.05")
    ] = None,
    steps: Annotated[
        int | None, typer.Option(min=1, help="longest episode, in moves", show_default="the world's")
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="setting of the environment: --set map_name=8x8"),
    ] = None,
    chance: Annotated[int, typer.Option("--random", min=0, help="episodes of random play to compare with")] = 20,
    seed: Annotated[int, typer.Option(help="episode i begins with seed + i")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="everything as JSON on standard output")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="no progress line")] = False,
) -> None:
    """Play whole episodes: a search chooses every move.

    Shows the returns beside those of random play, and of the best policy if the world has a table.

    Example: varde plan Taxi-v4 --budget 3000 --episodes 10
    """
    from ..planning import Planner
    from ..planning.play import Played, Searching
    from ..planning.present import first_known
    from ..worlds.episodes import at_random, best_returns, play
    from ..worlds.gymnasium import AHEAD, DISCOUNT

    stage = ready(stage_of, name, settings or ())
    most = steps or stage.limit or LONGEST
    ahead = first_known(horizon, stage.world.horizon, AHEAD)
    planner = ready(
        lambda: Planner(stage.world, ahead, first_known(discount, stage.world.discount, DISCOUNT), seed=seed)
    )

    def begin() -> None:
        stage.begin(seed)
        planner.begin(stage.state)

    ready(begin)  # what cannot be planned is refused at once
    found: list[Episode] = []
    by_chance: list[float] = []

    def play_all(tick: Callable[[int, Episode], None]) -> None:
        for number in range(chance):
            by_chance.append(at_random(stage, seed + number, most).value)
        while len(found) < episodes:
            choose = Searching(stage, planner, budget, seconds=seconds, stop=stop)
            episode = play(stage, choose, seed + len(found), most, lambda so_far: tick(len(found), so_far))
            found.append(episode)
            if episode.ended == "interrupted":
                return

    with progress(episodes, not quiet and not as_json) as tick:
        failure = failing(lambda: play_all(tick), name)
    if failure and failure.code == MISUSE and not found:
        refuse(failure.why)
    whole = [episode for episode in found if episode.ended != "interrupted"]
    if found:
        best = best_returns(stage, most)
        told = Played(name, budget, planner.horizon, found, by_chance, [best(episode.start) for episode in found])
        if as_json:
            print(json.dumps(told.to_dict()))
        else:
            out().print(str(told), highlight=False, markup=False, soft_wrap=True)
    if failure:
        print(f"varde: {failure.why}", file=sys.stderr)
        raise typer.Exit(FAILED)
    if len(whole) < episodes:
        print(f"varde: stopped after {len(whole)} of {episodes} episodes", file=sys.stderr)
        raise typer.Exit(STOPPED)


class Failure(NamedTuple):
    code: int
    why: str


def failing(work: Callable[[], None], name: str) -> Failure | None:
    """The error that stopped the work, if any; Ctrl-C is not an error."""
    from ..worlds.function import SimulationError

    try:
        work()
    except KeyboardInterrupt:
        return None
    except (TypeError, ValueError) as error:
        return Failure(MISUSE, str(error))
    except SimulationError as error:
        return Failure(FAILED, str(error))
    except Exception as error:  # of the world's own
        return Failure(FAILED, f"{name} failed: {type(error).__name__}: {error}")
    return None


def stage_of(name: str, settings: Sequence[str], watched: bool = False) -> Stage:
    """Where to play: an environment by name, or ``name`` in a module or a file.

    ``watched`` says that a policy will play, which depends on observations.
    """
    from ..worlds.episodes import Environment, Simulated, Watched

    kind = Watched if watched else Environment
    given = dict(map(setting, settings))
    place, _, attribute = name.rpartition(":")
    module = None
    if place.endswith(".py"):
        module = loaded(Path(place))
    elif place and importlib.util.find_spec(place.partition(".")[0]) is not None:
        module = importlib.import_module(place)
    if module is None or not hasattr(module, attribute):
        if place.endswith(".py"):
            raise ValueError(f"{place} has nothing called {attribute}: write the name of a world in it")
        return kind(environment(name, given))
    world, how = getattr(module, attribute), {}
    if inspect.isclass(world) or (inspect.isfunction(world) and not hasattr(module, "actions")):
        world = world(**given)
    elif given:
        raise ValueError(f"--set is for environments and classes, {name} is neither: leave it out")
    elif inspect.isfunction(world):  # a step
        how = {part: getattr(module, part) for part in ("actions", "start", "key") if hasattr(module, part)}
    if hasattr(world, "unwrapped"):
        return kind(world)
    return Simulated(world, **how)


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


@contextmanager
def progress(episodes: int, wanted: bool) -> Iterator[Callable[[int, Episode], None]]:
    """A function to call after every move: a line on a terminal."""
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    console = Console(stderr=True)
    if not wanted or not console.is_terminal:
        yield lambda number, episode: None
        return
    with Live(console=console, auto_refresh=False, transient=True) as screen:

        def tick(number: int, episode: Episode) -> None:
            rate = episode.simulations / max(episode.seconds, 1e-9)
            parts = [f"episode {number + 1} of {episodes}", f"move {len(episode.actions) + 1}"]
            parts += [f"return {episode.value:g}", f"{rate:,.0f} simulations/s"]
            screen.update(Text(f"{', '.join(parts)}; Ctrl-C stops and shows the result so far"), refresh=True)

        yield tick
