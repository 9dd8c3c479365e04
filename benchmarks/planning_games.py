"""Games against OpenSpiel's own Monte Carlo tree search, with as many simulations a move, both colours in turn.

    python benchmarks/planning_games.py                                  # Connect Four, 1,000 simulations, 200 games
    python benchmarks/planning_games.py --game "breakthrough(rows=6,columns=6)" --simulations 200 --players VarDE UCT

The rival is ``open_spiel.python.algorithms.mcts`` (``--rival cpp``: the same in C++, ``pyspiel.MCTSBot``) with random
playouts, uct_c = 2 and its solver, as it comes.  A win counts 1, a draw one half.  Seconds are CPU time per game.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable

import numpy as np
import pyspiel

import varde
from varde.planning import UCT

Player = Callable[[pyspiel.State], int]
PLAYERS = {"VarDE": (varde.VarDE(), None), "UCT": (UCT(), None), "UCT kept": (UCT(), True)}  # algorithm, keep


def rival(game: pyspiel.Game, simulations: int, kind: str, uct_c: float, seed: int) -> Player:
    if kind == "cpp":
        evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
        return pyspiel.MCTSBot(game, evaluator, uct_c, simulations, 10, True, seed, False).step
    from open_spiel.python.algorithms import mcts

    draw = np.random.RandomState(seed)
    evaluator = mcts.RandomRolloutEvaluator(1, draw)
    return mcts.MCTSBot(game, uct_c, simulations, evaluator, solve=True, random_state=draw).step


def ours(game: pyspiel.Game, simulations: int, name: str, seed: int) -> Player:
    algorithm, keep = PLAYERS[name]
    planner = varde.Planner(game, algorithm=algorithm, seed=seed, tree=varde.planning.Growth(keep=keep))
    return lambda state: int(planner(state, simulations).best)  # type: ignore[call-overload]


def play(game: pyspiel.Game, players: list[Player], seed: int) -> tuple[float, list[float]]:
    """What the first player gets, and the seconds that each needed."""
    state, draw, seconds = game.new_initial_state(), np.random.default_rng(seed), [0.0, 0.0]
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes, chances = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(int(draw.choice(outcomes, p=chances)))
            continue
        mover, start = state.current_player(), time.process_time()
        action = players[mover](state.clone())
        seconds[mover] += time.process_time() - start
        state.apply_action(action)
    return state.returns()[0], seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="connect_four")
    parser.add_argument("--simulations", type=int, default=1000)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--players", nargs="+", default=["VarDE", "UCT"], choices=list(PLAYERS))
    parser.add_argument("--rival", choices=["python", "cpp"], default="python")
    parser.add_argument("--rival-simulations", type=int, help="of the rival, for games at equal time")
    parser.add_argument("--uct-c", type=float, default=2.0)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    game = pyspiel.load_game(given.game)
    rivals = f"OpenSpiel's MCTS ({given.rival}, c {given.uct_c})"
    print(f"{given.game}, {given.simulations} simulations a move, against {rivals}")
    for name in given.players:
        scores: list[float] = []
        ended = {1.0: 0, 0.5: 0, 0.0: 0}
        spent = np.zeros(2)
        for number in range(given.games):
            seed, first = 1000 * given.seed + number, number % 2 == 0
            pair = [
                ours(game, given.simulations, name, seed),
                rival(game, given.rival_simulations or given.simulations, given.rival, given.uct_c, seed + 1),
            ]
            gained, seconds = play(game, pair if first else pair[::-1], seed)
            scores.append(0.5 + 0.5 * float(np.sign(gained if first else -gained)))
            ended[scores[-1]] += 1
            spent += seconds if first else seconds[::-1]
        error, spent = float(np.std(scores)) / math.sqrt(len(scores)), spent / len(scores)
        print(f"{name:10} {np.mean(scores):.3f} +- {error:.3f}", end="   ")
        print(f"won {ended[1.0]}, drawn {ended[0.5]}, lost {ended[0.0]}", end="   ")
        print(f"moving first {np.mean(scores[::2]):.2f}, second {np.mean(scores[1::2]):.2f}", end="   ")
        print(f"s/game {spent[0]:.1f}, its {spent[1]:.1f}", flush=True)


if __name__ == "__main__":
    main()
