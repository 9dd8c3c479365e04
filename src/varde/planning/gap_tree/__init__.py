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
whenever as many steps were taken since the last as there are nodes, and an eighth of all steps.  Every quantity is a
ratio of returns or in their unit, so the same problem in other units is searched alike.

In a tree where no action ever led to two states nothing is left to chance, and what came once can be had again: then
V(n) = max_e Q(e), drawn towards nothing, and below an edge of novelty 0 all was seen and no sample is worth anything.

Where outcomes never repeat, N(e) in the errors counts draws of the world and not trials that followed an old outcome,
nodes are drawn towards their depth as in a tree, and no trial hopes: there is always something unseen.  Where somebody
said w(n) is what a state is worth, M_t and S_t give way to the combination of the two and its variance,

    m(n) = M_t + S_t / (S_t + T) (w(n) - M_t),    S_t T / (S_t + T),    T = mean square of U(n) - w(n)

which is what a new node has, and the unseen holds no more than two standard errors T above w(n).
"""

from . import answer, choosing, keeping  # noqa: F401 (their cases of verbs)
from .backing_up import sweep
from .records import EDGE, NODE, GapTree

__all__ = ["EDGE", "NODE", "GapTree", "sweep"]
