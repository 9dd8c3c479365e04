"""Worlds whose outcomes never repeat, with truth: the regret of the move, how sure it was, time and memory.

    python benchmarks/planning_wide.py [outcomes|sure|many|knowledge|actions] [--moves 40] [--budgets 200,1000]

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


def shares(lost, chance):
    """Mean regret, as a share of a random action's, and its standard error."""
    share = np.array(lost) / np.mean(chance)
    return f"{share.mean():.3f} ({share.std() / math.sqrt(len(lost)):.3f})"


def outcomes(moves, budgets, who):
    """Ours or the peer's; with PYTHONPATH elsewhere, another version of ours."""
    print(f"regret of the move as a share of a random one's, {moves} moves; CPU ms per move; states met per move")
    for name, world in WORLDS.items():
        truth, cells = Truth(world), []
        for budget in budgets:
            lost, chance, met, rng = [], [], 0, np.random.default_rng(5)
            began = time.process_time()
            for seed in range(moves):
                state = world.start(rng)
                qs = truth.qs(state)
                if who == "peer":
                    taken = Peer(world).plan(state, budget, np.random.default_rng(seed))
                else:
                    planner, move = ours(world, state, budget, seed)
                    taken, met = move.best, met + len(planner.search.atlas.states)
                lost.append(qs.max() - qs[world.actions.index(taken)])
                chance.append(qs.max() - qs.mean())
            took = (time.process_time() - began) / moves
            cells.append(f"{budget}: {shares(lost, chance)} {1e3 * took:.0f} ms {met // moves}")
        print(f"{name:8}", *cells, sep="  ", flush=True)


def sure(moves, budgets):
    """How often the move is right, by what was stated: over all worlds, by budget."""
    for budget in budgets:
        stated, right = [], []
        for world in WORLDS.values():
            truth, rng = Truth(world), np.random.default_rng(11)
            for seed in range(moves):
                state = world.start(rng)
                qs = truth.qs(state)
                move = ours(world, state, budget, 1000 + seed)[1]
                stated.append(move.p_right)
                right.append(qs[world.actions.index(move.best)] >= qs.max() - 1e-3 * (qs.max() - qs.min()))
        stated, right = np.array(stated), np.array(right)
        bins = np.digitize(stated, [0.5, 0.7, 0.85, 0.95, 0.99])
        cells = [
            f"{stated[bins == b].mean():.3f}->{right[bins == b].mean():.3f} ({(bins == b).sum()})"
            for b in np.unique(bins)
        ]
        print(budget, f"mean {np.mean(stated):.3f}->{np.mean(right):.3f}", *cells, sep="  ", flush=True)


# -- discrete worlds with many outcomes --------------------------------------------------------------


def many(moves, budgets):
    """Worlds of 5 actions whose steps lead to K states, all as likely: followed again or not, nothing must be lost."""
    from varde.worlds.solve import best_values

    for successors in (10, 50, 200):
        cells = []
        for budget in budgets:
            lost, chance, followed = [], [], []
            for seed in range(moves):
                table, horizon = garnet(seed, 400, 5, successors), 4
                q = best_values(table.model, horizon).pairs[0][table.model.pairs[0] : table.model.pairs[1]]

                def step(state, action, rng, table=table):
                    pair = table.model.pairs[state] + action
                    first, last = table.model.outcomes[pair : pair + 2]
                    k = int(rng.integers(first, last))
                    return int(table.model.successors[k]), float(table.model.rewards[k])

                planner = varde.Planner(step, horizon, actions=range(5), seed=seed)
                taken = planner(0, budget).best
                edges = planner.search.edges()
                if hasattr(planner.search.tree, "drawn"):
                    drawn = (
                        planner.search.tree.edges["drawn"][edges].sum()
                        / planner.search.tree.edges["count"][edges].sum()
                    )
                    followed.append(1.0 - drawn)
                lost.append(q.max() - q[taken])
                chance.append(q.max() - q.mean())
            again = f" followed {np.mean(followed):.2f}" if followed else ""
            cells.append(f"{budget}: {shares(lost, chance)}{again}")
        print(f"K = {successors:3}", *cells, sep="  ", flush=True)


def garnet(seed, states, actions, successors):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=states)  # of being in a state: what is paid on the way there
    moves = {}
    for s in range(states):
        moves[s] = {}
        for a in range(actions):
            tilt = rng.choice(states, successors, replace=False)
            moves[s][a] = [(1.0 / successors, int(k), float(values[k])) for k in tilt]
    return varde.tabulate(moves, 0)


# -- knowledge ---------------------------------------------------------------------------------------


def knowledge(moves, budgets):
    """Good, useless and wrong knowledge on tables with exact solutions."""
    from varde.environments import frozen_lake, taxi

    worlds = {
        "garnet": (garnet(3, 60, 4, 3), 12, 0.9),
        "taxi": (taxi(), 25, 0.95),
        "lake": (frozen_lake(), 40, 0.97),
    }
    for name, world in worlds.items():
        know(name, *world, moves, budgets)


def know(name, table, horizon, discount, moves, budgets):
    from varde.worlds.solve import best_values

    model, found = table.model, best_values(table.model, horizon, discount)
    live = np.flatnonzero(np.diff(model.pairs) > 0)
    v, q, spread = found.values[0], found.pairs[0], found.values[0][live].std()
    rng = np.random.default_rng(0)
    noise = rng.normal(size=v.size)

    def qs(state):
        s = table.state(state)
        return q[model.pairs[s] : model.pairs[s + 1]]

    def weights(state, sign):
        return np.exp(sign * 4.0 * (qs(state) - qs(state).max()) / spread).clip(1e-6, 1e6)

    known = {
        "nothing": {},
        "value: V*": {"value": lambda s: v[table.state(s)]},
        "value: V* + noise": {"value": lambda s: v[table.state(s)] + spread * noise[table.state(s)]},
        "value: 0": {"value": lambda s: 0.0},
        "value: -V*": {"value": lambda s: -v[table.state(s)]},
        "prior: good": {"prior": lambda s: weights(s, 1.0)},
        "prior: random": {"prior": lambda s: np.random.default_rng(table.state(s)).exponential(size=qs(s).size)},
        "prior: wrong": {"prior": lambda s: weights(s, -1.0)},
    }
    starts = [table.states[int(s)] for s in rng.choice(live, moves)]
    for kind, options in known.items():
        cells = []
        for budget in budgets:
            lost, chance = [], []
            for seed, start in enumerate(starts):
                planner = varde.Planner(table, horizon, discount, seed=seed, hints=varde.planning.Hints(**options))
                taken = planner(start, budget).best
                lost.append(qs(start).max() - qs(start)[table.legal(table.state(start)).index(taken)])
                chance.append(qs(start).max() - qs(start).mean())
            cells.append(f"{budget}: {shares(lost, chance)}")
        print(f"{name:7} {kind:18}", *cells, sep="  ", flush=True)


# -- many actions ------------------------------------------------------------------------------------


def actions(moves, budgets):
    """One decision among K actions, noisy, then two more steps: listed, drawn, and sampled equally."""
    for size in (100, 1000, 10_000):
        cells = []
        for budget in budgets:
            found = {"listed": [], "drawn": [], "equal": []}
            cost = {"listed": [0.0, 0], "drawn": [0.0, 0]}
            for seed in range(moves):
                peak = np.random.default_rng(seed).random()

                def step(s, a, rng, peak=peak, size=size):
                    return s + 1, 1.0 - abs(a / size - peak) + 0.3 * rng.standard_normal()

                for how in ("listed", "drawn"):
                    options = {"actions": range(size)} if how == "listed" else {}
                    if how == "drawn":
                        options["sample_action"] = lambda s, rng, size=size: int(rng.integers(size))
                    if how == "listed" and size * budget > 2_000_000:
                        continue
                    began = time.process_time()
                    planner = varde.Planner(step, 3, seed=seed, **options)
                    move = planner(0, budget)
                    cost[how][0] += time.process_time() - began
                    cost[how][1] += planner.search.bytes
                    found[how].append(abs(move.best / size - peak))
                rng = np.random.default_rng(seed)
                tried = rng.integers(size, size=budget)
                paid = 1.0 - np.abs(tried / size - peak) + 0.3 * rng.standard_normal(budget)
                sums = np.bincount(tried, paid, size) / np.maximum(np.bincount(tried, minlength=size), 1)
                found["equal"].append(
                    abs(int(np.argmax(np.where(np.bincount(tried, minlength=size) > 0, sums, -9))) / size - peak)
                )
            for how, lost in found.items():
                if lost:
                    spent = (
                        f" {1e3 * cost[how][0] / moves:.0f} ms {cost[how][1] / moves / 1e6:.1f} MB"
                        if how in cost
                        else ""
                    )
                    cells.append(f"{budget} {how}: {np.mean(lost):.3f}{spent}")
        print(f"K = {size}", *cells, sep="  ", flush=True)


def main():
    options = dict(zip(sys.argv[2::2], sys.argv[3::2], strict=True))
    moves, who = int(options.get("--moves", 40)), options.get("--who", "ours")
    budgets = [int(b) for b in options.get("--budgets", "200,1000,5000").split(",")]
    what = sys.argv[1] if len(sys.argv) > 1 else "outcomes"
    if what == "outcomes":
        outcomes(moves, budgets, who)
    else:
        {"sure": sure, "many": many, "knowledge": knowledge, "actions": actions}[what](moves, budgets)


if __name__ == "__main__":
    main()
