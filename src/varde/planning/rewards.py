"""Q(s, a) by its successors, with rewards as the model expects them or as they were sampled."""

from __future__ import annotations

from .._compile import helper
from ..worlds.table import side
from .loop import draws, edge_value
from .tree import NONE


@helper
def action_value(sampled, problem, tree, node, edge, discount):
    """sum_k N(e, k) / N(e) (r(k) + discount V(child k)) if ``sampled``; otherwise the model's E[r] in place of r(k).

    A table knows the reward with each successor, so that what is sampled there is the successor.
    """
    if not sampled:
        return edge_value(problem, tree, node, edge, discount)
    total, outcome = 0.0, tree.edges.outcome[edge]
    while outcome != NONE:
        value = side(problem, tree.outcomes.successor[outcome]) * tree.nodes.value[tree.outcomes.child[outcome]]
        total += tree.outcomes.times[outcome] * (tree.outcomes.reward[outcome] + discount * value)
        outcome = tree.outcomes.next[outcome]
    return side(problem, tree.nodes.state[node]) * total / draws(problem, tree, edge)
