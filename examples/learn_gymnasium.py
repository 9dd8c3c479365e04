"""Learn a policy for a Gymnasium environment, then play whole episodes with it, on seeds it has not seen."""

import gymnasium
import numpy as np

import varde

env = gymnasium.make("FrozenLake-v1")
policy = varde.learn(env, 10_000, discount=0.99)
print(policy.sentence)


def play(choose, episodes=200):
    returns = []
    for episode in range(episodes):
        state, _ = env.reset(seed=1_000_000 + episode)
        total, over = 0.0, False
        while not over:
            state, reward, ended, cut, _ = env.step(choose(state))
            total, over = total + reward, ended or cut
        returns.append(total)
    return f"{np.mean(returns):.2f} ± {np.std(returns) / np.sqrt(episodes):.2f}"


env.action_space.seed(0)
print("\nMean return of the policy:", play(policy.get))
print("of random play:           ", play(lambda state: env.action_space.sample()))
