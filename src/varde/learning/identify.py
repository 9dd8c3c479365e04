"""The public doors: learn a policy from one trajectory, or score an agent over many runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from .._jit import generic, is_record, kernel
from ..decisions import problem_with
from ..mdp import MDP, NORMAL, World, from_gymnasium, step
from ..random import key as named_key
from ..random import stream
from ..solve import best_policy, check_discount, closed, evaluate_policy, make_solution, state_discounts
from .doubt import doubt, make_doubts
from .experience import find_lowest, make_experience
from .explore import Reports, Task, act, many_runs, needs_model, one_run, prepare
from .mf_bpi import MFBPI
from .nas import MDPNaS
from .nav import VarDENav
from .o_bpi import OBPI
from .psrl import PSRL
from .q_learning import EpsilonQ
from .q_ucb import QUCB

CERTAIN = 0.05  # a decision that is wrong with a larger probability is called uncertain


@dataclass(frozen=True)
class Learned:
    """A policy, what it is estimated to be worth, and where it may still be wrong.

    ``doubt[s]`` bounds the probability that another action is better in state s, by the delta method on the model of
    the data; it is 1 where an action was never tried.
    """

    policy: np.ndarray  # [S] an action number for every state
    values: np.ndarray  # [S] its value in the model of the data
    doubt: np.ndarray  # [S]
    visits: np.ndarray  # [S, A] how often each pair was sampled
    states: Sequence[Hashable] = field(repr=False)  # [S] names
    actions: Sequence[Hashable] = field(repr=False)  # [A] names

    @property
    def uncertain(self) -> list[Hashable]:
        """The states whose action is the best with less than 95 % certainty, most doubtful first."""
        order = np.argsort(-self.doubt, kind="stable")
        return [self.states[s] for s in order if self.doubt[s] > CERTAIN]

    @property
    def unseen(self) -> list[Hashable]:
        """The states that the trajectory never came to, as far as their actions go."""
        return [name for s, name in enumerate(self.states) if not self.visits[s].any()]

    def __getitem__(self, state: Hashable) -> Hashable:
        """The action for a state, by name."""
        if state not in self.states:
            raise KeyError(f"{state!r} is not one of the {len(self.states)} states, such as {self.states[0]!r}")
        return self.actions[self.policy[self.states.index(state)]]

    def __str__(self) -> str:
        lines = [f"a policy for {len(self.states)} states from {int(self.visits.sum())} steps"]
        shown = self.uncertain[:10]
        if shown:
            more = f" and {len(self.uncertain) - 10} more" if len(self.uncertain) > 10 else ""
            lines.append(f"uncertain in {len(self.uncertain)}: {', '.join(map(str, shown))}{more}")
        else:
            lines.append("no state is uncertain: every action is the best with probability 95 % or more")
        if self.unseen:
            lines.append(f"{len(self.unseen)} of them never visited")
        return "\n".join(lines)


class Simulator(NamedTuple):
    """A user's function as a model; it runs in the Python engine."""

    function: Callable[..., Any]
    generator: np.random.Generator
    num_states: int  # the last one is the end of an episode, if ``episodic``
    num_actions: int
    episodic: bool
    unit: bool  # whether rewards have to be between 0 and 1


@step.of(Simulator)
def simulate(model, state, action, rng):
    answer = model.function(int(state), int(action), model.generator)
    wanted = "(state, reward, over)" if model.episodic else "(state, reward)"
    if not isinstance(answer, tuple) or len(answer) != 2 + model.episodic:
        raise ValueError(f"the simulator returned {answer!r} for state {state}, action {action}: return {wanted}")
    after, reward = answer[0], float(answer[1])
    states = model.num_states - model.episodic
    if after != int(after) or not 0 <= after < states:
        raise ValueError(
            f"the simulator went from state {state} by action {action} to {after!r}: "
            f"return a state from 0 to {states - 1}"
        )
    if not math.isfinite(reward) or (model.unit and not 0.0 <= reward <= 1.0):
        wanted = "one from 0 to 1 for this agent, or use VarDENav()" if model.unit else "a finite number"
        raise ValueError(f"the simulator returned reward {reward} for state {state}, action {action}: return {wanted}")
    return (states if model.episodic and answer[2] else int(after)), reward


# -- what the agents ask for ---------------------------------------------------------------------


@generic(fallback=True)
def unit_rewards(agent):
    """Whether the agent takes rewards to lie between 0 and 1."""
    return True


@unit_rewards.of(VarDENav)
def any_rewards(agent):
    return False


@generic(fallback=True)
def continuing_only(agent):
    """Whether the agent cannot do with states in which an episode ends."""
    return False


@continuing_only.of(MDPNaS)
@continuing_only.of(OBPI)
def needs_circulation(agent):
    return True


def _positive(agent: Any, names: Sequence[str]) -> str:
    for name in names:
        given = getattr(agent, name)
        if not 0 < given < np.inf:
            return f"{name} is {given}: write a positive number, such as {getattr(type(agent)(), name)}"
    if not 0.0 <= agent.least <= 1.0:
        return f"least is {agent.least}: write a probability, such as 0.001"
    return ""


@problem_with.of(EpsilonQ)
def epsilon_problem(agent):
    return _positive(agent, ())


@problem_with.of(QUCB)
def bonus_problem(agent):
    return _positive(agent, ("delta", "scale"))


@problem_with.of(PSRL)
def draws_problem(agent):
    return _positive(agent, ("period", "redraws"))


@problem_with.of(MDPNaS)
def nas_problem(agent):
    return _positive(agent, ("period",))


@problem_with.of(OBPI)
def bound_problem(agent):
    return _positive(agent, ("moment", "period"))


@problem_with.of(MFBPI)
def ensemble_problem(agent):
    if agent.members < 2:
        return f"members is {agent.members}: write 2 or more, such as 50"
    if not 1 <= int(agent.share * agent.members) <= agent.members:
        return f"share is {agent.share}: write a share of the {agent.members} members, such as 0.7"
    return _positive(agent, ("moment",))


# -- checks --------------------------------------------------------------------------------------


def check_agent(agent: Any, steps: int, discount: float) -> None:
    if not is_record(agent):
        raise TypeError(f"{agent!r} is a {type(agent).__name__}: write a record such as varde.VarDENav()")
    act.find(type(agent))
    problem = problem_with(agent)
    if problem:
        raise ValueError(f"{type(agent).__name__}: {problem}")
    if isinstance(steps, bool) or steps != int(steps) or steps < 1:
        raise ValueError(f"steps is {steps}: write a whole number of interactions, 1 or more")
    check_discount(discount)


def reachable(model: MDP, start: int) -> np.ndarray:
    """[S] whether a state can be come to from ``start``."""
    found = np.zeros(model.pairs.size - 1, bool)
    found[start] = True
    queue = [start]
    for s in queue:
        outcomes = slice(model.outcomes[model.pairs[s]], model.outcomes[model.pairs[s + 1]])
        for after in np.unique(model.successors[outcomes]):
            if not found[after]:
                found[after] = True
                queue.append(int(after))
    return found


def restrict(world: World) -> World:
    """The part of a world that can be come to from its start."""
    model, kept = world.model, reachable(world.model, world.start)
    number = np.cumsum(kept) - 1
    pairs = np.repeat(kept, np.diff(model.pairs))
    outcomes = np.repeat(pairs, np.diff(model.outcomes))
    smaller = MDP(
        np.concatenate([[0], np.cumsum(np.diff(model.pairs)[kept])]),
        np.concatenate([[0], np.cumsum(np.diff(model.outcomes)[pairs])]),
        model.labels[pairs],
        model.means[pairs],
        number[model.successors[outcomes]],
        *(np.ascontiguousarray(field[outcomes]) for field in model[5:9]),
        model.noise,
    )
    names = [name for name, keep in zip(world.states, kept, strict=True) if keep]
    return World(smaller, names, world.actions, int(number[world.start]), {name: i for i, name in enumerate(names)})


def check_world(agent: Any, world: World) -> int:
    """Refuse a model that cannot be learned from one trajectory; returns the number of actions."""
    model, shown = world.model, type(agent).__name__
    if not np.isfinite(model.probabilities).all() or model.probabilities.min() < 0.0:
        wrong = int(np.argmin(np.where(np.isfinite(model.probabilities), model.probabilities, -1.0)))
        raise ValueError(f"probability {model.probabilities[wrong]} of outcome {wrong}: write numbers from 0 to 1")
    totals = np.add.reduceat(model.probabilities, model.outcomes[:-1])
    bad = np.flatnonzero(np.abs(totals - 1.0) > 1e-9)
    if bad.size:
        state = int(np.searchsorted(model.pairs, bad[0], side="right")) - 1
        raise ValueError(
            f"state {world.states[state]!r}, action {int(bad[0] - model.pairs[state])}: the probabilities sum to "
            f"{totals[bad[0]]:.12g}: write outcomes that sum to 1"
        )
    missing = np.flatnonzero(~reachable(model, world.start))
    if missing.size:
        names = ", ".join(repr(world.states[s]) for s in missing[:5]) + (", ..." if missing.size > 5 else "")
        raise ValueError(
            f"{missing.size} state(s) cannot be reached from the start {world.states[world.start]!r}: {names}. "
            'Nothing can be learned about them: start elsewhere, leave them out, or write unreachable="drop"'
        )
    legal = np.diff(model.pairs)
    going = np.flatnonzero(legal > 0)
    if not going.size:
        raise ValueError("no state has an action: there is nothing to learn")
    odd = going[legal[going] != legal[going[0]]]
    if odd.size:
        raise ValueError(
            f"state {world.states[odd[0]]!r} has {legal[odd[0]]} actions and state {world.states[going[0]]!r} has "
            f"{legal[going[0]]}: give every state the same number, an illegal action repeating a legal one"
        )
    if legal[going[0]] < 2:
        raise ValueError("every state has a single action: there is nothing to choose")
    if continuing_only(agent) and going.size < legal.size:
        over = world.states[int(np.flatnonzero(legal == 0)[0])]
        raise ValueError(
            f"{shown} needs a task that goes on, but the episode ends in state {over!r}: let it lead to the start, "
            "or use VarDENav()"
        )
    if unit_rewards(agent) and (model.rewards.min() < 0.0 or model.rewards.max() > 1.0 or model.noise == NORMAL):
        low, high = model.rewards.min(), model.rewards.max()
        noisy = " with normal noise" if model.noise == NORMAL else ""
        raise ValueError(
            f"{shown} needs rewards from 0 to 1, and this model has {low:g} to {high:g}{noisy}: rescale them, "
            "or use VarDENav(), which does not care"
        )
    return int(legal[going[0]])


# -- the doors -----------------------------------------------------------------------------------


@kernel
def look_back(seen, task, own, solution, doubts):
    """The doubt left in the model's policy, and the values of ``own`` in that model."""
    doubt(seen, task.discounts, task.num_actions, doubts)
    find_lowest(seen)
    for s in range(own.size):
        solution.policy[s] = own[s]
    evaluate_policy(seen, task.discounts, solution)


def identify_policy(
    model: Any,
    steps: int,
    discount: float = 0.99,
    *,
    agent: Any = VarDENav(),  # noqa: B008
    report: str = "model",
    seed: int = 0,
    start: Any = None,
    states: int | None = None,
    actions: int | None = None,
    episodic: bool = False,
    unreachable: str = "refuse",
) -> Learned:
    """Learn a good policy from one trajectory of ``steps`` interactions, and say where it may be wrong.

    >>> import varde
    >>> learned = varde.identify_policy(varde.river_swim(5), steps=10_000, discount=0.99)
    >>> learned.policy.tolist(), learned[0], learned.uncertain
    ([1, 1, 1, 1, 1], 'right', [])

    ``model`` is a table (``varde.tabulate``), a Gymnasium environment with a transition table, or a function
    ``simulate(state, action, generator)`` that returns ``(state, reward)``, with states and actions numbered from 0;
    write how many there are as ``states`` and ``actions``.  With ``episodic`` it returns ``(state, reward, over)``.
    An episode that is over continues at ``start``.

    ``report="model"`` returns the best policy of the model of the data, ``"own"`` what the agent itself would do.
    States that cannot be reached are refused; ``unreachable="drop"`` leaves them out, as is done for Gymnasium.
    """
    check_agent(agent, steps, discount)
    if report not in ("model", "own"):
        raise ValueError(f'report is {report!r}: write "model" or "own"')
    if unreachable not in ("refuse", "drop"):
        raise ValueError(f'unreachable is {unreachable!r}: write "refuse" or "drop"')
    key = named_key(seed, "identify-policy")
    if callable(model) and not is_record(model) and not hasattr(model, "unwrapped"):
        return _learn_simulator(agent, model, steps, discount, report, key, start, states, actions, episodic)
    world = as_world(model, start)
    if unreachable == "drop" or hasattr(model, "unwrapped"):
        world = restrict(world)
    num_actions = check_world(agent, world)
    task = Task(state_discounts(world.model, discount), discount, num_actions, world.start, int(steps))
    return _learn(agent, closed(world.model), task, report, key, world.states, world.actions)


def _learn(
    agent: Any, model: Any, task: Task, report: str, key: np.ndarray, states: Sequence[Any], actions: Sequence[Any]
) -> Learned:
    size = task.discounts.size
    seen, own = make_experience(size, task.num_actions), np.zeros(size, np.int64)
    one_run(agent, model, prepare(agent, task), task, seen, own, stream(key))
    doubts, solution = make_doubts(size, task.num_actions), make_solution(size)
    look_back(seen, task, own, solution, doubts)
    found = solution if report == "own" else doubts.solution
    shown = slice(0, len(states))
    visits = np.where(task.discounts[:, None] > 0.0, seen.rewards.counts, 0)
    return Learned(
        found.policy[shown], found.values[shown], doubts.wrong[shown], visits[shown], list(states), list(actions)
    )


def _learn_simulator(
    agent: Any,
    function: Callable[..., Any],
    steps: int,
    discount: float,
    report: str,
    key: np.ndarray,
    start: Any,
    states: int | None,
    actions: int | None,
    episodic: bool,
) -> Learned:
    for name, given, least in (("states", states, 1), ("actions", actions, 2)):
        if given is None or given != int(given) or given < least:
            raise ValueError(f"{name} is {given}: a simulator needs to be told how many it has, {least} or more")
    assert states is not None and actions is not None
    first = 0 if start is None else start
    if first != int(first) or not 0 <= first < states:
        raise ValueError(f"start is {start!r}: write a state from 0 to {states - 1}")
    if episodic and continuing_only(agent):
        raise ValueError(f"{type(agent).__name__} needs a task that goes on: let episodes restart, or use VarDENav()")
    discounts = np.full(states + episodic, float(discount))
    if episodic:
        discounts[-1] = 0.0
    generator = np.random.default_rng([int(word) for word in key])
    model = Simulator(function, generator, states + episodic, actions, bool(episodic), bool(unit_rewards(agent)))
    task = Task(discounts, float(discount), int(actions), int(first), int(steps))
    return _learn(agent, model, task, report, key, range(states), range(actions))


def as_world(model: Any, start: Any = None) -> World:
    """A table, from whatever form it was given in."""
    if isinstance(model, World):
        world = model
    elif isinstance(model, MDP):
        size = model.pairs.size - 1
        world = World(model, range(size), range(int(np.diff(model.pairs).max())), 0, {s: s for s in range(size)})
    elif hasattr(model, "unwrapped"):
        if not getattr(model.unwrapped, "P", None):
            raise TypeError(
                f"{model} has no transition table env.unwrapped.P: write a function simulate(state, action, generator) "
                "of its dynamics and give that, with states= and actions="
            )
        world = from_gymnasium(model)
    else:
        raise TypeError(
            f"model is a {type(model).__name__}: write a table (varde.tabulate), a Gymnasium environment with a "
            "transition table, or a function simulate(state, action, generator)"
        )
    if start is None:
        return world
    return World(world.model, world.states, world.actions, world.state(start), world.index)


class Scores(NamedTuple):
    """1 - max |V* - V| / max |V*| of every run at every checkpoint."""

    own: np.ndarray  # [R, C] of the policy that the agent reports
    model: np.ndarray  # [R, C] of the best policy of the model of its data
    checkpoints: np.ndarray  # [C] steps


def score_agent(
    agent: Any,
    world: World | MDP,
    steps: int,
    discount: float = 0.99,
    *,
    runs: int = 10,
    every: int = 200,
    seed: int = 0,
    threads: int | None = None,
    engine: str = "compiled",
) -> Scores:
    """How good the policies are that ``agent`` reports, ``every`` so many steps of one trajectory, over many runs.

    >>> import varde
    >>> scores = varde.score_agent(varde.VarDENav(), varde.river_swim(5), steps=2_000)
    >>> scores.own.shape, bool(scores.own[:, -1].mean() > 0.95)
    ((10, 10), True)

    Run r depends on ``seed`` and r alone.  ``engine="python"`` runs the same source uncompiled.
    """
    check_agent(agent, steps, discount)
    if runs < 1 or every < 1:
        name, given = ("runs", runs) if runs < 1 else ("every", every)
        raise ValueError(f"{name} is {given}: write 1 or more")
    if engine not in ("compiled", "python"):
        raise ValueError(f'engine is {engine!r}: write "compiled" or "python"')
    if threads is not None and threads < 1:
        raise ValueError(f"threads is {threads}: write 1 or more")
    table, key = as_world(world), named_key(seed, "score-agent")
    check_world(agent, table)
    checkpoints = checkpoints_of(steps, every)
    scores = np.empty((runs, checkpoints.size, 2))
    work = many_runs if engine == "compiled" else many_runs.python
    with ThreadPoolExecutor(threads, thread_name_prefix="varde") as pool:
        jobs = [
            pool.submit(run_block, agent, table, checkpoints, discount, True, key, r, scores[r : r + 1], work)
            for r in range(runs)
        ]
        for job in jobs:
            job.result()
    return Scores(scores[:, :, 0], scores[:, :, 1], checkpoints)


def checkpoints_of(steps: int, every: int) -> np.ndarray:
    """Every so many steps, and the last."""
    return np.array([*range(every, steps, every), steps], np.int64)


def run_block(
    agent: Any,
    world: World,
    checkpoints: np.ndarray,
    discount: float,
    keep: bool,
    key: np.ndarray,
    first: int,
    scores: np.ndarray,
    work: Callable[..., None] = many_runs,
) -> np.ndarray:
    """Fill ``scores [R, C, 2]`` of runs ``first`` onwards; nothing is shared with other blocks.

    The last checkpoint is the budget.  Without ``keep`` the model of the data is not reported, nor kept by agents that do not need it.
    """
    discounts = state_discounts(world.model, discount)
    size, num_actions = discounts.size, int(np.diff(world.model.pairs).max())
    task = Task(discounts, float(discount), num_actions, world.start, int(checkpoints[-1]))
    _, best = best_policy(world, discount)
    reports = Reports(
        make_solution(size), make_solution(size), make_solution(size), best, np.zeros((2, size), np.int64), np.zeros(2)
    )
    seen, rng, model = make_experience(size, num_actions), np.empty(4, np.uint64), closed(world.model)
    keep = bool(keep or needs_model(agent))
    work(agent, model, prepare(agent, task), task, seen, reports, keep, checkpoints, key, rng, int(first), scores)
    return scores
