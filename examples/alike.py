"""107 designs of an inventory, 60 simulations: similar designs cost about the same, so most need not be tried.

Each design (s, S) says when to order and up to which stock.  ``alike=True`` compares designs by their parameters; the
same 60 simulations without it could try only a few designs, each of them by its own results.
"""

import random

import varde

DESIGNS = [{"s": s, "S": S} for s in range(10, 75, 5) for S in range(30, 131, 10) if s + 10 <= S][:107]


def cost(design, seed, days=365):
    """Cost per day: when the stock falls below s, order up to S; orders take three days."""
    draw = random.Random(seed)
    stock, ordered, arrives, total = design["S"], 0, 0, 0.0
    for day in range(days):
        if ordered and day == arrives:
            stock, ordered = stock + ordered, 0
        demand = round(draw.expovariate(1 / 10))
        total += 0.2 * max(stock - demand, 0) + 4.0 * max(demand - stock, 0)  # holding, and unmet demand
        stock = max(stock - demand, 0)
        if stock < design["s"] and not ordered:
            ordered, arrives = design["S"] - stock, day + 3
            total += 40.0
    return total / days


def true_cost(design):
    return sum(cost(design, seed) for seed in range(200)) / 200


if __name__ == "__main__":
    found = varde.select(cost, DESIGNS, budget=60, goal="min", alike=True)
    print(found)
    print(f"\nIt really costs {true_cost(found.best):.2f} a day.")

    # Without neighbours, 60 simulations are three for each of 20 designs.
    some = random.Random(1).sample(DESIGNS, 20)
    alone = varde.select(cost, some, budget=60, goal="min")
    print(
        f"Of 20 designs at random, each judged by itself: {alone.best_name}, which costs {true_cost(alone.best):.2f}."
    )
