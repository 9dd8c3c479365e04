"""What a decision is: a record with a case of ``weigh``, or of ``value`` and ``influence`` (Section 3.2).

``weigh`` fills the squared influence w_i^2, how much the variance of each estimate matters to the decision.  For a
smooth function Y of the estimates it is the square of the gradient, and ``influence`` is all one has to write.
``influence`` is the exact gradient; where the paper prints another form, ``printed=True`` selects that form, so that
its figures can be drawn as they were.

Everything is computed relative to the largest value, so nothing overflows at any temperature or scale.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .._compile import canonical, is_record, verb
from ..arrays import first_largest
from ..beliefs.noise import Floor
from ..check import refuse_problem, shown, some_numbers
from ..protocols import Decision


@verb
def value(decision, values, weights):
    """The decision variable Y at ``values``; ``weights`` is a work array of the same size."""


@verb
def influence(decision, values, weights):
    """Fill ``weights`` with the gradient of Y at ``values``: how much each component matters."""


@verb(fallback=True)
def weigh(decision, belief, square):
    """Fill ``square`` with w_i^2 from a ``Belief``, up to a common factor; returns the leader, or -1 without one."""
    influence(decision, belief.estimates, square)
    for i in range(square.size):
        square[i] *= square[i]
    return -1


@verb(fallback=True)
def weigh_arrays(decision, belief):
    """[K] the same from a ``Belief`` of whole arrays, for ask/tell; write a case where a loop in Python is too slow."""
    square = np.empty(belief.counts.size)
    weigh(decision, belief, square)
    return square


@verb(fallback=True)
def weigh_numbers(decision, beliefs):
    """[K] w^2 s2, the sum of it over the numbers of a result, of each of which there is a belief."""
    return weigh_arrays(decision, beliefs[0]) * beliefs[0].noise


@verb(fallback=True)
def separable(decision):
    """Whether the weights are g(values[i]) / sum_j g(values[j]), so that ``log_influence`` exists."""
    return False


@verb(fallback=True)
def log_influence(decision, value, origin):
    """log g(value): the log weight of one component, up to a constant common to all.

    ``origin`` is any number near the values, the same for all of them.  Measured from it, values of 1e12
    that differ in the last digits still compare.
    """
    return np.nan


@verb(fallback=True)
def one_against_all(decision):
    """Whether it is ``Regret``, whose w^2 of all but the leader depends on that part and the leader alone."""
    return False


# -- defaults that go with a decision ------------------------------------------------------------


@verb(fallback=True)
def usual_noise(decision):
    """The model of the noise; the paper's for the paper's decisions."""
    return Floor()


@verb(fallback=True)
def usual_warm_start(decision):
    """Samples of every component before the rule begins; 0: chosen from the budget."""
    return 2


# -- what is answered, where it is more than the best one ------------------------------------------


@verb(fallback=True)
def answer_size(decision, many):
    """The most parts, of ``many``, that the answer can have."""
    return 1


@verb(fallback=True)
def fill_answer(decision, estimates, answer):
    """Fill ``answer`` with the parts to choose, and then with -1."""
    answer[0] = first_largest(estimates)


@verb(fallback=True)
def unfit(decision):
    """Why moments of rewards, of which larger ones are better, cannot decide this; empty if they can."""
    return ""


# -- by hand -------------------------------------------------------------------------------------


def evaluate(decision: Decision, values: ArrayLike) -> float:
    """Return Y, the decision variable, at ``values``.

    >>> import varde
    >>> round(evaluate(varde.decisions.LogSumExp(0.1), [0.3, 0.2, 0.1]), 4)
    0.3408
    """
    decision, array = _checked(decision, values)
    return float(value(decision, array, np.empty(array.size)))


def gradient(decision: Decision, values: ArrayLike) -> np.ndarray:
    """Return the influence weights, the gradient of Y, at ``values``.

    >>> import varde
    >>> gradient(varde.decisions.LogSumExp(0.1), [0.3, 0.2, 0.1]).round(3)
    array([0.665, 0.245, 0.09 ])
    """
    decision, array = _checked(decision, values)
    weights = np.empty(array.size)
    influence(decision, array, weights)
    return weights


def _checked(decision: Decision, values: ArrayLike) -> tuple[Decision, np.ndarray]:
    if not is_record(decision):
        raise TypeError(f"decision is {shown(decision)}: write a record such as varde.decisions.LogSumExp(0.1)")
    if type(decision) not in value.cases:
        name = type(decision).__name__
        raise TypeError(f"{name} is not a function of values: write LogSumExp(0.1), or add @value.of({name})")
    refuse_problem(decision)
    return canonical(decision), some_numbers("values", values)
