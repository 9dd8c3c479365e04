"""VarDE in an unknown world: the rule with a model and navigation, and nothing to tune.  The default.

The policy that the data suggest is a set of decisions, is pi(s) better than a?  Each may be wrong; one more sample of
a pair lowers the variance of them all by c / (n (n + 1)), the decrement of ``rule.py``.  A trajectory has to travel to
where that is large, so the algorithm plans for it, in the model seen so far.

    agent.py     the verbs of ``learning/loop.py``; memory.py: what is kept
    step.py      one step: the best action by the plan, which is brought up to date along the way
    think.py     the steps of a plan, in the order of the files below
    chart.py     the model seen, by rows; states as met, END is 0
    values.py    1. the best policy of the model, and what it is worth
    noise.py     2. the variance of one more sample of a pair
    doubts.py    3. 4. how likely a decision is wrong, and what that would cost
    focus.py     5. how much a state matters
    gains.py     6. what all samples of a pair are worth together: c
    novelty.py   7. what a pair never tried is worth
    route.py     8. the way that collects most of it
    solver.py    what steps 1, 3, 6 and 8 ask of linear algebra
    near.py      ... answered by the inverse, where there are few states
    far.py       ... answered by random probes, where there are more
    full.py      one system of equations, by elimination; krylov.py: by sparse iterations
"""

from .agent import Voyage

__all__ = ["Voyage"]
