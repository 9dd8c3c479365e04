"""A game of OpenSpiel (pip install open_spiel): its states are the states of a world for two players, chance included.

It is for games in turn, of perfect information, in which one wins what the other loses.
"""

import numpy as np
import pyspiel

import varde


class Game:
    def __init__(self, name):
        self.game = pyspiel.load_game(name)

    def start(self, rng):
        return self.after_chance(self.game.new_initial_state(), rng)

    def player(self, state):
        return state.current_player()

    def actions(self, state):
        return state.legal_actions()

    def key(self, state):  # only if the board as printed determines what can follow; otherwise state.history_str()
        return state.current_player(), str(state)

    def step(self, state, action, rng):
        after = state.clone()
        after.apply_action(action)
        self.after_chance(after, rng)
        return after, after.returns()[0] - state.returns()[0]  # rewards are those of the first player

    def after_chance(self, state, rng):
        while state.is_chance_node():
            outcomes, chances = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(int(rng.choice(outcomes, p=chances)))
        return state


for name, horizon in (("connect_four", 42), ("pig(winscore=15)", 100)):
    world, rng = Game(name), np.random.default_rng(0)
    planner, state = varde.Planner(world, horizon), world.start(rng)
    print(f"{name}, the first move:\n{planner(state, budget=300)}\n")
    while world.actions(state):
        best = world.player(state) == 0  # against a player who moves at random
        action = planner(state, budget=100).best if best else int(rng.choice(world.actions(state)))
        state, _ = world.step(state, action, rng)
    print(f"{state}\nThe search against random play: {state.returns()[0]:+g}\n")
