"""Where a world may lead somewhere new at every step, trials follow old outcomes (progressive widening).

A new outcome would be visited only once.  So of N trials through an edge N^(3/4) ask the world, and the others follow
an outcome seen before, by how often the world led there.  Whether outcomes repeat is found out from pairs of draws.
Where actions are sampled, a state has few at first, and more as it is visited.
"""

from __future__ import annotations

from .._compile import helper
from ..random import integer
from .tree import ALIKE, COMPARED, FULL, NONE

WIDENING = 0.75  # of N trials through an edge whose outcomes never repeat, N to this power see a new one
FEW = 4  # an outcome is rare that came up in at most a quarter of as many draws or more
RARE = 200  # rare outcomes do not repeat if of so many pairs of draws not one is alike


@helper
def never_repeats(tree):
    """Whether the world nearly always leads to a new state, apart from a few frequent ones."""
    return RARE * (tree.facts[ALIKE] + 1) <= tree.facts[COMPARED]


@helper
def follow_again(tree, edge, rng):
    """An outcome of the edge that a trial follows without asking the world; NONE if the world is asked."""
    if not never_repeats(tree):
        return NONE
    drawn, pending = tree.edges.drawn[edge], tree.edges.pending[edge]
    if drawn < 2 or drawn + pending <= (tree.edges.count[edge] + pending) ** WIDENING:
        return NONE
    left, outcome = integer(drawn, rng), tree.edges.outcome[edge]
    while left >= tree.outcomes.times[outcome]:
        left -= tree.outcomes.times[outcome]
        outcome = tree.outcomes.next[outcome]
    child = tree.outcomes.child[outcome]
    return outcome if tree.nodes.tried[child] > 0 or tree.nodes.width[child] == 0 else NONE


@helper
def compare_draws(tree, edge, outcome):
    """Compare a draw with the earlier ones of its edge, if it led somewhere rare."""
    times, drawn = tree.outcomes.times[outcome], tree.edges.drawn[edge]
    if drawn >= FEW and FEW * times <= drawn and tree.nodes.width[tree.outcomes.child[outcome]] > 0:
        tree.facts[COMPARED] += rare_draws(tree, edge)
        tree.facts[ALIKE] += times


@helper
def rare_draws(tree, edge):
    """How many draws led to rare states that are not terminal.

    A world may have outcomes that repeat, such as a wall or an empty store, besides those that do not.
    """
    total, outcome = 0, tree.edges.outcome[edge]
    while outcome != NONE:
        times = tree.outcomes.times[outcome]
        if FEW * times <= tree.edges.drawn[edge] and tree.nodes.width[tree.outcomes.child[outcome]] > 0:
            total += times
        outcome = tree.outcomes.next[outcome]
    return total


@helper
def add_sampled(world, tree, node):
    """Let a node with W actions have those that its state has gained, after W^2 visits."""
    width = tree.nodes.width[node]
    if tree.nodes.tried[node] < width or tree.nodes.visits[node] < width * width or tree.facts[FULL] == 1:
        return
    more, first = world.states.width[tree.nodes.state[node]], tree.nodes.first[node]
    if more > width and tree.used[1] + more <= tree.edges.count.shape[0]:
        for edge in range(first, first + width):
            if tree.edges.pending[edge] > 0:  # a pending trial will come back to it
                return
        tree.nodes.width[node] = more
