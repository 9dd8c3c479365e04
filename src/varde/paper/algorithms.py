"""The paper's four listings, line by line and with its names: what a reader compares with the PDF.

Slow and plain on purpose, in nothing but Python; the fast engines are tested against it.  Each function follows its
listing from top to bottom, and a comment quotes the line where the code has to look different.  ``[n]`` marks a line
that leaves something open, or that the text around it contradicts: ``OPEN[n]`` says what, and what is done here.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from typing import Any

OPEN = {
    1: "an argmax with ties: the first one is taken (hand the actions over in random order to break ties at random)",
    2: "exp(value / tau) overflows for values of 100 and tau = 0.1: scores are compared as logarithms",
    3: "N = 0 divides by zero: the score is infinite, as 'Implementation details' says",
    4: "the divisor of the variance is N; the printed error rates fit N - 1",
    5: "nodes are states, though with a horizon a value depends on the depth: name states so that they differ by depth",
    6: "a terminal state and depth H have no untried action, so that the loop would not end: a trial ends there",
    7: "which unsampled action is added, and how the rollout acts: the caller's choice",
    8: "the expansion counts in N(s, a), but not in r-bar(s, a), N(s) or the variance, so that Q is drawn towards 0 "
    "(counted=True: a visit like every other)",
    9: "N(s') is the number of all visits of s'; Lemma C.4 has those that came from (s, a) (counted=True)",
    10: "Welford needs the count and the mean of the returns, which are neither N(s, a) nor Q(s, a): kept beside them",
    11: "max over actions of Q(s, a), some of which were never set: over those that were",
    12: "max over b of Q(s', b) when s' = s: before Q(s, a) is updated",
}

State = Hashable
Action = Any
Step = Callable[[State, Action], tuple[float, State]]


def welford(N: int, mean: float, variance: float, x: float) -> tuple[int, float, float]:
    """Algorithm 4: the count, mean and variance of N samples, and of one more."""
    M2 = N * variance
    N = N + 1
    delta = x - mean
    mean = mean + delta / N
    delta2 = x - mean
    M2 = M2 + delta * delta2
    return N, mean, M2 / N  # [4]


def score(value: float, variance: float, N: int, tau: float, floor: float) -> float:
    """ln of w^2 max(variance, floor) / (N (N + 1)), without the sum in w, which is common to all [2, 3]."""
    if N == 0:
        return math.inf
    return 2.0 * value / tau + math.log(max(variance, floor)) - math.log(N * (N + 1))


def varde_bai(
    pull: Callable[[int], float], K: int, tau: float, eta: int, floor: float, T: int
) -> tuple[int, list[int]]:
    """Algorithm 1: the recommended arm, and the arms pulled.  ``pull(i)`` returns a reward of arm i."""
    N, mean, variance = [0] * K, [0.0] * K, [0.0] * K
    pulled = []
    for t in range(T):
        if t < K * eta:
            i = t % K
        else:
            i = max(range(K), key=lambda j: score(mean[j], variance[j], N[j], tau, floor))  # [1]
        N[i], mean[i], variance[i] = welford(N[i], mean[i], variance[i], pull(i))
        pulled.append(i)
    return max(range(K), key=lambda j: mean[j]), pulled  # [1]


def varde_mcts(
    s0: State,
    actions: Callable[[State], Sequence[Action]],
    step: Step,
    *,
    T: int,
    H: int,
    gamma: float,
    tau: float,
    floor: float,
    unsampled: Callable[[Sequence[Action]], Action] = min,
    rollout: Callable[[State], Action] | None = None,
    counted: bool = False,
) -> tuple[Action, dict[Any, float], dict[Any, int]]:
    """Algorithm 2: the recommended action, Q(s, a) and N(s, a).

    ``actions(s)`` is A(s), empty in a terminal state; ``step(s, a)`` samples a reward and a successor.  ``unsampled``
    picks one of the actions not sampled yet, ``rollout`` an action in a state beyond the tree [7].
    """
    N: dict[Any, int] = defaultdict(int)  # of states, and of pairs of state and action
    Q: dict[Any, float] = {}
    V: dict[State, float] = defaultdict(float)
    r_bar: dict[Any, float] = defaultdict(float)
    returns: dict[Any, tuple[int, float, float]] = defaultdict(lambda: (0, 0.0, 0.0))  # N, mean, variance [10]
    successors: dict[Any, dict[State, int]] = defaultdict(lambda: defaultdict(int))  # s' and visits, by pair

    def ended(s: State, depth: int) -> bool:
        return depth == H or not actions(s)  # [6]

    def expandable(s: State) -> bool:
        return any(N[s, a] == 0 for a in actions(s))

    def select_child(s: State) -> Action:
        return max(actions(s), key=lambda a: score(Q[s, a], returns[s, a][2], N[s, a], tau, floor))  # [1]

    def visit(s: State, a: Action, r: float, s_next: State) -> None:
        r_bar[s, a] = (N[s, a] * r_bar[s, a] + r) / (N[s, a] + 1)
        N[s] += 1
        N[s, a] += 1
        successors[s, a][s_next] += 1

    def best(s: State) -> float:
        return max(Q[s, a] for a in actions(s) if (s, a) in Q)  # [11]

    def expand_simulate(s: State, depth: int) -> float:
        a = unsampled([a for a in actions(s) if N[s, a] == 0])  # [7]
        r, s_next = first = step(s, a)
        rewards = [r]  # "Rollout from (s, a) to depth H"
        while not ended(s_next, depth + len(rewards)):
            r, s_next = step(s_next, rollout(s_next) if rollout else actions(s_next)[0])
            rewards.append(r)
        future = math.fsum(gamma**k * r for k, r in enumerate(rewards[1:]))
        G = rewards[0] + gamma * future
        if counted:
            visit(s, a, *first)
            V.setdefault(first[1], future)
            backpropagate([(s, a, rewards[0])], future)
        else:
            Q[s, a], N[s, a] = G, N[s, a] + 1  # [8]
            V[s] = best(s)
        return G

    def backpropagate(path: list[tuple[State, Action, float]], G: float) -> None:
        while path:
            s, a, r = path.pop()
            G = r + gamma * G
            returns[s, a] = welford(*returns[s, a], G)
            visits = successors[s, a]
            Q[s, a] = r_bar[s, a] + gamma * math.fsum(
                (visits[x] if counted else N[x]) / N[s, a] * V[x]  # [9]
                for x in visits
            )
            V[s] = best(s)

    for _ in range(T):
        s, path = s0, list[tuple[State, Action, float]]()
        while not ended(s, len(path)) and not expandable(s):
            a = select_child(s)
            r, s_next = step(s, a)
            visit(s, a, r, s_next)
            path.append((s, a, r))
            s = s_next
        G = 0.0 if ended(s, len(path)) else expand_simulate(s, len(path))  # [6]
        backpropagate(path, G)
    return max((a for a in actions(s0) if (s0, a) in Q), key=lambda a: Q[s0, a]), Q, N  # [1]


def varde_q_learning(
    s0: State,
    actions: Callable[[State], Sequence[Action]],
    step: Step,
    *,
    T: int,
    gamma: float,
    tau: float,
    floor: float,
) -> tuple[dict[Any, float], list[Action]]:
    """Algorithm 3: Q(s, a), whose greedy policy is the answer, and the actions taken."""
    H = 1.0 / (1.0 - gamma)
    Q: dict[Any, float] = defaultdict(lambda: H)
    targets: dict[Any, tuple[int, float, float]] = defaultdict(lambda: (0, 0.0, 0.0))  # N, mean, variance of y
    s, taken = s0, []
    for _ in range(T):
        a = max(actions(s), key=lambda b: score(Q[s, b], targets[s, b][2], targets[s, b][0], tau, floor))  # [1]
        r, s_next = step(s, a)
        y = r + gamma * max(Q[s_next, b] for b in actions(s_next))  # [12]
        targets[s, a] = welford(*targets[s, a], y)
        alpha = (H + 1.0) / (H + targets[s, a][0])
        Q[s, a] = (1.0 - alpha) * Q[s, a] + alpha * y
        taken.append(a)
        s = s_next
    return Q, taken
