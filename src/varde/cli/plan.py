"""``varde plan``: play whole episodes in a Gymnasium environment or in your own world."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated

import typer

from .app import WORLDS, app
from .options import ready
from .worlds import LONGEST, AsJson, Chance, Name, Settings, Steps, end, failing, show, stage_of

if TYPE_CHECKING:
    from ..worlds.episodes import Episode


@app.command("plan", rich_help_panel=WORLDS)
def play_episodes(
    name: Name,
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
    steps: Steps = None,
    settings: Settings = None,
    chance: Chance = 20,
    seed: Annotated[int, typer.Option(help="episode i begins with seed + i")] = 0,
    as_json: AsJson = False,
) -> None:
    """Play whole episodes: a search chooses every move.

    Shows the returns beside those of random play, and of the best policy if the world has a table.

    Example: varde plan Taxi-v4 --budget 3000 --episodes 10
    """
    from ..planning import Planner
    from ..planning.play import Played, Searching
    from ..planning.present import first_known
    from ..show.screen import Progress
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

    def so_far(episode: Episode) -> str:
        rate = episode.simulations / max(episode.seconds, 1e-9)
        where = f"episode {len(found) + 1} of {episodes}, move {len(episode.actions) + 1}, return {episode.value:g}"
        return f"{where}, {rate:,.0f} simulations/s; Ctrl-C stops and shows the result so far"

    def tick(episode: Episode) -> None:
        display.tick(lambda: so_far(episode))

    def play_all() -> None:
        for number in range(chance):
            by_chance.append(at_random(stage, seed + number, most).value)
        while len(found) < episodes and not (found and found[-1].ended == "interrupted"):
            choose = Searching(stage, planner, budget, seconds=seconds, stop=stop)
            found.append(play(stage, choose, seed + len(found), most, tick))

    with Progress() as display:
        failure = failing(play_all, name, found)
    if found:
        best = best_returns(stage, most)
        show(Played(name, budget, planner.horizon, found, by_chance, [best(each.start) for each in found]), as_json)
    end(failure, sum(episode.ended != "interrupted" for episode in found), episodes)
