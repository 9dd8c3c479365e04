"""Records of the default search: its settings, the columns of nodes and edges, and the statistics of every depth."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...check import problem_with
from ...decisions import Gaps
from ...rule import VarDE
from ..loop import begin, columns, expect, prepare, welcome
from ..tree import LINK, NOWHERE, VALUE, WIDTH, Q

REFRESHED = 2  # further edges of a node that a visit updates, in turn
NEWER = 8  # a sweep is due when 1/8 of all steps, and as many as there are nodes, came since the last
ROOT_FOCUS = 2.0  # of the reported value: the root has samples enough for sharper weights than the nodes below it
DRAWN = 3.0  # k: how strongly an uncertain value is shrunk towards its depth
DRAWN_WHERE_NEW = 0.3  # the same where outcomes never repeat, and nearly every node was seen once
SWAYED = 0.3  # standard errors a value is shrunk down at most, in a tree
AHEAD = 2.0  # standard deviations above the best seen, for the optimistic value of the unseen
TRUSTED = 3.0  # how strongly an uncertain value is shrunk towards a given one
DRAWN_IN_GAMES = 30.0  # the same towards the mean of the returns, where an opponent moves too
ONCE = 0.3  # the weight of the mean of a depth in that mean, in visits
SETTLED = 30  # repeated steps that all led to the same state before a tree counts as deterministic
FIRST = 16  # actions of a node that are tried before one is repeated; the others compete
FIRST_OF_OTHERS = 8  # the same if the world is not a table: actions may be sampled, or have a prior


class Node(NamedTuple):
    """Columns of a node; those that its parents read come first, usually in one cache line."""

    value: int = VALUE
    variance: int = 1  # v(n)
    hope: int = 2
    novelty: int = 3
    mean: int = 4  # of the returns
    squares: int = 5  # M2 of the returns
    untried: int = 6  # the decrement of an untried action, where many were tried
    report: int = 7  # the milder value, if it is asked for
    sure: int = 8  # in games: what the player who moves can be sure of


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
    """The default search: the rule at every node, optimism, novelty, and a little forced exploration.

    Let f be the share of steps so far that led to a known node.  A trial follows the highest optimistic value with
    probability ``optimism`` f, the greatest novelty with probability ``novelty`` f; where states rarely repeat, as in a
    wide tree, both are rare.  If it is known when an answer is due, those trials come first.  The others take a random
    action with probability min(1, ``exploration`` / ln(N + 2)), else the one with the largest decrement.  Untried
    actions come first; beyond sixteen they compete.  ``report`` backs up a second value with the milder weights exp(-z)
    (exp(-2z) at the root), which is a less biased estimate of the value of the root.
    """

    rule: VarDE = VarDE(Gaps(shared=False))
    exploration: float = 0.1
    optimism: float = 0.6  # share of trials that follow the highest optimistic value
    novelty: float = 0.1  # share of trials that follow novelty
    softness: float = 3.0  # exponent of the backed-up value
    report: bool = False
    players: int = 1  # 2 in a game; set by the search


class Levels(NamedTuple):
    """Statistics kept besides the tree."""

    returns: np.ndarray  # [H + 1, 3] count, mean and M2 of the return to go, by depth
    best: np.ndarray  # [H + 1] the best return to go
    first: np.ndarray  # [H + 1] a node of the depth, whose LINK leads to the others
    moods: np.ndarray  # [B] what the trial follows
    steps: np.ndarray  # [5] ALL, SINCE, NEWS, AGAIN, OTHER
    due: np.ndarray  # [2] from when to when no trial hopes, in simulations
    marks: np.ndarray  # [4] WIDEST, LARGEST, ERRORS, CHECKED
    square: np.ndarray  # [widest] w^2 of the edges of a node


ALL, SINCE, NEWS = 0, 1, 2  # steps, steps since the last sweep, whether a depth got its first variance since
AGAIN, OTHER = 3, 4  # steps through an edge taken before, and those that did not always lead to the same state
WIDEST, LARGEST = 0, 1  # standard deviation of a depth as of the last sweep, |return to go|
ERRORS, CHECKED = 2, 3  # of given values: squares times visits, visits, as of the last sweep


@columns.of(GapTree)
def gap_columns(algorithm):
    used = 9 if algorithm.players == 2 else 8 if algorithm.report else 7
    return NODE[:used], EDGE[:used]


@prepare.of(GapTree)
def make_levels(algorithm, settings):
    depths, marks, square = settings.horizon + 1, np.zeros(4), np.zeros(settings.widest)
    first, moods, steps, due = (np.zeros(size, np.int64) for size in (depths, settings.lanes, 5, 2))
    return Levels(np.zeros((depths, 3)), np.zeros(depths), first, moods, steps, due, marks, square)


@begin.of(GapTree)
def forget_levels(algorithm, memory):
    for depth in range(memory.returns.shape[0]):
        memory.first[depth] = NOWHERE
        for i in range(3):
            memory.returns[depth, i] = 0.0
    for i in range(5):
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
