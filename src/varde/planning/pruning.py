"""Pruning a tree: keep what is below the move that was made, or what fits into memory.

Both are one compaction in place.  Nodes reachable from the root are renumbered in order, the root first; their rows
move to the front, and so do those of their edges and outcomes.  A node may be kept without its edges: it stays a leaf
with its estimates until a trial visits it and it grows again (``loop.unfold``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .._compile import helper, kernel
from ..worlds.table import num_actions
from .tree import (
    BEST,
    CHILD,
    COUNT,
    EDGES,
    NEW,
    NEXT,
    NONE,
    NOWHERE,
    ONLY,
    OUTCOMES,
    STATE,
    TRIED,
    VISITS,
    WIDTH,
    Q,
    Tree,
    clear_node,
    first_action,
)

SLICE = 1 << 16  # rows that are moved at once


class Kept(NamedTuple):
    """New numbers after a compaction."""

    nodes: np.ndarray  # [nodes before] the new number, or NOWHERE
    outcomes: np.ndarray  # [outcomes before] the new number, if it was kept
    depths: np.ndarray  # [nodes] steps from the root, by new number


@helper
def fold(tree, node):
    """Drop the edges of a node, except which action was the best."""
    first, best = tree.node[node, EDGES], -1
    for action in range(tree.node[node, WIDTH]):
        edge = first + action
        if tree.edge[edge, COUNT] > 0 and (best < 0 or tree.scores[edge, Q] > tree.scores[first + best, Q]):
            best = action
    tree.node[node, EDGES] = BEST - best - first_action(tree, node) if best >= 0 else NEW
    tree.node[node, WIDTH] = tree.node[node, TRIED] = tree.node[node, ONLY] = 0


@kernel
def reach(problem, tree, root, opened, inner, queue, depths, outcomes):
    """Find what is kept, breadth first; returns how many nodes.

    A node that is not ``inner`` loses its edges.  One ``opened`` steps from the root, if not negative, was at the
    horizon and may now grow.  ``depths [N]`` must be all -1 and ``outcomes [O]`` False.
    """
    queue[0], depths[root] = root, 0
    done, found = 0, 1
    while done < found:
        node = queue[done]
        done += 1
        state = np.int64(tree.node[node, STATE])
        if tree.node[node, EDGES] < 0:
            tree.node[node, WIDTH] = 0  # a failed trial had not made them yet
        if depths[node] == opened and state >= 0 and num_actions(problem, state) > 0:
            clear_node(tree, node)
            tree.node[node, EDGES] = NEW
        elif tree.node[node, WIDTH] > 0 and not inner[node]:
            fold(tree, node)
        for edge in range(tree.node[node, EDGES], tree.node[node, EDGES] + tree.node[node, WIDTH]):
            outcome = tree.edge[edge, OUTCOMES]
            while outcome != NONE:
                outcomes[outcome] = True
                child = tree.outcome[outcome, CHILD]
                if depths[child] < 0:
                    queue[found], depths[child] = child, depths[node] + 1
                    found += 1
                outcome = tree.outcome[outcome, NEXT]
    return found


def compact(tree: Tree, problem: Any, root: int, opened: int, inner: np.ndarray, call: Any) -> Kept:
    """Keep what is reached from ``root``, in place."""
    nodes, _, outcomes = tree.used.tolist()
    queue, depths = np.empty(nodes, tree.node.dtype), np.full(nodes, -1, tree.node.dtype)
    known = np.zeros(outcomes, np.bool_)
    found = call(reach, problem, tree, root, opened, inner, queue, depths, known)
    known[NONE] = True

    kept = queue[:found]
    kept[1:].sort()
    number = np.full(nodes, NOWHERE, tree.node.dtype)
    number[kept] = np.arange(found)
    slide(tree.node, kept)
    slide(tree.values, kept)

    move_edges(tree, found)
    sources = np.flatnonzero(known)
    place = np.cumsum(known, dtype=tree.outcome.dtype) - tree.outcome.dtype.type(1)
    slide(tree.outcome, sources)
    if tree.wide:
        slide(tree.paid, sources)
    tree.used[:] = found, tree.used[1], len(sources)
    at = tree.outcome[1 : len(sources)]
    at[:, CHILD] = number[at[:, CHILD]]
    at[:, NEXT] = place[at[:, NEXT]]
    tree.edge[: tree.used[1], OUTCOMES] = place[tree.edge[: tree.used[1], OUTCOMES]]

    depths = depths[kept]
    if tree.table.shape[0] > 1:
        tree.table[:] = NOWHERE
        real = tree.node[:found, STATE] >= 0
        tree.table[depths[real], tree.node[:found, STATE][real]] = np.flatnonzero(real)
    return Kept(number, place, depths)


def slide(rows: np.ndarray, sources: np.ndarray) -> None:
    """Move these rows to the front, in place: each moves forwards."""
    for at in range(0, len(sources), SLICE):
        some = sources[at : at + SLICE]
        rows[at : at + len(some)] = rows[some]


def move_edges(tree: Tree, nodes: int) -> None:
    """Edges side by side in the order in which they lie: that of the nodes, but for those that grew again."""
    first, widths = tree.node[:nodes, EDGES], tree.node[:nodes, WIDTH]
    owners = np.flatnonzero(widths > 0)
    owners = owners[np.argsort(first[owners], kind="stable")]
    used = 0
    for at in range(0, len(owners), SLICE):
        some = owners[at : at + SLICE]
        ends = np.cumsum(widths[some], dtype=np.int64)
        sources = np.arange(ends[-1]) + np.repeat(first[some] - ends + widths[some], widths[some])
        for rows in (tree.edge, tree.scores, tree.drawn) if tree.wide else (tree.edge, tree.scores):
            rows[used : used + len(sources)] = rows[sources]
        first[some] = used + ends - widths[some]
        used += len(sources)
    first[(widths == 0) & (first >= 0)] = 0
    tree.used[1] = used


def of_visits(tree: Tree, least: int) -> np.ndarray:
    """The nodes that keep their edges: those visited so often."""
    return tree.node[: tree.used[0], VISITS] >= least


def visits_for(tree: Tree, sizes: Sequence[int], most: float) -> int:
    """How often a node must have been visited to keep its edges, so that the rest takes about ``most`` bytes.

    ``sizes`` are those of a node, an edge and an outcome.  Promising nodes, and the paths to them, are visited most.
    """
    nodes, _, outcomes = tree.used.tolist()
    rows = tree.node[:nodes]
    rows = rows[rows[:, WIDTH] > 0]
    visits, order = rows[:, VISITS], np.argsort(-rows[:, VISITS], kind="stable")
    per_tried = outcomes / max(int(rows[:, TRIED].sum()), 1)
    cost = rows[order, WIDTH] * float(sizes[1]) + rows[order, TRIED] * (per_tried * (sizes[0] + sizes[2]))
    fitting = int(np.searchsorted(np.cumsum(cost), most))
    return int(visits[order[fitting]]) + 1 if fitting < len(order) else 0
