"""A simulator as people have them: the cost per day of an (s, S) inventory policy, printed.

    varde run "python examples/inventory.py --s {s} --S {S} --seed {seed}" \
        --options examples/designs.csv --min --budget 400 -j 2 --store inventory.db

Demand is random.  When the stock falls below s, it is ordered up to S; orders take three days.  Orders, stock and
unmet demand cost money.
"""

import argparse
import random

parser = argparse.ArgumentParser()
parser.add_argument("--s", type=int, default=20)
parser.add_argument("--S", type=int, default=60)
parser.add_argument("--days", type=int, default=120)
parser.add_argument("--seed", type=int, default=0)
given = parser.parse_args()

draw = random.Random(given.seed)
stock, ordered, arrives, cost = given.S, 0, 0, 0.0
for day in range(given.days):
    if ordered and day == arrives:
        stock, ordered = stock + ordered, 0
    demand = round(draw.expovariate(1 / 10))
    cost += 0.2 * max(stock - demand, 0) + 4.0 * max(demand - stock, 0)
    stock = max(stock - demand, 0)
    if stock < given.s and not ordered:
        ordered, arrives = given.S - stock, day + 3
        cost += 40.0
print(cost / given.days)
