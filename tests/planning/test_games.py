"""Two players in turn: what is kept at a node is what it is to whoever moves there."""

import itertools

import numpy as np
import pytest

import varde
from varde._compile import in_python
from varde.paper.reading import LEADING, Reading
from varde.planning import BTS, DENTS, MENTS, RENTS, TENTS, UCT, Search
from varde.planning.default import sweep
from varde.planning.trial import beliefs
from varde.random import key, stream
from varde.worlds import SimulationError, tabulate

from .trees import children, edges_of, inner_nodes

ALGORITHMS = [
    UCT(1.0), BTS(0.1, 0.5), MENTS(0.05, 0.5), RENTS(0.05, 0.5), TENTS(0.05, 0.5), DENTS(0.1, 0.5),
    Reading(sampled=False).varde(0.1, 0.1), LEADING.varde(0.1, 0.1), varde.VarDE(),
]  # fmt: skip


class Nim:
    """Take any number from one heap; who takes the last one wins."""

    def __init__(self, *heaps):
        self.start = heaps, 0

    def actions(self, state):
        return [(heap, take) for heap, left in enumerate(state[0]) for take in range(1, left + 1)]

    def player(self, state):
        return state[1]

    def step(self, state, action, rng):
        (heap, take), (heaps, mover) = action, state
        left = (*heaps[:heap], heaps[heap] - take, *heaps[heap + 1 :])
        return (left, 1 - mover), 0.0 if any(left) else 1.0 - 2.0 * mover


def winning(heaps):
    """The moves that leave a sum of 0."""
    nim = Nim(*heaps)
    left = {move: nim.step(nim.start, move, None)[0][0] for move in nim.actions(nim.start)}
    return {move for move, heaps in left.items() if np.bitwise_xor.reduce(heaps) == 0}


def nim_table(*heaps):
    nim = Nim(*heaps)
    return tabulate(lambda s: {a: [(1.0, *nim.step(s, a, None))] for a in nim.actions(s)}, start=nim.start)


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=str)
def test_every_algorithm_finds_the_winning_move_of_either_player(algorithm):
    table = nim_table(1, 2, 2).with_players(Nim().player)
    for heaps, mover in (((1, 2, 2), 0), ((1, 1, 2), 1)):
        start = table.state((heaps, mover))
        search = Search(algorithm, table, start, 6, graph=True, engine="python")
        search.run(400, stream(key(mover, "nim")))
        rows = search.edges()
        rows = search.tree.edges[rows]
        best = table.legal(start)[rows["action"][np.argmax(rows["q"])]]
        assert best in winning(heaps)


@pytest.mark.parametrize("mover", [0, 1])
def test_a_move_is_valued_by_the_one_who_makes_it(mover):
    move = varde.plan(Nim(1, 3, 5), ((1, 3, 5), mover), 2000, horizon=10)
    assert {move.best} == winning((1, 3, 5))
    assert move.player == mover and move.sentence.startswith(f"Player {mover} takes (")
    assert move.value == pytest.approx(1.0, abs=0.02) and move.values[move.best] == 1.0
    assert all(value < -0.8 for action, value in move.values.items() if action != move.best)


def test_sides_may_be_exchanged():
    first, second = (varde.plan(Nim(1, 2, 3), ((2, 2, 3), mover), 300, horizon=10) for mover in (0, 1))
    assert first.values == second.values and first.visits == second.visits and first.value == second.value


def test_a_table_is_a_game_with_a_player():
    move = varde.Planner(nim_table(1, 3, 5), horizon=10, player=Nim().player)(budget=2000)
    assert {move.best} == winning((1, 3, 5)) and move.value == pytest.approx(1.0, abs=0.02)


def test_exact_values_below_the_root_are_those_of_minimax():
    table = nim_table(1, 2, 3).with_players(Nim().player)
    search = Search(varde.VarDE(), table, table.start, 7, graph=True)
    search.run(3000, stream(key(0, "minimax")))
    for node in range(search.tree.used[0]):
        heaps, _ = table.states[search.tree.nodes["state"][node]]
        if any(heaps):
            assert search.tree.nodes["value"][node] == pytest.approx(1.0 if winning(heaps) else -1.0, abs=0.1)


def test_a_player_may_move_twice():
    """Who takes one coin moves again; who takes the last one wins: with two left, take one and then the other."""

    def step(state, take, rng):
        mover, left = state
        return (mover if take == 1 else 1 - mover, left - take), 1.0 - 2.0 * mover if take == left else 0.0

    def legal(state):
        return [take for take in (1, 3) if take <= state[1]]

    for mover, left in itertools.product((0, 1), (2, 5)):
        move = varde.Planner(step, horizon=6, actions=legal, player=lambda state: state[0])((mover, left), 100)
        assert (move.best, move.values[1]) == (1, 1.0)
    assert move.values[3] < -0.8  # leaves two to the other


def test_who_moves_is_checked():
    with pytest.raises(ValueError, match=r"player returned 2 in state .*: return 0 where"):
        varde.Planner(Nim(1, 2), horizon=5, player=lambda state: 2)(budget=10)
    with pytest.raises(TypeError, match="player is 1: write a function"):
        varde.Planner(Nim(1, 2), horizon=5, player=1)(budget=10)
    with pytest.raises(SimulationError, match=r"player failed in state .*ZeroDivisionError"):
        varde.Planner(Nim(1, 2), horizon=5, player=lambda state: 1 / 0)(budget=10)


def test_learning_is_for_one_player():
    with pytest.raises(TypeError, match=r"has two players: .*varde.plan"):
        varde.learn(Nim(1, 2), 100)


# -- tic-tac-toe -----------------------------------------------------------------------------------

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


SQUARE = np.arange(9).reshape(3, 3)
TURNS = [turned.ravel().tolist() for i in range(4) for turned in (np.rot90(SQUARE, i), np.rot90(SQUARE, i).T)]


class TicTacToe:
    """Nine fields as a string; X moves first."""

    start = "." * 9

    def actions(self, board):
        won = any(board[a] == board[b] == board[c] != "." for a, b, c in LINES)
        return [] if won else [field for field in range(9) if board[field] == "."]

    def player(self, board):
        return board.count("X") - board.count("O")

    def step(self, board, field, rng):
        mark = "XO"[self.player(board)]
        board = board[:field] + mark + board[field + 1 :]
        won = any(board[a] == board[b] == board[c] == mark for a, b, c in LINES)
        return board, 0.0 if not won else 1.0 if mark == "X" else -1.0


def lost(choose, colour):
    """The boards in which the other one wins, whatever he replies."""
    game, found, queue = TicTacToe(), [], {TicTacToe.start: 0.0}  # one of those that are mirror images
    for board in (boards := list(queue)):
        moves = game.actions(board)
        if not moves and queue[board] * (1 - 2 * colour) < 0.0:
            found.append(board)
        for field in [choose(board)] if moves and game.player(board) == colour else moves:
            to, reward = game.step(board, field, None)
            to = min("".join(to[i] for i in turn) for turn in TURNS)
            if to not in queue:
                boards.append(to)
            queue[to] = reward
    return found


@pytest.mark.parametrize("colour", [0, 1])
def test_tic_tac_toe_is_never_lost_whatever_the_other_replies(colour):
    game = TicTacToe()
    table = tabulate(lambda s: {a: [(1.0, *game.step(s, a, None))] for a in game.actions(s)}, start=game.start)
    planner = varde.Planner(table, 9, player=game.player)
    assert lost(lambda board: planner(board, 1000).best, colour) == []


@pytest.mark.parametrize(("board", "value"), [("XX.OO....", 1.0), ("X.O......", 1.0), ("X...O....", 0.0)])
def test_a_solved_position_has_its_exact_value(board, value):
    """Won at once, won by a fork, drawn: every other move was followed to the end, so that nothing is uncertain."""
    planner = varde.Planner(TicTacToe(), 9)
    move = planner(board, 3000)
    assert move.value == value and planner.search.tree.nodes["variance"][0] == 0.0


def test_after_a_sweep_every_node_of_a_game_is_what_the_formulas_say():
    game = TicTacToe()
    table = tabulate(lambda s: {a: [(1.0, *game.step(s, a, None))] for a in game.actions(s)}, start=game.start)
    world = table.with_players(game.player)
    search = Search(varde.VarDE(), world, world.start, 9, graph=True, engine="python")
    search.run(120, stream(key(0, "bounds")))
    tree, memory = search.tree, search.memory
    sweep(search.algorithm, in_python(memory), search.view, search.settings)
    level = memory.level["squares"] / np.maximum(memory.level["count"] - 1, 1)
    solved = drawn = 0
    for node in inner_nodes(tree):
        own = tree.nodes[node]
        depth = 9 - world.states[own["state"]].count(".")
        tried = np.array([e for e in edges_of(tree, node) if tree.edges["count"][e] > 0])
        kid = [children(tree, e)[0][0] for e in tried]
        edges, kids, lower = tree.edges[tried], tree.nodes[kid], memory.lower
        ends = kids["width"] == 0
        won = edges["q"] * ends  # what an end is worth to who made it: 1 or 0
        high, low = np.where(ends, won, -lower[kid]), np.where(ends, won, -kids["optimistic"])
        assert np.array_equal(edges["optimistic"], high)
        hope = max(high.max(), 1.0 if len(tried) < own["width"] else -1.0)
        assert (own["optimistic"], lower[node]) == (hope, low.max())
        if low.max() == hope:
            solved += 1
            assert (own["value"], own["variance"]) == (hope, 0.0)
            continue
        q, visits = edges["q"], own["visits"]
        v = beliefs(search.algorithm, in_python(memory), search.view, node).variances
        known = (high == low) & (edges["own"] == 0.0)
        assert (edges["score"][known] == 0.0).all() and (edges["score"][~known] > 0.0).all()
        with np.errstate(invalid="ignore", divide="ignore"):
            z = np.where(q == q.max(), 0.0, np.minimum((q.max() - q) / np.sqrt(v[q.argmax()] + v), 25.0))
            a = np.where(v > 1e-12 * v[q.argmax()], np.exp(-(z**2) / 4) * v[q.argmax()] / v, 0.0)
        a[q.argmax()] = 1.0
        spread = (5 * level[depth] + own["squares"]) / (5 + visits - 1)
        u = spread if visits == 1 else (a**2 * v).sum() / a.sum() ** 2
        d, error = (a * q).sum() / a.sum() - own["returns"], spread / visits
        c = (d**2 + error) / (d**2 + error + 30.0 * u) if d**2 + error > 0 else 1.0
        drawn += c < 0.5
        assert own["value"] == pytest.approx(own["returns"] + c * d)
        assert own["variance"] == pytest.approx((c * np.sqrt(u) + (1 - c) * np.sqrt(error)) ** 2)
    assert solved > 20 and drawn > 5
