"""When to reorder, and up to which stock?  Each design (s, S) is simulated; the cost per day is noisy.

Without arguments this finds the cheapest design.  With arguments it is a simulator for the shell:
    varde run "python examples/inventory.py --s {s} --S {S} --seed {seed}" \\
        --options examples/designs.csv --min --budget 400 -j 2 --store inventory.db
"""

import argparse
import csv
import random
from pathlib import Path


def cost(design, seed, days=120):
    """Cost per day: when the stock falls below ``low``, order up to ``high``; orders take three days."""
    low, high = design
    draw = random.Random(seed)
    stock, ordered, arrives, total = high, 0, 0, 0.0
    for day in range(days):
        if ordered and day == arrives:
            stock, ordered = stock + ordered, 0
        demand = round(draw.expovariate(1 / 10))
        total += 0.2 * max(stock - demand, 0) + 4.0 * max(demand - stock, 0)  # holding, and unmet demand
        stock = max(stock - demand, 0)
        if stock < low and not ordered:
            ordered, arrives = high - stock, day + 3
            total += 40.0
    return total / days


def find_the_cheapest():
    import varde

    with open(Path(__file__).with_name("designs.csv")) as file:
        designs = {f"s={row['s']}, S={row['S']}": (int(row["s"]), int(row["S"])) for row in csv.DictReader(file)}
    # crn: design A and design B meet the same demands, so that their difference is less noisy.
    found = varde.select(cost, designs, budget=1_000, goal="min", crn=True)
    print(found)
    best = found[found.best]
    print(f"\n{best.name} costs {best.low:.2f} to {best.high:.2f} a day; best with probability {found.p_right:.1%}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--s", type=int)
    parser.add_argument("--S", type=int)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    if given.s is None:
        find_the_cheapest()
    else:
        print(cost((given.s, given.S), given.seed))
