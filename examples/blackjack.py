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
        print(policy.sentence)

print("\nThe dealer shows a 10, and we have")
for mine in range(12, 22):
    hand = (mine, 10, 0)
    action = "hit" if policy[hand] else "stand"
    print(f"  {mine}: {action:5}  worth {policy.values[hand]:+.2f}, wrong with probability {policy.doubt[hand]:.0%}")


def play(choose, episodes=2_000):
    returns = []
    for episode in range(episodes):
        hand, _ = env.reset(seed=10_000 + episode)
        over = False
        while not over:
            hand, reward, over, _, _ = env.step(choose(hand))
        returns.append(reward)
    return f"{np.mean(returns):+.3f} ± {np.std(returns) / np.sqrt(episodes):.3f}"


rng = np.random.default_rng(0)
print("\nMean return of the policy:", play(policy.get))
print("of random play:           ", play(lambda hand: int(rng.integers(2))))
