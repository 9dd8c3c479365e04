"""Planning in a world of your own: as a table, and as a step function."""

import varde

# A table: for each state, for each action, (probability, successor, reward).
island = varde.tabulate(
    {
        "shore": {
            "swim": [(0.7, "island", -2.0), (0.3, "shore", -2.0)],
            "build a boat": [(1.0, "boat", -1.0)],
        },
        "boat": {"row": [(0.95, "island", -0.5), (0.05, "shore", -0.5)]},
        "island": {"dig": [(0.5, "rich", 10.0), (0.5, "island", -1.0)]},
        "rich": {},
    }
)
print(varde.plan(island, "shore", 2000, horizon=12), "\n")


# A step function and the legal actions.  States are whatever can be hashed.
def step(stock, order, rng):
    demand = int(rng.poisson(3))
    sold = min(stock + order, demand)
    left = min(stock + order - sold, 10)
    return left, 5.0 * sold - 2.0 * order - 0.3 * left


shop = varde.Planner(step, horizon=5, discount=0.95, actions=range(0, 7, 2))
print(shop(1, budget=600))
