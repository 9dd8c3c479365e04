"""Keeping what is below the move that was made.

One compaction in place: nodes reachable from the new root are renumbered in order, the root first; their rows move to
the front, and so do those of their edges and outcomes.  Nodes at the old horizon may grow now: they get their edges
when a trial visits them (``trial.make_edges``).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._compile import kernel
from ..worlds.table import num_actions
from .tree import NEW, NONE, NOWHERE, Tree

SLICE = 1 << 16  # rows that are moved at once


@kernel
def reach(problem, tree, root, horizon, queue, depths, outcomes):
    """Find what is kept, breadth first; returns how many nodes.

    Nodes ``horizon`` steps away were at the old horizon.  ``depths [N]`` must be all -1, ``outcomes [O]`` False.
    """
    nodes = tree.nodes
    queue[0], depths[root] = root, 0
    done, found = 0, 1
    while done < found:
        node = queue[done]
        done += 1
        if depths[node] == horizon and num_actions(problem, int(nodes.state[node])) > 0:
            nodes.first[node], nodes.visits[node] = NEW, 0
        if nodes.first[node] == NEW:
            continue
        for edge in range(nodes.first[node], nodes.first[node] + nodes.width[node]):
            outcome = tree.edges.outcome[edge]
            while outcome != NONE:
                outcomes[outcome] = True
                child = tree.outcomes.child[outcome]
                if depths[child] < 0:
                    queue[found], depths[child] = child, depths[node] + 1
                    found += 1
                outcome = tree.outcomes.next[outcome]
    return found


def keep_below(tree: Tree, problem: Any, root: int, horizon: int, call: Any) -> np.ndarray:
    """Keep what is reached from ``root``, in place; the depths of the nodes."""
    nodes, edges, outcomes = tree.used.tolist()
    queue, depths = np.empty(nodes, np.int64), np.full(nodes, -1, np.int64)
    known = np.zeros(outcomes, np.bool_)
    found = call(reach, problem, tree, root, horizon, queue, depths, known)
    known[NONE] = True
    kept = queue[:found]
    kept[1:].sort()
    number = np.full(nodes, NOWHERE, np.int64)
    number[kept] = np.arange(found)
    slide(tree.nodes, kept)
    moved = move_edges(tree, found)
    sources = np.flatnonzero(known)
    place = np.cumsum(known) - 1
    slide(tree.outcomes, sources)
    tree.used[:] = found, moved, len(sources)
    at = tree.outcomes[1 : len(sources)]
    at["child"], at["next"] = number[at["child"]], place[at["next"]]
    tree.edges["outcome"][:moved] = place[tree.edges["outcome"][:moved]]
    for rows, first, last in (
        (tree.nodes, found, nodes),
        (tree.edges, moved, edges),
        (tree.outcomes, len(sources), outcomes),
    ):
        rows[first:last] = np.zeros((), rows.dtype)
    depths = depths[kept]
    if tree.table.shape[0] > 1:
        tree.table[:] = NOWHERE
        tree.table[depths, tree.nodes["state"][:found]] = np.arange(found)
    return depths


def slide(rows: np.ndarray, sources: np.ndarray) -> None:
    """Move these rows to the front, in place: each moves forwards."""
    for at in range(0, len(sources), SLICE):
        some = sources[at : at + SLICE]
        rows[at : at + len(some)] = rows[some]


def move_edges(tree: Tree, nodes: int) -> int:
    """Edges side by side in the order in which they lie; returns how many there are."""
    first, widths = tree.nodes["first"][:nodes], tree.nodes["width"][:nodes]
    owners = np.flatnonzero((widths > 0) & (first != NEW))
    owners = owners[np.argsort(first[owners], kind="stable")]
    used = 0
    for at in range(0, len(owners), SLICE):
        some = owners[at : at + SLICE]
        wide = widths[some].astype(np.int64)
        ends = np.cumsum(wide)
        sources = np.arange(ends[-1]) + np.repeat(first[some] - ends + wide, wide)
        tree.edges[used : used + len(sources)] = tree.edges[sources]
        first[some] = used + ends - wide
        used += len(sources)
    first[(widths == 0) & (first != NEW)] = 0
    return used
