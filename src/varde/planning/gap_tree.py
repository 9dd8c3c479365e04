"""VarDE() in trees: the gaps to the best action, values backed up with variances, and optimism.

At a node n of depth t, for its tried edges e with outcomes k seen N(e, k) times, p_k = N(e, k) / N(e), rewards r_k that
go with the outcome, g the discount:

    x_k  = r_k + g V(k)
    Q(e) = sum_k p_k x_k
    B(e) = sum_k p_k x_k^2 - Q(e)^2 + sum_k M2(r_k) / N(e)                           between the outcomes
    v(e) = g^2 sum_k p_k^2 v(k) + [5 C_t + N(e) B(e)] / (5 + N(e) - 1) / N(e)        variance of Q(e)

C_t is what B N / (N - 1) was on average at this depth, for edges seen twice or more: an edge seen once is not certain.
Q and V are mixtures of sums of rewards that were paid: they cannot leave what the world can pay.

    z(e) = (Q(b) - Q(e)) / sqrt(v(b) + v(e)),   b = argmax Q                         gap in standard errors
    a(e) = exp(-z(e)^2 / 4) / v(e)
    U(n) = sum_e a(e) Q(e) / sum_e a(e),   u(n) = sum_e a(e)^2 v(e) / (sum_e a(e))^2
    V(n) = G(n) + c d,   d = U(n) - G(n),   c = (d^2 + s2(n) / N) / (d^2 + s2(n) / N + K u(n))

The highest of noisy values is too high, and actions that are level would lift the value a little at every step.  U(n)
is the mean of those that may be level with the best, weighed by what is known of them: a leader that was lucky counts
little beside a rival that is known well, a leader that is known well keeps its lead.  V(n) weighs two estimates of one
value by their mean square errors: the mean return G(n), of variance s2(n) / N and biased by the behaviour, which d
estimates, and the backed-up value, of variance u(n), K times since what is below is biased too.
v(n) = (c sqrt(u) + (1 - c) sqrt(s2 / N))^2.

The rule takes the edge of largest g(e) s2(e) / (N (N + 1)) with g = 4 / (1 + exp(pi z / sqrt 3))^2 as for options.  The
leader keeps g = 1, not the sum over its rivals, because its *value* is what is backed up.  s2(e) is the variance of the
returns through e, shrunk towards s2(n), which is shrunk towards that of the depth, S_t.

The rule spends samples on what is known to matter.  The unknown needs optimism: a share of the trials follow, from the
root to the end, the highest optimistic value ("hope"),

    hope(e) = sum_k p_k (r_k + g hope(k)),   hope(n) = max_e hope(e)

where a node with an untried action hopes for at least two standard deviations above the best return to go ever seen at
its depth.  Of actions level by the rule the one with the fewest samples is next; of equal hopes (but for rounding) the
one whose next node was visited least, by whatever path.  Where paths meet, all of this holds for every node after a
sweep, deepest nodes first, which is due when the steps since the last one reach the number of nodes and an eighth of
all steps.  Every quantity is a ratio of returns or in their unit, so the same problem in other units is searched in the
same way.

A world in which 30 repeated actions all led to the same state and reward is deterministic so far: V(n) = max_e Q(e),
hope has all of that share, and there is none where everything was seen: -inf.  A given value w(n) of a state is a third
estimate: its mean square error T is that of w against U(n) so far.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from .._compile import helper, hint, prefetch, verb
from ..beliefs.noise import shrunk_variance
from ..check import problem_with
from ..decisions.pairs import relative_openness
from ..moments import include
from ..random import below, uniform
from ..rule import decrement
from .discovered import never_repeats, paths_meet
from .gap_memory import (
    BORROWED,
    MOVED,
    enter_return,
    forget,
    hope_at,
    level_variance,
    look_one_step_further,
    make_memory,
    with_given,
)
from .loop import (
    back_up,
    begin,
    columns,
    draws,
    expect,
    hoped_value,
    known_share,
    lazy,
    moved_on,
    prepare,
    return_variance,
    reward_squares,
    select,
    settle,
    value_variance,
    welcome,
)
from .tree import NEW, NONE, NOWHERE, fewest_pending, has_untried, untried

CERTAIN = 25.0  # standard errors at most: beyond, weights vanish, in some units sooner than in others
ROUNDING = 1e-12  # of the squares: less is not a difference between outcomes; of a variance: less is none


class GapTree(NamedTuple):
    """The default search: the rule at every node, and optimism.

    Let f be the share of steps so far that led to a known node: small where states rarely repeat.  A trial hopes with
    probability ``optimism`` f; if it is known when an answer is due, those trials come first.  The others go by the
    rule.  Untried actions come first.
    """

    prior: float = 5.0  # samples that a shared variance counts for, as everywhere
    bias: float = 3.0  # K: how much worse a backed-up value is than its variance says
    optimism: float = 0.6  # share of trials that follow the highest optimistic value
    ahead: float = 2.0  # standard deviations above the best seen, for the optimistic value of the unseen
    parity: float = 0.5  # how fast a gap stops being chance, per standard error: a(e) = exp(-(z / 2)^2) / v(e)
    usual: float = 1.0  # of C_t in the variance of an edge; 0 leaves it out
    settled: int = 30  # repeated actions, all alike, before a world counts as deterministic
    pause: int = 8  # a sweep is due when 1/8 of all steps came since the last: half of the time at most goes there


prepare.of(GapTree)(make_memory)
begin.of(GapTree)(forget)
moved_on.of(GapTree)(look_one_step_further)


@columns.of(GapTree)
def gap_columns(algorithm):
    numbers = ("variance", "hope", "returns", "squares")  # mean and M2 of the returns
    # worth: the decrement but for N; own: v(e) without what C_t adds to it
    return ("value", *numbers), ("q", *numbers, "worth", "own")


@expect.of(GapTree)
def hope_first(algorithm, memory, now, due):
    memory.whole["calm"] = now + int(algorithm.optimism * (due - now))
    memory.whole["due"] = due


@welcome.of(GapTree)
@helper
def link_node(algorithm, memory, tree, node, depth):
    if tree.nodes.width[node] > 0:
        tree.nodes.link[node] = memory.level.node[depth]
        memory.level.node[depth] = node


@lazy.of(GapTree)
def one_edge_will_do(algorithm):
    return True


# -- which action a trial takes ----------------------------------------------------------------------


@select.of(GapTree)
def follow(algorithm, memory, problem, tree, lane, node, depth, rng):
    """An untried action first; then by the rule or by hope, as the trial does to its end."""
    if depth == 0:
        memory.hopeful[lane] = follows_hope(algorithm, memory, problem, tree, rng)
    idle = tree.nodes.width[node] - tree.nodes.tried[node]  # neither tried nor pending
    if tree.lanes > 1 and tree.nodes.tried[node] > 0:
        least, alike = fewest_pending(tree, node)
        idle = alike if least == 0 else 0
    if idle > 0:
        return untried(problem, tree, node, rng)
    return most_promising(memory, tree, node, memory.hopeful[lane], rng)


@helper
def follows_hope(algorithm, memory, problem, tree, rng):
    """Whether a trial follows hope to its end; the others follow the rule."""
    trials, share = tree.nodes.visits[0], algorithm.optimism
    if memory.whole.settled[0] == 1:  # what was seen would only repeat itself
        share = 1.0
    elif trials < memory.whole.due[0]:  # the same number in total, but first
        share = 1.0 if trials < memory.whole.calm[0] else 0.0
    if never_repeats(problem, tree):
        share *= 1e-9  # steps to known nodes only followed an outcome again
    return uniform(rng) < share * share_of_known_steps(algorithm, memory, tree)


@known_share.of(GapTree)
@helper
def share_of_known_steps(algorithm, memory, tree):
    """f: the share of steps so far that led to an existing node, above 0."""
    return max(1.0 - tree.used[0] / (memory.whole.steps[0] + 1.0), 1e-9)


@helper
def most_promising(memory, tree, node, hopeful, rng):
    """The best tried action; of equal ones that with the fewest samples, pending ones included; ties at random.

    Hopes are often equal but for rounding: there the node that an action leads to counts, visited from wherever.
    """
    edges, first = tree.edges, tree.nodes.first[node]
    slack = ROUNDING * memory.whole.largest[0] if hopeful else 0.0
    best, fewest, chosen, ties = -np.inf, 0, -1, 1
    for action in range(tree.nodes.width[node]):
        edge = first + action
        if edges.count[edge] == 0:
            continue
        if hopeful:
            next_node = tree.outcomes.child[edges.outcome[edge]]
            count, score = tree.nodes.visits[next_node] + edges.pending[edge], edges.hope[edge]
        else:
            count = edges.count[edge] + edges.pending[edge]
            score = decrement(edges.worth[edge], 1.0, count)
        if chosen < 0 or score > best + slack or (score >= best - slack and count < fewest):
            best, fewest, chosen, ties = score, count, action, 1
        elif score >= best - slack and count == fewest:
            ties += 1
            chosen = action if below(ties, rng) == 0 else chosen
    return chosen


# -- backing up --------------------------------------------------------------------------------------


@back_up.of(GapTree)
def propagate(algorithm, memory, problem, tree, lane, node, edge, depth, gain, discount):
    whole = memory.whole
    enter_return(memory, tree, node, depth, gain)
    include(tree.edges.returns, tree.edges.squares, edge, tree.edges.count[edge], gain)
    refresh(algorithm, memory, problem, tree, node, edge, depth, discount, True)
    conclude(algorithm, memory, problem, tree, node, depth)
    whole.steps[0] += 1
    whole.since[0] += 1
    if depth == 0 and is_due(algorithm, memory, problem, tree):
        sweep(algorithm, memory, problem, tree, discount)


@helper
def is_due(algorithm, memory, problem, tree):
    """Whether a sweep is due: where paths meet now and then, elsewhere when the root has moved on."""
    whole = memory.whole
    if whole.news[0] == MOVED or tree.table.shape[0] == 1:
        return whole.news[0] == MOVED
    due = max(tree.used[0], whole.steps[0] // algorithm.pause)
    return (whole.since[0] >= due or whole.news[0] == BORROWED) and paths_meet(problem, tree)


@verb
def refresh(algorithm, memory, problem, tree, node, edge, depth, discount, learns):
    """Q(e), its variance and hope; ``learns`` if C_t may learn from it."""


@verb
def conclude(algorithm, memory, problem, tree, node, depth):
    """Everything about a node that follows from its edges."""


@refresh.of(GapTree)
def refresh_edge(algorithm, memory, problem, tree, node, edge, depth, discount, learns):
    nodes, edges, outcomes = tree.nodes, tree.edges, tree.outcomes
    count, outcome = draws(problem, tree, edge), edges.outcome[edge]
    mean, squares, below_it, noise, hope = 0.0, 0.0, 0.0, 0.0, 0.0
    while outcome != NONE:
        child, share, reward = outcomes.child[outcome], outcomes.times[outcome] / count, outcomes.reward[outcome]
        value = reward + discount * nodes.value[child]
        mean += share * value
        squares += share * value * value
        below_it += share * share * nodes.variance[child]
        noise += reward_squares(problem, tree, outcome)
        ends = memory.whole.settled[0] == 1 and nodes.width[child] == 0 and nodes.first[child] != NEW
        hope += share * (reward + discount * nodes.hope[child]) if not ends else -np.inf
        outcome = outcomes.next[outcome]
    between = max(squares - mean * mean, 0.0) + noise / count
    between = 0.0 if between < ROUNDING * squares else between
    below_it *= discount * discount
    edges.q[edge], edges.hope[edge] = mean, hope
    edges.own[edge] = below_it + learn_noise(algorithm, memory, depth, between, count, learns)
    if learns and count > 1:
        count_again(algorithm, memory, problem, tree, edge)


@helper
def count_again(algorithm, memory, problem, tree, edge):
    """Record whether an action taken before led to the same state and reward every time."""
    outcome, whole = tree.edges.outcome[edge], memory.whole
    whole.repeats[0] += 1
    squares, reward = reward_squares(problem, tree, outcome), tree.outcomes.reward[outcome]
    if tree.outcomes.next[outcome] != NONE or squares > ROUNDING * reward * reward:
        whole.others[0] += 1
    settled = 1 if whole.others[0] == 0 and whole.repeats[0] >= algorithm.settled else 0
    if settled != whole.settled[0]:
        whole.settled[0], whole.news[0] = settled, MOVED  # values and hopes are others, everywhere


@helper
def learn_noise(algorithm, memory, depth, between, count, learns):
    """What an edge itself knows of the variance of its mean over ``count`` outcomes; C_t learns from it."""
    if learns and count > 1:
        memory.level.noise[depth] += between * count / (count - 1.0)
        memory.level.noises[depth] += 1.0
    return shrunk_variance(algorithm.prior, 0.0, count * between, count) / count


@helper
def usual_noise(algorithm, memory, depth):
    """C_t: the variance between the outcomes of an edge, on average at a depth."""
    level = memory.level
    return algorithm.usual * level.noise[depth] / level.noises[depth] if level.noises[depth] > 0.0 else 0.0


@conclude.of(GapTree)
def conclude_node(algorithm, memory, problem, tree, node, depth):
    nodes = tree.nodes
    visits = nodes.visits[node]
    spread = shrunk_variance(algorithm.prior, level_variance(memory, depth), nodes.squares[node], visits)
    top, value, variance = weigh_edges(algorithm, memory, problem, tree, node, depth, spread)
    variance = spread if visits == 1 else variance
    if depth > 0:
        value, variance = both_estimates(nodes.returns[node], spread / visits, value, variance, algorithm.bias)
    nodes.value[node], nodes.variance[node] = top if memory.whole.settled[0] == 1 else value, variance
    if has_untried(tree, node):
        nodes.hope[node] = max(nodes.hope[node], hope_at(problem, algorithm, memory, tree, node, depth))
    if depth > 0:
        with_given(problem, memory, tree, node, depth)


@helper
def both_estimates(returns, error, value, variance, bias):
    """The mean return and the backed-up value, weighed by their mean square errors; and the variance of that."""
    apart = value - returns
    own = apart * apart + error
    share = own / (own + bias * variance) if own > 0.0 else 1.0
    deviation = share * math.sqrt(variance) + (1.0 - share) * math.sqrt(error)
    return returns + share * apart, deviation * deviation


@helper
def weigh_edges(algorithm, memory, problem, tree, node, depth, spread):
    """max Q, U(n) and u(n); the highest hope and the value of more samples go to the tree.

    v(e) is renewed with C_t as it is now: an edge that was left alone knew less of it.
    """
    nodes, edges, usual = tree.nodes, tree.edges, usual_noise(algorithm, memory, depth)
    first, last = nodes.first[node], nodes.first[node] + nodes.width[node]
    leader, top, hope = -1, -np.inf, -np.inf
    for edge in range(first, last):
        if edges.count[edge] > 0:
            count = draws(problem, tree, edge)
            edges.variance[edge] = edges.own[edge] + shrunk_variance(algorithm.prior, usual, 0.0, count) / count
            if edges.q[edge] > top:
                leader, top = edge, edges.q[edge]
            hope = max(hope, edges.hope[edge])
    known = edges.variance[leader]  # weights are relative to that of the leader
    total, gaps, variance = 1.0, 0.0, known
    for edge in range(first, last):
        if edges.count[edge] > 0:
            gap, own = top - edges.q[edge], edges.variance[edge]
            errors = standard_errors(gap, known + own)
            spreads = shrunk_variance(algorithm.prior, spread, edges.squares[edge], edges.count[edge])
            edges.worth[edge] = relative_openness(errors) * spreads if edges.hope[edge] > -np.inf else 0.0
            if edge != leader and own > ROUNDING * known:
                weight = math.exp(-algorithm.parity * algorithm.parity * errors * errors) * known / own
                total += weight
                gaps += weight * gap
                variance += weight * weight * own
    nodes.hope[node] = hope
    return top, top - gaps / total, variance / (total * total)


@helper
def standard_errors(gap, variance):
    """z: a gap in standard errors."""
    if gap == 0.0:
        return 0.0
    return min(gap / math.sqrt(variance), CERTAIN) if variance > 0.0 else CERTAIN


@helper
def sweep(algorithm, memory, problem, tree, discount):
    """Bring every node up to date, the deepest first."""
    whole, nodes, edges = memory.whole, tree.nodes, tree.edges
    whole.since[0], whole.news[0] = 0, 0
    depths, widest = memory.level.node.shape[0], 0.0
    for depth in range(depths):
        widest = max(widest, level_variance(memory, depth))
    whole.widest[0] = math.sqrt(widest)
    for depth in range(depths - 1, -1, -1):
        node = memory.level.node[depth]
        while node != NOWHERE:
            fetch_ahead(tree, node)
            if nodes.tried[node] > 0:
                for edge in range(nodes.first[node], nodes.first[node] + nodes.width[node]):
                    if edges.count[edge] > 0:
                        refresh(algorithm, memory, problem, tree, node, edge, depth, discount, False)
                conclude(algorithm, memory, problem, tree, node, depth)
            node = int(nodes.link[node])


@hint
def fetch_ahead(tree, node):
    """What the next three nodes of a sweep need: it would wait for memory longer than it calculates."""
    nodes, edges, outcomes = tree.nodes, tree.edges, tree.outcomes
    node = nodes.link[node]
    if node == NOWHERE:
        return
    for edge in range(nodes.first[node], nodes.first[node] + nodes.width[node]):
        outcome = edges.outcome[edge]
        while outcome != NONE:
            prefetch(nodes, outcomes.child[outcome])
            outcome = outcomes.next[outcome]
    node = nodes.link[node]
    if node == NOWHERE:
        return
    for edge in range(nodes.first[node], nodes.first[node] + nodes.width[node]):
        prefetch(outcomes, edges.outcome[edge])
    node = nodes.link[node]
    if node == NOWHERE:
        return
    for edge in range(nodes.first[node], nodes.first[node] + nodes.width[node]):
        prefetch(edges, edge)
    if nodes.link[node] != NOWHERE:
        prefetch(nodes, nodes.link[node])


@settle.of(GapTree)
def enter_at_leaf(algorithm, memory, problem, tree, node, depth, gain):
    nodes, whole = tree.nodes, memory.whole
    enter_return(memory, tree, node, depth, gain)
    whole.others[0], whole.settled[0] = whole.others[0] + 1, 0  # of a random end nothing is certain
    spread = shrunk_variance(algorithm.prior, level_variance(memory, depth), nodes.squares[node], nodes.visits[node])
    nodes.value[node] = nodes.hope[node] = nodes.returns[node]
    nodes.variance[node] = spread / nodes.visits[node]
    if nodes.width[node] > 0:  # where random play began, or the value was given
        nodes.hope[node] = max(nodes.returns[node], hope_at(problem, algorithm, memory, tree, node, depth))
        with_given(problem, memory, tree, node, depth)


# -- what others ask ---------------------------------------------------------------------------------


@value_variance.of(GapTree)
def propagated_variance(algorithm, tree, edge):
    return tree.edges.variance[edge]


@hoped_value.of(GapTree)
def hope_of_edge(algorithm, tree, edge):
    return max(tree.edges.hope[edge], tree.edges.q[edge])


@return_variance.of(GapTree)
def variance_at_node(algorithm, tree, node):
    return tree.nodes.squares[node] / max(tree.nodes.visits[node] - 1.0, 1.0)


@problem_with.of(GapTree)
def gap_tree_problem(algorithm: Any) -> str:
    for name, given in algorithm._asdict().items():
        if not 0.0 <= given < np.inf:
            return f"{name} is {given}: write a finite number, zero or more; the default is a good one"
    if algorithm.optimism > 1.0:
        return f"optimism is {algorithm.optimism}: write a share of the trials, at most 1"
    return ""
