"""VarDE() in plain trees and games: gaps to the best action, values backed up with variances, and optimism.

Where paths meet it is ``graph.py``.

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
root to the end, the highest optimistic value,

    o(e) = sum_k p_k (r_k + g o(k)),   o(n) = max_e o(e)

where a node with an untried action has at least two standard deviations above the best return to go ever seen at its
depth.  Of actions level by the rule the one with the fewest samples is next; of equal optimistic values (but for
rounding) the one whose next node was visited least, by whatever path.  Where paths meet, all of this holds for every
node after a sweep, deepest nodes first, which is due when the steps since the last one reach the number of nodes and an
eighth of all steps.  Every quantity is a ratio of returns or in their unit, so the same problem in other units is
searched in the same way.

A world in which 30 repeated actions all led to the same state and reward is deterministic so far: V(n) = max_e Q(e),
optimism has all of that share, and there is none where everything was seen: -inf.  A given value w(n) of a state is a
third estimate: its mean square error T is that of w against U(n) so far.

Where two players move, values at a node are those of the player who moves there; what is optimistic for one is a lower
bound for the other,

    l(e) = sum_k p_k (r_k + g l(k)),   l(n) = max_e l(e)        signs and bounds swapped where the player changes

and the unseen holds at most what was ever won, and at least what was ever lost.  Where both bounds are equal all is
known: no sample is worth anything.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from .._compile import helper, hint, prefetch
from ..beliefs.noise import shrunk_variance
from ..check import problem_with
from ..decisions.pairs import relative_openness
from ..moments import include
from ..random import integer, uniform
from ..rule import decrement
from .levels import (
    BORROWED,
    LAST,
    MOVED,
    enter_return,
    level_variance,
    look_one_step_further,
    make_memory,
    most_won,
    optimistic_at,
    unseen,
    usual_noise,
    weigh_given,
)
from .tree import NONE, fewest_pending, open_edge, paths_meet
from .trial import Beliefs, beliefs, columns, expect, leaf, memory, moved_on, on_new_node, select, update
from .widen import never_repeats

CERTAIN = 25.0  # standard errors at most: beyond, weights vanish, in some units sooner than in others
ROUNDING = 1e-12  # of the squares: less is not a difference between outcomes; of a variance: less is none


class GapTree(NamedTuple):
    """The default search: the rule at every node, and optimism.

    Let f be the share of steps so far that led to a known node: small where states rarely repeat.  A trial is
    optimistic with probability ``optimism`` f; if it is known when an answer is due, those trials come first.  The
    others go by the rule.  Untried actions come first.
    """

    prior: float = 5.0  # samples that a shared variance counts for, as everywhere
    bias: float = 3.0  # K: how much worse a backed-up value is than its variance says
    optimism: float = 0.6  # share of trials that follow the highest optimistic value
    ahead: float = 2.0  # standard deviations above the best seen, for the optimistic value of the unseen
    parity: float = 0.5  # how fast a gap stops being chance, per standard error: a(e) = exp(-(z / 2)^2) / v(e)
    usual: float = 1.0  # of C_t in the variance of an edge; 0 leaves it out
    settled: int = 30  # repeated actions, all alike, before a world counts as deterministic
    pause: int = 8  # a sweep is due when 1/8 of all steps came since the last: half of the time at most goes there
    replies: float = 30.0  # K where two players move: the best reply to a best reply is biased at every depth


memory.of(GapTree)(make_memory)
moved_on.of(GapTree)(look_one_step_further)


@columns.of(GapTree)
def gap_columns(algorithm):
    numbers = ("variance", "optimistic", "returns", "squares")  # mean and M2 of the returns
    # score: the decrement but for N; own: v(e) without what C_t adds to it
    return ("value", *numbers), ("q", *numbers[1:], "score", "own")


@expect.of(GapTree)
def optimists_first(algorithm, memory, now, due):
    memory.whole["calm"] = now + int(algorithm.optimism * (due - now))
    memory.whole["due"] = due


@on_new_node.of(GapTree)
def link_node(algorithm, memory, tree, node, depth, given):
    if tree.nodes.width[node] > 0:
        tree.nodes.link[node] = memory.level.node[depth]
        memory.level.node[depth] = node
    if memory.given.size > 1:
        memory.given[node] = given


# -- select ------------------------------------------------------------------------------------------


@select.of(GapTree)
def follow(algorithm, memory, tree, trials, t, node, depth, rng):
    """An untried action first; then by the rule or by optimism, as the trial does to its end."""
    if depth == 0:
        trials.now.flag[t] = 1 if is_optimistic(algorithm, memory, tree, rng) else 0
    if tree.nodes.tried[node] < tree.nodes.width[node]:
        return open_edge(tree, node, rng)
    return most_promising(memory, tree, node, trials.now.flag[t] == 1, rng)


@helper
def is_optimistic(algorithm, memory, tree, rng):
    """Whether a trial is optimistic to its end; the others follow the rule."""
    trials, share = tree.nodes.visits[0], algorithm.optimism
    if memory.whole.settled[0] == 1:  # what was seen would only repeat itself
        share = 1.0
    elif trials < memory.whole.due[0]:  # the same number in total, but first
        share = 1.0 if trials < memory.whole.calm[0] else 0.0
    if never_repeats(tree):
        share *= 1e-9  # steps to known nodes only followed an outcome again
    return uniform(rng) < share * share_known(memory, tree)


@helper
def share_known(memory, tree):
    """f: the share of steps so far that led to an existing node, above 0."""
    return max(1.0 - tree.used[0] / (memory.whole.steps[0] + 1.0), 1e-9)


@helper
def most_promising(memory, tree, node, optimistic, rng):
    """The best edge; of equal ones that with the fewest samples, pending ones included; ties at random.

    Optimistic values are often equal but for rounding: there the node that an action leads to counts, visited from
    wherever.
    """
    edges, first = tree.edges, tree.nodes.first[node]
    slack = ROUNDING * memory.whole.largest[0] if optimistic else 0.0
    best, fewest, chosen, ties = -np.inf, 0, NONE, 1
    for edge in range(first, first + tree.nodes.tried[node]):
        count = edges.count[edge]
        if count == 0:
            continue
        if optimistic:
            count = tree.nodes.visits[tree.outcomes.child[edges.outcome[edge]]]
            score = edges.optimistic[edge]
        else:
            score = decrement(edges.score[edge], 1.0, count + edges.pending[edge])
        count += edges.pending[edge]
        if chosen == NONE or score > best + slack or (score >= best - slack and count < fewest):
            best, fewest, chosen, ties = score, count, edge, 1
        elif score >= best - slack and count == fewest:
            ties += 1
            chosen = edge if integer(ties, rng) == 0 else chosen
    return chosen if chosen != NONE else fewest_pending(tree, node)


# -- backpropagate -----------------------------------------------------------------------------------


@update.of(GapTree)
def update_path(algorithm, memory, tree, node, edge, depth, gain, settings):
    whole = memory.whole
    enter_return(memory, tree, node, depth, gain)
    include(tree.edges.returns, tree.edges.squares, edge, tree.edges.count[edge], gain)
    refresh(algorithm, memory, tree, node, edge, depth, settings, True)
    conclude(algorithm, memory, tree, node, depth, settings)
    whole.steps[0] += 1
    whole.since[0] += 1
    if depth == 0 and is_due(algorithm, memory, tree):
        sweep(algorithm, memory, tree, settings)


@helper
def is_due(algorithm, memory, tree):
    """Whether a sweep is due: where paths meet now and then, elsewhere when values are others everywhere."""
    whole = memory.whole
    if whole.news[0] == MOVED or tree.hashed.size == 1:
        return whole.news[0] == MOVED
    due = max(tree.used[0], whole.steps[0] // algorithm.pause)
    return (whole.since[0] >= due or whole.news[0] == BORROWED) and paths_meet(tree)


@helper
def refresh(algorithm, memory, tree, node, edge, depth, settings, learns):
    """Q(e), its variance and its optimistic value; ``learns`` if C_t may learn from it."""
    nodes, edges, outcomes, whole = tree.nodes, tree.edges, tree.outcomes, memory.whole
    count, outcome, sign = edges.drawn[edge], edges.outcome[edge], nodes.sign[node]
    mean, squares, below_it, noise, optimistic = 0.0, 0.0, 0.0, 0.0, 0.0
    while outcome != NONE:
        child, share, reward = outcomes.child[outcome], outcomes.times[outcome] / count, sign * outcomes.reward[outcome]
        same = nodes.sign[child] == sign
        value = reward + settings.discount * (nodes.value[child] if same else -nodes.value[child])
        mean += share * value
        squares += share * value * value
        below_it += share * share * nodes.variance[child]
        noise += outcomes.squares[outcome]
        bound = nodes.optimistic[child] if same else -memory.lower[child]
        ends = whole.settled[0] == 1 and nodes.width[child] == 0
        optimistic += share * (reward + settings.discount * bound) if not ends else -np.inf
        outcome = outcomes.next[outcome]
    between = max(squares - mean * mean, 0.0) + noise / count
    between = 0.0 if between < ROUNDING * squares else between
    edges.q[edge], edges.optimistic[edge] = mean, optimistic
    edges.own[edge] = below_it * settings.discount * settings.discount
    edges.own[edge] += shrunk_variance(algorithm.prior, 0.0, count * between, count) / count
    if learns and count > 1:
        memory.level.noise[depth] += between * count / (count - 1.0)
        memory.level.noises[depth] += 1.0
        count_again(algorithm, memory, tree, edge)


@helper
def count_again(algorithm, memory, tree, edge):
    """Record whether an action taken before led to the same state and reward every time; of one player only."""
    outcome, whole = tree.edges.outcome[edge], memory.whole
    whole.repeats[0] += 1
    reward = tree.outcomes.reward[outcome]
    if tree.outcomes.next[outcome] != NONE or tree.outcomes.squares[outcome] > ROUNDING * reward * reward:
        whole.others[0] += 1
    alike = whole.others[0] == 0 and whole.repeats[0] >= algorithm.settled and memory.lower.size == 1
    settled = 1 if alike else 0
    if settled != whole.settled[0]:
        whole.settled[0], whole.news[0] = settled, MOVED


@helper
def conclude(algorithm, memory, tree, node, depth, settings):
    """Everything about a node that follows from its edges."""
    nodes, visits = tree.nodes, tree.nodes.visits[node]
    spread = shrunk_variance(algorithm.prior, level_variance(memory, depth), nodes.squares[node], visits)
    top, value, variance = weigh_edges(algorithm, memory, tree, node, depth, spread)
    variance = spread if visits == 1 else variance
    untried = nodes.tried[node] < nodes.width[node]
    if memory.lower.size > 1:
        if untried:
            nodes.optimistic[node] = max(nodes.optimistic[node], most_won(memory))
        if is_proved(memory, tree, node, settings):
            return
        error = spread / visits
        value, variance = both_estimates(nodes.returns[node], error, value, variance, algorithm.replies)
        nodes.value[node], nodes.variance[node] = value, variance
        return
    if depth > 0:
        value, variance = both_estimates(nodes.returns[node], spread / visits, value, variance, algorithm.bias)
    nodes.value[node], nodes.variance[node] = top if memory.whole.settled[0] == 1 else value, variance
    if untried:
        most = optimistic_at(algorithm, memory, node, depth) if settings.informed else unseen(algorithm, memory, depth)
        nodes.optimistic[node] = max(nodes.optimistic[node], most)
    if settings.informed and depth > 0:
        weigh_given(memory, tree, node, depth)


@helper
def both_estimates(returns, error, value, variance, bias):
    """The mean return and the backed-up value, weighed by their mean square errors; and the variance of that."""
    apart = value - returns
    own = apart * apart + error
    share = own / (own + bias * variance) if own > 0.0 else 1.0
    deviation = share * math.sqrt(variance) + (1.0 - share) * math.sqrt(error)
    return returns + share * apart, deviation * deviation


@helper
def weigh_edges(algorithm, memory, tree, node, depth, spread):
    """max Q, U(n) and u(n); the highest optimistic value and the worth of more samples go to the tree."""
    nodes, edges, usual = tree.nodes, tree.edges, usual_noise(algorithm, memory, depth)
    first, last = nodes.first[node], nodes.first[node] + nodes.tried[node]
    leader, top, optimistic = NONE, -np.inf, -np.inf
    for edge in range(first, last):
        if edges.count[edge] > 0:
            if edges.q[edge] > top:
                leader, top = edge, edges.q[edge]
            optimistic = max(optimistic, edges.optimistic[edge])
    known = edge_variance(algorithm, tree, leader, usual)  # weights are relative to that of the leader
    total, gaps, variance = 1.0, 0.0, known
    for edge in range(first, last):
        if edges.count[edge] > 0:
            gap = top - edges.q[edge]
            own = edge_variance(algorithm, tree, edge, usual) if edge != leader else known
            errors = standard_errors(gap, known + own)
            spreads = shrunk_variance(algorithm.prior, spread, edges.squares[edge], edges.count[edge])
            known_all = edges.optimistic[edge] == -np.inf
            edges.score[edge] = 0.0 if known_all else relative_openness(errors) * spreads
            if edge != leader and own > ROUNDING * known:
                weight = math.exp(-algorithm.parity * algorithm.parity * errors * errors) * known / own
                total += weight
                gaps += weight * gap
                variance += weight * weight * own
    nodes.optimistic[node] = optimistic
    return top, top - gaps / total, variance / (total * total)


@helper
def edge_variance(algorithm, tree, edge, usual):
    """v(e), with C_t as it is now: an edge that was left alone knew less of it."""
    count = tree.edges.drawn[edge]
    return tree.edges.own[edge] + shrunk_variance(algorithm.prior, usual, 0.0, count) / count


@helper
def standard_errors(gap, variance):
    """z: a gap in standard errors."""
    if gap == 0.0:
        return 0.0
    return min(gap / math.sqrt(variance), CERTAIN) if variance > 0.0 else CERTAIN


@helper(apart=True)
def sweep(algorithm, memory, tree, settings):
    """Bring every node up to date, the deepest first."""
    whole, nodes = memory.whole, tree.nodes
    whole.since[0], whole.news[0] = 0, 0
    depths, widest = memory.level.node.shape[0], 0.0
    for depth in range(depths):
        widest = max(widest, level_variance(memory, depth))
    whole.widest[0] = math.sqrt(widest)
    for depth in range(depths - 1, 0, -1):
        node = memory.level.node[depth]
        while node != LAST:
            fetch_ahead(tree, nodes.link[node])
            renew(algorithm, memory, tree, node, depth, settings)
            node = nodes.link[node]
    renew(algorithm, memory, tree, 0, 0, settings)


@helper
def renew(algorithm, memory, tree, node, depth, settings):
    """Bring a node up to date."""
    first, known = tree.nodes.first[node], False
    for edge in range(first, first + tree.nodes.tried[node]):
        if tree.edges.count[edge] > 0:
            known = True
            refresh(algorithm, memory, tree, node, edge, depth, settings, False)
    if known:
        conclude(algorithm, memory, tree, node, depth, settings)


@hint
def fetch_ahead(tree, node):
    """What the next three nodes of a sweep need: it would wait for memory longer than it calculates."""
    nodes, edges, outcomes = tree.nodes, tree.edges, tree.outcomes
    for edge in range(nodes.first[node], nodes.first[node] + nodes.tried[node]):
        outcome = edges.outcome[edge]
        while outcome != NONE:
            prefetch(nodes, outcomes.child[outcome])
            outcome = outcomes.next[outcome]
    node = nodes.link[node]
    for edge in range(nodes.first[node], nodes.first[node] + nodes.tried[node]):
        prefetch(outcomes, edges.outcome[edge])
    node = nodes.link[node]
    for edge in range(nodes.first[node], nodes.first[node] + nodes.tried[node]):
        prefetch(edges, edge)
    prefetch(nodes, nodes.link[node])


@leaf.of(GapTree)
def enter_at_leaf(algorithm, memory, tree, node, depth, gain):
    nodes, whole = tree.nodes, memory.whole
    enter_return(memory, tree, node, depth, gain)
    whole.others[0], whole.settled[0] = whole.others[0] + 1, 0  # of a random end nothing is certain
    spread = shrunk_variance(algorithm.prior, level_variance(memory, depth), nodes.squares[node], nodes.visits[node])
    nodes.value[node] = nodes.optimistic[node] = nodes.returns[node]
    nodes.variance[node] = spread / nodes.visits[node]
    open_ended = nodes.width[node] > 0  # where random play began, or the value was given
    if memory.lower.size > 1:
        memory.lower[node] = -most_won(memory) if open_ended else nodes.returns[node]
        nodes.optimistic[node] = most_won(memory) if open_ended else nodes.returns[node]
    elif open_ended:
        nodes.optimistic[node] = max(nodes.returns[node], optimistic_at(algorithm, memory, node, depth))
        weigh_given(memory, tree, node, depth)


# -- games of two players ----------------------------------------------------------------------------


@helper
def lower_bound(memory, tree, node, edge, discount):
    """l(e), for the player who moves at the node."""
    nodes, outcomes, total, outcome = tree.nodes, tree.outcomes, 0.0, tree.edges.outcome[edge]
    sign = nodes.sign[node]
    while outcome != NONE:
        child = outcomes.child[outcome]
        bound = memory.lower[child] if nodes.sign[child] == sign else -nodes.optimistic[child]
        share = outcomes.times[outcome] / tree.edges.drawn[edge]
        total += share * (sign * outcomes.reward[outcome] + discount * bound)
        outcome = outcomes.next[outcome]
    return total


@helper
def is_proved(memory, tree, node, settings):
    """Enter l(n); whether no action can be better than one whose value is known, which is V(n) then."""
    nodes, edges, first = tree.nodes, tree.edges, tree.nodes.first[node]
    best, variance = -np.inf, 0.0
    for edge in range(first, first + nodes.tried[node]):
        if edges.count[edge] > 0:
            lower = lower_bound(memory, tree, node, edge, settings.discount)
            if edges.optimistic[edge] <= lower and edges.own[edge] == 0.0:
                edges.score[edge] = 0.0
            if lower > best:
                best, variance = lower, edges.own[edge]
    memory.lower[node] = best
    if best < nodes.optimistic[node]:
        return False
    nodes.value[node], nodes.variance[node] = best, variance
    return True


# -- what others ask ---------------------------------------------------------------------------------


@beliefs.of(GapTree)
def propagated_errors(algorithm, memory, tree, node):
    nodes, edges, first = tree.nodes, tree.edges, tree.nodes.first[node]
    tried = range(first, first + nodes.tried[node])
    usual = usual_noise(algorithm, memory, nodes.depth[node])
    variances = [edge_variance(algorithm, tree, e, usual) if edges.count[e] else math.nan for e in tried]
    bounds = [edges.optimistic[e] if memory.lower.size > 1 else max(edges.optimistic[e], edges.q[e]) for e in tried]
    spread = nodes.squares[node] / max(nodes.visits[node] - 1.0, 1.0)
    return Beliefs(np.array(variances), np.array(bounds), spread, share_known(memory, tree))


@problem_with.of(GapTree)
def gap_tree_problem(algorithm: Any) -> str:
    return optimism_problem(algorithm)


def optimism_problem(algorithm: Any) -> str:
    """What is wrong with the settings of a search that is optimistic at times."""
    for name, given in algorithm._asdict().items():
        if not 0.0 <= given < np.inf:
            return f"{name} is {given}: write a finite number, zero or more; the default is a good one"
    for name in ("optimism", "spread"):
        if getattr(algorithm, name, 0.0) > 1.0:
            return f"{name} is {getattr(algorithm, name)}: write a share of the trials, at most 1"
    return ""
