"""Blackjack: learn when to take another card, in a file that survives, and play with what was learned."""

import tempfile
from pathlib import Path

import gymnasium
import numpy as np

import varde

env = gymnasium.make("Blackjack-v1")
with tempfile.TemporaryDirectory() as folder:
    for budget in (5_000, 20_000):  # the second call goes on with the file of the first
        policy = varde.learn(env, budget, discount=1, store=Path(folder) / "blackjack.varde")
        print(policy)

print("the dealer shows a 10, and we have")
for mine in range(12, 22):
    hand = (mine, 10, 0)
    action = "hit" if policy[hand] else "stand"
    print(f"  {mine}: {action:6} worth {policy.values[hand]:+.2f}, wrong with probability {policy.doubt[hand]:.2f}")


def play(choose, episodes):
    returns = []
    for episode in range(episodes):
        hand, _ = env.reset(seed=10_000 + episode)
        over, total = False, 0.0
        while not over:
            hand, reward, over, _, _ = env.step(choose(hand))
            total += reward
        returns.append(total)
    return f"{np.mean(returns):+.3f} ± {np.std(returns) / np.sqrt(episodes):.3f}"


rng = np.random.default_rng(0)
print("mean return of the policy:", play(lambda hand: policy[hand], 2_000))
print("of random play:           ", play(lambda hand: int(rng.integers(2)), 2_000))
