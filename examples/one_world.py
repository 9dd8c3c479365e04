"""One world, two questions: what to do now (plan), and what to do wherever one comes (learn)."""

import gymnasium

import varde
import varde.testing


class Ferry:
    """Cars arrive at a ferry with six places.  Sail now, or wait for more?  Every minute of waiting costs each car."""

    start = (0, 0)  # cars on board, minutes since the last departure

    def actions(self, state):
        return ["wait", "sail"]

    def step(self, state, action, rng):
        cars, minutes = state
        arrived = int(rng.poisson(1.0))
        if action == "sail":
            return (min(arrived, 6), 0), 5.0 * cars - 8.0
        return (min(cars + arrived, 6), min(minutes + 1, 9)), -0.5 * cars


varde.testing.check_world(Ferry())

print(varde.plan(Ferry(), (4, 2), budget=2_000, horizon=10, discount=0.95), "\n")
policy = varde.learn(Ferry(), 20_000, discount=0.95)
print({cars: policy[cars, 2] for cars in range(7)}, "\n")

# The same two calls for a Gymnasium environment.  Planning begins where the environment is, and leaves it there.
env = gymnasium.make("Blackjack-v1")
env.reset(seed=1)
print(varde.plan(env, budget=2_000, horizon=10))
