"""Planning in a Gymnasium environment: cross a frozen lake without falling through a hole.

The ice is slippery: you move as intended only one time in three.  Before each step, plan ahead from where you are.
"""

import gymnasium

import varde

ARROWS = "←↓→↑"

env = gymnasium.make("FrozenLake-v1")
env.reset(seed=1)
print(varde.plan(env, budget=5_000))  # the first decision in full: values, intervals, how sure

over = truncated = False
moves = []
while not (over or truncated):
    move = varde.plan(env, budget=5_000)  # begins where env is, and leaves it there
    moves.append(move)
    _, reward, over, truncated, _ = env.step(move.action)

print("\nmoves:", "".join(ARROWS[move.action] for move in moves))
print(f"each the best with probability {min(move.p_right for move in moves):.0%} or more")
print("reached the goal" if reward else "did not reach the goal", f"after {len(moves)} steps")
