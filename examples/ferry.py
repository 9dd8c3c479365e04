"""Planning in a simulator of your own: a ferry with six places; sail now, or wait for more cars?

Sailing pays per car and has a fixed cost; every minute of waiting costs each car on board.
"""

import varde
import varde.testing


class Ferry:
    start = (0, 0)  # cars on board, minutes since the last departure

    def actions(self, state):
        return ["wait", "sail"]

    def step(self, state, action, rng):
        cars, minutes = state
        arrived = int(rng.poisson(1.0))
        if action == "sail":
            return (min(arrived, 6), 0), 5.0 * cars - 8.0
        return (min(cars + arrived, 6), min(minutes + 1, 9)), -0.5 * cars


ferry = Ferry()
varde.testing.check_world(ferry)  # draws from rng alone, changes no state it was given, ...

print("Four cars on board, the last ferry left two minutes ago:")
print(varde.plan(ferry, (4, 2), budget=2_000, horizon=10, discount=0.95))

print("\nThe same simulator, learned once for every state:")
policy = varde.learn(ferry, 10_000, discount=0.95)
for cars in range(7):
    state = (cars, 2)
    print(f"  {cars} cars: {policy[state]}, the wrong action with probability {policy.doubt[state]:.0%}")
