"""``varde learn``: learn a policy for a Gymnasium environment or your own world, and play it."""

from __future__ import annotations

import ast
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .app import FAILED, STOPPED, WORLDS, app, say
from .options import check_page, ready
from .worlds import LONGEST, AsJson, Chance, Name, Settings, Steps, end, failing, show, stage_of

if TYPE_CHECKING:
    from ..learning import Policy
    from ..learning.play import Played

AHEAD = 10**6  # played episodes have other seeds than those used for learning


@app.command("learn", rich_help_panel=WORLDS)
def learn_and_play(
    name: Name,
    budget: Annotated[int, typer.Option(help="steps to learn from")] = 100_000,
    discount: Annotated[float, typer.Option(help="discount factor per step; 1 if every episode ends")] = 0.99,
    horizon: Annotated[
        int | None, typer.Option(help="longest episode in steps; the policy then depends on the step")
    ] = None,
    discretise: Annotated[
        str | None,
        typer.Option(metavar="BINS", help="bins for continuous observations: 8, or 3,3,8,8, or none,none,[-0.1,0.1],6"),
    ] = None,
    seconds: Annotated[float, typer.Option(help="time limit for learning", show_default=False)] = math.inf,
    store: Annotated[
        Path | None, typer.Option(help="a file that keeps all experience; the same command continues from it")
    ] = None,
    save: Annotated[
        Path | None, typer.Option(help="the policy: policy.json for varde.Policy.load, or a page.html to look at")
    ] = None,
    episodes: Annotated[int, typer.Option(min=0, help="episodes to play with the policy")] = 100,
    chance: Chance = 100,
    steps: Steps = None,
    settings: Settings = None,
    seed: Annotated[int, typer.Option(help="seed for learning; played episodes have other seeds")] = 0,
    as_json: AsJson = False,
) -> None:
    """Learn a policy, then play whole episodes with it.

    Shows the returns beside those of random play, and of the best policy if the world has a table.  Ctrl-C ends
    learning with the result so far; another one ends the episodes.

    Example: varde learn Blackjack-v1 --budget 200000
    """
    from ..learning.learn import learn
    from ..learning.play import play_all
    from ..show.progress import watching
    from ..worlds.episodes import Watched

    check_page("--save", save)
    stage = ready(stage_of, name, settings or (), True)
    bins = ready(bins_of, discretise)
    progress = False if as_json else None
    learned: list[Policy] = []
    told: list[Played] = []

    def work() -> None:
        policy = learn(
            stage.env if isinstance(stage, Watched) else stage.world,
            budget,
            discount=discount,
            horizon=horizon,
            key=bins,
            seconds=seconds,
            seed=seed,
            store=store,
            progress=progress,
        )
        learned.append(policy)
        most = horizon or steps or stage.limit or LONGEST
        with watching(progress, episodes, "episodes") as watch:
            told.append(play_all(name, stage, policy, horizon is not None, episodes, chance, most, seed + AHEAD, watch))

    failure = failing(work, name, learned)
    if not learned:
        say(failure or "stopped before anything was learned")
        raise typer.Exit(FAILED if failure else STOPPED)
    policy = learned[0]
    for played in told:
        show(played, as_json)
    if save is not None:  # also if the episodes failed
        ready(policy.to_html if save.suffix == ".html" else policy.save, save)
        say(f"wrote {save}")
    end(failure, len(told[0].returns) if told else 0, episodes, policy.stopped == "interrupted")


def bins_of(text: str | None) -> Any:
    """What --discretise says: a number, or an entry for every continuous part."""
    if text is None:
        return None
    try:
        found = ast.literal_eval(f"[{text.replace('none', 'None')}]")
    except (SyntaxError, ValueError):
        raise ValueError(f"--discretise {text}: write a number of bins, or several: 3,3,8,8") from None
    return found[0] if len(found) == 1 and isinstance(found[0], int) else found
