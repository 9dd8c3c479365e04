"""Games of OpenSpiel as worlds: which are taken, how positions are told apart, and who moves."""

import random

import numpy as np
import pytest

import varde
from varde.planning import UCT
from varde.worlds.open_spiel import PRINTED, OpenSpiel
from varde.worlds.world import as_world

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: pip install 'varde[games]'")

SMALL = {"backgammon": "", "breakthrough": "(rows=5,columns=4)", "gomoku": "(size=5)", "havannah": "(board_size=3)",
         "hex": "(board_size=4)", "mnk": "(m=5,n=5,k=4)", "pig": "(winscore=15)", "y": "(board_size=4)"}  # fmt: skip


def test_a_game_is_planned_by_name_or_as_an_object():
    game = pyspiel.load_game("tic_tac_toe")
    state = game.new_initial_state()
    for action in (0, 1, 3, 4):  # the first player completes 0, 3, 6; the second would complete 1, 4, 7
        state.apply_action(action)
    kept = str(state)
    for move in (
        varde.plan("openspiel:tic_tac_toe", state, 100),
        varde.plan(game, state, 100),
        varde.plan(state, budget=100),
    ):
        assert move.best == 6 and move.values[6] == 1.0
    assert str(state) == kept and varde.Planner(game).horizon == 9


def ends_of(world, *orders):
    """The positions to which moves lead in one order and another."""
    rng, ends = np.random.default_rng(0), []
    start = world.start(rng)
    for order in orders:
        position = start
        for action in order:
            position, _ = world.step(position, action, rng)
        ends.append(position)
    return ends


def test_the_same_position_is_one_state_however_it_was_reached():
    one, other, again = ends_of(OpenSpiel("tic_tac_toe"), (0, 1, 2), (2, 1, 0), (0, 1, 2))
    assert one is other is again
    one, other, again = ends_of(OpenSpiel("go(board_size=3)"), (0, 1, 2), (2, 1, 0), (0, 1, 2))
    assert one is again and one is not other  # the way there may matter: ko
    assert not varde.Planner("openspiel:go(board_size=3)").options["graph"]
    one, other = ends_of(OpenSpiel("go(board_size=3)", key=str), (0, 1, 2), (2, 1, 0))
    assert one is other


@pytest.mark.parametrize("name", sorted(PRINTED))
def test_what_is_printed_decides_what_follows(name):
    """States of one print, reached in different ways, have the same moves and ends whatever is played."""
    game, draw, met = pyspiel.load_game(name + SMALL.get(name, "")), random.Random(1), 0
    for _ in range(30):
        state = game.new_initial_state()
        while not state.is_terminal() and len(state.history()) < 40:
            state.apply_action(draw.choice(state.legal_actions()))
            twin = with_two_moves_exchanged(game, state.history(), draw)
            if twin is None or (twin.current_player(), str(twin)) != (state.current_player(), str(state)):
                continue
            met += 1
            other, until = state.clone(), len(state.history()) + 30
            while not other.is_terminal() and len(other.history()) < until:
                assert (twin.legal_actions(), twin.current_player()) == (other.legal_actions(), other.current_player())
                action = draw.choice(other.legal_actions())
                other.apply_action(action)
                twin.apply_action(action)
                assert str(twin) == str(other)
            assert twin.is_terminal() == other.is_terminal() and twin.returns() == other.returns()
    assert met > 0


def with_two_moves_exchanged(game, history, draw):
    """The position after ``history`` with a move and the next but one exchanged; None where that is not allowed."""
    if len(history) < 3:
        return None
    first = draw.randrange(len(history) - 2)
    history[first], history[first + 2] = history[first + 2], history[first]
    state = game.new_initial_state()
    for action in history:
        if state.is_terminal() or action not in state.legal_actions():
            return None
        state.apply_action(action)
    return state


def test_dice_are_thrown_after_the_move():
    world, rng = OpenSpiel("pig(winscore=20)"), np.random.default_rng(0)
    start = world.start(rng)
    rolled = [world.step(start, 0, rng)[0] for _ in range(200)]
    assert len({id(position) for position in rolled}) == 6
    assert not any(position.state.is_chance_node() for position in rolled)
    move = varde.plan("openspiel:pig(winscore=6)", budget=400, horizon=40)
    assert move.best == 0  # roll: nothing is lost before anything was won


def test_one_player_is_a_world_like_any_other():
    world = as_world("openspiel:2048")
    assert world.player is None and world.horizon == 1000
    assert varde.Planner(world, horizon=5, algorithm=UCT(), tree=varde.planning.Growth(keep=False))(
        budget=20
    ).best in range(4)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("kuhn_poker", "do not see everything"),
        ("matrix_rps", "move at the same time"),
        ("tarok", "3 players"),
        ("no_such_game", "not a game of OpenSpiel"),
        ("bargaining", "do not see everything|not what the other loses"),
    ],
)
def test_what_cannot_be_planned_is_refused_with_the_reason(name, why, capfd):
    with pytest.raises(ValueError, match=why):
        varde.plan(f"openspiel:{name}", budget=10)


@pytest.mark.parametrize("name", ["tic_tac_toe", "pig(winscore=8)", "go(board_size=3)"])
def test_a_planner_goes_along_with_a_match(name):
    """What was found of the position that came is kept, whoever moved."""
    state = pyspiel.load_game(name).new_initial_state()
    planner, draw, kept = varde.Planner(f"openspiel:{name}", 20, seed=1), random.Random(0), []
    planner.begin(state)
    while not state.is_terminal():
        action = planner.think(120).best
        state.apply_action(action)
        while state.is_chance_node():
            state.apply_action(draw.choice(state.legal_actions()))
        if not state.is_terminal():
            kept.append(planner.advance(action, state))
    assert min(kept) > 0
