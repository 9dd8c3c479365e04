"""Play an episode of a Gymnasium environment: a search chooses every move, and random play is shown beside it."""

import gymnasium

import varde

env = gymnasium.make("CliffWalking-v1")


def play(choose, seed=0, longest=200):
    state, _ = env.reset(seed=seed)
    rewards = []
    over = cut = False
    while len(rewards) < longest and not (over or cut):
        state, reward, over, cut, _ = env.step(choose(state))
        rewards.append(reward)
    return f"return {sum(rewards):g} after {len(rewards)} moves"


def searched(state):
    return varde.plan(env, state, budget=100, horizon=20, discount=0.99).best


env.action_space.seed(0)
print("a search before every move:", play(searched))
print("random play:               ", play(lambda state: env.action_space.sample()))
