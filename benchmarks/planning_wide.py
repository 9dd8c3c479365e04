"""Worlds whose outcomes never repeat, with truth: the regret of the move, how sure it was, time and memory.

    python benchmarks/planning_wide.py [outcomes|sure|...] [--moves 40] [--budgets 200,1000,5000]

The worlds are noisy and continuous; their truth is a discretised solution on a fine grid (quadrature over the noise,
linear interpolation).  Regret is Q*(best) - Q*(taken), summed over the moves, as a share of what a random action
loses.  The peer is UCT with double progressive widening (Couetoux et al. 2011), written here.
"""

from __future__ import annotations

import math
import sys
import time

import numpy as np

import varde

NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(15)  # of a standard normal
WEIGHTS = WEIGHTS / WEIGHTS.sum()
CHANCES = (np.arange(25) + 0.5) / 25  # of a uniform


class Wander:
    """Stay near 0 on a line; every step is noisy, force costs a little."""

    actions, horizon, discount = (-1.0, -0.5, 0.0, 0.5, 1.0), 8, 1.0
    grids = (np.linspace(-6, 6, 601),)
    noises, chances = NODES, WEIGHTS

    def start(self, rng):
        return (rng.uniform(-2, 2),)

    def go(self, state, action, noise):
        """Successor, reward, over: of numbers or arrays."""
        (x,) = state
        to = np.clip(x + 0.5 * action + 0.4 * noise, -6, 6)
        return (to,), -(to**2) - 0.1 * action**2, np.zeros_like(to, bool)

    def step(self, state, action, rng):
        to, reward, over = self.go(state, action, self.draw(rng))
        return tuple(float(x) for x in to), float(reward), bool(over)

    def draw(self, rng):
        return rng.standard_normal()


class Ledge(Wander):
    """Reach 1 soon without falling off at -0.4; long jumps are wild."""

    actions, horizon, discount = ("step", "jump", "wait"), 12, 0.95
    grids = (np.linspace(-0.4, 1.0, 561),)

    def start(self, rng):
        return (rng.uniform(-0.35, 0.7),)

    def go(self, state, action, noise):
        (x,) = state
        shift, sd = {"step": (0.1, 0.07), "jump": (0.3, 0.4), "wait": (0.0, 0.02)}[action]
        to = x + shift + sd * noise
        return (to,), np.where(to > 1, 1.0, np.where(to < -0.4, -1.0, 0.0)), (to > 1) | (to < -0.4)


class Shop(Wander):
    """How much to order?  Demand is exponential, stock is what flows."""

    actions, horizon, discount = (0.0, 1.0, 2.0, 4.0, 8.0), 8, 0.95
    grids = (np.linspace(0, 20, 401),)
    noises, chances = -3.0 * np.log(CHANCES), np.full(CHANCES.size, 1 / CHANCES.size)

    def start(self, rng):
        return (rng.uniform(0, 10),)

    def draw(self, rng):
        return 3.0 * rng.exponential()

    def go(self, state, action, noise):
        (stock,) = state
        have = np.minimum(stock + action, 20.0)
        sold = np.minimum(have, noise)
        left = have - sold
        return (left,), 5.0 * sold - 2.0 * action - 0.3 * left - 3.0 * (action > 0), np.zeros_like(left, bool)


class Swing(Wander):
    """A pendulum-like push: too weak to climb at once, swing to gain height; paid for being high."""

    actions, horizon, discount = (-1.0, 0.0, 1.0), 12, 1.0
    grids = (np.linspace(-math.pi, math.pi, 121), np.linspace(-5, 5, 121))
    noise = 0.3

    def start(self, rng):
        return rng.uniform(-2.5, 2.5), rng.uniform(-2, 2)

    def go(self, state, action, noise):
        angle, speed = state  # angle 0 hangs down
        faster = np.clip(speed + 0.4 * (-1.5 * np.sin(angle) + 1.2 * action) + self.noise * noise, -5, 5)
        turned = (angle + 0.4 * faster + math.pi) % (2 * math.pi) - math.pi
        return (turned, faster), -np.cos(turned) - 0.02 * faster**2, np.zeros_like(faster, bool)


class Calm(Swing):
    """The same with hardly any noise: outcomes never repeat and are nearly the same."""

    noise = 0.001


class Bet(Wander):
    """How much of the wealth to stake: concave utility at every step, fat noise, little drift."""

    actions, horizon, discount = (0.0, 0.25, 0.5, 0.75, 1.0), 6, 1.0
    grids = (np.linspace(0.02, 6, 599),)

    def start(self, rng):
        return (rng.uniform(0.3, 3),)

    def go(self, state, action, noise):
        (wealth,) = state
        to = np.clip(wealth * np.exp(action * (0.05 + 0.4 * noise)), 0.02, 6)
        return (to,), 1.0 - np.exp(-2 * to), np.zeros_like(to, bool)


WORLDS = {kind.__name__: kind() for kind in (Wander, Ledge, Shop, Swing, Calm, Bet)}


class Truth:
    """Q* from anywhere: backward on the grid, one step of quadrature at the end."""

    def __init__(self, world):
        self.world = world
        mesh = tuple(part.ravel() for part in np.meshgrid(*world.grids, indexing="ij"))
        self.shape = tuple(len(grid) for grid in world.grids)
        self.values = np.zeros(self.shape)
        for _ in range(world.horizon - 1):
            self.values = np.max([self.backed(mesh, action) for action in world.actions], axis=0).reshape(self.shape)

    def backed(self, states, action):
        world, total = self.world, 0.0
        for noise, chance in zip(world.noises, world.chances, strict=True):
            to, reward, over = world.go(states, action, noise)
            total = total + chance * (reward + world.discount * np.where(over, 0.0, self.at(to)))
        return total

    def at(self, states):
        """Linear interpolation."""
        found, weights, grids = 0.0, [], self.world.grids
        for x, grid in zip(states, grids, strict=True):
            place = np.clip((np.asarray(x) - grid[0]) / (grid[1] - grid[0]), 0, len(grid) - 1 - 1e-9)
            low = place.astype(int)
            weights.append((low, place - low))
        for corner in range(2 ** len(grids)):
            index, share = [], 1.0
            for axis, (low, part) in enumerate(weights):
                high = corner >> axis & 1
                index.append(low + high)
                share = share * (part if high else 1 - part)
            found = found + share * self.values[tuple(index)]
        return found

    def qs(self, state):
        return np.array([float(self.backed(state, action)) for action in self.world.actions])


class Peer:
    """UCT with double progressive widening; the bias is the range of the returns seen, as often advised."""

    def __init__(self, world, power=0.5, bias=1.0):
        self.world, self.power, self.bias = world, power, bias

    def plan(self, state, budget, rng):
        self.low, self.high = math.inf, -math.inf
        self.rng, root = rng, [0, {}]
        for _ in range(budget):
            self.trial(root, state, self.world.horizon)
        return max(root[1], key=lambda action: root[1][action][0])

    def trial(self, node, state, left):  # a node: visits, action -> [visits, mean, outcomes]
        world, rng = self.world, self.rng
        untried = [action for action in world.actions if action not in node[1]]
        if untried:
            action = untried[rng.integers(len(untried))]
            node[1][action] = [0, 0.0, []]
        else:
            scale = self.bias * max(self.high - self.low, 1e-12)
            action = max(
                node[1], key=lambda a: node[1][a][1] + scale * math.sqrt(math.log(node[0] + 1) / node[1][a][0])
            )
        edge = node[1][action]
        if len(edge[2]) <= edge[0] ** self.power:
            to, reward, over = world.step(state, action, rng)
            edge[2].append((to, reward, over, [0, {}]))
            gain = 0.0 if over or left == 1 else self.play(to, left - 1)
        else:
            to, reward, over, child = edge[2][rng.integers(len(edge[2]))]
            gain = 0.0 if over or left == 1 else self.trial(child, to, left - 1)
        gain = reward + world.discount * gain
        node[0] += 1
        edge[0] += 1
        edge[1] += (gain - edge[1]) / edge[0]
        if left == world.horizon:
            self.low, self.high = min(self.low, gain), max(self.high, gain)
        return gain

    def play(self, state, left):
        gain, factor = 0.0, 1.0
        for _ in range(left):
            state, reward, over = self.world.step(
                state, self.world.actions[self.rng.integers(len(self.world.actions))], self.rng
            )
            gain += factor * reward
            factor *= self.world.discount
            if over:
                break
        return gain


def ours(world, state, budget, seed, **options):
    planner = varde.Planner(world.step, world.horizon, world.discount, actions=world.actions, seed=seed, **options)
    return planner, planner(state, budget)


def outcomes(moves, budgets, who):
    print(f"regret of the move as a share of a random one's, {moves} moves; CPU ms per move")
    for name, world in WORLDS.items():
        truth, cells = Truth(world), []
        for budget in budgets:
            lost, chance, rng = [], [], np.random.default_rng(5)
            began = time.process_time()
            for seed in range(moves):
                state = world.start(rng)
                qs = truth.qs(state)
                if who == "peer":
                    taken = Peer(world).plan(state, budget, np.random.default_rng(seed))
                else:
                    taken = ours(world, state, budget, seed)[1].action
                lost.append(qs.max() - qs[world.actions.index(taken)])
                chance.append(qs.max() - qs.mean())
            took = (time.process_time() - began) / moves
            share = np.array(lost) / np.mean(chance)
            cells.append(f"{share.mean():.3f} ({share.std() / math.sqrt(moves):.3f}) {1e3 * took:.0f}ms")
        print(f"{name:8}", *cells, flush=True)


def main():
    options = dict(zip(sys.argv[2::2], sys.argv[3::2], strict=True))
    moves, who = int(options.get("--moves", 40)), options.get("--who", "ours")
    budgets = [int(b) for b in options.get("--budgets", "200,1000,5000").split(",")]
    outcomes(moves, budgets, who)


if __name__ == "__main__":
    main()
