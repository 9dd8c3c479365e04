"""VarDE() in trees: the gaps to the best action, values backed up with variances, optimism, and novelty.

At a node n of depth t, for its tried edges e with successors k seen N(e, k) times, p_k = N(e, k) / N(e):

    Q(e) = R(e) + discount * sum_k p_k V(k)
    v(e) = discount^2 (sum_k p_k^2 v(k) + [sum_k p_k V(k)^2 - (sum_k p_k V(k))^2] / N(e))    variance of Q(e)
    U(n) = sum_e h(e) Q(e),   u(n) = sum_e h(e)^2 v(e),   h(e) ~ exp(-softness z(e))
    z(e) = (Q(b) - Q(e)) / sqrt(v(b) + v(e)),   b = argmax Q                       gap in standard errors
    V(n) = M_t + c (U(n) - M_t),   v(n) = c u(n),   c = S_t / (S_t + 3 u(n))       shrunk towards its depth

M_t and S_t are mean and variance of the return to go over all trials at depth t.  The edges are the parts that the rule
compares: w^2 = exp(-focus z) by the decision ``Gaps``, and s2(e), the variance of the returns through e, shrunk towards
that of the node, which is shrunk towards S_t.  A node seen once has u(n) = that.  In a tree a value is shrunk down by
at most 0.3 sqrt(u(n)): an outlier may be a discovery, and has many levels to pass on its way up.

The rule spends samples on what is known to matter.  The unknown needs optimism: a share of the trials follow, from the
root to the end, the highest optimistic value ("hope"), and a smaller share the greatest novelty, which ignores rewards,

    hope(e) = R(e) + discount * sum_k p_k hope(k),                 hope(n) = max_e hope(e)
    novelty(e) = max(1 / (N(e) + 1), sum_k p_k novelty(k)),        novelty(n) = max_e novelty(e)

where a node with an untried action hopes for at least two standard deviations above the best return to go ever seen at
its depth, and has novelty 1.  All of this holds for every node after a sweep, deepest nodes first; a sweep is due when
the steps since the last one reach the number of nodes and an eighth of all steps.  Every quantity is a ratio of returns
or in their unit, so the same problem in other units is searched in the same way.

A tree in which no action ever led to two states is deterministic, and every path can be repeated: then
V(n) = max_e Q(e) without shrinkage, and below an edge of novelty 0 everything was seen and no sample is worth anything.

Where outcomes never repeat, N(e) in the errors counts draws of the world and not trials that followed an old outcome,
nodes are shrunk towards their depth as in a tree, and no trial is optimistic: there is always something unseen.  With a
given estimate w(n) of the value of a state, M_t and S_t are replaced by the combination of the two and its variance,

    m(n) = M_t + S_t / (S_t + T) (w(n) - M_t),    S_t T / (S_t + T),    T = mean square of U(n) - w(n)

which is what a new node gets, and the unseen holds at most two standard errors T above w(n).
"""

from . import answer, choosing, pruning  # noqa: F401 (their cases of verbs)
from .backing_up import sweep
from .records import EDGE, NODE, GapTree

__all__ = ["EDGE", "NODE", "GapTree", "sweep"]
