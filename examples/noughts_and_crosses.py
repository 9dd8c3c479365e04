"""A game for two: noughts and crosses.  Say who moves and what follows; planning looks ahead for both players.

First one position in full, then some games against a player who moves at random.
"""

import numpy as np

import varde

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


class Game:
    start = "........."  # nine fields, row by row; X moves first

    def player(self, board):
        return board.count("X") - board.count("O")  # 0: X, 1: O

    def actions(self, board):
        won = any(board[a] == board[b] == board[c] != "." for a, b, c in LINES)
        return [] if won else [field for field in range(9) if board[field] == "."]

    def step(self, board, field, rng):
        mark = "XO"[self.player(board)]
        board = board[:field] + mark + board[field + 1 :]
        won = any(board[a] == board[b] == board[c] == mark for a, b, c in LINES)
        return board, (1.0 if mark == "X" else -1.0) if won else 0.0  # rewards are those of the first player


game, rng = Game(), np.random.default_rng(0)
planner = varde.Planner(game, horizon=9)

print("X..\n...\n...\nO is to move, on a field from 0 to 8.")
print(planner("X........", budget=2_000))

results = {1.0: 0, 0.0: 0, -1.0: 0}
for _ in range(10):
    board, reward = game.start, 0.0
    while game.actions(board):
        if game.player(board) == 1:  # we play O
            field = planner(board, budget=200).best
        else:
            field = int(rng.choice(game.actions(board)))
        board, reward = game.step(board, field, rng)
    results[reward] += 1
print(f"\nSecond against random play: {results[-1.0]} won, {results[0.0]} drawn, {results[1.0]} lost")
