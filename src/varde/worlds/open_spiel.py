"""Games of OpenSpiel: one or two players in turn, perfect information, dice allowed.

A state of the search is a ``Position``, which caches where its moves lead: OpenSpiel is asked for each move once, and
equal positions are the same object.  Chance moves are drawn as part of the move before them.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Hashable
from itertools import accumulate
from typing import Any

import numpy as np

PREFIX = "openspiel:"  # of a game by name: openspiel:connect_four
PLAYOUTS = 8  # random games from a new position: played by OpenSpiel, they cost less than one position of the tree
LONGEST = 1000  # moves to look ahead in a game that may last longer
# Games in which the board as printed and the player to move determine the rest: paths to the same position are joined.
# Elsewhere (ko, repetitions, move counters) the history may matter: every path is a position of its own.
PRINTED = {
    "backgammon", "breakthrough", "clobber", "connect_four", "dots_and_boxes", "gomoku", "havannah", "hex", "mnk",
    "nim", "othello", "pentago", "pig", "tic_tac_toe", "y",
}  # fmt: skip

Key = Callable[[Any], Hashable]


class Book(dict[Hashable, "Position"]):
    """The positions of one search, and what plays at random in it."""

    playing: Any = None
    drawn_from: Any = None  # the generator that seeded it


class Position:
    """A state of OpenSpiel that does not change."""

    __slots__ = ("after", "book", "paid", "state")

    def __init__(self, state: Any, book: Book):
        self.state, self.book = state, book
        self.after: dict[Hashable, Position] = {}  # where moves led, with the chance moves that came after them
        self.paid: float = state.returns()[0]  # to the first player, so far

    def __repr__(self) -> str:
        return " ".join(f"{self.state.history_str()} {self.state}".split())


class OpenSpiel:
    """A world: ``varde.plan(OpenSpiel("connect_four"), budget=1000)``, or, shorter, ``"openspiel:connect_four"``.

    ``game`` is a name with its parameters, a ``pyspiel.Game``, or a ``pyspiel.State`` to start from.  ``key`` maps a
    state to something hashable that determines what can follow; paths to the same key are joined.
    """

    def __init__(self, game: Any, key: Key | None = None):
        import pyspiel

        self.begin: Any = None
        if isinstance(game, str):
            try:
                game = pyspiel.load_game(game)
            except pyspiel.SpielError as error:
                why = f"{str(error).splitlines()[0]:.200}"
                raise ValueError(f"{game!r} is not a game of OpenSpiel ({why}): write one of its names") from None
        elif isinstance(game, pyspiel.State):
            self.begin, game = game.clone(), game.get_game()
        refuse(game, pyspiel)
        self.game, self.same = game, key or (printed if game.get_type().short_name in PRINTED else None)
        self.joined = self.same is not None
        self.length = game.max_game_length()
        self.horizon = min(self.length, LONGEST)
        self.largest = max(abs(game.min_utility()), abs(game.max_utility()))  # that can be won or lost
        self.total = game.utility_sum() or 0.0 if game.num_players() == 2 else 0.0
        if game.num_players() == 1:
            self.player = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{PREFIX}{self.game}"

    def start(self, rng: np.random.Generator) -> Position:
        """The start of the game, or the given state; after the first chance moves, if any."""
        return self.locate(self.game.new_initial_state() if self.begin is None else self.begin, rng)

    def locate(self, state: Any, rng: np.random.Generator, before: Position | None = None) -> Position:
        """The position of an OpenSpiel state, which may change afterwards; the one visited ``before``, if it was."""
        if isinstance(state, Position):
            return state
        state = state.clone()
        draw_chance(state, rng)
        met = None
        if before is not None:
            met = followed(before, state.history()) if self.same is None else before.book.get(self.same(state))
        return met or Position(state, Book())

    def actions(self, position: Position) -> tuple[int, ...]:
        return tuple(position.state.legal_actions())

    def player(self, position: Position) -> int:
        return position.state.current_player()

    def step(self, position: Position, action: int, rng: np.random.Generator) -> tuple[Position, float]:
        found = position.after.get(action)
        if found is None:
            state = position.state.clone()
            state.apply_action(action)
            drawn = (action, *draw_chance(state, rng)) if state.is_chance_node() else action
            found = position.after.get(drawn)
            if found is None:
                found = Position(state, position.book)
                if self.same is not None:
                    found = position.book.setdefault(self.same(state), found)
                found = position.after.setdefault(drawn, found)  # another thread may have been faster
        return found, found.paid - position.paid

    def play_out(self, position: Position, steps: int, rng: np.random.Generator) -> float:
        """What random moves bring the first player from here; no position is stored."""
        state, book = position.state, position.book
        if steps < self.length - state.move_number():
            return played(state.clone(), steps, rng) - position.paid
        if book.drawn_from is not rng:
            book.playing, book.drawn_from = self._playing(int(rng.integers(2**31))), rng
        node = book.playing.mcts_search(state)
        return (node.total_reward if node.player == 0 else self.total - node.total_reward) - position.paid

    def _playing(self, seed: int) -> Any:
        """OpenSpiel's own search, of one simulation: a game played at random, in compiled code."""
        import pyspiel

        evaluator = pyspiel.RandomRolloutEvaluator(PLAYOUTS, seed)
        return pyspiel.MCTSBot(self.game, evaluator, 1.0, 1, 1, False, seed, False)


def played(state: Any, steps: int, rng: np.random.Generator) -> float:
    """The returns of the first player after so many random moves."""
    draws = iter(rng.random(steps).tolist())
    for _ in range(steps):
        legal = state.legal_actions()
        if not legal:
            break
        state.apply_action(legal[int(len(legal) * next(draws))])
        if state.is_chance_node():
            draw_chance(state, rng)
    return state.returns()[0]


def followed(position: Position, history: list[int]) -> Position | None:
    """Where a history leads on from a position, if it was met."""
    past = position.state.history()
    if history[: len(past)] != past:
        return None
    drawn: list[int] = []  # a move, and the chance moves after it
    for action in history[len(past) :]:
        drawn.append(action)
        found = position.after.get(action if len(drawn) == 1 else tuple(drawn))
        position, drawn = (position, drawn) if found is None else (found, [])
    return position if not drawn else None


def printed(state: Any) -> Hashable:
    return state.current_player(), str(state)


def draw_chance(state: Any, rng: np.random.Generator) -> list[int]:
    """Let chance move until a player does, or the game is over; what it drew."""
    drawn = []
    while state.is_chance_node():
        outcomes, chances = zip(*state.chance_outcomes(), strict=True)
        at = bisect(list(accumulate(chances)), rng.random())
        drawn.append(outcomes[min(at, len(outcomes) - 1)])
        state.apply_action(drawn[-1])
    return drawn


def refuse(game: Any, pyspiel: Any) -> None:
    """Say why a game cannot be planned."""
    kind = game.get_type()
    players, rewards = game.num_players(), kind.utility
    why = ""
    if players > 2:
        why = f"it has {players} players, and planning is for one or two"
    elif kind.dynamics != pyspiel.GameType.Dynamics.SEQUENTIAL:
        why = "its players move at the same time (pyspiel.convert_to_turn_based(game) lets one of them move first)"
    elif kind.information != pyspiel.GameType.Information.PERFECT_INFORMATION:
        why = "its players do not see everything, and a search that does would cheat"
    elif kind.chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
        why = "it draws its chance moves itself (load it with explicit ones, explicit_stochastic)"
    elif players == 2 and rewards not in (pyspiel.GameType.Utility.ZERO_SUM, pyspiel.GameType.Utility.CONSTANT_SUM):
        why = "what one player gains is not what the other loses"
    if why:
        raise ValueError(f"{kind.short_name} cannot be planned, since {why}: write another game")


def is_open_spiel(given: Any) -> bool:
    """Whether this is a game or a state of OpenSpiel, or names one; nothing is imported for anything else."""
    if isinstance(given, str):
        return given.startswith(PREFIX)
    return hasattr(given, "new_initial_state") or (hasattr(given, "apply_action") and hasattr(given, "legal_actions"))


def open_spiel(given: Any, key: Key | None = None) -> OpenSpiel:
    """The world of a game, a state or a name that ``is_open_spiel``."""
    try:
        return OpenSpiel(given.removeprefix(PREFIX) if isinstance(given, str) else given, key)
    except ImportError:
        raise ImportError("games of OpenSpiel need it: pip install 'varde[games]'") from None
