"""VarDE() where paths meet: outcomes belong to a state and an action, values to a depth besides.

What an action leads to does not depend on when it is taken, so that all samples of a pair p = (s, a) count, from
whatever depth; only values know how many steps are left.  N(p) samples, outcomes k seen N(p, k) times, p_k their
shares, r_k their mean rewards (exact in a table), g the discount, t the depth:

    x_k(t)    = r_k + g V_{t+1}(k)                             Q_t(p) = sum_k p_k x_k
    B_t(p)    = sum_k p_k x_k^2 - Q_t^2 + sum_k M2(r_k) / N    between the outcomes
    o_t(p)    = [5 C_t + N B_t] / (5 + N - 1) / N              variance of this step, C_t the mean of B N / (N - 1)
    e_t(p)    = sqrt(o_t) + g sum_k p_k e_{t+1}(k)             error: those of one model add up, they do not cancel
    h_t(p)    = sum_k p_k (r_k + g h_{t+1}(k)) + 2 sqrt(o_t)   optimistic value

    z(p)      = (Q(b) - Q(p)) / sqrt(o(b) + o(p)),   b = argmax Q        own variances: what follows is common to both
    w(p)      = exp(-z^2 / 4) o(b) / o(p)                      weight of an action that may be level with the best
    V_t(s)    = sum_p w Q / sum_p w,   e_t(s) = sqrt(sum_p w^2 e^2) / sum_p w
    h_t(s)    = max_p h_t(p); with an untried action at least the best return of the depth + 2 sqrt(S_t)

A state in which no action was taken yet has the mean return of the depth, its deviation sqrt(S_t), and that optimistic
value.  Untried actions come first.  Of the trials of a known budget, the first 60 % follow the highest optimistic value
from the root to the end, the others the rule: the largest g(z) e^2 / (N + 1), g = 4 / (1 + exp(pi z / sqrt 3))^2 as for
options, z by e.  One trial in sixteen takes the action tried least, at every state: no pair is left for ever, without
which nothing converges.

A trial backs up its path, deepest first.  A sweep over all states and depths that can matter follows when the steps
since the last one are an eighth of all, and as many as a sweep has values.  A world in which 30 repeated actions all
led to the same state and reward is deterministic so far: there optimism has all of those trials, and there is none
where everything was seen: -inf.  Every quantity is a ratio of returns or in their unit, so the same problem in other
units is searched in the same way.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from .._compile import helper
from ..beliefs.noise import shrunk_variance
from ..check import problem_with
from ..decisions.pairs import relative_openness
from ..moments import include
from ..random import integer, uniform
from .default import ROUNDING, optimism_problem, standard_errors
from .levels import error_of_given, given_at, level_variance
from .tree import NONE, TRIALS, WANTED, fewest_pending, open_edge, paths_meet
from .trial import (
    Beliefs,
    beliefs,
    columns,
    expect,
    leaf,
    memory,
    moved_on,
    on_new_node,
    pools,
    select,
    turn_to,
    update,
)
from .widen import never_repeats

SETTLED = 30  # repeated actions, all alike, before a world counts as deterministic
PAUSE = 8  # a sweep is due when 1/8 of all steps came since the last
MET, MOVED = 1, 2  # news: a state has values by depth from now on; values are others everywhere
RULE, OPTIMISTIC, LEAST = 0, 1, 2  # trials: by the rule, by optimism, the action tried least
SOON = 1e-9  # of the share of optimistic trials is left where states do not repeat


class GapGraph(NamedTuple):
    """The default search where a state may be reached in several ways: what an action does is learned once."""

    optimism: float = 0.6  # share of trials that follow the highest optimistic value
    ahead: float = 2.0  # standard errors in optimistic values
    prior: float = 5.0  # samples that a shared variance counts for, as everywhere
    spread: float = 0.0625  # share of trials that take the action tried least at every state


class Memory(NamedTuple):
    """What is kept besides the tree."""

    # [H + 1] by depth: returns to go, how many, mean, M2, the best; one-step variances, their sum and number; deviation
    # of the returns; for a sweep, where the nodes of a depth begin
    level: np.ndarray
    whole: np.ndarray  # [1] numbers about the whole search, see ``WHOLE``
    given: np.ndarray  # [N] values of states that somebody gave, or nan; of size 1 if nobody did
    order: np.ndarray  # [2 N] nodes in the order in which a sweep takes them: those of every depth, those of one


LEVEL = np.dtype(
    [("several", np.int64), ("single", np.int64)]
    + [(n, float) for n in ("count", "returns", "squares", "best", "noise", "noises", "deviation")]
)
# steps; those since the last sweep; values in a sweep; whether values are others everywhere; repeated actions, those
# that did not repeat, whether the world is deterministic so far; from when to when no trial is optimistic; the horizon;
# the widest deviation of a depth as of the last sweep; the largest |return to go|; squared errors of given values, how
# many; the discount
WHOLE = np.dtype(
    [(n, np.int64) for n in ("steps", "since", "swept", "news", "repeats", "others", "settled", "calm", "due")]
    + [("horizon", np.int64)]
    + [(n, float) for n in ("widest", "largest", "errors", "checked", "discount")]
)


@memory.of(GapGraph)
def make_memory(algorithm, settings, nodes):
    level, whole = np.zeros(settings.horizon + 1, LEVEL), np.zeros(1, WHOLE)
    whole["horizon"], whole["discount"] = settings.horizon, settings.discount
    given = np.full(nodes if settings.informed else 1, np.nan)
    return Memory(level, whole, given, np.zeros(2 * nodes, np.int32))


@columns.of(GapGraph)
def graph_columns(algorithm):
    # low: the least depth that matters; at: the depth that what is stored about its edges is for; M2 of noisy ends
    return ("value", "low", "at", "squares"), ("q", "own", "error", "optimistic")


@pools.of(GapGraph)
def pools_depths(algorithm):
    return True


@expect.of(GapGraph)
def optimists_first(algorithm, memory, now, due):
    memory.whole["calm"] = now + int(algorithm.optimism * (due - now))
    memory.whole["due"] = due


@on_new_node.of(GapGraph)
def keep_given(algorithm, memory, tree, node, depth, given):
    tree.nodes.low[node] = depth
    if memory.given.size > 1:
        memory.given[node] = given


# -- values by depth ---------------------------------------------------------------------------------
# ``link`` of a node is 0 while no action was taken there, its row if it was met at one depth only, and less than 0, the
# first of its rows times -1, if it has one for every depth.


@helper
def row_of(tree, node, depth):
    """The row of a node at a depth, or at the depth next to it that is up to date."""
    link = tree.nodes.link[node]
    return link if link > 0 else max(depth, int(tree.nodes.low[node])) - link


@helper
def value_at(algorithm, memory, tree, node, depth):
    """V, its error, and the optimistic value of a node at a depth."""
    nodes, level = tree.nodes, memory.level
    if nodes.width[node] == 0:
        visits, squares = nodes.visits[node], nodes.squares[node]
        error = math.sqrt(squares / (visits - 1.0) / visits) if squares > 0.0 else 0.0
        return nodes.value[node], error, nodes.value[node]
    given = given_at(memory, node)
    if depth >= memory.whole.horizon[0]:
        return (0.0, 0.0, 0.0) if math.isnan(given) else (given, 0.0, given)
    if nodes.link[node] != 0:
        rows, row = tree.depths, row_of(tree, node, depth)
        return rows.value[row], rows.error[row], rows.optimistic[row]
    most = unseen(algorithm, memory, depth)
    if math.isnan(given):
        return level.returns[depth], level.deviation[depth], most
    error = math.sqrt(error_of_given(memory, depth))
    return given, error, min(most, given + algorithm.ahead * error) if error > 0.0 else most


@helper
def ensure_row(memory, tree, node, depth):
    """A row for a node at a depth: its first one, or one of many if it was met at another depth before."""
    nodes = tree.nodes
    if nodes.link[node] == 0:
        if tree.used[4] < tree.depths.value.shape[0]:
            nodes.link[node], nodes.low[node] = tree.used[4], depth
            tree.used[4] += 1
    elif nodes.low[node] != depth and (nodes.link[node] < 0 or all_rows(memory, tree, node)):
        nodes.low[node] = min(nodes.low[node], depth)


@helper
def all_rows(memory, tree, node):
    """Rows for every depth, whose values are those of the one that there was; False if there is no room."""
    rows, old, first, many = tree.depths, tree.nodes.link[node], tree.used[4], memory.whole.horizon[0]
    if first + many > rows.value.shape[0]:
        tree.facts[WANTED] += many
        return False
    for row in range(first, first + many):
        rows.value[row], rows.error[row], rows.optimistic[row] = rows.value[old], rows.error[old], rows.optimistic[old]
    tree.used[4] += many
    tree.nodes.link[node] = -first
    memory.whole.news[0] = max(memory.whole.news[0], MET)
    return True


# -- select ------------------------------------------------------------------------------------------


@select.of(GapGraph)
def follow(algorithm, memory, tree, trials, t, node, depth, rng):
    """An untried action first; then as the trial does to its end."""
    if depth == 0:
        trials.now.flag[t] = kind_of_trial(algorithm, memory, tree, rng)
    if tree.nodes.tried[node] < tree.nodes.width[node]:
        return open_edge(tree, node, rng)
    turn_edges(algorithm, memory, tree, node, depth)
    return most_promising(memory, tree, node, trials.now.flag[t], rng)


@helper
def kind_of_trial(algorithm, memory, tree, rng):
    """What a trial follows to its end."""
    if uniform(rng) < algorithm.spread:
        return LEAST
    trials, share = tree.facts[TRIALS], algorithm.optimism
    if memory.whole.settled[0] == 1:  # what was seen would only repeat itself
        return OPTIMISTIC
    if trials < memory.whole.due[0]:  # the same number in total, but first
        share = 1.0 if trials < memory.whole.calm[0] else 0.0
    if never_repeats(tree):
        share *= SOON  # steps to known states only followed an outcome again
    return OPTIMISTIC if uniform(rng) < share else RULE


@helper
def most_promising(memory, tree, node, kind, rng):
    """The best edge; of equal ones that with the fewest samples, pending ones included; ties at random.

    Optimistic values are often equal but for rounding: there the state that an action leads to counts.
    """
    edges, first = tree.edges, tree.nodes.first[node]
    last = first + tree.nodes.tried[node]
    lead = NONE
    for edge in range(first, last):
        if edges.drawn[edge] > 0 and (lead == NONE or edges.q[edge] > edges.q[lead]):
            lead = edge
    if lead == NONE:
        return fewest_pending(tree, node)
    slack = ROUNDING * memory.whole.largest[0] if kind == OPTIMISTIC else 0.0
    best, fewest, chosen, ties = -np.inf, 0, NONE, 1
    for edge in range(first, last):
        if edges.drawn[edge] == 0:
            continue
        count = edges.count[edge] + edges.pending[edge]
        if kind == OPTIMISTIC:
            score = edges.optimistic[edge]
            count = tree.nodes.visits[tree.outcomes.child[edges.outcome[edge]]] + edges.pending[edge]
        elif kind == LEAST:
            score = -float(count)
        else:
            own = edges.error[edge] * edges.error[edge]
            z = standard_errors(edges.q[lead] - edges.q[edge], edges.error[lead] * edges.error[lead] + own)
            score = relative_openness(z) * own / (count + 1.0)
        if chosen == NONE or score > best + slack or (score >= best - slack and count < fewest):
            best, fewest, chosen, ties = score, count, edge, 1
        elif score >= best - slack and count == fewest:
            ties += 1
            chosen = edge if integer(ties, rng) == 0 else chosen
    return chosen


# -- backpropagate -----------------------------------------------------------------------------------


@update.of(GapGraph)
def update_path(algorithm, memory, tree, node, edge, depth, gain, settings):
    whole, level = memory.whole, memory.level
    enter_gain(algorithm, memory, depth, gain)
    ensure_row(memory, tree, node, depth)
    turn_edges(algorithm, memory, tree, node, depth)
    between = refresh(algorithm, memory, tree, edge, depth)
    drawn = tree.edges.drawn[edge]
    if drawn > 1:
        level.noise[depth] += between * drawn / (drawn - 1.0)
        level.noises[depth] += 1.0
        count_again(memory, tree, edge)
    conclude(algorithm, memory, tree, node, depth)
    whole.steps[0] += 1
    whole.since[0] += 1
    if depth == 0 and is_due(memory, tree):
        sweep(algorithm, memory, tree)


@helper
def is_due(memory, tree):
    """Whether a sweep is due: where paths meet now and then, elsewhere when values are others everywhere."""
    whole = memory.whole
    due = whole.news[0] == MET or whole.since[0] >= max(whole.swept[0], whole.steps[0] // PAUSE)
    return whole.news[0] == MOVED or (due and paths_meet(tree))


@helper
def enter_gain(algorithm, memory, depth, gain):
    """Enter a return to go at its depth."""
    level, whole = memory.level, memory.whole
    level.count[depth] += 1.0
    level.best[depth] = gain if level.count[depth] == 1.0 else max(level.best[depth], gain)
    whole.largest[0] = max(whole.largest[0], abs(gain))
    include(level.returns, level.squares, depth, level.count[depth], gain)
    level.deviation[depth] = math.sqrt(level_variance(memory, depth))


@helper
def unseen(algorithm, memory, depth):
    """The optimistic value of the unseen: strictly more than was seen, whatever the unit."""
    whole, deviation = memory.whole, memory.level.deviation[depth]
    deviation = deviation if deviation > 0.0 else whole.widest[0]
    if deviation == 0.0:
        deviation = whole.largest[0] if whole.largest[0] > 0.0 else 1.0
    return memory.level.best[depth] + algorithm.ahead * deviation


@helper
def count_again(memory, tree, edge):
    """Record whether an action taken before led to the same state and reward every time."""
    outcome, whole = tree.edges.outcome[edge], memory.whole
    whole.repeats[0] += 1
    reward = tree.outcomes.reward[outcome]
    if tree.outcomes.next[outcome] != NONE or tree.outcomes.squares[outcome] > ROUNDING * reward * reward:
        whole.others[0] += 1
    settled = 1 if whole.others[0] == 0 and whole.repeats[0] >= SETTLED else 0
    if settled != whole.settled[0]:
        whole.settled[0], whole.news[0] = settled, MOVED


@helper
def turn_edges(algorithm, memory, tree, node, depth):
    """What is stored about the edges of a node becomes that of a depth."""
    if tree.nodes.at[node] == depth:
        return
    tree.nodes.at[node] = depth
    for edge in range(tree.nodes.first[node], tree.nodes.first[node] + tree.nodes.tried[node]):
        if tree.edges.drawn[edge] > 0:
            refresh(algorithm, memory, tree, edge, depth)


@helper
def refresh(algorithm, memory, tree, edge, depth):
    """Q, its variance, error and optimistic value at a depth; returns the variance between the outcomes."""
    nodes, edges, outcomes, whole = tree.nodes, tree.edges, tree.outcomes, memory.whole
    count, outcome, discount = edges.drawn[edge], edges.outcome[edge], memory.whole.discount[0]
    mean, squares, below_it, noise, optimistic = 0.0, 0.0, 0.0, 0.0, 0.0
    while outcome != NONE:
        child, share, reward = outcomes.child[outcome], outcomes.times[outcome] / count, outcomes.reward[outcome]
        if share > 0.0:
            value, error, bound = value_at(algorithm, memory, tree, child, depth + 1)
            value = reward + discount * value
            mean += share * value
            squares += share * value * value
            below_it += share * error
            noise += outcomes.squares[outcome]
            ends = whole.settled[0] == 1 and (nodes.width[child] == 0 or depth + 1 >= whole.horizon[0])
            optimistic += share * (reward + discount * bound) if not ends else -np.inf
        outcome = outcomes.next[outcome]
    between = max(squares - mean * mean, 0.0) + noise / count
    between = 0.0 if between < ROUNDING * squares else between
    level = memory.level
    usual = level.noise[depth] / level.noises[depth] if level.noises[depth] > 0.0 else 0.0
    own = shrunk_variance(algorithm.prior, usual, count * between, count) / count
    edges.q[edge], edges.own[edge] = mean, own
    edges.error[edge] = math.sqrt(own) + discount * below_it
    edges.optimistic[edge] = optimistic + algorithm.ahead * math.sqrt(own)
    return between


@helper
def conclude(algorithm, memory, tree, node, depth):
    """V_t, its error and the optimistic value of a node, from its edges at this depth."""
    nodes, edges = tree.nodes, tree.edges
    first, last = nodes.first[node], nodes.first[node] + nodes.tried[node]
    lead, top, hope = NONE, -np.inf, -np.inf
    for edge in range(first, last):
        if edges.drawn[edge] > 0:
            if edges.q[edge] > top:
                lead, top = edge, edges.q[edge]
            hope = max(hope, edges.optimistic[edge])
    if lead == NONE:
        return
    known = edges.own[lead]
    total, gaps, spread = 1.0, 0.0, edges.error[lead] * edges.error[lead]
    for edge in range(first, last):
        if edge != lead and edges.drawn[edge] > 0 and edges.own[edge] > ROUNDING * known:
            gap = top - edges.q[edge]
            z = standard_errors(gap, known + edges.own[edge])
            weight = math.exp(-z * z / 4.0) * known / edges.own[edge]
            total += weight
            gaps += weight * gap
            spread += weight * weight * edges.error[edge] * edges.error[edge]
    value, error = top - gaps / total, math.sqrt(spread) / total
    given = given_at(memory, node)
    if nodes.tried[node] < nodes.width[node]:
        most = unseen(algorithm, memory, depth)
        if not math.isnan(given):
            most = min(most, given + algorithm.ahead * math.sqrt(error_of_given(memory, depth)))
        hope = max(hope, most)
    if depth > 0 and not math.isnan(given):
        trusted = error_of_given(memory, depth)
        if trusted > 0.0:
            share = trusted / (trusted + error * error)
            value, error = given + share * (value - given), error * math.sqrt(share)
    if node == 0 and depth == 0:
        nodes.value[0] = value
    if nodes.link[node] != 0:
        rows, row = tree.depths, row_of(tree, node, depth)
        rows.value[row], rows.error[row], rows.optimistic[row] = value, error, hope


@leaf.of(GapGraph)
def enter_at_end(algorithm, memory, tree, node, depth, gain):
    """An end that pays, or random play where there is no room for more states."""
    memory.whole.others[0], memory.whole.settled[0] = (
        memory.whole.others[0] + 1,
        0,
    )  # of a random end nothing is certain
    if tree.nodes.width[node] == 0:
        include(tree.nodes.value, tree.nodes.squares, node, tree.nodes.visits[node], gain)
    elif depth < memory.whole.horizon[0]:
        enter_gain(algorithm, memory, depth, gain)


# -- sweeps ------------------------------------------------------------------------------------------


@helper(apart=True)
def sweep(algorithm, memory, tree):
    """Bring every node up to date at all depths that can matter, the deepest first."""
    whole, level, nodes, horizon = memory.whole, memory.level, tree.nodes, memory.whole.horizon[0]
    whole.widest[0] = 0.0
    for depth in range(horizon):
        whole.widest[0] = max(whole.widest[0], level.deviation[depth])
    settle_depths(memory, tree)
    put_in_order(memory, tree)
    whole.since[0] = whole.news[0] = whole.swept[0] = 0
    for depth in range(horizon - 1, -1, -1):
        many, noise, noises = nodes_at(memory, depth), 0.0, 0.0
        whole.swept[0] += many
        for turn in range(many):
            node = node_in_turn(memory, depth, turn)
            nodes.at[node] = depth
            for edge in range(nodes.first[node], nodes.first[node] + nodes.tried[node]):
                if tree.edges.drawn[edge] > 0:
                    between, drawn = refresh(algorithm, memory, tree, edge, depth), tree.edges.drawn[edge]
                    if drawn > 1:
                        noise += between * drawn / (drawn - 1.0)
                        noises += 1.0
        level.noise[depth], level.noises[depth] = noise, noises
        for turn in range(many):
            conclude(algorithm, memory, tree, node_in_turn(memory, depth, turn), depth)


@helper
def nodes_at(memory, depth):
    """How many nodes matter at a depth."""
    level = memory.level
    return level.several[depth] + level.single[depth + 1] - level.single[depth]


@helper
def node_in_turn(memory, depth, turn):
    """One of them: first those with values at every depth."""
    level, several = memory.level, memory.level.several[depth]
    return memory.order[turn if turn < several else memory.order.size // 2 + level.single[depth] + turn - several]


@helper
def settle_depths(memory, tree):
    """From where on a node matters: one step after what leads there; if at several depths, it has rows for all."""
    nodes, outcomes, horizon, again = tree.nodes, tree.outcomes, memory.whole.horizon[0], True
    while again:
        again = False
        for node in range(tree.used[0]):
            further, every = int(nodes.low[node]) + 1, nodes.link[node] < 0
            if nodes.link[node] == 0 or further >= horizon:
                continue
            for edge in range(nodes.first[node], nodes.first[node] + nodes.tried[node]):
                outcome = tree.edges.outcome[edge]
                while outcome != NONE:
                    child = outcomes.child[outcome]
                    link, low = nodes.link[child], nodes.low[child]
                    more = link > 0 and (further != low or (every and further + 1 < horizon))
                    if link != 0 and (further < low or more) and (link < 0 or all_rows(memory, tree, child)):
                        nodes.low[child] = min(low, further)
                        again = True
                    outcome = outcomes.next[outcome]


@helper
def put_in_order(memory, tree):
    """Sort nodes by depth.

    The first ``several[t]`` have values at every depth, and matter at t; those of one depth begin at ``single[t]``.
    """
    nodes, level, horizon, half = tree.nodes, memory.level, memory.whole.horizon[0], memory.order.size // 2
    for depth in range(horizon + 1):
        level.several[depth] = level.single[depth] = 0
    for node in range(tree.used[0]):
        if nodes.link[node] < 0:
            level.several[int(nodes.low[node])] += 1
        elif nodes.link[node] > 0:
            level.single[int(nodes.low[node])] += 1
    several, single = 0, 0
    for depth in range(horizon + 1):  # where each depth begins
        here, level.several[depth] = level.several[depth], several
        several += here
        here, level.single[depth] = level.single[depth], single
        single += here
    for node in range(tree.used[0]):
        depth = int(nodes.low[node])
        if nodes.link[node] < 0:
            memory.order[level.several[depth]] = node
            level.several[depth] += 1
        elif nodes.link[node] > 0:
            memory.order[half + level.single[depth]] = node
            level.single[depth] += 1
    for depth in range(horizon, 0, -1):  # now each has its end: that of the one before is its beginning
        level.single[depth] = level.single[depth - 1]
    level.single[0] = 0


# -- what others ask ---------------------------------------------------------------------------------


@turn_to.of(GapGraph)
def turn_to_depth(algorithm, memory, tree, node, depth):
    turn_edges(algorithm, memory, tree, node, depth)


@beliefs.of(GapGraph)
def errors_that_add_up(algorithm, memory, tree, node):
    nodes, edges, first = tree.nodes, tree.edges, tree.nodes.first[node]
    tried = range(first, first + nodes.tried[node])
    errors, own = [
        np.array([column[e] if edges.drawn[e] else math.nan for e in tried]) for column in (edges.error, edges.own)
    ]
    bounds = np.array([max(edges.optimistic[e], edges.q[e]) for e in tried])
    return Beliefs(errors * errors, bounds, level_variance(memory, int(nodes.at[node])), own=own)


@moved_on.of(GapGraph)
def from_another_state(algorithm, memory, tree, settings):
    """Depths count from the new root.  Values are those of so many steps to go, a state of one depth has one fewer.

    The rows of what was not kept go.
    """
    nodes, horizon, before = tree.nodes[: tree.used[0]], settings.horizon, tree.used[4]
    link = nodes["link"].astype(np.int64)
    sizes = np.where(link > 0, 1, np.where(link < 0, horizon, 0))
    ends = np.cumsum(sizes)
    sources = np.arange(sizes.sum()) + np.repeat(np.abs(link) - ends + sizes, sizes)
    tree.depths[1 : 1 + len(sources)] = tree.depths[sources]
    tree.depths[1 + len(sources) : before] = np.zeros((), tree.depths.dtype)
    tree.used[4] = 1 + len(sources)
    nodes["link"] = np.sign(link) * (1 + ends - sizes)
    nodes["low"] = np.maximum(nodes["low"] - 1, 0)
    nodes["low"][0], nodes["at"] = 0, -1
    memory.whole["steps"], memory.whole["since"], memory.whole["news"] = tree.edges["count"].sum(), 0, MOVED


@problem_with.of(GapGraph)
def gap_graph_problem(algorithm: Any) -> str:
    return optimism_problem(algorithm)
