"""The value of the policy that a search recommends.

The policy follows the recommendations as long as the state is in the tree, and plays at random after that.
``policy_value`` is its exact value on a tabular model, from the probability of reaching each node.
"""

from __future__ import annotations

from .._compile import kernel
from .loop import recommend
from .tree import NONE, first_action, seen_before


@kernel
def policy_value(algorithm, model, tree, settings, random_values, reached, queue, rng):
    """The exact value.  ``random_values [H + 1, S]`` are those of random play; ``reached [N]`` must be all 0.

    Nodes are processed in order of depth, so a node reached by several paths is complete in time.
    """
    queue[0], reached[0] = 0, 1.0
    begin, end, depth, factor, total = 0, 1, 0, 1.0, 0.0
    while begin < end:
        level = end
        for i in range(begin, level):
            node = queue[i]
            share, state = reached[node] * factor, tree.nodes.state[node]
            action = recommend(algorithm, tree, node, rng) if tree.nodes.width[node] > 0 else -1
            if action < 0:  # nothing known here: the end of the episode, or random play
                total += share * random_values[depth, state]
                continue
            pair, edge = model.pairs[state] + first_action(tree, node) + action, tree.nodes.first[node] + action
            total += share * model.means[pair]
            for k in range(model.outcomes[pair], model.outcomes[pair + 1]):
                successor, chance = model.successors[k], model.probabilities[k]
                outcome = seen_before(tree, edge, successor)
                if outcome == NONE:
                    total += share * chance * settings.discount * random_values[depth + 1, successor]
                    continue
                child = tree.outcomes.child[outcome]
                if reached[child] == 0.0:
                    queue[end] = child
                    end += 1
                reached[child] += reached[node] * chance
        begin = level
        depth += 1
        factor *= settings.discount
    for i in range(end):
        reached[queue[i]] = 0.0
    return total
