"""The default of learning, VarDE in an unknown world: the rule with a model, planned exploration, and nothing to tune.

The policy suggested by the data is a set of decisions: is pi(s) better than a?  Each may be wrong; one more sample of a
pair lowers their total variance by c / (n (n + 1)), the decrement of ``rule.py``.  A trajectory has to get to where
that is large, so the algorithm plans for it in the model of the data.

    agent.py        the verbs of ``learning/loop.py``; memory.py: what is kept
    step.py         one step: the best action by the plan, which is updated along the way
    plan.py         making a plan, in the order of the files below
    model.py        the model of the data, by rows; states in the order of first visits, END is 0
    values.py       1. the best policy of the model, and its value
    noise.py        2. the variance of one more sample of a pair
    doubts.py       3. 4. the probability that a decision is wrong, and its cost
    focus.py        5. how much a state matters
    gains.py        6. the value of all samples of a pair together: c
    novelty.py      7. the value of an untried pair
    route.py        8. the exploration policy that collects most of it
    solver.py       the linear algebra of steps 1, 3, 6 and 8
    by_inverse.py   ... by the inverse, for few states
    by_probes.py    ... by random probes, for more
    elimination.py  one system of equations, by elimination; krylov.py: by sparse iterations
"""

from .agent import Explorer

__all__ = ["Explorer"]
