"""VarDE() in trees: the gaps to the best action, values backed up with their variances, some hope, and some novelty.

At a node n of depth t, for its tried edges e with successors k seen N(e, k) times, p_k = N(e, k) / N(e):

    Q(e) = R(e) + discount * sum_k p_k V(k)
    v(e) = discount^2 (sum_k p_k^2 v(k) + [sum_k p_k V(k)^2 - (sum_k p_k V(k))^2] / N(e))    variance of Q(e)
    U(n) = sum_e h(e) Q(e),   u(n) = sum_e h(e)^2 v(e),   h(e) ~ exp(-softness z(e))
    z(e) = (Q(b) - Q(e)) / sqrt(v(b) + v(e)),   b = argmax Q                       gap in standard errors
    V(n) = M_t + c (U(n) - M_t),   v(n) = c u(n),   c = S_t / (S_t + 3 u(n))       drawn towards its depth

M_t and S_t are mean and variance of the return to go over all trials at depth t.  The edges are the parts that the rule
compares: w^2 = exp(-focus z) by the decision ``Gaps``, and s2(e), the variance of the returns through e, drawn towards
that of the node, which is drawn towards S_t.  A node seen once has u(n) = that.  In a tree a value is drawn down by no
more than 0.3 sqrt(u(n)): what stands out may be a discovery, and has many levels to come up.

The rule spends samples on what is known to matter.  What nobody has seen needs optimism: a share of the trials follow,
from the root to the end, the highest hope, and a smaller one the greatest novelty, which knows no rewards,

    hope(e) = R(e) + discount * sum_k p_k hope(k),                 hope(n) = max_e hope(e)
    novelty(e) = max(1 / (N(e) + 1), sum_k p_k novelty(k)),        novelty(n) = max_e novelty(e)

where a node with an untried action hopes for no less than two standard deviations above the best return to go ever
seen at its depth, and has novelty 1.  All of this holds for every node after a sweep, the deepest first; there is one
whenever as many steps were taken since the last as there are nodes.  Every quantity is a ratio of returns or in their
unit, so the same problem in other units is searched alike.

Where outcomes never repeat, N(e) in the errors counts draws of the world and not trials that followed an old outcome,
nodes are drawn towards their depth as in a tree, and no trial hopes: there is always something unseen.  Where somebody
said w(n) is what a state is worth, M_t and S_t give way to the combination of the two and its variance,

    m(n) = M_t + S_t / (S_t + T) (w(n) - M_t),    S_t T / (S_t + T),    T = mean square of U(n) - w(n)

which is what a new node has, and the unseen holds no more than two standard errors T above w(n).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from .._compile import helper
from ..check import problem_with
from ..decisions import Gaps
from ..decisions.decision import weigh
from ..decisions.gaps import CERTAIN
from ..moments import include_row
from ..noise import own_variance
from ..parts import error, estimate, noise, samples, size
from ..random import below, uniform
from ..rule import VarDE, decrement
from ..worlds.table import expected_reward, is_listed, reward_variance, side, worth
from .loop import (
    back_up,
    begin,
    columns,
    expect,
    hoped_value,
    left_for,
    prepare,
    reported_value,
    resume,
    resumes,
    return_variance,
    select,
    settle,
    sparse,
    tidy,
    value_variance,
    welcome,
)
from .tree import (
    CHILD,
    COUNT,
    EDGES,
    LINK,
    NEXT,
    NONE,
    NOWHERE,
    OUTCOMES,
    PENDING,
    STATE,
    SUCCESSOR,
    TIMES,
    TRIED,
    VALUE,
    VISITS,
    WIDTH,
    Q,
    Tree,
    draws,
    fewest_under_way,
    first_action,
    has_prior,
    has_untried,
    most_thought_of,
    never_repeats,
    untried,
)

REFRESHED = 8  # edges of a node that a visit brings up to date, in turn, besides its own
ROOT_FOCUS = 2.0  # of the reported value: the root has samples enough for sharper weights than the nodes below it
DRAWN = 3.0  # k: how strongly an uncertain value is drawn towards its depth
DRAWN_WHERE_NEW = 0.3  # the same where outcomes never repeat, and nearly every node was seen once
SWAYED = 0.3  # standard errors that a value is drawn down at most, in a tree
AHEAD = 2.0  # standard deviations above the best seen that the unknown may hold
TRUSTED = 3.0  # how strongly an uncertain value is drawn towards what somebody said
DRAWN_IN_GAMES = 30.0  # the same towards the mean of the returns, where an opponent moves too
ONCE = 0.3  # visits that the mean of a depth counts for in that mean
FIRST = 8  # actions of a node that are tried before one is repeated; the others compete


class Node(NamedTuple):
    """Columns of a node."""

    value: int = VALUE
    variance: int = 1  # v(n)
    mean: int = 2  # of the returns
    squares: int = 3  # M2 of the returns
    hope: int = 4
    novelty: int = 5
    untried: int = 6  # the decrement of an untried action, where many were tried
    report: int = 7  # the milder value, if it is asked for
    sure: int = 8  # of games: what whoever moves can be sure of


class Edge(NamedTuple):
    """Columns of an edge."""

    q: int = Q
    variance: int = 1  # v(e)
    mean: int = 2  # of the returns
    squares: int = 3  # M2 of the returns
    worth: int = 4  # w^2 s2: the decrement but for N
    hope: int = 5
    novelty: int = 6
    report: int = 7  # the milder value, if it is asked for
    sure: int = 8  # of games


NODE, EDGE = Node(), Edge()
WORTH, HOPE, NOVELTY = EDGE.worth, EDGE.hope, EDGE.novelty  # what a trial follows


class GapTree(NamedTuple):
    """The default: the rule at every node, optimism, novelty, a little forced exploration.

    Of the steps so far a share f met a node that was known.  A trial follows the highest hope with probability
    ``optimism`` f, the greatest novelty with probability ``novelty`` f; where nothing comes back, as in a wide tree,
    both are rare.  Where it is known when an answer is due, those trials come first.  The others take, with chance
    min(1, ``exploration`` / ln(N + 2)), any action; else the one of the largest decrement.  Untried actions come first;
    beyond eight they compete.  ``report`` backs up a second value with the milder weights exp(-z) (exp(-2z) at the
    root), which is a less biased estimate of the root's value.
    """

    rule: VarDE = VarDE(Gaps(shared=False))
    exploration: float = 0.1
    optimism: float = 0.6  # share of trials that go where the most could still be found
    novelty: float = 0.1  # share of trials that go where the fewest have been
    softness: float = 3.0  # exponent of the backed-up value
    report: bool = False
    players: int = 1  # 2 in a game, which a search sets by itself


class Levels(NamedTuple):
    """What is remembered besides the tree."""

    returns: np.ndarray  # [H + 1, 3] count, mean and M2 of the return to go, by depth
    best: np.ndarray  # [H + 1] the best return to go
    first: np.ndarray  # [H + 1] a node of the depth, whose LINK leads to the others
    moods: np.ndarray  # [B] what the trial follows
    steps: np.ndarray  # [3] ALL, SINCE, NEWS
    due: np.ndarray  # [2] from when to when no trial hopes, in simulations
    marks: np.ndarray  # [4] WIDEST, LARGEST, ERRORS, CHECKED
    square: np.ndarray  # [widest] w^2 of the edges of a node


ALL, SINCE, NEWS = 0, 1, 2  # steps, steps since the last sweep, whether a depth got its first variance since
WIDEST, LARGEST = 0, 1  # standard deviation of a depth as of the last sweep, |return to go|
ERRORS, CHECKED = 2, 3  # of what was said: squares times visits, visits, as of the last sweep


@columns.of(GapTree)
def gap_columns(algorithm):
    used = 9 if algorithm.players == 2 else 8 if algorithm.report else 7
    return NODE[:used], EDGE[:used]


@prepare.of(GapTree)
def make_levels(algorithm, settings):
    depths, marks, square = settings.horizon + 1, np.zeros(4), np.zeros(settings.widest)
    first, moods, steps, due = (np.zeros(size, np.int64) for size in (depths, settings.lanes, 3, 2))
    return Levels(np.zeros((depths, 3)), np.zeros(depths), first, moods, steps, due, marks, square)


@begin.of(GapTree)
def forget_levels(algorithm, memory):
    for depth in range(memory.returns.shape[0]):
        memory.first[depth] = NOWHERE
        for i in range(3):
            memory.returns[depth, i] = 0.0
    for i in range(3):
        memory.steps[i] = 0
    for i in range(4):
        memory.marks[i] = 0.0


@expect.of(GapTree)
def stop_hoping_in_time(algorithm, memory, now, due):
    memory.due[:] = now + int((algorithm.optimism + algorithm.novelty) * (due - now)), due


@welcome.of(GapTree)
def link_node(algorithm, memory, tree, node, depth):
    if tree.node[node, WIDTH] > 0:
        tree.node[node, LINK] = memory.first[depth]
        memory.first[depth] = node


# -- the edges of a node, as the rule knows them --------------------------------------------------


class Edges(NamedTuple):
    """What is compared: the tried edges of a node."""

    tree: Tree
    first: int
    width: int
    model: Any  # of the noise
    wide: float  # the variance of the returns of the node


@size.of(Edges)
def number_of_edges(parts):
    return parts.width


@samples.of(Edges)
def trials_through(parts, i):
    return parts.tree.edge[parts.first + i, COUNT]


@estimate.of(Edges)
def q_of_edge(parts, i):
    return parts.tree.scores[parts.first + i, EDGE.q]


@error.of(Edges)
def variance_of_q(parts, i):
    return parts.tree.scores[parts.first + i, EDGE.variance]


@noise.of(Edges)
def variance_of_returns(parts, i):
    squares = parts.tree.scores[parts.first + i, EDGE.squares]
    return own_variance(parts.model, parts.wide, squares, samples(parts, i))


# -- choosing --------------------------------------------------------------------------------------


@select.of(GapTree)
def follow_the_mood(algorithm, memory, problem, tree, lane, node, depth, rng):
    width, tried = tree.node[node, WIDTH], tree.node[node, TRIED]
    if depth == 0:
        memory.moods[lane] = mood_of_trial(algorithm, memory, tree, rng)
    mood = memory.moods[lane]
    if tried == 0:
        return untried(problem, tree, node, rng)
    idle, soon = width - tried, tree.node[node, VISITS]  # untried and not under way; N(n) with what is under way
    if tree.lanes > 1:
        least, alike = fewest_under_way(tree, node)
        idle = alike if least == 0 else 0
        for edge in range(tree.node[node, EDGES], tree.node[node, EDGES] + width):
            soon += tree.edge[edge, PENDING]
    if mood == WORTH and uniform(rng) * math.log(soon + 2.0) < algorithm.exploration:
        return below(width, rng)
    weight = 1.0  # of the untried action that is thought of most
    if idle > 0 and has_prior(problem, tree, node):
        weight = most_thought_of(problem, tree, node, 0, rng)[1]
    if idle > 0 and (tried < FIRST or mood == NOVELTY):
        return untried(problem, tree, node, rng)
    chosen, promise = most_promising(tree, node, mood, rng)
    if idle > 0 and promise <= (
        tree.values[node, NODE.untried] * weight if mood == WORTH else unseen(algorithm, memory, depth)
    ):
        return untried(problem, tree, node, rng)
    return chosen


@helper
def mood_of_trial(algorithm, memory, tree, rng):
    """What a trial follows, to its end."""
    known = max(1.0 - tree.used[0] / (memory.steps[ALL] + 1.0), 1e-9)
    if never_repeats(tree):
        known = 1e-9  # steps to known nodes are those that followed an outcome again
    trials, draw = tree.node[0, VISITS], uniform(rng) / known
    hope, both = algorithm.optimism, algorithm.optimism + algorithm.novelty
    if trials < memory.due[0]:  # as many in all, but before the others
        hope, both = hope / both, 1.0
    elif trials < memory.due[1]:
        both = 0.0
    return WORTH if draw >= both else HOPE if draw < hope else NOVELTY


@helper
def most_promising(tree, node, mood, rng):
    """The best tried action and how good it is; of equal hopes the more novel; ties at random.

    Samples under way count in N of the rule and of the novelty; equal ones go to those with the fewest.
    """
    first = tree.node[node, EDGES]
    best, fewest, newest, chosen, ties = -np.inf, 0, 0.0, -1, 1
    for action in range(tree.node[node, WIDTH]):
        edge = first + action
        count = tree.edge[edge, COUNT]
        if count == 0:
            continue
        score, under_way, novelty = tree.scores[edge, mood], tree.edge[edge, PENDING], 0.0
        if mood == WORTH:
            score, under_way = decrement(score, 1.0, count + under_way), 0
        elif mood == HOPE:
            novelty = tree.scores[edge, NOVELTY]
        else:
            score /= 1.0 + under_way
        level = score == best and under_way == fewest
        if level and novelty == newest:
            ties += 1
            chosen = action if below(ties, rng) == 0 else chosen
        elif score > best or (score == best and under_way < fewest) or (level and novelty > newest):
            best, fewest, newest, chosen, ties = score, under_way, novelty, action, 1
    return chosen, best


# -- what is known of a depth ----------------------------------------------------------------------


@helper
def level_variance(memory, depth):
    """S_t: the variance of the return to go over all trials at a depth."""
    return memory.returns[depth, 2] / max(memory.returns[depth, 0] - 1.0, 1.0)


@helper
def unseen(algorithm, memory, depth):
    """What may be hoped for where nobody has been: strictly more than was seen, whatever the unit.

    In a game as much as anybody ever won: who is sure of that need not look for more.
    """
    if algorithm.players == 2:
        return memory.marks[LARGEST] if memory.marks[LARGEST] > 0.0 else 1.0
    deviation = math.sqrt(level_variance(memory, depth))
    if deviation == 0.0:
        deviation = memory.marks[WIDEST]
    if deviation == 0.0:
        deviation = memory.marks[LARGEST] if memory.marks[LARGEST] > 0.0 else 1.0
    return memory.best[depth] + AHEAD * deviation


@helper
def enter_return(memory, problem, tree, node, depth, gain):
    """Enter a return at its depth, where it is the first player's, and at its node."""
    memory.returns[depth, 0] += 1.0
    count, before = memory.returns[depth, 0], memory.returns[depth, 2]
    memory.best[depth] = gain if count == 1.0 else max(memory.best[depth], gain)
    memory.marks[LARGEST] = max(memory.marks[LARGEST], abs(gain))
    include_row(memory.returns, depth, 1, count, side(problem, tree.node[node, STATE]) * gain)
    if before == 0.0 and memory.returns[depth, 2] > 0.0:
        memory.steps[NEWS] = 1  # what was hoped for at this depth was borrowed
    include_row(tree.values, node, NODE.mean, tree.node[node, VISITS], gain)


@helper
def node_variance(algorithm, memory, tree, node, depth):
    """The variance of the returns of a node."""
    squares, visits = tree.values[node, NODE.squares], tree.node[node, VISITS]
    return own_variance(algorithm.rule.noise, level_variance(memory, depth), squares, visits)


# -- backing up ------------------------------------------------------------------------------------


@helper
def in_turn(algorithm, problem):
    """Whether two players move."""
    return algorithm.players == 2 and not is_listed(problem)


@helper
def refresh(algorithm, problem, tree, node, edge, discount):
    """Q(e), its variance, hope and novelty, and the reported Q, from the successors seen."""
    again = tree.wide and not is_listed(problem)  # outcomes may be followed again
    count = draws(tree, edge) if again else tree.edge[edge, COUNT]
    state, action = int(tree.node[node, STATE]), edge - tree.node[node, EDGES] + first_action(tree, node)
    reward = expected_reward(problem, state, action)
    mean, squares, variance, together, hope, fear, novelty, report = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    outcome = tree.edge[edge, OUTCOMES]
    while outcome != NONE:
        child, share = tree.outcome[outcome, CHILD], tree.outcome[outcome, TIMES] / count
        sign = side(problem, max(tree.outcome[outcome, SUCCESSOR], 0))  # below 0: what was forgotten
        value = sign * tree.values[child, VALUE]
        mean += share * value
        squares += share * value * value
        variance += share * share * tree.values[child, NODE.variance]
        if again:  # rewards may go with successors
            together += share * (tree.paid[outcome, 0] - reward) * value
        if in_turn(algorithm, problem):  # what the other hopes for is what is feared here
            high, low = tree.values[child, NODE.hope], tree.values[child, NODE.sure]
            hope += share * (high if sign > 0.0 else -low)
            fear += share * (low if sign > 0.0 else -high)
        else:
            hope += share * tree.values[child, NODE.hope]
        novelty += share * tree.values[child, NODE.novelty]
        if algorithm.report:
            report += share * sign * tree.values[child, NODE.report]
        outcome = tree.outcome[outcome, NEXT]
    sign = side(problem, state)
    spread = discount * discount * max(squares - mean * mean, 0.0) + reward_variance(problem, state, action)
    if again:
        spread = max(spread + 2.0 * discount * together, 0.0)
        count -= 1 if 1 < count < tree.edge[edge, COUNT] else 0  # few draws, many trials: the spread has its own error
    tree.scores[edge, Q] = sign * (reward + discount * mean)
    tree.scores[edge, EDGE.variance] = discount * discount * variance + spread / count
    tree.scores[edge, EDGE.hope] = reward + discount * hope
    tree.scores[edge, EDGE.novelty] = max(1.0 / (tree.edge[edge, COUNT] + 1.0), novelty)
    if in_turn(algorithm, problem):
        high, low = reward + discount * hope, reward + discount * fear
        tree.scores[edge, EDGE.hope], tree.scores[edge, EDGE.sure] = (high, low) if sign > 0.0 else (-low, -high)
        if high <= low and tree.scores[edge, EDGE.variance] == 0.0:
            tree.scores[edge, EDGE.novelty] = 0.0  # all is known
    if algorithm.report:
        tree.scores[edge, EDGE.report] = sign * (reward + discount * report)


@back_up.of(GapTree)
def propagate(algorithm, memory, problem, tree, lane, node, edge, depth, gain, discount):
    enter_return(memory, problem, tree, node, depth, gain)
    include_row(tree.scores, edge, EDGE.mean, tree.edge[edge, COUNT], gain)
    refresh(algorithm, problem, tree, node, edge, discount)
    if tree.table.shape[0] > 1:
        # In a graph the successors of the other edges improve through other parents.
        first, width = tree.node[node, EDGES], tree.node[node, WIDTH]
        other = first + REFRESHED * tree.node[node, VISITS] % width
        for _ in range(min(width, REFRESHED)):
            if other != edge and tree.edge[other, COUNT] > 0:
                refresh(algorithm, problem, tree, node, other, discount)
            other = other + 1 if other + 1 < first + width else first
    conclude(algorithm, memory, problem, tree, node, depth)
    memory.steps[ALL] += 1
    memory.steps[SINCE] += 1
    if depth == 0 and (memory.steps[SINCE] >= tree.used[0] or memory.steps[NEWS] == 1):
        sweep(algorithm, memory, problem, tree, discount)


@helper
def sweep(algorithm, memory, problem, tree, discount):
    """Bring every node up to date, the deepest first: once per as many steps as there are nodes.

    What was said of states is compared with what they turned out to be worth.
    """
    memory.steps[SINCE], memory.steps[NEWS] = 0, 0
    depths, widest = memory.returns.shape[0], 0.0
    for depth in range(depths):
        widest = max(widest, level_variance(memory, depth))
    memory.marks[WIDEST] = math.sqrt(widest)
    errors, checked = 0.0, 0.0
    for depth in range(depths - 1, -1, -1):
        node = memory.first[depth]
        while node != NOWHERE:
            if tree.node[node, TRIED] > 0:
                first = tree.node[node, EDGES]
                for edge in range(first, first + tree.node[node, WIDTH]):
                    if tree.edge[edge, COUNT] > 0:
                        refresh(algorithm, problem, tree, node, edge, discount)
                own = conclude(algorithm, memory, problem, tree, node, depth)
                said, visits = said_of(problem, tree, node), tree.node[node, VISITS]
                tried = min(tree.node[node, WIDTH], FIRST)
                if not math.isnan(said) and tree.node[node, TRIED] >= tried and visits > tried:
                    checked += visits
                    errors += visits * (own - said) ** 2
            node = np.int64(tree.node[node, LINK])
    memory.marks[ERRORS], memory.marks[CHECKED] = errors, checked


@helper
def conclude(algorithm, memory, problem, tree, node, depth):
    """Everything about a node that follows from its edges; U(n)."""
    wide = node_variance(algorithm, memory, tree, node, depth)
    weigh_node(algorithm, memory, problem, tree, node, wide)
    if tree.node[node, VISITS] == 1:
        tree.values[node, NODE.variance] = wide
    if has_untried(tree, node):
        hope = hope_for_unseen(algorithm, memory, problem, tree, node, depth)
        tree.values[node, NODE.hope], tree.values[node, NODE.novelty] = max(tree.values[node, NODE.hope], hope), 1.0
    mean, variance, strength, most = expected_at(memory, problem, tree, node, depth)
    value, own = tree.values[node, VALUE], tree.values[node, NODE.variance]
    if in_turn(algorithm, problem):
        draw_to_returns(tree, node, mean, variance, wide)
    elif depth > 0 and variance > 0.0 and not algorithm.report:
        share = variance / (variance + strength * own)
        if (1.0 - share) * (value - mean) > most * math.sqrt(own):
            share = 1.0 - most * math.sqrt(own) / (value - mean)
        tree.values[node, VALUE] = mean + share * (value - mean)
        tree.values[node, NODE.variance] = share * own
    return value


@helper
def draw_to_returns(tree, node, mean, variance, wide):
    """V(n) and v(n) in a game, from U(n) and u(n).

    The highest of a few uncertain values promises too much, at every other depth to somebody else.  What came of the
    trials through a node promises too little to whoever moves there, since some tried other actions, and is worth more
    the fewer there were.
    """
    sure, first = tree.values[node, NODE.sure], tree.node[node, EDGES]
    if sure >= tree.values[node, NODE.hope]:  # no action can be better
        tree.values[node, VALUE], tree.values[node, NODE.novelty] = sure, 0.0
        for edge in range(first, first + tree.node[node, WIDTH]):
            if tree.edge[edge, COUNT] > 0 and tree.scores[edge, EDGE.sure] == sure:
                tree.values[node, NODE.variance] = tree.scores[edge, EDGE.variance]
        return
    visits, own = tree.node[node, VISITS], tree.values[node, NODE.variance]
    share = variance / (variance + DRAWN_IN_GAMES * own) if variance > 0.0 else 1.0
    mean = (ONCE * mean + visits * tree.values[node, NODE.mean]) / (ONCE + visits)
    deviation = share * math.sqrt(own) + (1.0 - share) * math.sqrt(visits * wide) / (ONCE + visits)
    tree.values[node, VALUE] = mean + share * (tree.values[node, VALUE] - mean)
    tree.values[node, NODE.variance] = deviation * deviation


# -- what somebody said a state is worth -------------------------------------------------------------


@helper
def said_of(problem, tree, node):
    """What the node was said to be worth, to whoever moves there; nan if nothing was."""
    state = np.int64(tree.node[node, STATE])
    return side(problem, state) * worth(problem, state)


@helper
def error_of_sayings(memory, depth):
    """T: the mean square of U(n) - what was said, over visits as of the last sweep, and S_t once.

    Only nodes count all of whose actions, or many, were tried.
    """
    return (level_variance(memory, depth) + memory.marks[ERRORS]) / (1.0 + memory.marks[CHECKED])


@helper
def expected_at(memory, problem, tree, node, depth):
    """What a value is drawn towards, the variance around that, how strongly, and standard errors down at most.

    Without transpositions a discovery comes up a long way: drawn freely at every level it would be lost.
    """
    mean = side(problem, tree.node[node, STATE]) * memory.returns[depth, 1]
    variance, said = level_variance(memory, depth), said_of(problem, tree, node)
    if math.isnan(said) or variance == 0.0:
        if not is_listed(problem) and never_repeats(tree):
            return mean, variance, DRAWN_WHERE_NEW, np.inf
        return mean, variance, DRAWN, np.inf if tree.table.shape[0] > 1 else SWAYED
    error = error_of_sayings(memory, depth)
    return mean + variance / (variance + error) * (said - mean), variance * error / (variance + error), TRUSTED, np.inf


@helper
def hope_for_unseen(algorithm, memory, problem, tree, node, depth):
    """What may be hoped for at a node with an untried action."""
    said = said_of(problem, tree, node)
    if math.isnan(said) or level_variance(memory, depth) == 0.0:
        return unseen(algorithm, memory, depth)
    return min(unseen(algorithm, memory, depth), said + AHEAD * math.sqrt(error_of_sayings(memory, depth)))


# -- the edges of a node together ------------------------------------------------------------------


@helper
def weigh_node(algorithm, memory, problem, tree, node, wide):
    """U(n) and u(n) from the weights of the gaps, the highest hope and novelty, what more samples are worth."""
    rule, square = algorithm.rule, memory.square
    first, width = int(tree.node[node, EDGES]), int(tree.node[node, WIDTH])
    parts = Edges(tree, first, width, rule.noise, wide)
    top = estimate(parts, weigh(rule.decision, parts, square))
    softer = algorithm.softness / rule.decision.focus
    total, gaps, variance, mild, report = 0.0, 0.0, 0.0, 0.0, 0.0
    behind, squares, hope, sure, novelty = 0.0, 0.0, -np.inf, -np.inf, 0.0
    for i in range(width):
        if samples(parts, i) == 0:
            continue
        weight, gap = square[i] if softer == 1.0 else square[i] ** softer, top - estimate(parts, i)
        total += weight
        gaps += weight * gap
        variance += weight * weight * error(parts, i)
        behind += gap
        squares += gap * gap
        tree.scores[first + i, EDGE.worth] = square[i] * noise(parts, i)
        hope = max(hope, tree.scores[first + i, EDGE.hope])
        novelty = max(novelty, tree.scores[first + i, EDGE.novelty])
        if in_turn(algorithm, problem):
            sure = max(sure, tree.scores[first + i, EDGE.sure])
            if tree.scores[first + i, EDGE.novelty] == 0.0:
                tree.scores[first + i, EDGE.worth] = 0.0  # no sample can tell more
        if algorithm.report:
            chance = square[i] ** (1.0 / rule.decision.focus)
            mild += chance
            report += chance * tree.scores[first + i, EDGE.report]
    tree.values[node, VALUE] = top - gaps / total
    tree.values[node, NODE.variance] = variance / (total * total)
    tree.values[node, NODE.hope], tree.values[node, NODE.novelty] = hope, novelty
    if in_turn(algorithm, problem):
        tree.values[node, NODE.sure] = sure
    tried = tree.node[node, TRIED]
    if FIRST <= tried < width:
        chance = chance_of_untried(rule.decision, behind, squares, tried)
        tree.values[node, NODE.untried] = decrement(chance, wide, 1)
    if algorithm.report:
        tree.values[node, NODE.report] = report / mild


@helper
def chance_of_untried(decision, gaps, squares, tried):
    """w^2 of an untried action: one more draw from the tried ones, whose gaps and their squares are summed here."""
    behind = gaps / tried
    between = max(squares - tried * behind * behind, 0.0) / (tried - 1.0)
    errors = min(behind / math.sqrt(between), CERTAIN) if between > 0.0 else CERTAIN
    return math.exp(-decision.focus * errors) if behind > 0.0 else 1.0


@settle.of(GapTree)
def enter_at_leaf(algorithm, memory, problem, tree, node, depth, gain):
    enter_return(memory, problem, tree, node, depth, gain)
    mean, variance = tree.values[node, NODE.mean], node_variance(algorithm, memory, tree, node, depth)
    variance /= tree.node[node, VISITS]
    tree.values[node, NODE.hope] = mean
    if tree.node[node, WIDTH] > 0:  # where random play began, or what is still to come was said
        tree.values[node, NODE.hope] = max(mean, hope_for_unseen(algorithm, memory, problem, tree, node, depth))
        tree.values[node, NODE.novelty] = 1.0
    if in_turn(algorithm, problem):
        tree.values[node, NODE.sure] = mean if tree.node[node, WIDTH] == 0 else -unseen(algorithm, memory, depth)
    if not math.isnan(said_of(problem, tree, node)):
        expected, error, _, _ = expected_at(memory, problem, tree, node, depth)
        mean, variance = (expected, error) if error > 0.0 else (mean, variance)
    tree.values[node, VALUE], tree.values[node, NODE.variance] = mean, variance
    if algorithm.report:
        tree.values[node, NODE.report] = mean


# -- a tree that is cut -----------------------------------------------------------------------------


@sparse.of(GapTree)
def one_edge_will_do(algorithm):
    return True


@resumes.of(GapTree)
def gap_tree_resumes(algorithm):
    return True


@resume.of(GapTree)
def same_estimates(algorithm, problem, tree, node, edge, child, discount):
    state, action = int(tree.node[node, STATE]), edge - tree.node[node, EDGES]
    hope, variance = tree.values[node, NODE.hope], tree.values[node, NODE.variance]
    tree.scores[edge, EDGE.mean] = tree.values[node, NODE.mean]
    tree.scores[edge, EDGE.squares] = tree.values[node, NODE.squares]
    tree.scores[edge, EDGE.variance], tree.values[child, NODE.variance] = variance, variance / (discount * discount)
    tree.scores[edge, EDGE.hope] = hope
    tree.values[child, NODE.hope] = left_for(problem, state, action, hope, discount)
    if algorithm.players == 2:
        sure, high = tree.values[node, NODE.sure], tree.values[child, NODE.hope]
        low = left_for(problem, state, action, sure, discount)
        tree.scores[edge, EDGE.sure] = sure
        tree.values[child, NODE.hope], tree.values[child, NODE.sure] = max(high, low), min(high, low)
    if algorithm.report:
        report = tree.values[node, NODE.report]
        tree.scores[edge, EDGE.report] = report
        tree.values[child, NODE.report] = left_for(problem, state, action, report, discount)


@tidy.of(GapTree)
def levels_of_what_is_left(algorithm, memory, tree, depths, moved):
    if moved:
        for levels in (memory.returns, memory.best):
            levels[:-1] = levels[1:]
            levels[-1] = 0.0
        # Steps that led elsewhere do not count: beside the fewer nodes left all would seem known, and hope not end.
        memory.steps[ALL] = tree.edge[: tree.used[1], COUNT].sum()
    memory.first[:] = NOWHERE
    growing = np.flatnonzero(tree.node[: len(depths), WIDTH] > 0)
    growing = growing[np.argsort(depths[growing], kind="stable")]
    if len(growing):
        level, last = depths[growing], np.append(np.diff(depths[growing]) > 0, True)
        tree.node[growing, LINK] = np.where(last, NOWHERE, np.append(growing[1:], NOWHERE))
        starts = np.append(True, last[:-1])
        memory.first[level[starts]] = growing[starts]


# -- the answer ------------------------------------------------------------------------------------


@value_variance.of(GapTree)
def propagated_variance(algorithm, tree, edge):
    return tree.scores[edge, EDGE.variance]


@hoped_value.of(GapTree)
def hope_of_edge(algorithm, tree, edge):
    return tree.scores[edge, EDGE.hope]


@return_variance.of(GapTree)
def variance_at_node(algorithm, tree, node):
    return tree.values[node, NODE.squares] / max(tree.node[node, VISITS] - 1.0, 1.0)


@reported_value.of(GapTree)
def mild_value(algorithm, tree):
    """Of the root, from the weights exp(-2 z); runs in Python."""
    if not algorithm.report:
        return tree.values[0, VALUE]
    first, width = int(tree.node[0, EDGES]), int(tree.node[0, WIDTH])
    weights = np.zeros(width)
    weigh(Gaps(ROOT_FOCUS, False), Edges(tree, first, width, algorithm.rule.noise, 0.0), weights)
    return float(weights @ tree.scores[first : first + width, EDGE.report] / weights.sum())


@problem_with.of(GapTree)
def gap_tree_problem(algorithm):
    rule = algorithm.rule
    if not isinstance(rule.decision, Gaps) or rule.decision.shared:
        return f"decision is {rule.decision}: write Gaps(shared=False), or VarDE({rule.decision}) for a tree of its own"
    if rule.warm_start != 0:
        return f"warm_start is {rule.warm_start}: leave it out, in trees untried actions come first"
    for name in ("softness", "exploration", "optimism", "novelty"):
        given = getattr(algorithm, name)
        if not 0.0 <= given < np.inf:
            return f"{name} is {given}: write a finite number, zero or more; the default is a good one"
    if algorithm.optimism + algorithm.novelty > 1.0:
        return f"optimism is {algorithm.optimism} and novelty {algorithm.novelty}: write shares of at most 1 together"
    return ""
